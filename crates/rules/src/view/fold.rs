//! A view folded from what its viewer has seen: a client can keep its own table this way, and the service's
//! tests hold it against the view that the server makes.

use super::{DealView, SeatView, Stage, Standing, TableMeld, TurnView, View};
use crate::card::Card;
use crate::chance::{Commitment, Millis};
use crate::event::{DealEnded, Dealt, Event, Seen, Viewer};
use crate::lobby::Lobby;
use crate::seat::{Seat, Seats};

/// A view and what it takes to go on from it: an undo restores what the plays of a turn changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observer {
    view: View,
    before: Option<Before>,
    /// The card drawn from the stock in this turn, if the viewer saw it.
    drawn: Option<Card>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Before {
    hand: Vec<Card>,
    count: u8,
    melds: Vec<TableMeld>,
    opened: Seats,
    credited: u16,
}

impl Observer {
    /// What a viewer knows after the first event; `None` if it isn't [`Event::GameCreated`].
    pub fn open(event: &Event<Seen>, viewer: Viewer) -> Option<Self> {
        let Event::GameCreated { rules, rules_version, seats } = event else { return None };
        let seat =
            SeatView { player: None, bot: None, total: 0, ready: false, standing: Standing::In, timeouts: 0 };
        let view = View {
            viewer,
            rules: rules.clone(),
            rules_version: *rules_version,
            sandbox: false,
            seats: vec![seat; usize::from(*seats)],
            deals: 0,
            next_commitment: None,
            sheet: Vec::new(),
            stage: Stage::Waiting,
            stopped: None,
            lobby: Lobby::default(),
            rematch: None,
        };
        Some(Self { view, before: None, drawn: None })
    }

    /// What the viewer sees now.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Takes in one more event. An event that doesn't fit changes nothing.
    pub fn see(&mut self, event: &Event<Seen>) {
        let seats = &self.view.seats;
        self.view.lobby.note(event, |seat| seats.get(seat.index()).and_then(|state| state.player));
        match event {
            Event::GameCreated { .. } => {}
            Event::SandboxArranged { .. } => self.view.sandbox = true,
            Event::SeedCommitted { commitment, .. } => self.view.next_commitment = Some(*commitment),
            Event::SeatTaken { seat, player } => self.seat(*seat, |s| s.player = Some(*player)),
            Event::SeatLeft { seat } | Event::PlayerRemoved { seat } | Event::ReadyMissed { seat } => {
                self.seat(*seat, |s| (s.player, s.bot, s.ready) = (None, None, false));
            }
            Event::BotSeated { seat, strength, .. } => {
                self.seat(*seat, |s| (s.bot, s.ready) = (Some(*strength), false));
            }
            Event::SeatResumed { seat } => self.seat(*seat, |s| (s.bot, s.timeouts) = (None, 0)),
            Event::BecameReady { seat, .. } => self.seat(*seat, |s| (s.ready, s.timeouts) = (true, 0)),
            Event::RematchMade { game, .. } => self.view.rematch = Some(*game),
            Event::DealerChosen { .. }
            | Event::HostChanged { .. }
            | Event::ReadyAsked { .. }
            | Event::SettingsChanged
            | Event::SeatOffered { .. }
            | Event::OfferEnded { .. } => {}
            Event::Dealt(dealt) => self.deal_out(dealt),
            Event::TurnStarted { seat, drawn, deadline } => self.start_turn(*seat, *drawn, *deadline),
            Event::TimeBankUsed { seat, left } => {
                if let Some(bank) = self.deal().and_then(|deal| deal.time_banks.get_mut(seat.index())) {
                    *bank = *left;
                }
            }
            Event::ClockExtended { until, .. } => {
                if let Some(deal) = self.deal() {
                    deal.turn.deadline = Some(*until);
                }
            }
            Event::TimedOut { seat, in_a_row } => self.seat(*seat, |s| s.timeouts = *in_a_row),
            Event::SeatForfeited { seat, .. } => self.forfeit(*seat),
            Event::GameStopped { reason } => self.view.stopped = Some(reason.clone()),
            Event::DealEnded(ended) => self.end_deal(ended),
            Event::GameEnded { cause, places } => {
                let last = match std::mem::replace(&mut self.view.stage, Stage::Waiting) {
                    Stage::Between { last } => Some(last),
                    Stage::Over { last, .. } => last,
                    Stage::Waiting | Stage::Playing(_) => None,
                };
                self.view.stage = Stage::Over { last, cause: *cause, places: places.clone() };
                self.view.next_commitment = None;
                self.view.seats.iter_mut().for_each(|s| s.ready = false);
            }
            Event::StockReused { kept, count, .. } => {
                if let Some(deal) = self.deal() {
                    deal.pile = kept.iter().copied().collect();
                    deal.stock_count = *count;
                    deal.stock_uses += 1;
                }
            }
            Event::StockDrawn { seat, .. }
            | Event::DiscardTaken { seat, .. }
            | Event::Melded { seat, .. }
            | Event::LaidOff { seat, .. }
            | Event::JokerSwapped { seat, .. }
            | Event::PlaysUndone { seat }
            | Event::Discarded { seat, .. } => {
                self.seat(*seat, |s| s.timeouts = 0);
                self.play(event);
            }
        }
    }

