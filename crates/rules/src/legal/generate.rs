//! How the moves are found. Hands are sets of faces, so most of it is a few operations on bits.

use super::{LayOffMove, LegalMoves, Making, MeldShape, SwapMove};
use crate::card::{Card, Face, Rank, Suit};
use crate::cards::Cards;
use crate::command::{End, Source};
use crate::lay_off::lay_off;
use crate::meld::{Meld, Named, Shape, run_fits};
use crate::pending::has_place;
use crate::ruleset::{Aces, JokerSwap, Ruleset};
use crate::seat::Seat;
use crate::table::{Deal, MOST_UNDOS, Part, Phase, Play, Table};
use crate::view::{Standing, TableMeld};

/// Every single step that a seat may take now.
pub fn legal_moves(table: &Table, seat: Seat) -> LegalMoves {
    let mut moves = LegalMoves::default();
    legal_moves_into(table, seat, &mut moves);
    moves
}

/// The same into a value that is there already, whose memory is used again.
pub fn legal_moves_into(table: &Table, seat: Seat, moves: &mut LegalMoves) {
    moves.clear();
    match &table.phase {
        Phase::Waiting | Phase::Between(_) => {
            let state = table.seats.get(seat.index());
            let state = state.filter(|s| s.player.is_some() && s.standing == Standing::In);
            moves.leave = state.is_some_and(|s| s.bot.is_none());
            moves.ready = state.is_some_and(|s| s.ready.is_none());
        }
        Phase::Playing(deal) if deal.turn.seat == seat => {
            moves.hand = deal.hands[seat.index()];
            match &deal.turn.part {
                Part::Draw if deal.pile.is_empty() => moves.draws = &[Source::Stock],
                Part::Draw => moves.draws = &[Source::Stock, Source::Discard],
                Part::Play(play) => {
                    let turn = OwnTurn::new(&table.rules, deal, play, moves.hand);
                    moves.pending = play.pending.map(|joker| (joker, !table.rules.joker_may_be_laid_off()));
                    turn.melds(&mut moves.melds);
                    turn.lay_offs(&mut moves.lay_offs);
                    turn.swaps(&mut moves.swaps);
                    moves.discards = turn.discards();
                    moves.undo = play.before.is_some() && play.undos < MOST_UNDOS;
                }
            }
        }
        Phase::Playing(_) | Phase::Over { .. } => {}
    }
}

/// The part of a turn after the draw.
struct OwnTurn<'a> {
    rules: &'a Ruleset,
    deal: &'a Deal,
    play: &'a Play,
    hand: Cards,
    /// The player has melds of his own.
    opened: bool,
    /// The most cards that may leave the hand other than by the discard (RULES 6).
    most: usize,
    /// The whole hand must be laid first (RULES 14).
    whole_hand: bool,
}

impl<'a> OwnTurn<'a> {
    fn new(rules: &'a Ruleset, deal: &'a Deal, play: &'a Play, hand: Cards) -> Self {
        let opened = deal.opened.contains(deal.turn.seat);
        Self {
            rules,
            deal,
            play,
            hand,
            opened,
            most: hand.len().saturating_sub(usize::from(rules.final_discard)),
            whole_hand: !opened && rules.whole_hand_at_once(deal.number),
        }
    }

    fn discards(&self) -> u64 {
        if self.play.pending.is_some() {
            return 0;
        }
        let joker = if self.hand.jokers().is_empty() { 0 } else { Face::JOKER.bit() };
        let faces = self.hand.faces() | joker;
        match self.play.taken {
            // With nothing but the taken card and its twin they may go (RULES 7).
            Some(taken) if !self.play.taken_laid && faces & !taken.face().bit() != 0 => {
                faces & !taken.face().bit()
            }
            _ => faces,
        }
    }

    fn melds(&self, melds: &mut Vec<MeldShape>) {
        if !self.rules.several_melds && self.play.melds_laid > 0 {
            return;
        }
        let making = Making::new(self.hand, self.most, self.rules);
        if self.opened && self.play.pending.is_none() {
            making.each(|shape| melds.push(shape));
            return;
        }
        let least = if self.whole_hand { self.hand.len().saturating_sub(1) } else { 0 };
        let points = if self.opened { 0 } else { self.rules.opening_points };
        let legal = |shape: &MeldShape| {
            shape.size() >= least && shape.points(self.rules.aces) >= points && self.joker_stays_laid(shape)
        };
        let keep = |shape| {
            if legal(&shape) {
                melds.push(shape);
            }
        };
        if !self.opened && self.rules.opening_pure_run {
            making.pure_runs(keep);
        } else {
            making.each(keep);
        }
    }

    /// Whether a pending joker is in the meld or has a place after it.
    fn joker_stays_laid(&self, shape: &MeldShape) -> bool {
        if self.play.pending.is_none() || shape.jokers() > 0 {
            return true;
        }
        let Some(meld) = shape.meld(self.hand, None) else { return false };
        let left = self.hand.without(meld.set());
        let melds = self.deal.melds.iter().map(|laid| &laid.meld).chain([&meld]);
        let may_lay_off = self.rules.joker_may_be_laid_off();
        has_place(left, melds, self.rules.several_melds, may_lay_off, self.rules)
    }

