//! Applying events: no rule is judged here, so old logs replay after a rule is mended.

use crate::card::Card;
use crate::cards::Cards;
use crate::chance::{ClientSeed, Commitment, Millis, Seed};
use crate::command::MeldId;
use crate::event::{DealEnded, Dealt, Event, Forfeit, Full, GameOver};
use crate::meld::{Meld, Shape};
use crate::ruleset::{MAX_SEATS, Ruleset};
use crate::seat::{Seat, Seats};
use crate::table::{Before, Deal, Part, Phase, Play, SeatState, Table, Turn};
use crate::view::{Standing, TableMeld};

/// Applies an event to a table. An event that doesn't fit the table, which no log that this crate wrote
/// holds, changes nothing.
pub fn evolve(table: &mut Table, event: &Event<Full>) {
    let seats = &table.seats;
    table.lobby.note(event, |seat| seats.get(seat.index()).and_then(|state| state.player));
    match event {
        Event::GameCreated { .. } => {
            if let Some(opened) = Table::open(event) {
                *table = opened;
            }
        }
        Event::SandboxArranged { arrangement } => table.sandbox = Some(arrangement.clone()),
        Event::SeedCommitted { commitment, seed, .. } => table.next_seed = Some((*seed, *commitment)),
        Event::SeatTaken { seat, player } => table.with_seat(*seat, |s| s.player = Some(*player)),
        Event::SeatLeft { seat } | Event::PlayerRemoved { seat } | Event::ReadyMissed { seat } => {
            table.with_seat(*seat, |s| (s.player, s.bot, s.ready) = (None, None, None));
        }
        Event::BotSeated { seat, strength, .. } => {
            table.with_seat(*seat, |s| (s.bot, s.ready) = (Some(*strength), None));
        }
        Event::SeatResumed { seat } => table.with_seat(*seat, |s| (s.bot, s.timeouts) = (None, 0)),
        Event::RematchMade { game, .. } => table.rematch = Some(*game),
        Event::HostChanged { .. }
        | Event::ReadyAsked { .. }
        | Event::SettingsChanged
        | Event::SeatOffered { .. }
        | Event::OfferEnded { .. } => {}
        Event::BecameReady { seat, client_seed } => table.with_seat(*seat, |s| {
            s.ready = Some(client_seed.clone());
            s.timeouts = 0;
        }),
        Event::DealerChosen { dealer, .. } => table.last_dealer = Some(*dealer),
        Event::Dealt(dealt) => table.deal_out(dealt),
        Event::TurnStarted { seat, drawn, deadline } => {
            table.with_deal(|deal| deal.start_turn(*seat, *drawn, *deadline));
        }
        Event::TimeBankUsed { seat, left } => table.with_deal(|deal| deal.time_banks[seat.index()] = *left),
        Event::ClockExtended { until, .. } => table.with_deal(|deal| deal.turn.deadline = Some(*until)),
        Event::TimedOut { seat, in_a_row } => table.with_seat(*seat, |s| s.timeouts = *in_a_row),
        Event::SeatForfeited { seat, cause } => table.forfeit(*seat, *cause),
        Event::GameStopped { reason } => table.stopped = Some(reason.clone()),
        Event::DealEnded(ended) => table.end_deal(ended),
        Event::GameEnded { cause, places } => table.end_game(*cause, places),
        Event::StockDrawn { seat, .. }
        | Event::DiscardTaken { seat, .. }
        | Event::Melded { seat, .. }
        | Event::LaidOff { seat, .. }
        | Event::JokerSwapped { seat, .. }
        | Event::PlaysUndone { seat }
        | Event::Discarded { seat, .. } => {
            // Whoever acts is there again; a move of the clock ends with `TimedOut`, which counts on.
            table.with_seat(*seat, |s| s.timeouts = 0);
            table.with_deal(|deal| deal.play(event));
        }
        Event::StockReused { kept, stock, .. } => table.with_deal(|deal| {
            deal.stock.clone_from(stock);
            deal.pile.clear();
            deal.pile.extend(*kept);
            deal.stock_uses = deal.stock_uses.saturating_add(1);
        }),
    }
}

