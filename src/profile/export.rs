//! Everything that is held about a player, section by section, in pages.
//!
//! A table that holds something about players has its section here, and its line in `store::erasure`.

use std::str::FromStr;

use remik_rules::chance;
use remik_rules::seat::PlayerId;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::codec::log::DecodeError;
use crate::codec::summary::Detail;
use crate::codec::wire;
use crate::proto::v1;
use crate::store::{
    GameId, ListFilter, Millis, Mute, Page, PageToken, RatingRow, Store, StoreError, Summary, TicketState,
};

/// A kind of what is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Who he is.
    Player,
    /// His sign-ins, without what is secret of them.
    Sessions,
    /// Whom he has blocked.
    Blocks,
    /// Whom he has muted.
    Mutes,
    /// What he has said at tables.
    Messages,
    /// The games in which he has a seat, with seat and result.
    Games,
    /// How strong he is.
    Ratings,
    /// What games have made of that.
    RatingChanges,
    /// What his games come to.
    Statistics,
    /// His searches for games.
    Tickets,
    /// The tables to which he is invited.
    Invitations,
    /// What administrators have done about him, bans among it.
    Acts,
    /// Games that he has brought from elsewhere.
    Imports,
    /// His commands whose answers are kept for repeats.
    Requests,
}

impl Section {
    /// All sections, in the order in which they are given.
    pub const ALL: [Self; 14] = [
        Self::Player,
        Self::Sessions,
        Self::Blocks,
        Self::Mutes,
        Self::Messages,
        Self::Games,
        Self::Ratings,
        Self::RatingChanges,
        Self::Statistics,
        Self::Tickets,
        Self::Invitations,
        Self::Acts,
        Self::Imports,
        Self::Requests,
    ];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Sessions => "sessions",
            Self::Blocks => "blocks",
            Self::Mutes => "mutes",
            Self::Messages => "messages",
            Self::Games => "games",
            Self::Ratings => "ratings",
            Self::RatingChanges => "ratingChanges",
            Self::Statistics => "statistics",
            Self::Tickets => "tickets",
            Self::Invitations => "invitations",
            Self::Acts => "acts",
            Self::Imports => "imports",
            Self::Requests => "requests",
        }
    }
}

/// Something that is held.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What kind of thing it is.
    pub section: Section,
    /// The thing: a JSON object.
    pub data: Json,
    /// Its place in its section.
    key: String,
}

/// Where a page begins. Its string form is opaque to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    section: usize,
    /// The key of the last record that was given; empty for none.
    after: String,
}

impl Place {
    /// The beginning.
    pub const START: Self = Self { section: 0, after: String::new() };
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", Section::ALL.get(self.section).map_or("", |section| section.name()), self.after)
    }
}

/// The text isn't a [`Place`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a page token of this service")]
pub struct PlaceError;

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        // PostgreSQL can't be asked for a NUL.
        let (name, after) = text.split_once(':').filter(|_| !text.contains('\0')).ok_or(PlaceError)?;
        let section = Section::ALL.iter().position(|section| section.name() == name).ok_or(PlaceError)?;
        Ok(Self { section, after: after.to_owned() })
    }
}

