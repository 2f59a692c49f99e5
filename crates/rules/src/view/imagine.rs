//! A table that a viewer could be looking at: what he sees, and a guess at what he doesn't.

use super::{Stage, View};
use crate::card::Card;
use crate::cards::Cards;
use crate::chance::{ClientSeed, Seed};
use crate::event::Viewer;
use crate::ruleset::MAX_SEATS;
use crate::seat::{PlayerId, Seat, Seats};
use crate::table::{Deal, Part, Phase, Play, SeatState, Table, Turn};
use crate::view::Standing;

impl View {
    /// The table with these cards where the viewer sees none: the hands of the other seats, by seat, and the
    /// stock, the card to be drawn next last. For the viewer's own seat the same moves are legal there as at the
    /// true table, but for undo, since a view doesn't tell what an undo would restore.
    ///
    /// `None` if no deal is being played, the viewer has no seat, or there are more or fewer cards than he sees
    /// the backs of.
    pub fn imagine(&self, hands: &[Cards; MAX_SEATS], stock: Vec<Card>) -> Option<Table> {
        let (Stage::Playing(view), Viewer::Seat(viewer)) = (&self.stage, self.viewer) else { return None };
        let mut hands = *hands;
        hands[viewer.index()] = view.hand.iter().copied().collect();
        let sizes = hands.iter().take(self.seats.len()).map(|hand| hand.len());
        if stock.len() != usize::from(view.stock_count)
            || !sizes.eq(view.hand_counts.iter().map(|count| usize::from(*count)))
        {
            return None;
        }
        let seats = Seat::first(self.seats.len() as u8);
        // A deal in which a seat has no card left is over.
        let dealt_in: Seats = seats.filter(|seat| !hands[seat.index()].is_empty()).collect();
        let stays = |seat: &Seat| self.seats[seat.index()].standing == Standing::In;
        let turn = &view.turn;
        let own_melds = view.melds.iter().filter(|laid| laid.owner == turn.seat).count();
        let opened_before = view.opened.contains(turn.seat) && own_melds != usize::from(turn.melds_laid);
        let part = if turn.drawn {
            Part::Play(Play {
                taken_laid: turn.taken_laid,
                pending: turn.pending,
                melds_laid: turn.melds_laid,
                undos: turn.undos,
                ..Play::new(turn.drawn_card, turn.taken, !opened_before)
            })
        } else {
            Part::Draw
        };
        let mut credited = [0; MAX_SEATS];
        credited.iter_mut().zip(&view.credited).for_each(|(to, from)| *to = *from);
        let mut time_banks = [0; MAX_SEATS];
        time_banks.iter_mut().zip(&view.time_banks).for_each(|(to, from)| *to = *from);
        let deal = Deal {
            number: view.deal,
            dealer: view.dealer,
            starter: view.starter,
            seed: Seed([0; 32]),
            commitment: view.commitment,
            client_seeds: view.client_seeds.clone(),
            dealt_in,
            active: dealt_in.iter().filter(stays).collect(),
            hands,
            stock,
            pile: view.pile.clone(),
            melds: view.melds.clone(),
            opened: view.opened,
            laid: view.opened,
            credited,
            stock_uses: view.stock_uses,
            turns: view.turns,
            time_banks,
            turn: Turn { seat: turn.seat, deadline: turn.deadline, part },
        };
        let seat = |s: &super::SeatView| SeatState {
            // An imagined seat is anybody's.
            player: s.player.or(s.bot.map(|_| PlayerId(0))),
            bot: None,
            total: s.total,
            ready: s.ready.then(ClientSeed::default),
            standing: s.standing,
            timeouts: s.timeouts,
        };
        Some(Table {
            rules: self.rules.clone(),
            rules_version: self.rules_version,
            seats: self.seats.iter().map(seat).collect(),
            deals: self.deals,
            last_dealer: Some(view.dealer),
            next_seed: None,
            // Whatever was arranged is hidden.
            sandbox: None,
            sheet: self.sheet.clone(),
            phase: Phase::Playing(Box::new(deal)),
            stopped: None,
            lobby: self.lobby.clone(),
            rematch: self.rematch,
        })
    }
}
