//! Running the service: what administrators find, see and do. Every act is kept.

use std::sync::Arc;

use remik_rules::command::Command;
use remik_rules::reason::Reason;
use remik_rules::refusal::Refusal;
use remik_rules::seat::{PlayerId, Seat};
use uuid::Uuid;

use crate::audit::{Administrator, Deed, is_same};
use crate::identity::Identity;
use crate::proto::v1::GameState;
use crate::store::{Act, FoundPlayer, GameFilter, GameId, Millis, PlayerFilter, Store};
use crate::tables::{LiveTable, Played, RequestKey, Stop, TableError, Tables, outcome};

/// How many games are read at once.
const PAGE: u32 = 100;

/// The acts of administrators. Cheap to clone: an act goes on when nobody waits for it any more.
#[derive(Clone)]
pub struct Administration {
    tables: Arc<Tables>,
    identity: Arc<Identity>,
}

/// What an administrator wants done to a player, or to a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Who wants it.
    pub by: Administrator,
    /// Why.
    pub reason: Reason,
    /// His id for the command: it is carried out once.
    pub request_id: Uuid,
}

impl Order {
    fn act(&self, deed: Deed, subject: Uuid, now: Millis) -> Act {
        let reason = self.reason.text().to_owned();
        Act { reason, request_id: Some(self.request_id), ..self.by.act(deed, subject, now) }
    }
}

impl Administration {
    /// Over tables and players.
    pub fn new(tables: Arc<Tables>, identity: Arc<Identity>) -> Self {
        Self { tables, identity }
    }

    /// The store behind it.
    pub fn store(&self) -> &Store {
        self.tables.store()
    }

    /// The time by which acts are dated.
    pub fn now(&self) -> Millis {
        Millis(self.tables.clock().now().0)
    }

    /// A game's table, for an administrator to see as a seat or as the public. Kept before anything is seen.
    ///
    /// # Errors
    /// There is no such game or seat, or the store can't be read or written.
    pub async fn inspect(
        &self,
        by: &Administrator,
        game: GameId,
        seat: Option<Seat>,
        reason: Option<Reason>,
    ) -> Result<Arc<LiveTable>, TableError> {
        let table = self.tables.get(game).await?;
        let seat = seat.map(|seat| table.existing_seat(seat)).transpose()?;
        let act = Act {
            seat: seat.map(|seat| seat.number().into()),
            reason: reason.map_or_else(String::new, |reason| reason.text().to_owned()),
            ..by.act(Deed::InspectGame, game.0, self.now())
        };
        self.store().note_act(&act).await?;
        Ok(table)
    }

    /// Ends or voids a game; gives the move that did it.
    ///
    /// # Errors
    /// There is no such game, it is over, another command has the request id, or the log can't be read or written.
    pub async fn stop(
        &self,
        order: Order,
        game: GameId,
        void: bool,
    ) -> Result<(Arc<LiveTable>, Arc<Played>), TableError> {
        let this = self.clone();
        outcome(tokio::spawn(async move { this.carry_stop_out(&order, game, void).await }).await)
    }

    async fn carry_stop_out(
        &self,
        order: &Order,
        game: GameId,
        void: bool,
    ) -> Result<(Arc<LiveTable>, Arc<Played>), TableError> {
        let table = self.tables.get(game).await?;
        let deed = if void { Deed::VoidGame } else { Deed::EndGame };
        // Noted before the game's log has it, which is written by itself.
        let act = order.act(deed, game.0, self.now());
        let kept = if self.store().note_act(&act).await? { act.id } else { self.same_act(&act).await?.id };
        let Order { by, reason, request_id } = order.clone();
        let stop = Stop { void, reason, by: by.key.unwrap_or_default(), request_id };
        match table.stop(&stop).await {
            Ok(played) => {
                self.store().conclude_act(kept, true, Some(played.number)).await?;
                Ok((table, played))
            }
            Err(refused @ TableError::Refused(_)) => {
                self.store().conclude_act(kept, false, None).await?;
                Err(refused)
            }
            Err(error) => Err(error),
        }
    }

