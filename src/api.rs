//! The gRPC services: thin, one file each. They know who calls, ask the tables, and encode the answer.

mod admin;
mod attend;
mod chats;
mod feed;
mod games;
mod holder;
mod keys;
mod lobby;
mod matchmaking;
mod play;
mod players;
mod profiles;
mod replays;
mod rulesets;
mod sandboxes;
mod standings;
mod watch;
mod webhooks;

use std::error::Error;
use std::sync::Arc;

use prost::Message;
use remik_rules::chance::Millis;
use remik_rules::seat::PlayerId;
use remik_rules::view::View;
use tokio_util::sync::CancellationToken;
use tonic::metadata::MetadataMap;
use tonic::{Response, Status};
use uuid::Uuid;

use crate::audit::Administrator;
use crate::authorization::Method;
use crate::codec::summary::Detail;
use crate::codec::wire::{self, GameContext, MoveRequest, Names, SummaryContext};
use crate::error::{ApiError, Language, Reason, localized};
use crate::identity::{Denied, Identity, Pass, Principal, Scope};
use crate::limits::{Limits, Slot};
use crate::proto::{rpc, v1};
use crate::store::{GameId, Summary};
use crate::tables::{Answer, Glimpse, LiveTable, Onlooker, RequestKey, Tables};

pub use admin::Admin;
pub use chats::ChatApi;
pub use feed::Feeds;
pub use games::Games;
pub use keys::Keys;
pub use lobby::LobbyApi;
pub use matchmaking::MatchmakingApi;
pub use players::Players;
pub use profiles::Profiles;
pub use replays::ReplayApi;
pub use rulesets::Rulesets;
pub use sandboxes::Sandboxes;
pub use standings::Standings;
pub use webhooks::WebhookApi;

/// The header by which a backend names the player for whom it calls.
pub const ACT_FOR: &str = "remik-player";

/// What all services share.
#[derive(Clone)]
pub struct Api {
    tables: Arc<Tables>,
    identity: Arc<Identity>,
    limits: Arc<Limits>,
    /// Cancelled when the service stops: streams end, so that their clients go on elsewhere.
    stop: CancellationToken,
}

/// The answer of a call.
type Reply<T> = Result<Response<T>, Status>;

impl Api {
    /// Services over tables and players.
    pub fn new(
        tables: Arc<Tables>,
        identity: Arc<Identity>,
        limits: Arc<Limits>,
        stop: CancellationToken,
    ) -> Self {
        Self { tables, identity, limits, stop }
    }

    /// The credentials of a call, once it is sure that whoever has them may call this method, and doesn't do so too
    /// often. What else a request may
    /// need, such as a scope for a part of it, is asked of the pass's principal.
    async fn authorized(&self, metadata: &MetadataMap, method: Method) -> Result<Pass, ApiError> {
        let header = metadata.get("authorization").and_then(|value| value.to_str().ok());
        let token = header.and_then(bearer).ok_or_else(ApiError::unauthenticated)?;
        let mut pass = self.identity.authenticate(token).await?;
        if let Some(player) = metadata.get(ACT_FOR) {
            let player = wire::uuid(ACT_FOR, player.to_str().unwrap_or_default())?;
            pass = self.identity.act_for(pass, PlayerId(player.as_u128())).await?;
        }
        method.admits(&pass.principal)?;
        // Whoever calls for many players is counted as each of them.
        self.limits.admit(match pass.principal {
            Principal::Player(player) => player,
            Principal::Backend(backend) => backend.player.unwrap_or(PlayerId(backend.key.as_u128())),
        })?;
        Ok(pass)
    }

    /// The place of a stream that a player has for himself, or a backend for all of its players.
    fn stream_of(&self, principal: &Principal) -> Result<Slot, ApiError> {
        Ok(self.limits.stream_of(match principal {
            Principal::Player(player) => *player,
            Principal::Backend(backend) => PlayerId(backend.key.as_u128()),
        })?)
    }