    fn seat(&mut self, seat: Seat, change: impl FnOnce(&mut SeatView)) {
        if let Some(state) = self.view.seats.get_mut(seat.index()) {
            change(state);
        }
    }

    fn deal(&mut self) -> Option<&mut DealView> {
        match &mut self.view.stage {
            Stage::Playing(deal) => Some(deal),
            _ => None,
        }
    }

    fn deal_out(&mut self, dealt: &Dealt<Seen>) {
        let seats = self.view.seats.len();
        let mut counts = vec![0; seats];
        let banks = if self.view.rules.time_bank_seconds.is_some() { seats } else { 0 };
        let mut time_banks = vec![0; banks];
        let mut hand = Vec::new();
        for (seat, cards) in &dealt.hands {
            if let Some(count) = counts.get_mut(seat.index()) {
                *count = cards.len() as u8;
            }
            if let Some(bank) = time_banks.get_mut(seat.index()) {
                *bank = self.view.rules.time_bank_millis();
            }
            hand.extend(cards.iter().flatten());
        }
        hand.sort_unstable();
        self.view.deals = dealt.deal;
        self.view.seats.iter_mut().for_each(|s| s.ready = false);
        self.view.stage = Stage::Playing(Box::new(DealView {
            deal: dealt.deal,
            dealer: dealt.dealer,
            starter: dealt.starter,
            commitment: self.view.next_commitment.take().unwrap_or(Commitment([0; 32])),
            client_seeds: dealt.client_seeds.clone(),
            hand,
            hand_counts: counts,
            stock_count: dealt.stock_count,
            pile: dealt.upcard.into_iter().collect(),
            melds: Vec::new(),
            opened: Seats::EMPTY,
            credited: vec![0; seats],
            stock_uses: 0,
            turns: 0,
            time_banks,
            turn: TurnView::new(dealt.starter, None),
        }));
    }

    fn start_turn(&mut self, seat: Seat, drawn: bool, deadline: Option<Millis>) {
        (self.before, self.drawn) = (None, None);
        if let Some(deal) = self.deal() {
            deal.turn = TurnView { drawn, ..TurnView::new(seat, deadline) };
            deal.turns = deal.turns.saturating_add(1);
        }
    }

    fn forfeit(&mut self, seat: Seat) {
        let order =
            self.view.seats.iter().filter(|s| matches!(s.standing, Standing::Forfeited { .. })).count() as u8;
        self.seat(seat, |s| (s.standing, s.ready) = (Standing::Forfeited { order }, false));
    }

    fn end_deal(&mut self, ended: &DealEnded) {
        let mut row = vec![0; self.view.seats.len()];
        for (seat, score) in &ended.scores {
            if let Some(cell) = row.get_mut(seat.index()) {
                *cell = *score;
            }
        }
        self.view.sheet.push(row);
        for (state, total) in self.view.seats.iter_mut().zip(&ended.totals) {
            state.total = *total;
        }
        let deal = self.view.deals;
        for seat in &ended.eliminated {
            self.seat(*seat, |s| s.standing = Standing::Eliminated { deal });
        }
        self.view.stage = Stage::Between { last: Box::new(ended.clone()) };
    }

