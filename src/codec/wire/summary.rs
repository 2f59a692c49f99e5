//! Games in lists.

use remik_rules::chance::Millis;
use uuid::Uuid;

use super::field::{player_id, timestamp};
use super::game::{bot, over, spectators, visibility};
use super::ruleset::game_end;
use super::{Names, lobby};
use crate::codec::summary::{Detail, SeatDetail};
use crate::proto::v1;

/// What a list finds a game by.
#[derive(Debug, Clone, Copy)]
pub struct SummaryContext<'a> {
    /// The game.
    pub game: Uuid,
    /// The move that last changed the summary.
    pub version: u32,
    /// Where the game stands.
    pub state: v1::GameState,
    /// Anybody may find it.
    pub public: bool,
    /// The name of its preset.
    pub preset: &'a str,
    /// When it was made.
    pub made_at: Millis,
    /// When the summary last changed.
    pub changed_at: Millis,
    /// The players' names.
    pub names: &'a Names,
}

/// A game as lists show it.
pub fn game_summary(detail: &Detail, context: &SummaryContext<'_>) -> v1::GameSummary {
    let seat = |seat: &SeatDetail| v1::SummarySeat {
        player_id: seat.player.map_or_else(String::new, player_id),
        display_name: seat.player.and_then(|id| context.names.get(&id)).cloned().unwrap_or_default(),
        total: seat.total,
        place: seat.place.into(),
        bot: bot(seat.bot).into(),
        kept: seat.kept,
    };
    v1::GameSummary {
        game_id: context.game.to_string(),
        version: context.version,
        state: context.state.into(),
        visibility: visibility(context.public).into(),
        preset: context.preset.to_owned(),
        house_rules: detail.house_rules,
        end: Some(game_end(detail.end)),
        turn_seconds: detail.turn_seconds,
        seats: detail.seats.iter().map(seat).collect(),
        deals: detail.deals.into(),
        created_at: Some(timestamp(context.made_at)),
        changed_at: Some(timestamp(context.changed_at)),
        spectators: Some(spectators(detail.spectators)),
        sandbox: detail.sandbox,
        over: over(detail.over).into(),
        settings: Some(lobby::settings(&detail.settings)),
        // A table has at most six.
        free_seats: detail.free_seats() as u32,
    }
}
