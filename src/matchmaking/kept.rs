//! What is kept of tickets and matches, as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use remik_matchmaking::{Attributes, Bots, Condition, Group, Offer, SeatCounts, Ticket, TicketId};
use remik_rules::chance::Millis;
use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;
use serde::{Deserialize, Serialize, de};
use uuid::Uuid;

use super::MatchmakingError;
use crate::store::{GameId, TicketPlayer, TicketRow};
use crate::tables::MatchedGame;

/// What somebody wishes to play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    /// The presets, the dearest first; at least one.
    #[serde(with = "texts")]
    pub presets: Vec<Preset>,
    /// How many may sit at the table, as it was said; empty for all.
    pub seats: Vec<u8>,
    /// What the ticket says of itself.
    pub attributes: Attributes,
    /// What it asks of others.
    pub conditions: Vec<Condition>,
    /// After how many seconds bots may take seats.
    pub bots_after: Option<u32>,
    /// How well they play then.
    #[serde(with = "text")]
    pub strength: Strength,
}

/// Ratings in points, by the presets' names.
pub(super) type Ratings = BTreeMap<String, i32>;

impl Wish {
    /// The numbers of seats that are fine.
    pub fn seat_counts(&self) -> SeatCounts {
        if self.seats.is_empty() { (2..=6).collect() } else { self.seats.iter().copied().collect() }
    }

    /// What a ticket wishes for.
    ///
    /// # Errors
    /// It can't be read.
    pub fn of(ticket: &TicketRow) -> Result<Self, MatchmakingError> {
        read(&ticket.wish)
    }
}

/// What a match comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Who plays, in the order of seats.
    #[serde(with = "texts")]
    pub players: Vec<Uuid>,
    /// What is played.
    #[serde(with = "text")]
    pub preset: Preset,
    /// How many seats there are.
    pub seats: u8,
    /// How many bots take the last of them.
    pub bots: u8,
    /// How well bots play: those, and any that take seats which are given back.
    #[serde(with = "text")]
    pub strength: Strength,
}

impl Plan {
    /// The game of a group. The tickets' players come in the order in which the tickets have waited.
    pub(super) fn of(group: &Group, tickets: &[&Ticket]) -> Self {
        let players = tickets.iter().flat_map(|ticket| &ticket.players);
        let (bots, strength) = group.bots.unwrap_or((0, Strength::Normal));
        Self {
            players: players.map(|player| Uuid::from_u128(player.0)).collect(),
            preset: group.preset,
            seats: group.seats,
            bots,
            strength,
        }
    }

    pub(super) fn game(&self, game: GameId) -> MatchedGame {
        MatchedGame {
            game,
            players: self.players.iter().map(|player| PlayerId(player.as_u128())).collect(),
            preset: self.preset,
            seats: self.seats,
            bots: (self.bots, self.strength),
        }
    }
}

/// A ticket as the matcher looks at it.
///
/// # Errors
/// What is kept can't be read.
pub(super) fn ticket(row: &TicketRow, players: &[TicketPlayer]) -> Result<Ticket, MatchmakingError> {
    let wish = Wish::of(row)?;
    let ratings = players.iter().map(|player| read(&player.ratings)).collect::<Result<Vec<Ratings>, _>>()?;
    let mean = |preset: &Preset| {
        let points = ratings.iter().filter_map(|ratings| ratings.get(preset.name()));
        let sum: i64 = points.map(|points| i64::from(*points)).sum();
        // The mean of numbers of this size is one.
        (sum / ratings.len().max(1) as i64) as i32
    };
    let after = wish.bots_after.map(|seconds| Duration::from_secs(seconds.into()));
    Ok(Ticket {
        id: TicketId(row.ticket_id.as_u128()),
        since: Millis(row.queued_at.unwrap_or(row.made_at).0),
        players: players.iter().map(|player| PlayerId(player.player_id.as_u128())).collect(),
        offers: wish.presets.iter().map(|preset| Offer { preset: *preset, rating: mean(preset) }).collect(),
        seats: wish.seat_counts(),
        bots: after.map(|after| Bots { after, strength: wish.strength }),
        attributes: wish.attributes,
        conditions: wish.conditions,
    })
}