    fn play(&mut self, event: &Event<Seen>) {
        match event {
            Event::StockDrawn { seat, card } => {
                self.drawn = *card;
                self.gain(*seat, *card);
                if let Some(deal) = self.deal() {
                    deal.stock_count = deal.stock_count.saturating_sub(1);
                    deal.turn.drawn = true;
                }
            }
            Event::DiscardTaken { seat, card } => {
                self.gain(*seat, Some(*card));
                if let Some(deal) = self.deal() {
                    deal.pile.pop();
                    deal.turn.drawn = true;
                    deal.turn.taken = Some(*card);
                }
            }
            Event::Melded { seat, melds, points, .. } => {
                self.keep_before(*seat);
                for (id, meld) in melds {
                    meld.cards.iter().for_each(|card| self.lay(*seat, *card));
                    if let Some(deal) = self.deal() {
                        deal.melds.push(TableMeld { id: *id, owner: *seat, meld: meld.clone() });
                        deal.turn.melds_laid = deal.turn.melds_laid.saturating_add(1);
                        deal.opened.insert(*seat);
                    }
                }
                self.credit(*seat, *points);
            }
            Event::LaidOff { seat, meld, low, high, points } => {
                self.keep_before(*seat);
                low.iter().chain(high).for_each(|card| self.lay(*seat, *card));
                self.meld(*meld, |m| m.meld.extend(low, high));
                self.credit(*seat, *points);
            }
            Event::JokerSwapped { seat, meld, card, joker, pending, points } => {
                self.keep_before(*seat);
                self.lay(*seat, *card);
                self.gain(*seat, Some(*joker));
                self.meld(*meld, |m| m.meld.replace(*joker, *card));
                self.credit(*seat, *points);
                if let (true, Some(deal)) = (*pending, self.deal()) {
                    deal.turn.pending = Some(*joker);
                }
            }
            Event::PlaysUndone { seat } => self.undo(*seat),
            Event::Discarded { seat, card } => {
                self.lose(*seat, *card);
                if let Some(deal) = self.deal() {
                    deal.pile.push(*card);
                }
            }
            _ => {}
        }
        self.show_drawn();
    }

    fn gain(&mut self, seat: Seat, card: Option<Card>) {
        let mine = self.view.viewer.sees(seat);
        let Some(deal) = self.deal() else { return };
        if let Some(count) = deal.hand_counts.get_mut(seat.index()) {
            *count = count.saturating_add(1);
        }
        if let (true, Some(card)) = (mine, card) {
            deal.hand.push(card);
            deal.hand.sort_unstable();
        }
    }

    fn lose(&mut self, seat: Seat, card: Card) {
        let mine = self.view.viewer.sees(seat);
        let Some(deal) = self.deal() else { return };
        if let Some(count) = deal.hand_counts.get_mut(seat.index()) {
            *count = count.saturating_sub(1);
        }
        if mine {
            deal.hand.retain(|held| *held != card);
        }
    }

    /// A card leaves the hand for the table.
    fn lay(&mut self, seat: Seat, card: Card) {
        self.lose(seat, card);
        if let Some(deal) = self.deal() {
            let turn = &mut deal.turn;
            turn.taken_laid |= turn.taken.is_some_and(|taken| taken.face() == card.face());
            if turn.pending == Some(card) {
                turn.pending = None;
            }
        }
    }

    fn meld(&mut self, id: crate::command::MeldId, change: impl FnOnce(&mut TableMeld)) {
        if let Some(meld) = self.deal().and_then(|deal| deal.melds.iter_mut().find(|m| m.id == id)) {
            change(meld);
        }
    }

    fn credit(&mut self, seat: Seat, points: u16) {
        if let Some(credited) = self.deal().and_then(|deal| deal.credited.get_mut(seat.index())) {
            *credited = credited.saturating_add(points);
        }
    }

    fn keep_before(&mut self, seat: Seat) {
        if self.before.is_some() {
            return;
        }
        let Some(deal) = self.deal() else { return };
        deal.turn.can_undo = true;
        let at = |list: &[u16]| list.get(seat.index()).copied().unwrap_or(0);
        let before = Before {
            hand: deal.hand.clone(),
            count: deal.hand_counts.get(seat.index()).copied().unwrap_or(0),
            melds: deal.melds.clone(),
            opened: deal.opened,
            credited: at(&deal.credited),
        };
        self.before = Some(before);
    }

    fn undo(&mut self, seat: Seat) {
        let Some(before) = self.before.take() else { return };
        let Some(deal) = self.deal() else { return };
        deal.hand = before.hand;
        deal.melds = before.melds;
        deal.opened = before.opened;
        if let Some(count) = deal.hand_counts.get_mut(seat.index()) {
            *count = before.count;
        }
        if let Some(credited) = deal.credited.get_mut(seat.index()) {
            *credited = before.credited;
        }
        let turn = &deal.turn;
        deal.turn = TurnView {
            drawn: true,
            taken: turn.taken,
            undos: turn.undos + 1,
            ..TurnView::new(turn.seat, turn.deadline)
        };
    }

    /// The card drawn is shown as long as it is in the viewer's hand.
    fn show_drawn(&mut self) {
        let drawn = self.drawn;
        if let Some(deal) = self.deal() {
            deal.turn.drawn_card = drawn.filter(|card| deal.hand.contains(card));
        }
    }
}
