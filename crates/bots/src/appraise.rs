//! What a hand is worth to its player: how many cards no meld holds yet, and what they still hope for.

use remik_rules::card::{Card, Face, Rank};
use remik_rules::cards::Cards;
use remik_rules::meld::Shape;
use remik_rules::ruleset::{Aces, Ruleset};
use remik_rules::seat::Seat;
use remik_rules::view::TableMeld;

use crate::cover::{Cover, cover};
use crate::faces::{Faces, bit_at, bit_of, rank_mates};

/// What a card in no meld costs: all values here are thousandths of it.
const CARD: i32 = 1000;

/// What a joker is worth beyond the cards that it brings to the table.
const JOKER: i32 = 300;

/// How much of a card's cost its partners save, by the number of unseen cards that would make a meld of them.
const SAVED: [i32; 9] = [30, 210, 350, 450, 530, 590, 640, 680, 710];

/// What a player judges hands by.
#[derive(Debug, Clone)]
pub(crate) struct Outlook<'a> {
    rules: &'a Ruleset,
    /// Cards that may still come.
    unseen: Faces,
    /// Faces that fit a meld on the table.
    layable: u64,
    /// Faces one place beyond, with the face between: the card there would bring both to the table.
    beyond: Vec<(u64, u64)>,
    /// They may be laid off already.
    may_lay_off: bool,
    /// The player has yet to meet the opening's conditions.
    opening: bool,
    /// What a point left in the hand costs.
    point: i32,
}

impl<'a> Outlook<'a> {
    /// The outlook of a seat that hasn't seen these cards. The fewer cards an opponent has, the dearer are
    /// points left in the hand.
    pub(crate) fn new(
        rules: &'a Ruleset,
        seat: Seat,
        melds: &[TableMeld],
        unseen: Cards,
        fewest_opposing: usize,
    ) -> Self {
        let opened = melds.iter().any(|laid| laid.owner == seat);
        Self {
            rules,
            unseen: Faces::of(unseen),
            layable: layable(melds, rules.aces),
            beyond: beyond(melds, rules.aces),
            may_lay_off: opened || !rules.lay_off_needs_own_meld,
            opening: !opened && rules.has_opening_minimum(),
            point: match (rules.hands_count(), fewest_opposing) {
                (false, _) => 0,
                (true, 0..=3) => 22,
                (true, 4..=6) => 12,
                (true, _) => 5,
            },
        }
    }

    /// The natural melds of a hand as this player would choose them.
    pub(crate) fn cover(&self, hand: Cards) -> Cover {
        cover(Faces::of(hand), self.rules, self.opening && self.rules.opening_pure_run)
    }

    /// Whether a card of the face fits a meld on the table and may be laid there.
    pub(crate) fn fits(&self, card: Card) -> bool {
        self.may_lay_off && self.layable & bit_of(card) != 0
    }

    /// Whether some card of the hand does.
    pub(crate) fn any_fits(&self, hand: Cards) -> bool {
        self.may_lay_off && hand.faces() & self.layable != 0
    }

    /// Whether it fits a meld on the table at all.
    pub(crate) fn is_layable(&self, card: Card) -> bool {
        self.layable & bit_of(card) != 0
    }

    /// What a hand is worth: the higher, the nearer to its end. Only differences mean anything.
    pub(crate) fn value(&self, hand: Cards) -> i32 {
        let cover = self.cover(hand);
        let left = cover.left;
        let few = self.too_few(hand.len());
        let mut costs = [0; 64];
        let mut cost = 0;
        each_bit(left.one, |bit| {
            costs[bit as usize] = self.cost(bit, left.one, false, few);
            cost += costs[bit as usize];
        });
        each_bit(left.two, |bit| cost += self.cost(bit, left.one, true, few));
        let jokers = hand.jokers().len() as i32;
        cost -= jokers * JOKER + self.saved_by_jokers(jokers, left.one, &costs);
        self.to_opening(&cover, jokers) - cost
    }

    /// A joker makes a meld of two partners, or else goes with a meld in a card's place.
    fn saved_by_jokers(&self, jokers: i32, left: u64, costs: &[i32; 64]) -> i32 {
        let mut left = left;
        let mut saved = 0;
        for _ in 0..jokers {
            let mut most = (0, 0);
            each_bit(left, |bit| {
                each_bit(neighbours(bit, self.rules.aces) & left, |mate| {
                    let both = costs[bit as usize] + costs[mate as usize];
                    if both > most.0 {
                        most = (both, 1u64 << bit | 1 << mate);
                    }
                });
            });
            saved += most.0;
            left &= !most.1;
        }
        saved
    }

