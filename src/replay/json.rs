//! Moves as JSON.

use std::io::{self, Write};

use remik_rules::event::Viewer;
use remik_rules::seat::Seat;
use remik_rules::table::Table;

use crate::codec::json;
use crate::codec::wire::{self, GameContext, Names};
use crate::proto::v1;
use crate::record::{Record, RecordedMove};

/// A move, the table after it as everybody sees it, and all hands: a `remik.v1.ReplayPosition` on one line.
pub(super) fn write_move(
    out: &mut impl Write,
    record: &Record,
    number: u32,
    mv: &RecordedMove,
    table: &Table,
) -> io::Result<()> {
    let events: Vec<_> = mv.events.iter().map(|event| event.revealed()).collect();
    let context = GameContext {
        game: record.game.0,
        version: number,
        public: false,
        spectators: None,
        invite_code: "",
        preset: record.preset,
        names: &Names::new(),
        now: mv.made_at,
    };
    let position = v1::ReplayPosition {
        r#move: Some(wire::game_move(number, mv.made_at, mv.seat, table.rules().aces, &events)),
        view: Some(wire::game_view(&table.view(Viewer::Public), &context)),
        hands: Seat::first(table.seat_count()).map(|seat| hand(table, seat)).collect(),
    };
    writeln!(out, "{}", json::encode("remik.v1.ReplayPosition", &position))
}

fn hand(table: &Table, seat: Seat) -> v1::Hand {
    let cards: Vec<_> = table.hand(seat).iter().map(Some).collect();
    wire::hand(seat, cards.into_iter())
}
