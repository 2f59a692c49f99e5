//! The view that the server makes of a table.

use super::{DealView, SeatView, Stage, TurnView, View};
use crate::event::Viewer;
use crate::ruleset::Ruleset;
use crate::table::{Deal, Part, Phase, Table};

impl Table {
    /// The table as a viewer may see it.
    pub fn view(&self, viewer: Viewer) -> View {
        let seats = self.seats.iter().map(|s| SeatView {
            player: s.player,
            bot: s.bot,
            total: s.total,
            ready: s.ready.is_some(),
            standing: s.standing,
            timeouts: s.timeouts,
        });
        View {
            viewer,
            rules: self.rules.clone(),
            rules_version: self.rules_version,
            sandbox: self.sandbox.is_some(),
            seats: seats.collect(),
            deals: self.deals,
            stopped: self.stopped.clone(),
            next_commitment: self.next_seed.map(|(_, commitment)| commitment),
            sheet: self.sheet.clone(),
            lobby: self.lobby.clone(),
            rematch: self.rematch,
            stage: match &self.phase {
                Phase::Waiting => Stage::Waiting,
                Phase::Playing(deal) => {
                    Stage::Playing(Box::new(deal.view(viewer, self.seats.len(), &self.rules)))
                }
                Phase::Between(last) => Stage::Between { last: last.clone() },
                Phase::Over { last, cause, places } => {
                    Stage::Over { last: last.clone(), cause: *cause, places: places.clone() }
                }
            },
        }
    }
}

impl Deal {
    fn view(&self, viewer: Viewer, seats: usize, rules: &Ruleset) -> DealView {
        let hand = match viewer {
            Viewer::Seat(seat) => self.hands[seat.index()].iter().collect(),
            Viewer::Public => Vec::new(),
        };
        DealView {
            deal: self.number,
            dealer: self.dealer,
            starter: self.starter,
            commitment: self.commitment,
            client_seeds: self.client_seeds.clone(),
            hand,
            hand_counts: self.hands[..seats].iter().map(|hand| hand.len() as u8).collect(),
            stock_count: self.stock.len() as u8,
            pile: self.pile.clone(),
            melds: self.melds.clone(),
            opened: self.opened,
            credited: self.credited[..seats].to_vec(),
            stock_uses: self.stock_uses,
            turns: self.turns,
            time_banks: rules.time_bank_seconds.map_or_else(Vec::new, |_| self.time_banks[..seats].to_vec()),
            turn: self.turn_view(viewer),
        }
    }

    fn turn_view(&self, viewer: Viewer) -> TurnView {
        let turn = &self.turn;
        let mut view = TurnView::new(turn.seat, turn.deadline);
        let Part::Play(play) = &turn.part else { return view };
        view.drawn = true;
        view.drawn_card =
            play.drawn.filter(|card| viewer.sees(turn.seat) && self.hands[turn.seat.index()].contains(*card));
        view.taken = play.taken;
        view.taken_laid = play.taken_laid;
        view.pending = play.pending;
        view.can_undo = play.before.is_some();
        view.undos = play.undos;
        view.melds_laid = play.melds_laid;
        view
    }
}