    /// The player who calls, or for whom a backend calls, once it is sure that he may call this method.
    async fn caller(&self, metadata: &MetadataMap, method: Method) -> Result<PlayerId, ApiError> {
        let pass = self.authorized(metadata, method).await?;
        Ok(pass.principal.player().ok_or(Denied::PlayerRequired)?)
    }

    /// The administrator who calls.
    async fn administrator(&self, metadata: &MetadataMap, method: Method) -> Result<Administrator, ApiError> {
        let pass = self.authorized(metadata, method).await?;
        Ok(self.identity.administrator(&pass).await?.ok_or(Denied::ScopeMissing(Scope::Admin))?)
    }

    /// The player who calls, or for whom a backend calls; `None` for a call without credentials.
    async fn anyone(&self, metadata: &MetadataMap, method: Method) -> Result<Option<PlayerId>, ApiError> {
        if metadata.get("authorization").is_none() {
            return Ok(None);
        }
        self.caller(metadata, method).await.map(Some)
    }

    /// A game that somebody may look at. Of a private one nobody learns who has neither a seat nor its invite code.
    async fn visible(&self, game: GameId, who: impl Into<Onlooker>) -> Result<Arc<LiveTable>, ApiError> {
        let table = self.tables.get(game).await?;
        let who = who.into();
        if table.admit(who).is_err() {
            table.refresh().await?;
            table.admit(who)?;
        }
        Ok(table)
    }

    /// Who looks at a game, with an invite code that may be the game's. Whom the host of a private one has invited is as good
    /// as who has its code.
    async fn onlooker(
        &self,
        game: GameId,
        player: PlayerId,
        invite_code: &str,
    ) -> Result<Onlooker, ApiError> {
        let code = wire::optional_invite(invite_code)?;
        let table = self.tables.get(game).await?;
        let meta = table.meta();
        let knows_code = code.is_some() && meta.invite_code == code;
        let stranger = !meta.public && table.seat_of(player).is_none();
        let invited =
            knows_code || stranger && self.tables.store().is_invited(game, Uuid::from_u128(player.0)).await?;
        Ok(Onlooker { player, invited })
    }

    /// Makes sure that there are such players; a request names them in `player_ids`.
    async fn check_players(&self, players: &[PlayerId]) -> Result<(), ApiError> {
        let names = self.identity.names(players).await?;
        for player in players {
            self.identity.refuse_banned(*player).await?;
        }
        match players.iter().position(|player| !names.contains_key(player)) {
            None => Ok(()),
            Some(index) => {
                let error = ApiError::new(Reason::PlayerNotFound, "there is no such player");
                Err(error.at(format!("player_ids[{index}]"), "is no player's id"))
            }
        }
    }

    /// Games as lists show them.
    async fn summaries(&self, games: &[(Summary, Detail)]) -> Result<Vec<v1::GameSummary>, ApiError> {
        let seated = |(_, detail): &(Summary, Detail)| {
            detail.seats.iter().filter_map(|seat| seat.player).collect::<Vec<_>>()
        };
        let players: Vec<PlayerId> = games.iter().flat_map(seated).collect();
        let names = self.identity.names(&players).await?;
        let line = |(summary, detail): &(Summary, Detail)| {
            let context = SummaryContext {
                game: summary.game.0,
                version: summary.version,
                state: v1::GameState::try_from(i32::from(summary.status)).unwrap_or_default(),
                public: summary.public,
                preset: &summary.preset,
                made_at: Millis(summary.made_at.0),
                changed_at: Millis(summary.changed_at.0),
                names: &names,
            };
            wire::game_summary(detail, &context)
        };
        Ok(games.iter().map(line).collect())
    }

    /// What somebody sees of a table, with all that a table itself doesn't know.
    async fn glimpse(&self, table: &LiveTable, seen: &Glimpse) -> Result<v1::GameView, ApiError> {
        self.view_at(table, seen.version, &seen.view, seen.now).await
    }

    /// A view of now.
    async fn game_view(
        &self,
        table: &LiveTable,
        version: u32,
        view: &View,
    ) -> Result<v1::GameView, ApiError> {
        self.view_at(table, version, view, self.tables.clock().now()).await
    }

