//! Moves as JSON.

use std::io::{self, Write};

use remik_rules::event::Viewer;
use remik_rules::seat::Seat;
use remik_rules::table::Table;

use crate::codec::json;
use crate::codec::wire::{self, GameContext, Moment, Names};
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
        settings: None,
        invite_code: "",
        preset: record.preset,
        names: &Names::new(),
        now: mv.made_at,
    };
    let hand = |seat| (seat, table.hand(seat).iter().map(Some).collect());
    let hands: Vec<_> = Seat::first(table.seat_count()).map(hand).collect();
    let view = table.view(Viewer::Public);
    let moment = Moment { seat: mv.seat, events: &events, view: &view, hands: &hands };
    let position = wire::replay_position(&moment, table.rules().aces, &context);
    writeln!(out, "{}", json::encode("remik.v1.ReplayPosition", &position))
}