impl Table {
    /// A table as a log of events makes it; `None` if the log doesn't begin with [`Event::GameCreated`].
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event<Full>>) -> Option<Self> {
        let mut events = events.into_iter();
        let mut table = Self::open(events.next()?)?;
        for event in events {
            evolve(&mut table, event);
        }
        Some(table)
    }

    fn with_seat(&mut self, seat: Seat, change: impl FnOnce(&mut SeatState)) {
        if let Some(state) = self.seats.get_mut(seat.index()) {
            change(state);
        }
    }

    fn with_deal(&mut self, change: impl FnOnce(&mut Deal)) {
        if let Phase::Playing(deal) = &mut self.phase {
            change(deal);
        }
    }

    fn deal_out(&mut self, dealt: &Dealt<Full>) {
        let Some((seed, commitment)) = self.next_seed.take() else { return };
        self.deals = dealt.deal;
        self.last_dealer = Some(dealt.dealer);
        for seat in &mut self.seats {
            seat.ready = None;
        }
        self.phase = Phase::Playing(Box::new(Deal::new(dealt, seed, commitment, &self.rules)));
    }

    fn forfeit(&mut self, seat: Seat, _cause: Forfeit) {
        let before = self.seats.iter().filter(|s| matches!(s.standing, Standing::Forfeited { .. })).count();
        self.with_seat(seat, |s| {
            s.standing = Standing::Forfeited { order: before as u8 };
            s.ready = None;
        });
        self.with_deal(|deal| deal.active.remove(seat));
    }

    fn end_deal(&mut self, ended: &DealEnded) {
        let mut row = vec![0; self.seats.len()];
        for (seat, score) in &ended.scores {
            if let Some(cell) = row.get_mut(seat.index()) {
                *cell = *score;
            }
        }
        self.sheet.push(row);
        for (state, total) in self.seats.iter_mut().zip(&ended.totals) {
            state.total = *total;
        }
        let deal = self.deals;
        for seat in &ended.eliminated {
            self.with_seat(*seat, |s| s.standing = Standing::Eliminated { deal });
        }
        self.phase = Phase::Between(Box::new(ended.clone()));
    }

    fn end_game(&mut self, cause: GameOver, places: &[u8]) {
        self.next_seed = None;
        for seat in &mut self.seats {
            seat.ready = None;
        }
        let last = match std::mem::replace(&mut self.phase, Phase::Waiting) {
            Phase::Between(ended) => Some(ended),
            Phase::Over { last, .. } => last,
            Phase::Waiting | Phase::Playing(_) => None,
        };
        self.phase = Phase::Over { last, cause, places: places.to_vec() };
    }
}

impl Deal {
    fn new(dealt: &Dealt<Full>, seed: Seed, commitment: Commitment, rules: &Ruleset) -> Self {
        let mut hands = [Cards::EMPTY; MAX_SEATS];
        for (seat, cards) in &dealt.hands {
            hands[seat.index()] = cards.iter().copied().collect();
        }
        let dealt_in: Seats = dealt.hands.iter().map(|(seat, _)| *seat).collect();
        let client_seeds: Vec<(Seat, ClientSeed)> = dealt.client_seeds.clone();
        let mut time_banks = [0; MAX_SEATS];
        dealt_in.iter().for_each(|seat| time_banks[seat.index()] = rules.time_bank_millis());
        Self {
            number: dealt.deal,
            dealer: dealt.dealer,
            starter: dealt.starter,
            seed,
            commitment,
            client_seeds,
            dealt_in,
            active: dealt_in,
            hands,
            stock: dealt.stock.clone(),
            pile: dealt.upcard.into_iter().collect(),
            melds: Vec::new(),
            opened: Seats::EMPTY,
            laid: Seats::EMPTY,
            credited: [0; MAX_SEATS],
            stock_uses: 0,
            turns: 0,
            time_banks,
            turn: Turn { seat: dealt.starter, deadline: None, part: Part::Draw },
        }
    }

    fn start_turn(&mut self, seat: Seat, drawn: bool, deadline: Option<Millis>) {
        let part = if drawn { Part::Play(self.fresh_play(seat, None, None)) } else { Part::Draw };
        self.turn = Turn { seat, deadline, part };
        self.turns = self.turns.saturating_add(1);
    }

    fn fresh_play(&self, seat: Seat, drawn: Option<Card>, taken: Option<Card>) -> Play {
        Play::new(drawn, taken, !self.laid.contains(seat))
    }