/// Why a page can't be given.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The token was never given.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// A game's summary can't be read.
    #[error("the summary of a game can't be read")]
    Summary(#[from] DecodeError),
    /// The store can't be asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A page of what is held about a player, at most `size` records, and where the next one begins if there is one.
///
/// # Errors
/// The place was never given, or the store can't be read.
pub async fn page(
    store: &Store,
    player: PlayerId,
    from: Place,
    size: u32,
) -> Result<(Vec<Record>, Option<Place>), ExportError> {
    let mut records: Vec<Record> = Vec::new();
    let mut place = from;
    // One more than asked for tells whether there is a next page.
    let wanted = size as usize + 1;
    while let Some(section) = Section::ALL.get(place.section) {
        let missing = u32::try_from(wanted - records.len()).unwrap_or(u32::MAX);
        records.extend(section.read(store, player, &place.after, missing).await?);
        if records.len() == wanted {
            records.pop();
            let last = records.last().map(|last| Place {
                section: Section::ALL.iter().position(|section| *section == last.section).unwrap_or(0),
                after: last.key.clone(),
            });
            return Ok((records, last));
        }
        place = Place { section: place.section + 1, after: String::new() };
    }
    Ok((records, None))
}

impl Section {
    /// The records behind a key, at most `limit` of them.
    async fn read(
        self,
        store: &Store,
        player: PlayerId,
        after: &str,
        limit: u32,
    ) -> Result<Vec<Record>, ExportError> {
        let id = Uuid::from_u128(player.0);
        let record = |key: String, data: Json| Record { section: self, data, key };
        Ok(match self {
            Self::Player => {
                let found = if after.is_empty() { store.player(id).await? } else { None };
                let told = |player: &crate::store::Player| {
                    json!({
                        "playerId": player.id.to_string(), "createdAt": time(player.made_at), "displayName": player.name,
                        "externalId": player.external_id, "locale": player.locale,
                        "tokensRevokedAt": player.revoked_at.map(time),
                    })
                };
                found.iter().map(|player| record("player".to_owned(), told(player))).collect()
            }
            Self::Sessions => {
                let sessions = store.sessions_of_player(id, uuid(after)?, limit).await?;
                let told = |session: &crate::store::Session| {
                    let data = json!({"sessionId": session.session_id.to_string(), "expiresAt": time(session.expires_at)});
                    record(session.session_id.to_string(), data)
                };
                sessions.iter().map(told).collect()
            }
            Self::Blocks => {
                let blocks = store.blocks(id, uuid(after)?, limit).await?;
                let told = |block: &crate::store::Block| {
                    let data =
                        json!({"playerId": block.blocked_id.to_string(), "createdAt": time(block.made_at)});
                    record(block.blocked_id.to_string(), data)
                };
                blocks.iter().map(told).collect()
            }
            Self::Mutes => {
                let after = (!after.is_empty()).then(|| pair(after)).transpose()?;
                let mutes = store.mutes(id, after.map(|(muted, game)| (muted, GameId(game))), limit).await?;
                let told = |mute: &Mute| {
                    let game = (mute.game_id != Mute::EVERYWHERE).then(|| mute.game_id.to_string());
                    let data = json!({
                        "playerId": mute.muted_id.to_string(), "gameId": game, "createdAt": time(mute.made_at)
                    });
                    record(format!("{}.{}", mute.muted_id, mute.game_id), data)
                };
                mutes.iter().map(told).collect()
            }
            Self::Messages => {
                let after = line(after)?;
                let lines = store.lines_of_player(id, after, limit).await?;
                let told = |line: &crate::store::ChatLine| {
                    let data = json!({
                        "gameId": line.game_id.to_string(), "position": line.number, "sentAt": time(line.made_at),
                        "text": line.body, "phrase": line.phrase,
                    });
                    record(format!("{}.{}", line.game_id, line.number), data)
                };
                lines.iter().map(told).collect()
            }
            Self::Games => {
                let token = (!after.is_empty()).then(|| after.parse::<PageToken>()).transpose();
                let page = Page { size: limit, token: token.map_err(|_| PlaceError)? };
                let filter = ListFilter { viewer: Some(id), mine_only: true, ..ListFilter::default() };
                let (games, _) = store.list(&filter, page).await?;
                let told =
                    |game: &Summary| Ok(record(PageToken::after(game.game).to_string(), seat(player, game)?));
                games.iter().map(told).collect::<Result<_, DecodeError>>()?
            }
            Self::Ratings => {
                let ratings = store.ratings_of_player(id, after, limit).await?;
                let told = |rating: &RatingRow| {
                    let data = json!({
                        "family": rating.family, "mean": rating.mean, "deviation": rating.deviation,
                        "games": rating.games, "ratedAt": time(rating.rated_at),
                    });
                    record(rating.family.clone(), data)
                };
                ratings.iter().map(told).collect()
            }
            Self::RatingChanges => {
                let changes = store.rating_changes_of_player(id, uuid(after)?, limit).await?;
                let told = |change: &crate::store::RatingChange| {
                    let data = json!({
                        "gameId": change.game_id.to_string(), "family": change.family, "ratedAt": time(change.rated_at),
                        "place": change.place, "players": change.players,
                        "meanBefore": change.mean_before, "mean": change.mean,
                    });
                    record(change.game_id.to_string(), data)
                };
                changes.iter().map(told).collect()
            }
            Self::Statistics => {
                let sums = store.statistics_of_player(id, after, limit).await?;
                let told = |sum: &crate::store::StatisticsRow| {
                    let data = json!({
                        "period": sum.period, "preset": sum.preset, "kind": kind(sum.kind), "games": sum.games,
                        "wins": sum.wins, "deals": sum.deals, "dealsWon": sum.deals_won, "rummies": sum.rummies,
                        "points": sum.points, "timeouts": sum.timeouts,
                    });
                    record(sum.place(), data)
                };
                sums.iter().map(told).collect()
            }
            Self::Tickets => {
                let tickets = store.tickets_of_player(id, uuid(after)?, limit).await?;
                let told = |ticket: &crate::store::TicketRow| {
                    let data = json!({
                        "ticketId": ticket.ticket_id.to_string(), "createdAt": time(ticket.made_at),
                        "state": state(ticket.state).as_str_name(), "gameId": ticket.game_id.map(|game| game.to_string()),
                    });
                    record(ticket.ticket_id.to_string(), data)
                };
                tickets.iter().map(told).collect()
            }
            Self::Invitations => {
                let invitations = store.invitations_of_player(id, uuid(after)?, limit).await?;
                let told = |invitation: &crate::store::Invitation| {
                    let data = json!({
                        "gameId": invitation.game_id.to_string(), "invitedBy": invitation.invited_by.to_string(),
                        "createdAt": time(invitation.made_at),
                    });
                    record(invitation.game_id.to_string(), data)
                };
                invitations.iter().map(told).collect()
            }
            Self::Acts => {
                let acts = store.acts_on_player(id, uuid(after)?, limit).await?;
                let told = |act: &crate::store::Act| {
                    let data = json!({
                        "actId": act.id.to_string(), "at": time(act.made_at), "act": v1::AdminAct::try_from(i32::from(act.act)).unwrap_or_default().as_str_name(), "reason": act.reason,
                        "until": act.until.map(time),
                    });
                    record(act.id.to_string(), data)
                };
                acts.iter().map(told).collect()
            }
            Self::Imports => {
                let imports = store.imports_of_player(id, uuid(after)?, limit).await?;
                let told = |import: &crate::store::ImportedGame| {
                    let data =
                        json!({"gameId": import.game_id.to_string(), "importedAt": time(import.imported_at)});
                    record(import.game_id.to_string(), data)
                };
                imports.iter().map(told).collect()
            }
            Self::Requests => {
                let requests = store.requests_of_player(id, uuid(after)?, limit).await?;
                let told = |request: &crate::store::KeptRequest| {
                    let data =
                        json!({"requestId": request.request_id.to_string(), "madeAt": time(request.made_at)});
                    record(request.request_id.to_string(), data)
                };
                requests.iter().map(told).collect()
            }
        })
    }
}

/// A game with the player's seat and result.
fn seat(player: PlayerId, game: &Summary) -> Result<Json, DecodeError> {
    let detail = Detail::decode(&game.detail)?;
    let at = detail.seats.iter().position(|seat| seat.player == Some(player));
    let seat = at.and_then(|at| detail.seats.get(at));
    let state = v1::GameState::try_from(i32::from(game.status)).unwrap_or_default();
    Ok(json!({
        "gameId": game.game.to_string(), "preset": game.preset, "state": state.as_str_name(),
        "createdAt": time(game.made_at), "changedAt": time(game.changed_at),
        "seat": at, "total": seat.map(|seat| seat.total),
        // Without a place while the game goes on.
        "place": seat.map(|seat| seat.place).filter(|place| *place > 0),
    }))
}

/// What games are counted as; the API has one more before these.
fn kind(counted: i16) -> &'static str {
    v1::GameCounting::try_from(i32::from(counted) + 1).unwrap_or_default().as_str_name()
}