    /// Bans a player until a time, or for good, and lets him leave his games; how many that were.
    ///
    /// # Errors
    /// Another command has the request id, or the store can't be read or written: then the ban may count already, and
    /// the same command does the rest.
    pub async fn ban(
        &self,
        order: Order,
        player: PlayerId,
        until: Option<Millis>,
    ) -> Result<u32, TableError> {
        let this = self.clone();
        outcome(tokio::spawn(async move { this.carry_ban_out(&order, player, until).await }).await)
    }

    async fn carry_ban_out(
        &self,
        order: &Order,
        player: PlayerId,
        until: Option<Millis>,
    ) -> Result<u32, TableError> {
        let subject = Uuid::from_u128(player.0);
        let act = Act { until, ..order.act(Deed::BanPlayer, subject, self.now()) };
        if !self.identity.ban(&act).await? {
            self.same_act(&act).await?;
            // It may have been lifted since: then it isn't this command's to make him leave.
            if self.store().ban(subject).await?.is_none_or(|ban| !ban.counts(self.now())) {
                return Ok(0);
            }
        }
        self.leave_games(player).await
    }

    /// Lets a player leave the games that he plays in, as if he had done so himself.
    async fn leave_games(&self, player: PlayerId) -> Result<u32, TableError> {
        let filter = GameFilter {
            game: None,
            player: Some(Uuid::from_u128(player.0)),
            preset: None,
            statuses: [GameState::Waiting, GameState::Playing, GameState::BetweenDeals]
                .map(|state| state as i16)
                .to_vec(),
            public: None,
            made_from: Millis(i64::MIN),
            made_before: Millis(i64::MAX),
            idle_since: None,
        };
        let (mut left, mut below) = (0, GameId(Uuid::max()));
        loop {
            let games = self.store().find_games(&filter, below, PAGE).await?;
            let Some(last) = games.last() else { return Ok(left) };
            below = last.summary.game;
            for game in games {
                let table = self.tables.get(game.summary.game).await?;
                let key = RequestKey { id: Uuid::now_v7(), known_version: table.version() };
                match table.play(player, Command::Leave, key, true).await {
                    Ok(_) => left += 1,
                    // It is over, or he is out of it, or a bot plays for him already.
                    Err(TableError::Refused(
                        Refusal::GameOver | Refusal::NotSeated | Refusal::OutOfGame(_) | Refusal::BotPlays(_),
                    )) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// Lifts a player's ban, if he has one.
    ///
    /// # Errors
    /// Another command has the request id, or the store can't be read or written.
    pub async fn lift_ban(&self, order: &Order, player: PlayerId) -> Result<(), TableError> {
        let act = order.act(Deed::LiftBan, Uuid::from_u128(player.0), self.now());
        if self.identity.lift_ban(&act).await? { Ok(()) } else { self.same_act(&act).await.map(drop) }
    }

    /// Signs a player out everywhere.
    ///
    /// # Errors
    /// Another command has the request id, or the store can't be read or written.
    pub async fn sign_out(&self, order: &Order, player: PlayerId) -> Result<(), TableError> {
        let act = order.act(Deed::SignOutPlayer, Uuid::from_u128(player.0), self.now());
        if self.identity.sign_out_by(&act).await? { Ok(()) } else { self.same_act(&act).await.map(drop) }
    }

    /// A player; `None` if there is none of this id.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn player(&self, player: PlayerId) -> Result<Option<FoundPlayer>, TableError> {
        let filter = PlayerFilter {
            player: Some(Uuid::from_u128(player.0)),
            external_id: None,
            name_prefix: None,
            banned: false,
            now: self.now(),
        };
        Ok(self.store().find_players(&filter, Uuid::max(), 1).await?.pop())
    }

    /// The act that was kept of the same command.
    async fn same_act(&self, act: &Act) -> Result<Act, TableError> {
        let kept = match (act.key_id, act.request_id) {
            (Some(key), Some(request)) => self.store().act_of_request(key, request).await?,
            _ => None,
        };
        kept.filter(|kept| is_same(kept, act)).ok_or(TableError::RequestReused)
    }
}