/// Anything as it is kept.
pub(super) fn write(value: &impl Serialize) -> Vec<u8> {
    // Writing to memory can't fail, and maps have texts for keys.
    serde_json::to_vec(value).unwrap_or_default()
}

/// Anything that was kept.
///
/// # Errors
/// It can't be read.
pub(super) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, MatchmakingError> {
    serde_json::from_slice(bytes).map_err(MatchmakingError::Unreadable)
}

/// As the text that it is printed as.
mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use super::{Deserialize, de};

    pub(super) fn serialize<T: Display, S: serde::Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(super) fn deserialize<'a, T: FromStr<Err: Display>, D: de::Deserializer<'a>>(
        from: D,
    ) -> Result<T, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

/// As the texts that they are printed as.
mod texts {
    use std::fmt::Display;
    use std::str::FromStr;

    use super::{Deserialize, de};

    pub(super) fn serialize<T: Display, S: serde::Serializer>(
        values: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(T::to_string))
    }

    pub(super) fn deserialize<'a, T: FromStr<Err: Display>, D: de::Deserializer<'a>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        texts.iter().map(|text| text.parse().map_err(de::Error::custom)).collect()
    }
}

#[cfg(test)]
mod tests {
    use remik_matchmaking::{Test, Value};

    use super::*;
    use crate::store::TicketState;

    #[test]
    fn what_is_kept_is_read_as_it_was() {
        let wish = Wish {
            presets: vec![Preset::Rummy200, Preset::Remik51],
            seats: vec![4, 2],
            attributes: [("region".to_owned(), Value::Text("eu".to_owned()))].into(),
            conditions: vec![Condition { name: "latency".to_owned(), test: Test::Between(i32::MIN, 80) }],
            bots_after: Some(30),
            strength: Strength::Hard,
        };
        let text = String::from_utf8(write(&wish)).unwrap();
        assert_eq!(
            text,
            r#"{"presets":["rummy-200","remik-51"],"seats":[4,2],"attributes":{"region":{"text":"eu"}},"conditions":[{"name":"latency","test":{"between":[-2147483648,80]}}],"bots_after":30,"strength":"hard"}"#
        );
        assert_eq!(read::<Wish>(text.as_bytes()).unwrap(), wish);
        let row = TicketRow {
            ticket_id: Uuid::from_u128(7),
            holder: Uuid::from_u128(1),
            made_by_key: None,
            made_at: crate::store::Millis(1),
            changed_at: crate::store::Millis(2),
            version: 2,
            state: TicketState::Queued,
            party_size: 2,
            party_code: None,
            queued_at: Some(crate::store::Millis(2)),
            expires_at: crate::store::Millis(9),
            watched_until: None,
            game_id: None,
            wish: text.into_bytes(),
        };
        let player = |id: u128, points: i32| TicketPlayer {
            ticket_id: row.ticket_id,
            player_id: Uuid::from_u128(id),
            place: 0,
            ratings: write(&Ratings::from([("rummy-200".to_owned(), points), ("remik-51".to_owned(), 1500)])),
        };
        let ticket = ticket(&row, &[player(1, 1400), player(2, 1700)]).unwrap();
        assert_eq!((ticket.since, ticket.offers[0].rating, ticket.offers[1].rating), (Millis(2), 1550, 1500));
        assert_eq!(ticket.seats.iter().collect::<Vec<_>>(), [2, 4]);
        assert!(matches!(
            Wish::of(&TicketRow { wish: b"?".to_vec(), ..row }),
            Err(MatchmakingError::Unreadable(_))
        ));
    }
}
