//! What a game is besides its cards.

use remik_rules::chance::Millis;
use remik_rules::event::{Forfeit, GameOver};
use remik_rules::preset::Preset;
use remik_rules::strength::Strength;
use remik_rules::view::Stage;
use uuid::Uuid;

use super::Names;
use crate::codec::settings::Settings;
use crate::codec::summary::Spectators;
use crate::proto::v1;

pair! {
    Forfeit => v1::ForfeitCause { Left, TimedOut }
    Strength => v1::BotStrength { Easy, Normal, Hard }
    GameOver => v1::GameOverCause { LimitReached, AllButOneOut, DealsPlayed, Forfeited, Abandoned, Stopped, Voided }
}

/// What the service knows of a game and its table doesn't.
#[derive(Debug, Clone, Copy)]
pub struct GameContext<'a> {
    /// The game.
    pub game: Uuid,
    /// The last move of the view.
    pub version: u32,
    /// Anybody may find it.
    pub public: bool,
    /// Who may look on; `None` where that isn't known.
    pub spectators: Option<Spectators>,
    /// What the host says of it; `None` where that isn't known.
    pub settings: Option<&'a Settings>,
    /// The code that lets others take a seat. It is shown to seats alone.
    pub invite_code: &'a str,
    /// Where its rules come from.
    pub preset: Preset,
    /// The players' names.
    pub names: &'a Names,
    /// The service's time.
    pub now: Millis,
}

/// Where a game stands. Its number is what the store files the game under.
pub const fn state(stage: &Stage) -> v1::GameState {
    match stage {
        Stage::Waiting => v1::GameState::Waiting,
        Stage::Playing(_) => v1::GameState::Playing,
        Stage::Between { .. } => v1::GameState::BetweenDeals,
        Stage::Over { .. } => v1::GameState::Over,
    }
}

/// The bot of a seat, or none.
pub(super) fn bot(strength: Option<Strength>) -> v1::BotStrength {
    strength.map_or(v1::BotStrength::Unspecified, v1::BotStrength::from)
}

/// Why a game is over, or that it isn't.
pub(super) fn over(cause: Option<GameOver>) -> v1::GameOverCause {
    cause.map_or(v1::GameOverCause::Unspecified, v1::GameOverCause::from)
}

pub(super) const fn visibility(public: bool) -> v1::Visibility {
    if public { v1::Visibility::Public } else { v1::Visibility::Private }
}

pub(super) fn spectators(policy: Spectators) -> v1::SpectatorPolicy {
    let (allowed, delay_seconds) = match policy {
        Spectators::Nobody => (v1::Spectators::None, 0),
        Spectators::Anybody { delay_seconds } => (v1::Spectators::Anyone, delay_seconds),
    };
    v1::SpectatorPolicy { allowed: allowed.into(), delay_seconds }
}

pub(super) fn result(cause: GameOver, places: &[u8]) -> v1::GameResult {
    v1::GameResult {
        cause: v1::GameOverCause::from(cause).into(),
        places: places.iter().map(|&place| place.into()).collect(),
    }
}