    /// How many cards of a hand could not be laid if all that can be were; about, where jokers are among them.
    pub(crate) fn loose(&self, hand: Cards) -> u32 {
        let cover = self.cover(hand);
        let left = cover.left;
        // Lay-offs may follow the opening in the same turn.
        let opens = self.may_open(&cover) && !(self.opening && self.rules.opening_pure_run && !cover.run);
        let fitting = if self.may_lay_off || opens { self.layable } else { 0 };
        let (one, two) = (left.one & !fitting, left.two & !fitting);
        let mut loose = one.count_ones() + two.count_ones();
        let mut partners = one;
        for _ in hand.jokers().iter() {
            let mut found = None;
            each_bit(partners, |bit| {
                let mates = neighbours(bit, self.rules.aces) & partners;
                if found.is_none() && mates != 0 {
                    found = Some(1 << bit | mates & mates.wrapping_neg());
                }
            });
            partners &= !found.unwrap_or(0);
            loose = loose.saturating_sub(if found.is_some() { 2 } else { 1 });
        }
        loose
    }

    /// Whether melds without jokers could be laid now, as far as the opening's conditions go.
    pub(crate) fn may_open(&self, cover: &Cover) -> bool {
        // The cover isn't the dearest one there is, so that some points may be missing.
        !self.opening || cover.points + 30 >= self.rules.opening_points
    }

    /// Whether the player has yet to meet the opening's conditions.
    pub(crate) fn is_opening(&self) -> bool {
        self.opening
    }

    /// Whether an opening is impossible for want of a run without a joker.
    pub(crate) fn lacks_run(&self, hand: Cards) -> bool {
        self.opening && self.rules.opening_pure_run && !self.cover(hand).run
    }

    /// What the way to the opening adds or costs.
    fn to_opening(&self, cover: &Cover, jokers: i32) -> i32 {
        if !self.opening {
            return 0;
        }
        let missing = i32::from(self.rules.opening_points) - i32::from(cover.points) - jokers * 20;
        let run_missing = self.rules.opening_pure_run && !cover.run;
        let bonus = if missing <= 0 && !run_missing { 900 } else { 0 };
        bonus - missing.max(0) * 14 - if run_missing { 900 } else { 0 }
    }

    /// Whether a hand of so many cards can't lay a meld and still have a card to discard (RULES 6).
    fn too_few(&self, cards: usize) -> bool {
        self.rules.final_discard && cards < 3
    }

    /// What a card in no meld costs its player, when these are the faces that could be its partners.
    pub(crate) fn cost(&self, bit: u32, partners: u64, second_copy: bool, few: bool) -> i32 {
        let face = 1u64 << bit;
        let points = i32::from(self.points_in_hand(bit)) * self.point;
        if self.layable & face != 0 {
            return 60 + points;
        }
        let mut wanted = if few { 0 } else { self.wanted(bit, partners) };
        if self.may_lay_off {
            self.beyond.iter().filter(|(far, _)| far & face != 0).for_each(|(_, between)| wanted |= between);
        }
        let outs = self.unseen.count_of(wanted) as usize;
        let mut saved = if wanted == 0 { 0 } else { SAVED[outs.min(SAVED.len() - 1)] };
        if second_copy {
            saved /= 3;
        }
        // Alone, a card can find two partners yet.
        let around = self.unseen.count_of(neighbours(bit, self.rules.aces)) as i32;
        CARD - saved - around.min(10) * 9 + points
    }

    /// The faces that would make a meld of a card and one of its partners.
    fn wanted(&self, bit: u32, partners: u64) -> u64 {
        let lane = bit & !15;
        let ranks = (partners >> lane & 0x1FFF) as u32;
        // Two places are kept free below the ace.
        let line = (ranks | high_ace(ranks, self.rules.aces)) << 2;
        let mut wanted = in_line(line, (bit & 15) + 2);
        if bit & 15 == 0 && self.rules.aces != Aces::Low {
            wanted |= in_line(line, 15);
        }
        let ends = if self.rules.aces == Aces::Low { 0x1FFF } else { 0x3FFF };
        let wanted = (wanted & !line) >> 2 & ends;
        let mates = rank_mates(bit);
        let held = partners & mates;
        let group = if held.count_ones() >= 2 { mates & !partners } else { 0 };
        u64::from((wanted | wanted >> 13) & 0x1FFF) << lane | group
    }

    fn points_in_hand(&self, bit: u32) -> u16 {
        match Rank::ALL.get((bit & 15) as usize) {
            Some(Rank::Ace) => self.rules.ace_in_hand,
            Some(rank) => rank.pips(),
            None => 0,
        }
    }

