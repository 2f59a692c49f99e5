//! A game move by move, as one viewer may see it again.

use std::ops::RangeInclusive;

use remik_rules::card::Card;
use remik_rules::chance::Millis;
use remik_rules::event::{DealEnded, Event, Seen, Viewer};
use remik_rules::seat::Seat;
use remik_rules::table::Table;
use remik_rules::view::View;

use crate::record::RecordedMove;

/// The moves that a viewer may see again, and how much of them.
pub struct Show<'a> {
    moves: &'a [RecordedMove],
    viewer: Viewer,
    /// Whether all cards of finished deals are open to him.
    open: bool,
    deals: Vec<Deal>,
}

/// A deal of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deal {
    /// Which, from 1.
    pub number: u16,
    /// The move that dealt the cards.
    pub first: u32,
    /// The move that ended it, and how; `None` while it is being played.
    pub end: Option<(u32, DealEnded)>,
}

/// A game after one of its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The move's number.
    pub number: u32,
    /// Whose it is; `None` for the clock's.
    pub seat: Option<Seat>,
    /// When it was made.
    pub made_at: Millis,
    /// What happened.
    pub events: Vec<Event<Seen>>,
    /// The table after it.
    pub view: View,
    /// The hands after it while a deal is being played, by seat: the cards that may be seen, and how many there are.
    pub hands: Vec<(Seat, Vec<Option<Card>>)>,
}

impl<'a> Show<'a> {
    /// What a viewer sees again of these moves. `open` is whether the cards of finished deals are open to him.
    pub fn new(moves: &'a [RecordedMove], viewer: Viewer, open: bool) -> Self {
        Self { moves, viewer, open, deals: deals(moves) }
    }

    /// The number of the last move.
    pub fn last(&self) -> u32 {
        self.moves.len() as u32
    }

    /// The game after its last move; `None` if there are no moves.
    pub fn end(&self) -> Option<Position> {
        self.positions(self.last()..=self.last()).pop()
    }

    /// The deals, in order.
    pub fn deals(&self) -> &[Deal] {
        &self.deals
    }

    /// The game after the moves of a range, in order; empty where the game has none of them.
    pub fn positions(&self, range: RangeInclusive<u32>) -> Vec<Position> {
        let mut positions = Vec::new();
        let mut table: Option<Table> = None;
        for (number, mv) in (1u32..).zip(self.moves).take_while(|(number, _)| number <= range.end()) {
            mv.apply(&mut table);
            // A log that doesn't begin with the opening of a table shows nothing.
            let Some(table) = &table else { break };
            if range.contains(&number) {
                positions.push(self.position(number, mv, table));
            }
        }
        positions
    }

    fn position(&self, number: u32, mv: &RecordedMove, table: &Table) -> Position {
        let open = self.open && self.is_of_a_finished_deal(number);
        let show = |event: &Event| if open { event.revealed() } else { event.observed_by(self.viewer) };
        let hand = |seat: Seat| {
            let sees = open || self.viewer.sees(seat);
            (seat, table.hand(seat).iter().map(|card| sees.then_some(card)).collect())
        };
        let dealt = table.turn().is_some();
        Position {
            number,
            seat: mv.seat,
            made_at: mv.made_at,
            events: mv.events.iter().map(show).collect(),
            view: table.view(self.viewer),
            hands: if dealt { Seat::first(table.seat_count()).map(hand).collect() } else { Vec::new() },
        }
    }

    /// Whether no card of a deal that is still being played is touched by a move.
    fn is_of_a_finished_deal(&self, number: u32) -> bool {
        let deal = self.deals.iter().rev().find(|deal| deal.first <= number);
        deal.is_some_and(|deal| deal.end.is_some())
    }
}

fn deals(moves: &[RecordedMove]) -> Vec<Deal> {
    let mut deals: Vec<Deal> = Vec::new();
    for (number, mv) in (1..).zip(moves) {
        for event in &mv.events {
            match event {
                Event::Dealt(dealt) => deals.push(Deal { number: dealt.deal, first: number, end: None }),
                Event::DealEnded(ended) => {
                    if let Some(deal) = deals.last_mut() {
                        deal.end = Some((number, (**ended).clone()));
                    }
                }
                _ => {}
            }
        }
    }
    deals
}

#[cfg(test)]
mod tests {
    use remik_rules::preset::Preset;
    use remik_rules::view::Stage;

    use super::*;
    use crate::record::tests::play;

    fn seat(number: u8) -> Seat {
        Seat::new(number).unwrap()
    }

    /// The cards that a position shows.
    fn cards(position: &Position) -> usize {
        position.hands.iter().flat_map(|(_, cards)| cards).flatten().count()
    }

    #[test]
    fn every_position_is_the_table_that_the_log_makes() {
        let record = play(Preset::Remik51, 1);
        let show = Show::new(&record.moves, Viewer::Public, true);
        let positions = show.positions(1..=u32::MAX);
        assert_eq!(positions.len(), record.moves.len());
        let mut log = Vec::new();
        for (position, mv) in positions.iter().zip(&record.moves) {
            log.extend(mv.events.iter().cloned());
            let table = Table::replay(&log).unwrap();
            assert_eq!(position.view, table.view(Viewer::Public));
            if table.turn().is_some() && show.is_of_a_finished_deal(position.number) {
                let held: usize = Seat::first(table.seat_count()).map(|seat| table.hand(seat).len()).sum();
                assert_eq!(cards(position), held);
            }
            assert_eq!(show.positions(position.number..=position.number), std::slice::from_ref(position));
        }
        assert!(show.positions(show.last() + 1..=u32::MAX).is_empty());
    }

    /// Of the deal that runs only one's own cards are shown, whatever is open of the others.
    #[test]
    fn a_running_deal_stays_closed() {
        let mut record = play(Preset::Remik51, 1);
        let whole = Show::new(&record.moves, Viewer::Public, true);
        let second = whole.deals().get(1).expect("two deals").clone();
        let middle = second.first + 6;
        record.moves.truncate(middle as usize);
        let show = Show::new(&record.moves, Viewer::Seat(seat(1)), true);
        assert_eq!(show.deals().len(), 2);
        for position in show.positions(second.first..=middle) {
            let Stage::Playing(deal) = &position.view.stage else { panic!("the deal runs") };
            assert_eq!(cards(&position), deal.hand.len());
            assert!(position.events.iter().all(|event| match event {
                Event::StockDrawn { seat, card } => card.is_some() == (seat.number() == 1),
                _ => true,
            }));
        }
        // The first deal is over: all its cards are open, to whom they are.
        let (last, _) = show.deals()[0].end.clone().unwrap();
        let position = &show.positions(last - 1..=last - 1)[0];
        let all: usize = position.hands.iter().map(|(_, cards)| cards.len()).sum();
        assert_eq!(cards(position), all);
        let closed = Show::new(&record.moves, Viewer::Public, false);
        assert_eq!(cards(&closed.positions(last - 1..=last - 1)[0]), 0);
    }
}
