//! Requests that aren't moves.

use remik_rules::preset::Preset;
use remik_rules::ruleset::{MAX_SEATS, Ruleset};
use remik_rules::seat::Seat;
use remik_rules::strength::Strength;
use uuid::Uuid;

use super::command::{invite_code, required_choice};
use super::fault::{Fault, Problem};
use super::field::{choice, narrow, seat, uuid};
use super::house_rules;
use super::lobby::settings_of;
use crate::codec::settings::Settings;
use crate::codec::summary::{LONGEST_DELAY, Spectators};
use crate::proto::v1;

/// Games on a page of a list if the request doesn't say, and at most.
const PAGE_SIZE: (u32, u32) = (20, 100);

/// The most bots of a new table: one seat is the caller's.
const MOST_BOTS: usize = MAX_SEATS - 1;

/// How many lines a page of a list has, by the request's field of this name.
///
/// # Errors
/// It asks for too many.
pub fn page_size(asked: u32) -> Result<u32, Fault> {
    let (usual, most) = PAGE_SIZE;
    match asked {
        0 => Ok(usual),
        asked if asked > most => Err(Problem::OutOfRange { value: asked, least: 1, most }.at("page_size")),
        asked => Ok(asked),
    }
}

/// A table to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGame {
    /// The client's own id of the command.
    pub request_id: Uuid,
    /// Where the rules come from.
    pub preset: Preset,
    /// The rules, house rules among them. They may be inconsistent still.
    pub rules: Ruleset,
    /// How many seats.
    pub seats: u8,
    /// Anybody may find it.
    pub public: bool,
    /// Who may look on.
    pub spectators: Spectators,
    /// The bots that have seats from the start.
    pub bots: Vec<NewBot>,
    /// The cards are dealt at once.
    pub start: bool,
    /// What is said of it.
    pub settings: Settings,
}

/// A bot for a new table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewBot {
    /// How well it plays.
    pub strength: Strength,
    /// Its seat, the first free one if `None`.
    pub seat: Option<Seat>,
}

impl TryFrom<v1::CreateGameRequest> for NewGame {
    type Error = Fault;

    fn try_from(r: v1::CreateGameRequest) -> Result<Self, Fault> {
        let request_id = uuid("request_id", &r.request_id)?;
        let preset = if r.preset.is_empty() { Preset::default() } else { preset(&r.preset)? };
        let rules = house_rules::apply(preset.ruleset(), &r.overrides.unwrap_or_default())?;
        let seats = if r.seats == 0 { rules.seats.1 } else { narrow("seats", r.seats)? };
        let public = match v1::Visibility::try_from(r.visibility) {
            Ok(v1::Visibility::Unspecified | v1::Visibility::Public) => true,
            Ok(v1::Visibility::Private) => false,
            Err(_) => return Err(Problem::UnknownChoice(r.visibility).at("visibility")),
        };
        let length = r.bots.len();
        if length > MOST_BOTS {
            return Err(Problem::BadLength { length, of: "bots", least: 0, most: MOST_BOTS }.at("bots"));
        }
        let bots = r.bots.iter().enumerate().map(|(index, bot)| new_bot(&format!("bots[{index}]"), bot));
        let bots = bots.collect::<Result<_, _>>()?;
        let spectators = spectators(r.spectators.unwrap_or_default(), public)?;
        let settings = settings_of("settings", r.settings.unwrap_or_default())?;
        Ok(Self { request_id, preset, rules, seats, public, spectators, bots, start: false, settings })
    }
}

fn spectators(policy: v1::SpectatorPolicy, public: bool) -> Result<Spectators, Fault> {
    let anybody = match v1::Spectators::try_from(policy.allowed) {
        Ok(v1::Spectators::Unspecified) => public,
        Ok(v1::Spectators::None) => false,
        Ok(v1::Spectators::Anyone) => true,
        Err(_) => return Err(Problem::UnknownChoice(policy.allowed).at("spectators.allowed")),
    };
    let most = if anybody { LONGEST_DELAY } else { 0 };
    let value = policy.delay_seconds;
    if value > most {
        return Err(Problem::OutOfRange { value, least: 0, most }.at("spectators.delay_seconds"));
    }
    Ok(if anybody { Spectators::Anybody { delay_seconds: value } } else { Spectators::Nobody })
}

/// The invite code of somebody who looks on at a private game; `None` if there is none.
///
/// # Errors
/// The text isn't one.
pub fn optional_invite(text: &str) -> Result<Option<String>, Fault> {
    if text.is_empty() { Ok(None) } else { invite_code("invite_code", text).map(Some) }
}

/// A table at which all others are bots.
impl TryFrom<v1::CreatePracticeGameRequest> for NewGame {
    type Error = Fault;

    fn try_from(r: v1::CreatePracticeGameRequest) -> Result<Self, Fault> {
        let strength = match r.strength {
            0 => Strength::Normal,
            given => choice::<v1::BotStrength, _>("strength", given)?,
        };
        let mut game = Self::try_from(v1::CreateGameRequest {
            request_id: r.request_id,
            preset: r.preset,
            overrides: r.overrides,
            seats: r.seats,
            visibility: v1::Visibility::Private.into(),
            spectators: None,
            bots: Vec::new(),
            settings: None,
        })?;
        if r.seats == 0 {
            game.seats = game.rules.seats.0;
        }
        // More seats than any rules allow are refused with the rules.
        let others = usize::from(game.seats).saturating_sub(1).min(MOST_BOTS);
        game.bots = vec![NewBot { strength, seat: None }; others];
        game.start = true;
        Ok(game)
    }
}

fn new_bot(field: &str, bot: &v1::NewBot) -> Result<NewBot, Fault> {
    Ok(NewBot {
        strength: required_choice::<v1::BotStrength, _>(&format!("{field}.strength"), bot.strength)?,
        seat: bot.seat.map(|number| seat(&format!("{field}.seat"), number)).transpose()?,
    })
}

pub(super) fn preset(name: &str) -> Result<Preset, Fault> {
    name.parse().map_err(|_| Problem::unknown_preset(name).at("preset"))
}

/// Which games to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// How many at most: 1 to 100.
    pub page_size: u32,
    /// Where the page before ended, as its answer said; empty for the first.
    pub page_token: String,
    /// In one of these states; empty for all.
    pub states: Vec<v1::GameState>,
    /// Of this preset.
    pub preset: Option<Preset>,
    /// Only those that the caller plays in.
    pub mine: bool,
}

impl TryFrom<v1::ListGamesRequest> for Query {
    type Error = Fault;

    fn try_from(r: v1::ListGamesRequest) -> Result<Self, Fault> {
        let page_size = page_size(r.page_size)?;
        Ok(Self {
            page_size,
            page_token: r.page_token,
            states: states(&r.states)?,
            preset: if r.preset.is_empty() { None } else { Some(preset(&r.preset)?) },
            mine: r.mine,
        })
    }
}

/// The states that a list is asked for, each once, by the request's field of this name.
pub(super) fn states(numbers: &[i32]) -> Result<Vec<v1::GameState>, Fault> {
    let state = |(index, &number): (usize, &i32)| match v1::GameState::try_from(number) {
        Ok(v1::GameState::Unspecified) | Err(_) => {
            Err(Problem::UnknownChoice(number).at(format_args!("states[{index}]")))
        }
        Ok(state) => Ok(state),
    };
    let mut states = numbers.iter().enumerate().map(state).collect::<Result<Vec<_>, _>>()?;
    states.sort_unstable();
    states.dedup();
    Ok(states)
}