    fn play(&mut self, event: &Event<Full>) {
        match event {
            Event::StockDrawn { seat, card } => {
                self.stock.pop();
                self.hands[seat.index()].insert(*card);
                self.turn.part = Part::Play(self.fresh_play(*seat, Some(*card), None));
            }
            Event::DiscardTaken { seat, card } => {
                self.pile.pop();
                self.hands[seat.index()].insert(*card);
                self.turn.part = Part::Play(self.fresh_play(*seat, None, Some(*card)));
            }
            Event::Melded { seat, melds, points, .. } => self.lay_melds(*seat, melds, *points),
            Event::LaidOff { seat, meld, low, high, points } => {
                self.keep_before(*seat);
                for &card in low.iter().chain(high) {
                    self.take_from_hand(*seat, card);
                }
                self.laid_for(*seat, *points);
                if let Some(table_meld) = self.meld_mut(*meld) {
                    table_meld.meld.extend(low, high);
                }
            }
            Event::JokerSwapped { seat, meld, card, joker, pending, points } => {
                self.keep_before(*seat);
                self.take_from_hand(*seat, *card);
                self.hands[seat.index()].insert(*joker);
                self.laid_for(*seat, *points);
                if let Some(table_meld) = self.meld_mut(*meld) {
                    table_meld.meld.replace(*joker, *card);
                }
                if let (true, Part::Play(play)) = (*pending, &mut self.turn.part) {
                    play.pending = Some(*joker);
                }
            }
            Event::PlaysUndone { seat } => self.undo(*seat),
            Event::Discarded { seat, card } => {
                self.hands[seat.index()].remove(*card);
                self.pile.push(*card);
            }
            _ => {}
        }
    }

    fn lay_melds(&mut self, seat: Seat, melds: &[(MeldId, Meld)], points: u16) {
        self.keep_before(seat);
        for (id, meld) in melds {
            for &card in &meld.cards {
                self.take_from_hand(seat, card);
            }
            self.melds.push(TableMeld { id: *id, owner: seat, meld: meld.clone() });
        }
        self.laid_for(seat, points);
        self.opened.insert(seat);
        if let Part::Play(play) = &mut self.turn.part {
            play.melds_laid = play.melds_laid.saturating_add(melds.len() as u8);
        }
    }

    /// Keeps the player's side as it was after the draw, before the first play of the turn.
    fn keep_before(&mut self, seat: Seat) {
        if let Part::Play(play) = &mut self.turn.part
            && play.before.is_none()
        {
            play.before = Some(Box::new(Before {
                hand: self.hands[seat.index()],
                melds: self.melds.clone(),
                opened: self.opened.contains(seat),
                credited: self.credited[seat.index()],
            }));
        }
    }

    fn take_from_hand(&mut self, seat: Seat, card: Card) {
        self.hands[seat.index()].remove(card);
        if let Part::Play(play) = &mut self.turn.part {
            if play.pending == Some(card) {
                play.pending = None;
            }
            if play.taken.is_some_and(|taken| taken.face() == card.face()) {
                play.taken_laid = true;
            }
        }
    }

    fn laid_for(&mut self, seat: Seat, points: u16) {
        self.laid.insert(seat);
        let credited = &mut self.credited[seat.index()];
        *credited = credited.saturating_add(points);
    }

    fn undo(&mut self, seat: Seat) {
        let Part::Play(play) = &mut self.turn.part else { return };
        let Some(before) = play.before.take() else { return };
        self.hands[seat.index()] = before.hand;
        self.melds = before.melds;
        self.opened.set(seat, before.opened);
        self.laid.set(seat, !play.fresh);
        self.credited[seat.index()] = before.credited;
        *play = Play { undos: play.undos + 1, ..Play::new(play.drawn, play.taken, play.fresh) };
    }

    fn meld_mut(&mut self, id: MeldId) -> Option<&mut TableMeld> {
        self.melds.get_mut(usize::from(id.0).checked_sub(1)?)
    }
}

impl Meld {
    /// Adds cards before the first and behind the last.
    pub(crate) fn extend(&mut self, low: &[Card], high: &[Card]) {
        let cards = low.iter().chain(&self.cards).chain(high).copied();
        // A meld never grows past its capacity; what a corrupt log would add is left off.
        self.cards = cards.take(crate::meld::LONGEST).collect();
        if let Shape::Run { low: position, .. } = &mut self.shape {
            *position = (*position + 13 - low.len() as u8 % 13) % 13;
        }
    }

    /// Puts a card in a joker's place.
    pub(crate) fn replace(&mut self, joker: Card, card: Card) {
        if let Some(place) = self.cards.iter_mut().find(|c| **c == joker) {
            *place = card;
        }
    }
}