    async fn view_at(
        &self,
        table: &LiveTable,
        version: u32,
        view: &View,
        now: Millis,
    ) -> Result<v1::GameView, ApiError> {
        let seated = view.seats.iter().filter_map(|seat| seat.player);
        let players: Vec<PlayerId> =
            seated.chain(view.lobby.offers.iter().map(|offer| offer.player)).collect();
        let names: Names = self.identity.names(&players).await?;
        let meta = table.meta();
        Ok(wire::game_view(
            view,
            &GameContext {
                game: meta.game.0,
                version,
                public: meta.public,
                spectators: Some(meta.spectators),
                settings: Some(&table.settings()),
                invite_code: meta.invite_code.as_deref().unwrap_or_default(),
                preset: meta.preset,
                names: &names,
                now,
            },
        ))
    }

    /// Carries out a move, whatever its kind and whichever way it has come.
    async fn carry_out(
        &self,
        caller: PlayerId,
        asked: MoveRequest,
        invited: bool,
        wants_view: bool,
    ) -> Result<MoveAnswer, ApiError> {
        let table = self.tables.get(GameId(asked.game)).await?;
        let key = RequestKey { id: asked.request_id, known_version: asked.known_version };
        let answer = table.play(caller, asked.command, key, invited).await?;
        self.answer(&table, &answer, wants_view).await
    }

    /// The three parts that the answer to every move has.
    async fn answer(
        &self,
        table: &LiveTable,
        answer: &Answer,
        wants_view: bool,
    ) -> Result<MoveAnswer, ApiError> {
        let played = &answer.played;
        let events: Vec<_> = played.events.iter().map(|event| event.observed_by(answer.viewer)).collect();
        let aces = answer.view.rules.aces;
        let view = match wants_view {
            true => Some(self.game_view(table, played.number, &answer.view).await?),
            false => None,
        };
        Ok(MoveAnswer {
            version: played.number,
            made: wire::game_move(played.number, played.made_at, played.seat, aces, &events),
            view,
        })
    }
}

/// What the answer to every move consists of.
struct MoveAnswer {
    version: u32,
    made: v1::GameMove,
    /// If it was asked for.
    view: Option<v1::GameView>,
}

/// The token of an `authorization` header.
fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// A failure as the client is told; a fault of the service is logged here, once, with its causes.
fn refuse(error: impl Into<ApiError>) -> Status {
    let error = error.into();
    if error.reason().is_ours() {
        let mut causes = String::new();
        let mut cause = error.source();
        while let Some(inner) = cause {
            causes.push_str(&format!(": {inner}"));
            cause = inner.source();
        }
        tracing::error!(reason = error.reason().name(), "{error}{causes}");
    }
    Status::from(error)
}

/// A refusal as a message inside of others, with the same details as at the end of a call.
fn refusal_message(error: ApiError, language: Language) -> rpc::Status {
    let status = refuse(error);
    let status = localized(language, &status).unwrap_or(status);
    // The details of a status are its own message, whole.
    let whole = rpc::Status::decode(status.details()).ok().filter(|_| !status.details().is_empty());
    whole.unwrap_or_else(|| rpc::Status {
        code: status.code().into(),
        message: status.message().to_owned(),
        details: Vec::new(),
    })
}

/// The player that a request names, or `me`.
fn named(text: &str, caller: &Principal) -> Result<PlayerId, ApiError> {
    match text {
        "me" => Ok(caller.player().ok_or(Denied::PlayerRequired)?),
        text => Ok(PlayerId(wire::uuid("player_id", text)?.as_u128())),
    }
}

/// The same, where a player may name himself alone, and a backend anybody.
fn own_or_any(text: &str, caller: &Principal) -> Result<PlayerId, ApiError> {
    let player = named(text, caller)?;
    match caller {
        Principal::Player(own) if *own != player => Err(Denied::ScopeMissing(Scope::Players).into()),
        _ => Ok(player),
    }
}