    /// The card that the player would miss least, among those he may throw away; quick.
    pub(crate) fn weakest(&self, hand: Cards, may: impl Fn(Card) -> bool) -> Option<Card> {
        let left = self.cover(hand).left;
        let few = self.too_few(hand.len() - 1);
        let mut dearest: Option<(i32, Card)> = None;
        let mut consider = |bit: u32, second_copy| {
            let cost = self.cost(bit, left.one, second_copy, few);
            if dearest.is_none_or(|(most, _)| cost > most)
                && let Some(card) = card_at(hand, bit)
                && may(card)
            {
                dearest = Some((cost, card));
            }
        };
        each_bit(left.one, |bit| consider(bit, false));
        each_bit(left.two, |bit| consider(bit, true));
        match dearest {
            Some((_, card)) => Some(card),
            None => hand.iter().filter(|card| may(*card)).max_by_key(|card| self.value(without(hand, *card))),
        }
    }
}

/// A hand without one of its cards.
pub(crate) fn without(hand: Cards, card: Card) -> Cards {
    let mut hand = hand;
    hand.remove(card);
    hand
}

/// A hand with one card more.
pub(crate) fn with(hand: Cards, card: Card) -> Cards {
    let mut hand = hand;
    hand.insert(card);
    hand
}

fn card_at(hand: Cards, bit: u32) -> Option<Card> {
    let rank = *Rank::ALL.get((bit & 15) as usize)?;
    let suit = *remik_rules::card::Suit::ALL.get((bit >> 4) as usize)?;
    hand.pick(Face::new(rank, suit))
}

pub(crate) fn each_bit(mut bits: u64, mut seen: impl FnMut(u32)) {
    while bits != 0 {
        seen(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

fn high_ace(ranks: u32, aces: Aces) -> u32 {
    if aces == Aces::Low { 0 } else { (ranks & 1) << 13 }
}

/// The places that make a run of the card at a place and a neighbour one or two places off.
const fn in_line(line: u32, place: u32) -> u32 {
    let mut wanted = 0;
    if line >> (place + 1) & 1 != 0 {
        wanted |= 1 << (place - 1) | 1 << (place + 2);
    }
    if line >> (place - 1) & 1 != 0 {
        wanted |= 1 << (place - 2) | 1 << (place + 1);
    }
    if line >> (place + 2) & 1 != 0 {
        wanted |= 1 << (place + 1);
    }
    if line >> (place - 2) & 1 != 0 {
        wanted |= 1 << (place - 1);
    }
    wanted
}

/// The faces that a card can be partnered with: its rank's, and those one or two places off in its suit.
pub(crate) fn neighbours(bit: u32, aces: Aces) -> u64 {
    let (lane, rank) = (bit & !15, bit & 15);
    let around = |place: u32| (0b11011u32 << place) >> 2;
    let ends = if aces == Aces::Low { 0x1FFF } else { 0x3FFF };
    let mut line = around(rank) & ends;
    if rank == 0 && aces != Aces::Low {
        line |= around(13) & ends;
    }
    u64::from((line | line >> 13) & 0x1FFF) << lane | rank_mates(bit) & !(1 << bit)
}

/// The faces that could be laid off onto the melds on the table.
fn layable(melds: &[TableMeld], aces: Aces) -> u64 {
    let mut faces = 0;
    for TableMeld { meld, .. } in melds {
        match meld.shape {
            Shape::Run { suit, low } => {
                let len = meld.cards.len() as u8;
                if len >= 13 {
                    continue;
                }
                if low > 0 {
                    faces |= bit_at(Rank::ALL[usize::from(low - 1)], suit);
                }
                let top = low + len;
                if top < 13 || top == 13 && aces != Aces::Low || aces == Aces::RoundTheCorner {
                    faces |= bit_at(Rank::ALL[usize::from(top % 13)], suit);
                }
            }
            Shape::Group { rank } => {
                let held = meld.cards.iter().fold(0, |set, card| set | bit_of(*card));
                if meld.cards.len() < 4 {
                    faces |= rank_mates(rank as u32) & !held;
                }
            }
        }
    }
    faces
}

/// The faces two places beyond an end of a run on the table, each with the face between.
fn beyond(melds: &[TableMeld], aces: Aces) -> Vec<(u64, u64)> {
    let mut faces = Vec::new();
    for TableMeld { meld, .. } in melds {
        if let Shape::Run { suit, low } = meld.shape {
            let at = |position: u8| bit_at(Rank::ALL[usize::from(position % 13)], suit);
            if low >= 2 {
                faces.push((at(low - 2), at(low - 1)));
            }
            let top = low + meld.cards.len() as u8;
            if top + 1 < 13 || top + 1 == 13 && aces != Aces::Low {
                faces.push((at(top + 1), at(top)));
            }
        }
    }
    faces
}
