//! The games that a stream follows.

use std::collections::HashMap;
use std::pin::Pin;

use futures::StreamExt;
use futures::stream::{AbortHandle, SelectAll, Stream, abortable, unfold};
use uuid::Uuid;

use super::Player;
use crate::api::refusal_message;
use crate::api::watch::Watching;
use crate::codec::wire;
use crate::error::ApiError;
use crate::limits::Exceeded;
use crate::proto::rpc;
use crate::proto::v1::play_response::Kind;
use crate::proto::v1::{PlayItem, Subscribe, SubscriptionEnded};
use crate::store::GameId;

/// How many games a stream follows at most.
const MOST_GAMES: usize = 1000;

/// A game's items, and at last an error.
type Items = Pin<Box<dyn Stream<Item = (Uuid, Kind)> + Send>>;

pub(super) struct Subscriptions {
    player: Player,
    games: HashMap<Uuid, AbortHandle>,
    items: SelectAll<Items>,
}

impl Subscriptions {
    pub(super) fn new(player: Player) -> Self {
        Self { player, games: HashMap::new(), items: SelectAll::new() }
    }

    /// Begins to follow a game. What has ended by this is returned: an earlier subscription of the game, or this one.
    pub(super) fn add(&mut self, asked: Subscribe) -> Option<SubscriptionEnded> {
        let game = match self.may_follow(&asked.game_id) {
            Ok(game) => game,
            Err(error) => return Some(self.player.ended(asked.game_id, error)),
        };
        let earlier = self.games.contains_key(&game).then(|| self.remove(&asked.game_id));
        let (items, handle) = abortable(follow(self.player.clone(), asked));
        self.games.insert(game, handle);
        self.items.push(Box::pin(items.map(move |kind| (game, kind))));
        earlier
    }

    fn may_follow(&self, game_id: &str) -> Result<Uuid, ApiError> {
        let game = wire::uuid("game_id", game_id)?;
        if self.games.len() >= MOST_GAMES && !self.games.contains_key(&game) {
            return Err(Exceeded::Streams(MOST_GAMES).into());
        }
        self.player.api.limits.admit(self.player.id)?;
        Ok(game)
    }

    /// Ends a subscription; there needn't be one.
    pub(super) fn remove(&mut self, game_id: &str) -> SubscriptionEnded {
        match wire::uuid("game_id", game_id) {
            Ok(game) => {
                if let Some(handle) = self.games.remove(&game) {
                    handle.abort();
                }
                SubscriptionEnded { game_id: game_id.to_owned(), status: Some(rpc::Status::default()) }
            }
            Err(fault) => self.player.ended(game_id.to_owned(), fault.into()),
        }
    }

    /// Ends all subscriptions.
    pub(super) fn clear(&mut self) {
        self.games.clear();
        self.items.clear();
    }

    /// The next item of any game; `None` if none is followed.
    pub(super) async fn next(&mut self) -> Option<Kind> {
        let (game, kind) = self.items.next().await?;
        if let Kind::SubscriptionEnded(_) = kind {
            self.games.remove(&game);
        }
        Some(kind)
    }
}

enum Following {
    /// It isn't open yet.
    Asked(Subscribe),
    Open(String, Box<Watching>),
    Ended,
}

fn follow(player: Player, asked: Subscribe) -> impl Stream<Item = Kind> + Send {
    unfold((Following::Asked(asked), player), |(following, player)| async move {
        let (game_id, opened) = match following {
            Following::Asked(asked) => {
                let opened = open(&player, &asked).await;
                (asked.game_id, opened.map(Box::new))
            }
            Following::Open(game_id, watching) => (game_id, Ok(watching)),
            Following::Ended => return None,
        };
        let next = async {
            let mut watching = opened?;
            let item = watching.next().await?;
            Ok((item, watching))
        };
        Some(match next.await {
            Ok((item, watching)) => {
                let kind = Kind::Item(PlayItem { game_id: game_id.clone(), item: Some(item) });
                (kind, (Following::Open(game_id, watching), player))
            }
            Err(error) => {
                let end = player.ended(game_id, error);
                (Kind::SubscriptionEnded(end), (Following::Ended, player))
            }
        })
    })
}

async fn open(player: &Player, asked: &Subscribe) -> Result<Watching, ApiError> {
    let game = GameId(wire::uuid("game_id", &asked.game_id)?);
    Watching::open(&player.api, player.id, game, &asked.invite_code, asked.after_version).await
}

impl Player {
    fn ended(&self, game_id: String, error: ApiError) -> SubscriptionEnded {
        SubscriptionEnded { game_id, status: Some(refusal_message(error, self.language)) }
    }
}
