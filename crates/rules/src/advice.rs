//! The best that a seat can do with its hand, and what of it the judge would accept now.

use crate::chance::{Chance, Millis};
use crate::command::{Actor, Command};
use crate::decide::decide;
use crate::refusal::Refusal;
use crate::ruleset::Aces;
use crate::seat::Seat;
use crate::suggest::{LayOffSuggestion, Suggestion, suggest_for, suggest_lay_offs};
use crate::table::Table;
use crate::view::Standing;

/// Suggestions for a seat, made from its own hand and what lies on the table alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// Whose hand it is.
    pub seat: Seat,
    /// Where aces stand, on which the points of melds depend.
    pub aces: Aces,
    /// The seat has laid melds of its own in the deal.
    pub opened: bool,
    /// The best melds.
    pub melds: Suggestion,
    /// The command that lays them would be accepted.
    pub melds_playable: bool,
    /// The best lay-offs, each with whether its command would be accepted.
    pub lay_offs: Vec<(LayOffSuggestion, bool)>,
}

impl Advice {
    /// The melds would be the seat's opening: they meet all its conditions (RULES 3, 14).
    pub fn is_opening(&self) -> bool {
        !self.opened && !self.melds.melds.is_empty() && self.melds.missing.is_none()
    }
}

/// Advice for a seat in anybody's turn. The time and the chance are those that a command would be judged with;
/// nothing comes of it.
///
/// # Errors
/// No deal is being played, nobody has the seat, or it is out of the game.
pub fn advise(table: &Table, seat: Seat, now: Millis, chance: &mut impl Chance) -> Result<Advice, Refusal> {
    let deal = table.deal().ok_or(Refusal::NoDealRunning)?;
    let state = table.seats.get(seat.index()).filter(|s| s.player.is_some()).ok_or(Refusal::NotSeated)?;
    if state.standing != Standing::In {
        return Err(Refusal::OutOfGame(seat));
    }
    let mut accepts = |command: &Command| {
        deal.turn.seat == seat && decide(table, Actor::Seat(seat), command, now, chance).is_ok()
    };
    let melds = suggest_for(table, seat);
    let melds_playable = melds.command().is_some_and(|command| accepts(&command));
    let lay_offs = suggest_lay_offs(deal.hands[seat.index()], &deal.melds, &table.rules);
    let judged = lay_offs.into_iter().map(|lay_off| {
        let playable = accepts(&lay_off.command());
        (lay_off, playable)
    });
    Ok(Advice {
        seat,
        aces: table.rules.aces,
        opened: deal.opened.contains(seat),
        melds,
        melds_playable,
        lay_offs: judged.collect(),
    })
}
