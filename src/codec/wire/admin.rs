//! What administrators ask, and are told.

use prost_types::Timestamp;
use remik_rules::chance::Millis;
use remik_rules::event::GameOver;
use remik_rules::preset::Preset;
use remik_rules::reason::Reason;
use remik_rules::seat::Seat;
use uuid::Uuid;

use super::fault::{Fault, Problem};
use super::field::{line, millis, seat};
use super::request::{preset, states};
use super::{page_size, player, stored_time, uuid};
use crate::proto::v1;
use crate::store;

/// For how long nobody has moved in a game that counts as abandoned, in milliseconds: a day.
const ABANDONED: i64 = 24 * 3600 * 1000;

/// Which games an administrator wants to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSearch {
    /// This game.
    pub game: Option<Uuid>,
    /// Games in which this player has a seat.
    pub player: Option<Uuid>,
    /// Games of this preset.
    pub preset: Option<Preset>,
    /// In one of these states; empty for all.
    pub states: Vec<v1::GameState>,
    /// Public ones, or private ones.
    pub public: Option<bool>,
    /// Opened then or later.
    pub made_from: Millis,
    /// Opened before.
    pub made_before: Millis,
    /// Games whose last move was made before.
    pub idle_since: Option<Millis>,
    /// How many at most: 1 to 100.
    pub page_size: u32,
    /// The game behind which the page begins.
    pub below: Uuid,
}

impl TryFrom<v1::FindGamesRequest> for GameSearch {
    type Error = Fault;

    fn try_from(r: v1::FindGamesRequest) -> Result<Self, Fault> {
        let public = match v1::Visibility::try_from(r.visibility) {
            Ok(v1::Visibility::Unspecified) => None,
            Ok(v1::Visibility::Public) => Some(true),
            Ok(v1::Visibility::Private) => Some(false),
            Err(_) => return Err(Problem::UnknownChoice(r.visibility).at("visibility")),
        };
        Ok(Self {
            game: optional("game_id", &r.game_id)?,
            player: optional("player_id", &r.player_id)?,
            preset: if r.preset.is_empty() { None } else { Some(preset(&r.preset)?) },
            states: states(&r.states)?,
            public,
            made_from: r.created_from.map_or(Millis(i64::MIN), millis),
            made_before: r.created_before.map_or(Millis(i64::MAX), millis),
            idle_since: r.idle_since.map(millis),
            page_size: page_size(r.page_size)?,
            below: below(&r.page_token)?,
        })
    }
}

/// Which players an administrator wants to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerSearch {
    /// This player.
    pub player: Option<Uuid>,
    /// The player of this account.
    pub external_id: Option<String>,
    /// Players whose name begins so.
    pub name_prefix: Option<String>,
    /// Only those who are banned.
    pub banned: bool,
    /// How many at most: 1 to 100.
    pub page_size: u32,
    /// The player behind whom the page begins.
    pub below: Uuid,
}

impl TryFrom<v1::FindPlayersRequest> for PlayerSearch {
    type Error = Fault;

    fn try_from(r: v1::FindPlayersRequest) -> Result<Self, Fault> {
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        Ok(Self {
            player: optional("player_id", &r.player_id)?,
            external_id: given(r.external_id),
            name_prefix: given(r.name_prefix),
            banned: r.banned,
            page_size: page_size(r.page_size)?,
            below: below(&r.page_token)?,
        })
    }
}

/// Which acts an administrator wants to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSearch {
    /// Acts of this kind.
    pub act: Option<v1::AdminAct>,
    /// On this game, player or key.
    pub subject: Option<Uuid>,
    /// By this key.
    pub key: Option<Uuid>,
    /// Begun then or later.
    pub from: Millis,
    /// Begun before.
    pub before: Millis,
    /// How many at most: 1 to 100.
    pub page_size: u32,
    /// The act behind which the page begins.
    pub below: Uuid,
}

impl TryFrom<v1::ListAuditEntriesRequest> for AuditSearch {
    type Error = Fault;

    fn try_from(r: v1::ListAuditEntriesRequest) -> Result<Self, Fault> {
        let act = match v1::AdminAct::try_from(r.act) {
            Ok(v1::AdminAct::Unspecified) => None,
            Ok(act) => Some(act),
            Err(_) => return Err(Problem::UnknownChoice(r.act).at("act")),
        };
        Ok(Self {
            act,
            subject: optional("subject_id", &r.subject_id)?,
            key: optional("key_id", &r.key_id)?,
            from: r.from.map_or(Millis(i64::MIN), millis),
            before: r.before.map_or(Millis(i64::MAX), millis),
            page_size: page_size(r.page_size)?,
            below: below(&r.page_token)?,
        })
    }
}

