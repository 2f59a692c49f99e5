//! The feed of all games.

use remik_rules::chance::Millis;
use remik_rules::seat::{PlayerId, Seat};

use super::fault::{Fault, Problem};
use super::field::{player_id, uuid};
use super::game_move;
use super::request::preset;
use crate::feed::{FeedEntry, FeedFilter, FeedSeat, Kind};
use crate::proto::v1;
use crate::store::{Cursor, GameId};

/// The most games that a filter names.
const MOST_GAMES: usize = 100;

/// The most entries of a page, and how many it has if the request doesn't say.
const LIMIT: (u32, u32) = (100, 1000);

/// What skips the past.
const NOW: &str = "now";

/// Where in the feed to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedStart {
    /// Behind a cursor.
    After(Cursor),
    /// With what happens from now on.
    Now,
}

/// What of the feed is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedQuery {
    /// From where on.
    pub start: FeedStart,
    /// Which entries.
    pub filter: FeedFilter,
}

impl FeedQuery {
    /// What a stream asks for.
    ///
    /// # Errors
    /// A field that can't be read.
    pub fn read(r: &v1::WatchFeedRequest) -> Result<Self, Fault> {
        let start = match r.after.as_str() {
            "" => FeedStart::After(Cursor::START),
            NOW => FeedStart::Now,
            cursor => {
                let cursor = cursor.parse();
                FeedStart::After(cursor.map_err(|_| Fault::malformed("after", &r.after, "a cursor"))?)
            }
        };
        let length = r.game_ids.len();
        if length > MOST_GAMES {
            return Err(Problem::BadLength { length, of: "games", least: 0, most: MOST_GAMES }.at("game_ids"));
        }
        let game = |(index, id): (usize, &String)| uuid(&format!("game_ids[{index}]"), id).map(GameId);
        let player = match r.player_id.as_str() {
            "" => None,
            id => Some(PlayerId(uuid("player_id", id)?.as_u128())),
        };
        let kinds = r.kinds.iter().enumerate().map(|(index, number)| {
            let kind = v1::FeedKind::try_from(*number).ok().and_then(kind_read);
            kind.ok_or_else(|| Problem::UnknownChoice(*number).at(format_args!("kinds[{index}]")))
        });
        let filter = FeedFilter {
            games: r.game_ids.iter().enumerate().map(game).collect::<Result<_, _>>()?,
            preset: match r.preset.as_str() {
                "" => None,
                name => Some(preset(name)?.to_string()),
            },
            kinds: kinds.collect::<Result<_, _>>()?,
            player,
        };
        Ok(Self { start, filter })
    }
}

/// A page of the feed to be read: from where, of what, and how many entries.
impl TryFrom<v1::ReadFeedRequest> for (FeedQuery, u32) {
    type Error = Fault;

    fn try_from(r: v1::ReadFeedRequest) -> Result<Self, Fault> {
        let (usual, most) = LIMIT;
        let limit = match r.limit {
            0 => usual,
            value if value > most => return Err(Problem::OutOfRange { value, least: 1, most }.at("limit")),
            asked => asked,
        };
        let v1::ReadFeedRequest { after, limit: _, game_ids, preset, kinds, player_id } = r;
        let query = FeedQuery::read(&v1::WatchFeedRequest { after, game_ids, preset, kinds, player_id })?;
        Ok((query, limit))
    }
}

/// An entry of the feed.
pub fn feed_entry(entry: &FeedEntry) -> v1::FeedEntry {
    let seat = entry.seat.and_then(Seat::new);
    v1::FeedEntry {
        cursor: entry.cursor.to_string(),
        game_id: entry.game.to_string(),
        preset: entry.preset.clone(),
        kinds: entry.kinds.iter().map(|kind| kind_told(*kind).into()).collect(),
        seats: feed_seats(&entry.seats),
        r#move: Some(game_move(entry.number, Millis(entry.made_at.0), seat, entry.aces, &entry.events)),
    }
}

/// The seats of a game.
pub fn feed_seats(seats: &[FeedSeat]) -> Vec<v1::FeedSeat> {
    let told = |(seat, FeedSeat { player, bot }): (u32, &FeedSeat)| v1::FeedSeat {
        seat,
        player_id: player.map_or_else(String::new, player_id),
        bot: *bot,
    };
    (0..).zip(seats).map(told).collect()
}

const fn kind_read(kind: v1::FeedKind) -> Option<Kind> {
    use v1::FeedKind;
    Some(match kind {
        FeedKind::Unspecified => return None,
        FeedKind::GameOpened => Kind::GameOpened,
        FeedKind::SeatsChanged => Kind::SeatsChanged,
        FeedKind::PlayerReady => Kind::PlayerReady,
        FeedKind::GameStarted => Kind::GameStarted,
        FeedKind::DealStarted => Kind::DealStarted,
        FeedKind::TurnStarted => Kind::TurnStarted,
        FeedKind::Played => Kind::Played,
        FeedKind::Clock => Kind::Clock,
        FeedKind::DealEnded => Kind::DealEnded,
        FeedKind::GameEnded => Kind::GameEnded,
        FeedKind::TableChanged => Kind::TableChanged,
    })
}

const fn kind_told(kind: Kind) -> v1::FeedKind {
    use v1::FeedKind;
    match kind {
        Kind::GameOpened => FeedKind::GameOpened,
        Kind::SeatsChanged => FeedKind::SeatsChanged,
        Kind::PlayerReady => FeedKind::PlayerReady,
        Kind::GameStarted => FeedKind::GameStarted,
        Kind::DealStarted => FeedKind::DealStarted,
        Kind::TurnStarted => FeedKind::TurnStarted,
        Kind::Played => FeedKind::Played,
        Kind::Clock => FeedKind::Clock,
        Kind::DealEnded => FeedKind::DealEnded,
        Kind::GameEnded => FeedKind::GameEnded,
        Kind::TableChanged => FeedKind::TableChanged,
    }
}
