//! `remik.v1.ProfileService`.

use std::sync::Arc;

use remik_rules::command::Command;
use remik_rules::seat::PlayerId;
use tonic::{Request, Response};
use uuid::Uuid;

use super::{Api, Reply, own_or_any, refuse};
use crate::authorization::Method;
use crate::chat::Chats;
use crate::codec::wire::{self, Fault, PlayerChange};
use crate::erasures::Erasures;
use crate::error::{ApiError, Reason};
use crate::profile::export::{ExportError, Place, page};
use crate::proto::v1::profile_service_server::ProfileService;
use crate::proto::v1::*;
use crate::store::{self, GameId, Mute};
use crate::tables::{Listing, RequestKey, TableError};

/// How many players somebody may block, and how often he may mute one.
const MOST: i64 = 1000;

/// How many games are left at once.
const GAMES: u32 = 100;

/// The service of what is kept about players.
#[derive(Clone)]
pub struct Profiles {
    api: Api,
    chats: Arc<Chats>,
    erasures: Arc<Erasures>,
}

impl Profiles {
    /// The service over the players of a store.
    pub const fn new(api: Api, chats: Arc<Chats>, erasures: Arc<Erasures>) -> Self {
        Self { api, chats, erasures }
    }

    fn store(&self) -> &store::Store {
        self.api.tables.store()
    }

    fn now(&self) -> store::Millis {
        store::Millis(self.api.tables.clock().now().0)
    }

    async fn existing(&self, player: PlayerId) -> Result<store::Player, ApiError> {
        self.api.identity.player(player).await?.ok_or_else(ApiError::player_not_found)
    }

    async fn update(&self, request: Request<UpdatePlayerRequest>) -> Result<UpdatePlayerResponse, ApiError> {
        let pass = self.api.authorized(request.metadata(), Method::UpdatePlayer).await?;
        let player = own_or_any(&request.get_ref().player_id, &pass.principal)?;
        let change = PlayerChange::try_from(request.into_inner())?;
        let updated = self.api.identity.update(player, change.name.as_deref(), change.locale.as_deref());
        match updated.await? {
            Some(player) => Ok(UpdatePlayerResponse { player: Some(wire::player(&player, true)) }),
            None => {
                self.existing(player).await?;
                Err(ApiError::player_erased())
            }
        }
    }

    async fn export(&self, request: Request<ExportPlayerRequest>) -> Result<ExportPlayerResponse, ApiError> {
        let pass = self.api.authorized(request.metadata(), Method::ExportPlayer).await?;
        let asked = request.into_inner();
        let player = own_or_any(&asked.player_id, &pass.principal)?;
        let size = wire::page_size(asked.page_size)?;
        let from = match asked.page_token.as_str() {
            "" => Place::START,
            token => token.parse().map_err(ExportError::from)?,
        };
        self.existing(player).await?;
        let (records, next) = page(self.store(), player, from, size).await?;
        Ok(ExportPlayerResponse {
            records: records.into_iter().map(wire::exported).collect(),
            next_page_token: next.map(|place| place.to_string()).unwrap_or_default(),
        })
    }

    async fn erase(&self, request: Request<ErasePlayerRequest>) -> Result<ErasePlayerResponse, ApiError> {
        let pass = self.api.authorized(request.metadata(), Method::ErasePlayer).await?;
        let asked = request.into_inner();
        let player = own_or_any(&asked.player_id, &pass.principal)?;
        let confirmed = wire::uuid("confirm_player_id", &asked.confirm_player_id)?;
        if confirmed.as_u128() != player.0 {
            let told = "the id that confirms the erasure isn't the player's";
            return Err(ApiError::new(Reason::ConfirmationWrong, told).at("confirm_player_id", told));
        }
        self.existing(player).await?;
        // To its end, also if nobody waits for it any more.
        let whole = tokio::spawn({
            let this = self.clone();
            async move { this.carry_out(player).await }
        });
        whole.await.map_err(|_| ApiError::draining())??;
        Ok(ErasePlayerResponse {})
    }

    async fn carry_out(&self, player: PlayerId) -> Result<(), ApiError> {
        self.leave_games(player).await?;
        let chats = self.erasures.erase(Uuid::from_u128(player.0), self.now()).await?;
        self.api.identity.heed_erased(player);
        for game in chats {
            self.chats.look_again(game).await?;
        }
        Ok(())
    }