/// An order of an administrator: on what, its request id and its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminOrder {
    /// The game or the player.
    pub subject: Uuid,
    /// The client's own id of the command.
    pub request_id: Uuid,
    /// Why.
    pub reason: Reason,
}

impl AdminOrder {
    /// Reads an order from the fields that every order has; `field` is the name of the subject's.
    ///
    /// # Errors
    /// A field is missing or can't be read.
    pub fn read(field: &str, subject: &str, request_id: &str, text: &str) -> Result<Self, Fault> {
        let subject = uuid(field, subject)?;
        let request_id = uuid("request_id", request_id)?;
        let reason = reason(text)?.ok_or_else(|| Problem::Missing.at("reason"))?;
        Ok(Self { subject, request_id, reason })
    }
}

/// Why an administrator does something; `None` if he doesn't say.
///
/// # Errors
/// The text can't be a reason.
pub fn reason(text: &str) -> Result<Option<Reason>, Fault> {
    if text.is_empty() {
        return Ok(None);
    }
    let text = line("reason", text, Reason::LONGEST)?;
    // A line is one.
    Ok(Reason::new(text))
}

/// When a ban is to end; `None` for never.
///
/// # Errors
/// It is over already.
pub fn ban_end(until: Option<Timestamp>, now: store::Millis) -> Result<Option<store::Millis>, Fault> {
    let until = until.map(|until| store::Millis(millis(until).0));
    match until {
        Some(at) if at <= now => {
            let text = stored_time(at).to_string();
            Err(Problem::malformed(&text, "a time to come").at("until"))
        }
        until => Ok(until),
    }
}

/// The seat as which an administrator wants to see a table; `None` for the public.
///
/// # Errors
/// There is no such seat anywhere.
pub fn seat_to_see(number: Option<u32>) -> Result<Option<Seat>, Fault> {
    number.map(|number| seat("seat", number)).transpose()
}

/// A game that was found, with what lists tell of it.
pub fn admin_game(
    found: &store::FoundGame,
    summary: v1::GameSummary,
    over: Option<GameOver>,
    now: store::Millis,
) -> v1::AdminGame {
    let asleep = over.is_none() && now.0.saturating_sub(found.moved_at.0) > ABANDONED;
    v1::AdminGame {
        summary: Some(summary),
        version: found.latest.unsigned_abs(),
        last_move_at: Some(stored_time(found.moved_at)),
        abandoned: asleep || over == Some(GameOver::Abandoned),
        invite_code: found.summary.invite_code.clone().unwrap_or_default(),
    }
}

/// A player who was found.
pub fn admin_player(found: &store::FoundPlayer) -> v1::AdminPlayer {
    let ban = |ban: &store::Ban| v1::Ban {
        banned_at: Some(stored_time(ban.made_at)),
        until: ban.until.map(stored_time),
        reason: ban.reason.clone(),
    };
    v1::AdminPlayer {
        player: Some(player(&found.player, true)),
        created_at: Some(stored_time(found.player.made_at)),
        signed_out_at: found.player.revoked_at.map(stored_time),
        ban: found.ban.as_ref().map(ban),
    }
}

/// An entry of the audit trail.
pub fn audit_entry(entry: &store::AuditEntry) -> v1::AuditEntry {
    let act = &entry.act;
    let kind = v1::AdminAct::try_from(i32::from(act.act)).unwrap_or_default();
    let outcome = match (entry.done, kind) {
        (Some(true), _) => v1::AdminOutcome::Done,
        (Some(false), _) => v1::AdminOutcome::Refused,
        // A game's log is written by itself; everything else is done in the transaction of its entry, or seen after it.
        (None, v1::AdminAct::EndGame | v1::AdminAct::VoidGame) => v1::AdminOutcome::Pending,
        (None, _) => v1::AdminOutcome::Done,
    };
    v1::AuditEntry {
        entry_id: act.id.to_string(),
        made_at: Some(stored_time(act.made_at)),
        key_id: act.key_id.map_or_else(String::new, |key| key.to_string()),
        key_name: act.key_name.clone(),
        act: kind.into(),
        subject_id: act.subject.to_string(),
        seat: act.seat.map(|seat| seat.unsigned_abs().into()),
        reason: act.reason.clone(),
        until: act.until.map(stored_time),
        outcome: outcome.into(),
        version: entry.version.map_or(0, i32::unsigned_abs),
    }
}

/// An id that may be left out.
fn optional(field: &str, text: &str) -> Result<Option<Uuid>, Fault> {
    if text.is_empty() { Ok(None) } else { uuid(field, text).map(Some) }
}

/// The id behind which a page begins. No id is above the greatest one.
fn below(token: &str) -> Result<Uuid, Fault> {
    Ok(optional("page_token", token)?.unwrap_or(Uuid::max()))
}