    /// Whether a joker in the hand has a place when one meld on the table is another.
    fn joker_has_place(&self, hand: Cards, changed: &TableMeld, into: &Meld) -> bool {
        let melds = self.deal.melds.iter().map(|laid| if laid.id == changed.id { into } else { &laid.meld });
        let may_meld = self.rules.several_melds || self.play.melds_laid == 0;
        let may_lay_off = self.rules.joker_may_be_laid_off() && self.may_lay_off();
        has_place(hand, melds, may_meld, may_lay_off, self.rules)
    }

    /// Whether the player has laid what must come before any lay-off.
    fn may_lay_off(&self) -> bool {
        (self.opened || !self.rules.lay_off_needs_own_meld) && !self.whole_hand
    }

    fn lay_offs(&self, lay_offs: &mut Vec<LayOffMove>) {
        if !self.may_lay_off() || self.most == 0 {
            return;
        }
        for laid in &self.deal.melds {
            let mut offer = |face: Face, end| {
                if self.hand.count(face) > 0 && self.lay_off_is_legal(laid, face, end) {
                    lay_offs.push(LayOffMove { meld: laid.id, face, end });
                }
            };
            match laid.meld.shape {
                Shape::Run { suit, low } => self.onto_run(&laid.meld, suit, low, &mut offer),
                Shape::Group { rank } => self.onto_group(&laid.meld, rank, &mut offer),
            }
        }
    }

    /// Offers what continues a run.
    fn onto_run(&self, meld: &Meld, suit: Suit, low: u8, offer: &mut impl FnMut(Face, Option<End>)) {
        let len = meld.cards.len();
        let below = match low.checked_sub(1) {
            None if self.rules.aces == Aces::RoundTheCorner => Some(12),
            position => position,
        };
        let below = below.filter(|&position| run_fits(position, len + 1, self.rules.aces));
        let above = run_fits(low, len + 1, self.rules.aces).then_some(low + len as u8);
        let another_joker = !self.hand.jokers().is_empty() && 2 * meld.jokers() < len;
        let ends = [(End::Low, below, meld.cards.first()), (End::High, above, meld.cards.last())];
        for (end, position, beside) in ends {
            let Some(position) = position else { continue };
            offer(Face::new(Rank::at(position), suit), Some(end));
            if another_joker && (self.rules.adjacent_jokers || beside.is_some_and(|card| !card.is_joker())) {
                offer(Face::JOKER, Some(end));
            }
        }
    }

    /// Offers what a group lacks.
    fn onto_group(&self, meld: &Meld, rank: Rank, offer: &mut impl FnMut(Face, Option<End>)) {
        if meld.cards.len() >= 4 {
            return;
        }
        for suit in missing_suits(meld) {
            offer(Face::new(rank, suit), None);
        }
        // A group of three has one joker at most, so there is room for another.
        offer(Face::JOKER, None);
    }

    /// Whether a lay-off that fits leaves a pending joker its place.
    fn lay_off_is_legal(&self, laid: &TableMeld, face: Face, end: Option<End>) -> bool {
        let Some(pending) = self.play.pending else { return true };
        let card = if !face.is_joker() {
            self.hand.pick(face)
        } else if self.rules.joker_may_be_laid_off() {
            return true;
        } else {
            self.hand.jokers().iter().find(|&joker| joker != pending)
        };
        card.is_some_and(|card| {
            let left = self.hand.without([card].into_iter().collect());
            lay_off(&laid.meld, &[Named::from(card)], end, self.rules)
                .is_ok_and(|after| self.joker_has_place(left, laid, &after.meld))
        })
    }

    fn swaps(&self, swaps: &mut Vec<SwapMove>) {
        let may = match self.rules.joker_swap {
            JokerSwap::Never => false,
            JokerSwap::AfterOpening => self.opened,
            JokerSwap::AnyTurn => !self.whole_hand,
        };
        if !may || self.play.pending.is_some() {
            return;
        }
        for laid in &self.deal.melds {
            for (index, &joker) in laid.meld.cards.iter().enumerate().filter(|(_, card)| card.is_joker()) {
                let mut offer = |face: Face| {
                    if let Some(card) = self.hand.pick(face)
                        && self.swap_is_legal(laid, index, card)
                    {
                        swaps.push(SwapMove { meld: laid.id, face, joker });
                    }
                };
                match laid.meld.shape {
                    Shape::Run { suit, low } => offer(Face::new(Rank::at(low + index as u8), suit)),
                    Shape::Group { rank } => {
                        missing_suits(&laid.meld).for_each(|suit| offer(Face::new(rank, suit)));
                    }
                }
            }
        }
    }

    /// Whether the joker that a card sets free has a place, if it needs one (RULES 5).
    fn swap_is_legal(&self, laid: &TableMeld, index: usize, card: Card) -> bool {
        if !self.rules.joker_must_be_laid() {
            return true;
        }
        let mut after = laid.meld.clone();
        let mut hand = self.hand.without([card].into_iter().collect());
        hand.insert(std::mem::replace(&mut after.cards[index], card));
        self.joker_has_place(hand, laid, &after)
    }
}

/// The suits of which a group has no natural card.
fn missing_suits(meld: &Meld) -> impl Iterator<Item = Suit> + use<> {
    let there = meld.suits();
    Suit::ALL.into_iter().filter(move |&suit| there & 1 << suit as u8 == 0)
}