    /// Nobody is to wait for a player who won't come back.
    async fn leave_games(&self, player: PlayerId) -> Result<(), ApiError> {
        use GameState::{BetweenDeals, Playing, Waiting};
        let statuses = [Waiting, Playing, BetweenDeals].map(|state| state as i16);
        let mut token = None;
        loop {
            let statuses = statuses.to_vec();
            let listing = Listing { mine_only: true, statuses, preset: None, size: GAMES, token };
            let (games, next) = self.api.tables.list(player, listing).await?;
            for game in games {
                let table = self.api.tables.get(game.game).await?;
                let key = RequestKey { id: Uuid::now_v7(), known_version: 0 };
                match table.play(player, Command::Leave, key, false).await {
                    // He may have left before.
                    Ok(_) | Err(TableError::Refused(_) | TableError::NotFound) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            token = next;
            if token.is_none() {
                return Ok(());
            }
        }
    }

    /// The caller, and another player whom he names.
    async fn other(
        &self,
        metadata: &tonic::metadata::MetadataMap,
        method: Method,
        named: &str,
    ) -> Result<(Uuid, Uuid), ApiError> {
        let caller = self.api.caller(metadata, method).await?;
        Ok((Uuid::from_u128(caller.0), wire::uuid("player_id", named)?))
    }

    /// That a player is there whom the caller may keep in a list with so many entries.
    async fn listable(&self, caller: Uuid, player: Uuid, entries: i64) -> Result<(), ApiError> {
        if caller == player {
            return Err(ApiError::new(Reason::NotYourself, "nobody can do that to himself")
                .at("player_id", "is the caller's"));
        }
        self.existing(PlayerId(player.as_u128())).await?;
        if entries >= MOST {
            return Err(ApiError::new(Reason::PlayerListFull, "the list is full").with("most", MOST));
        }
        Ok(())
    }

    async fn block(&self, request: Request<BlockPlayerRequest>) -> Result<BlockPlayerResponse, ApiError> {
        let named = &request.get_ref().player_id;
        let (caller, player) = self.other(request.metadata(), Method::BlockPlayer, named).await?;
        self.listable(caller, player, self.store().count_blocks(caller).await?).await?;
        self.store().block(caller, player, self.now()).await?;
        Ok(BlockPlayerResponse {})
    }

    async fn unblock(
        &self,
        request: Request<UnblockPlayerRequest>,
    ) -> Result<UnblockPlayerResponse, ApiError> {
        let named = &request.get_ref().player_id;
        let (caller, player) = self.other(request.metadata(), Method::UnblockPlayer, named).await?;
        self.store().unblock(caller, player).await?;
        Ok(UnblockPlayerResponse {})
    }

    async fn blocks(&self, request: Request<ListBlocksRequest>) -> Result<ListBlocksResponse, ApiError> {
        let caller = self.api.caller(request.metadata(), Method::ListBlocks).await?;
        let asked = request.get_ref();
        let size = wire::page_size(asked.page_size)?;
        let after = match asked.page_token.as_str() {
            "" => Uuid::nil(),
            token => wire::uuid("page_token", token)?,
        };
        let mut blocks = self.store().blocks(Uuid::from_u128(caller.0), after, size + 1).await?;
        let more = blocks.len() > size as usize;
        blocks.truncate(size as usize);
        let players: Vec<PlayerId> = blocks.iter().map(|block| id(block.blocked_id)).collect();
        let names = self.api.identity.names(&players).await?;
        let next = blocks.last().filter(|_| more).map(|last| last.blocked_id.to_string());
        let told = |block: &store::Block| Block {
            player_id: block.blocked_id.to_string(),
            display_name: names.get(&id(block.blocked_id)).cloned().unwrap_or_default(),
            created_at: Some(wire::stored_time(block.made_at)),
        };
        let blocks = blocks.iter().map(told).collect();
        Ok(ListBlocksResponse { blocks, next_page_token: next.unwrap_or_default() })
    }

    async fn mute(&self, request: Request<MutePlayerRequest>) -> Result<MutePlayerResponse, ApiError> {
        let asked = request.get_ref();
        let (caller, muted_id) = self.other(request.metadata(), Method::MutePlayer, &asked.player_id).await?;
        let game_id = muted_where(&asked.game_id)?;
        self.listable(caller, muted_id, self.store().count_mutes(caller).await?).await?;
        self.store().mute(caller, Mute { muted_id, game_id, made_at: self.now() }).await?;
        Ok(MutePlayerResponse {})
    }

    async fn unmute(&self, request: Request<UnmutePlayerRequest>) -> Result<UnmutePlayerResponse, ApiError> {
        let asked = request.get_ref();
        let (caller, muted) = self.other(request.metadata(), Method::UnmutePlayer, &asked.player_id).await?;
        self.store().unmute(caller, muted, muted_where(&asked.game_id)?).await?;
        Ok(UnmutePlayerResponse {})
    }

    async fn mutes(&self, request: Request<ListMutesRequest>) -> Result<ListMutesResponse, ApiError> {
        let caller = self.api.caller(request.metadata(), Method::ListMutes).await?;
        let asked = request.get_ref();
        let size = wire::page_size(asked.page_size)?;
        let after = mutes_after(&asked.page_token)?;
        let mut mutes = self.store().mutes(Uuid::from_u128(caller.0), after, size + 1).await?;
        let more = mutes.len() > size as usize;
        mutes.truncate(size as usize);
        let players: Vec<PlayerId> = mutes.iter().map(|mute| id(mute.muted_id)).collect();
        let names = self.api.identity.names(&players).await?;
        let next = mutes.last().filter(|_| more).map(|last| format!("{}.{}", last.muted_id, last.game_id));
        let told = |mute: &Mute| {
            let everywhere = mute.game_id == Mute::EVERYWHERE;
            crate::proto::v1::Mute {
                player_id: mute.muted_id.to_string(),
                display_name: names.get(&id(mute.muted_id)).cloned().unwrap_or_default(),
                game_id: if everywhere { String::new() } else { mute.game_id.to_string() },
                created_at: Some(wire::stored_time(mute.made_at)),
            }
        };
        let mutes = mutes.iter().map(told).collect();
        Ok(ListMutesResponse { mutes, next_page_token: next.unwrap_or_default() })
    }
}

fn id(player: Uuid) -> PlayerId {
    PlayerId(player.as_u128())
}

/// At which table somebody is muted, by the request's field.
fn muted_where(game: &str) -> Result<GameId, Fault> {
    if game.is_empty() { Ok(Mute::EVERYWHERE) } else { wire::uuid("game_id", game).map(GameId) }
}

/// Where a page of mutes begins.
fn mutes_after(token: &str) -> Result<Option<(Uuid, GameId)>, Fault> {
    if token.is_empty() {
        return Ok(None);
    }
    let parts = token.split_once('.');
    let place = parts.and_then(|(muted, game)| Some((muted.parse().ok()?, GameId(game.parse().ok()?))));
    place.map(Some).ok_or_else(|| Fault::malformed("page_token", token, "a page token"))
}

/// Declares the service's methods over the functions above.
macro_rules! methods {
    ($($name:ident($request:ident) => $response:ident: $function:ident;)+) => { $(
        fn $name<'me, 'call>(
            &'me self,
            request: Request<$request>,
        ) -> std::pin::Pin<Box<dyn Future<Output = Reply<$response>> + Send + 'call>>
        where
            'me: 'call,
            Self: 'call,
        {
            Box::pin(async move { self.$function(request).await.map(Response::new).map_err(refuse) })
        }
    )+ };
}

impl ProfileService for Profiles {
    methods! {
        update_player(UpdatePlayerRequest) => UpdatePlayerResponse: update;
        export_player(ExportPlayerRequest) => ExportPlayerResponse: export;
        erase_player(ErasePlayerRequest) => ErasePlayerResponse: erase;
        block_player(BlockPlayerRequest) => BlockPlayerResponse: block;
        unblock_player(UnblockPlayerRequest) => UnblockPlayerResponse: unblock;
        list_blocks(ListBlocksRequest) => ListBlocksResponse: blocks;
        mute_player(MutePlayerRequest) => MutePlayerResponse: mute;
        unmute_player(UnmutePlayerRequest) => UnmutePlayerResponse: unmute;
        list_mutes(ListMutesRequest) => ListMutesResponse: mutes;
    }
}
