//! Players and API keys.

use prost_types::Timestamp;
use remik_rules::chance::Millis;
use uuid::Uuid;

use super::fault::{Fault, Problem};
use super::field::{display_name, timestamp};
use crate::proto::v1;
use crate::store;

/// The longest id of an account, in bytes.
const LONGEST_ID: usize = 255;

/// The longest language tag, in bytes (RFC 5646, 4.4.1).
const LONGEST_LOCALE: usize = 35;

/// A player: to himself and to backends with all that is known.
pub fn player(player: &store::Player, in_full: bool) -> v1::Player {
    let told = |text: &str| if in_full { text.to_owned() } else { String::new() };
    v1::Player {
        player_id: player.id.to_string(),
        display_name: if player.is_erased() { anonymous(player.id) } else { player.name.clone() },
        guest: player.external_id.is_none(),
        external_id: told(player.external_id.as_deref().unwrap_or_default()),
        locale: told(&player.locale),
        created_at: Some(stored_time(player.made_at)),
        erased: player.is_erased(),
    }
}

/// The name that others see of a player who was erased, so that two of them can be told apart.
pub fn anonymous(player: Uuid) -> String {
    format!("Player {:04X}", player.as_u128() & 0xFFFF)
}

/// What a player wants to change of himself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerChange {
    /// The new name.
    pub name: Option<String>,
    /// The new language; empty for none.
    pub locale: Option<String>,
}

impl TryFrom<v1::UpdatePlayerRequest> for PlayerChange {
    type Error = Fault;

    fn try_from(r: v1::UpdatePlayerRequest) -> Result<Self, Fault> {
        let name = r.display_name.map(|name| display_name("display_name", &name)).transpose()?;
        if let Some(locale) = r.locale.as_deref().filter(|locale| !locale.is_empty() && !is_locale(locale)) {
            return Err(Problem::malformed(locale, "a language tag, such as pl").at("locale"));
        }
        Ok(Self { name, locale: r.locale })
    }
}

/// A time of the store's.
pub fn stored_time(at: store::Millis) -> Timestamp {
    timestamp(Millis(at.0))
}

/// An API key, without its secret.
pub fn api_key(key: &store::Key) -> v1::ApiKey {
    v1::ApiKey {
        key_id: key.id.to_string(),
        name: key.name.clone(),
        scopes: key.scopes.split(' ').map(str::to_owned).collect(),
        created_at: Some(stored_time(key.made_at)),
        used_at: key.used_at.map(stored_time),
        revoked_at: key.revoked_at.map(stored_time),
    }
}

/// A player of the integrator's to be made or brought up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPlayer {
    /// The account's id at the integrator.
    pub external_id: String,
    /// The name that others see.
    pub name: String,
    /// The language, if it is given.
    pub locale: Option<String>,
}

impl TryFrom<v1::CreatePlayerRequest> for NewPlayer {
    type Error = Fault;

    fn try_from(r: v1::CreatePlayerRequest) -> Result<Self, Fault> {
        if r.external_id.is_empty() {
            return Err(Problem::Missing.at("external_id"));
        }
        if !is_account_id(&r.external_id) {
            let wanted = "an id of at most 255 bytes without control characters";
            return Err(Problem::malformed(&r.external_id, wanted).at("external_id"));
        }
        let name = display_name("display_name", &r.display_name)?;
        let locale = Some(r.locale).filter(|locale| !locale.is_empty());
        if let Some(locale) = locale.as_deref().filter(|locale| !is_locale(locale)) {
            return Err(Problem::malformed(locale, "a language tag, such as pl").at("locale"));
        }
        Ok(Self { external_id: r.external_id, name, locale })
    }
}

/// Whether a text can be the id of an account: 1 to 255 bytes without control characters.
pub fn is_account_id(id: &str) -> bool {
    (1..=LONGEST_ID).contains(&id.len()) && !id.chars().any(char::is_control)
}

/// Whether a text looks like a language tag, such as `pl` or `en-GB`.
pub fn is_locale(locale: &str) -> bool {
    let letters =
        |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
    locale.len() <= LONGEST_LOCALE && locale.split(['-', '_']).all(letters)
}