/// What a search for a game is said to have come to.
fn state(state: TicketState) -> v1::TicketState {
    match state {
        TicketState::Gathering => v1::TicketState::Gathering,
        TicketState::Queued | TicketState::Claimed => v1::TicketState::Queued,
        TicketState::Matched => v1::TicketState::Matched,
        TicketState::Cancelled => v1::TicketState::Cancelled,
        TicketState::Expired => v1::TicketState::Expired,
    }
}

/// A time as in RFC 3339.
fn time(at: Millis) -> String {
    wire::timestamp(chance::Millis(at.0)).to_string()
}

fn uuid(after: &str) -> Result<Uuid, PlaceError> {
    if after.is_empty() { Ok(Uuid::nil()) } else { Uuid::try_parse(after).map_err(|_| PlaceError) }
}

fn pair(after: &str) -> Result<(Uuid, Uuid), PlaceError> {
    let (one, other) = after.split_once('.').ok_or(PlaceError)?;
    Ok((uuid(one)?, uuid(other)?))
}

fn line(after: &str) -> Result<(GameId, u32), PlaceError> {
    if after.is_empty() {
        return Ok((GameId(Uuid::nil()), 0));
    }
    let (game, number) = after.split_once('.').ok_or(PlaceError)?;
    Ok((GameId(uuid(game)?), number.parse().map_err(|_| PlaceError)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_texts_and_back() {
        for (index, section) in Section::ALL.into_iter().enumerate() {
            let place = Place { section: index, after: "a.b:c".to_owned() };
            assert_eq!(place.to_string(), format!("{}:a.b:c", section.name()));
            assert_eq!(place.to_string().parse(), Ok(place));
        }
        assert_eq!(Place::START.to_string().parse(), Ok(Place::START));
        for text in ["", "player", "nothing:", "ratings:\0"] {
            assert_eq!(text.parse::<Place>(), Err(PlaceError), "{text}");
        }
    }
}
