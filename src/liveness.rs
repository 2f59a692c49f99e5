//! Liveness: no game waits for ever. The clock plays for who is out of time and ends pauses, and bots move.
//!
//! The games are in 256 shards, each looked after by one instance, as long as its heart beats. What games need when is
//! in the store, written with their moves; an instance holds only what is due soon. Nothing here is needed for
//! correctness: the clock's commands and the bots' moves are judged and stored like any others, so two instances that both believe that
//! they have a shard do no harm, and what is lost here is found in the store a moment later.

mod agenda;
mod shards;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use remik_rules::chance::Millis;
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use agenda::Agenda;
use shards::Shards;

use crate::bots::Bots;
use crate::store::{self, Alarm, AlarmFilter, GameId, LeaseTerms, StoreError};
use crate::tables::{Next, TableError, Tables};

/// How often an instance's heart beats; as often it looks for what is due.
const BEAT: Duration = Duration::from_secs(1);

/// A dead instance's shards are taken over within this time and a beat; shorter breaks cost nobody anything.
const TERMS: LeaseTerms =
    LeaseTerms { lapse: Duration::from_millis(2500), outage: Duration::from_millis(2000) };

/// After a heartbeat older than this, in milliseconds, nobody's time is up before the next one has told whether there
/// was an outage.
const FRESH: i64 = 1800;

/// What is due later than this, in milliseconds, stays in the store: it is found at some later beat.
const SOON: i64 = 3000;

/// Turns that end within this time after an outage, in milliseconds, are given their time back at once, later ones when
/// their time would be up: an hour.
const EAGER: i64 = 3600 * 1000;

/// How much is taken from the store at once.
const MOST_DUE: u32 = 4096;

/// How many games are seen to at the same time.
const MOST_RINGING: usize = 64;

/// For how many tables bots think or move at the same time.
const MOST_PLAYING: usize = 512;

/// How much later a game is looked at that is being seen to, in milliseconds.
const LATER: i64 = 100;

/// How long a game rests whose log can't be read, in milliseconds.
const REST: i64 = 60_000;

/// An instance's part in looking after all games.
pub struct Liveness {
    tables: Arc<Tables>,
    instance: Uuid,
    shards: Shards,
    /// When the last heartbeat that arrived was sent.
    beaten_at: Option<Millis>,
    agenda: Agenda,
    ringing: JoinSet<Result<Next, TableError>>,
    bots: Arc<Bots>,
    /// When bots move.
    moves: Agenda,
    playing: JoinSet<Result<Next, TableError>>,
    /// Whom the tasks see to.
    games: HashMap<Id, GameId>,
}

impl Liveness {
    /// For an instance that begins now.
    pub fn new(tables: Arc<Tables>, bots: Bots) -> Self {
        Self {
            tables,
            instance: Uuid::new_v4(),
            shards: Shards::default(),
            beaten_at: None,
            agenda: Agenda::default(),
            ringing: JoinSet::new(),
            bots: Arc::new(bots),
            moves: Agenda::default(),
            playing: JoinSet::new(),
            games: HashMap::new(),
        }
    }

    /// Looks after games until `stop` is cancelled, then gives the shards back.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut alarms = self.tables.alarms();
        loop {
            let wait = self.until_due();
            tokio::select! {
                () = stop.cancelled() => break,
                _ = beat.tick() => {
                    if let Err(error) = self.beat().await {
                        tracing::warn!(%error, "a heartbeat failed; the next one follows");
                    }
                }
                // Alarms that were missed are found in the store.
                Ok(alarm) = alarms.recv() => self.heard(alarm),
                Some(rung) = self.ringing.join_next_with_id() => self.rung(rung),
                Some(played) = self.playing.join_next_with_id() => self.rung(played),
                () = sleep(wait.unwrap_or(BEAT)), if wait.is_some() => {
                    self.ring();
                    self.move_bots();
                }
            }
        }
        while self.ringing.join_next().await.is_some() {}
        while self.playing.join_next().await.is_some() {}
        if let Err(error) = self.tables.store().release(self.instance).await {
            tracing::warn!(%error, "the shards aren't given back; they are taken over soon");
        }
    }

    fn now(&self) -> Millis {
        self.tables.clock().now()
    }

    /// Whether a heartbeat has told lately that there was no outage, or which.
    fn is_fresh(&self, now: Millis) -> bool {
        self.beaten_at.is_some_and(|at| now.0 - at.0 < FRESH)
    }

    /// How long nothing is due; `None` if nothing may be done before the next beat.
    fn until_due(&self) -> Option<Duration> {
        let now = self.now();
        if !self.is_fresh(now) {
            return None;
        }
        let clock = self.agenda.next().filter(|_| self.ringing.len() < MOST_RINGING);
        let bot = self.moves.next().filter(|_| self.playing.len() < MOST_PLAYING);
        let at = clock.into_iter().chain(bot).min()?;
        Some(Duration::from_millis(u64::try_from(at.0 - now.0).unwrap_or(0)))
    }

    async fn beat(&mut self) -> Result<(), StoreError> {
        let sent = self.now();
        let leases = self.tables.store().beat(self.instance, TERMS).await?;
        let before = self.shards.held().len();
        self.shards.hold(&leases);
        let held = self.shards.held();
        if held.len() != before {
            tracing::info!(shards = held.len(), "looking after another number of shards");
        }
        self.recover().await?;
        self.beaten_at = Some(sent);
        let until = store::Millis(self.now().0 + SOON);
        let filter = AlarmFilter { shards: &held, until, set_before: None, limit: MOST_DUE };
        for alarm in self.tables.store().alarms(filter).await? {
            self.plan(alarm.game, Millis(alarm.at.0));
        }
        Ok(())
    }

    /// Learns of the outages of shards that were taken over or not looked after, and gives time back.
    async fn recover(&mut self) -> Result<(), StoreError> {
        let shards = self.shards.unsettled();
        if shards.is_empty() {
            return Ok(());
        }
        let outages = self.tables.store().outages(&shards).await?;
        if let Some(last) = outages.iter().map(|outage| outage.ended).max() {
            let now = self.now();
            let until = store::Millis(now.0 + EAGER);
            let filter = AlarmFilter { shards: &shards, until, set_before: Some(last), limit: u32::MAX };
            let hit = self.tables.store().alarms(filter).await?;
            tracing::info!(shards = shards.len(), games = hit.len(), "back after an outage");
            for alarm in hit {
                self.plan(alarm.game, now);
            }
        }
        self.shards.settle(&shards, outages);
        Ok(())
    }

    /// A move of this instance has set an alarm. What is not due soon is found later, and what was planned before is
    /// done in vain.
    fn heard(&mut self, alarm: Alarm) {
        if self.shards.holds(alarm.game.shard()) && alarm.at.0 < self.now().0 + SOON {
            let at = self.unless_busy(alarm.game, Millis(alarm.at.0));
            self.agenda.plan(alarm.game, at);
        }
    }

    /// Plans what the store says, but for a game that is being seen to, or whose bot is about to move: what is to come
    /// for it is known afterwards.
    fn plan(&mut self, game: GameId, at: Millis) {
        if !self.is_busy(game) && !self.moves.plans(game) {
            self.agenda.plan(game, at);
        }
    }

    /// Whether a game is being seen to.
    fn is_busy(&self, game: GameId) -> bool {
        self.games.values().any(|busy| *busy == game)
    }

    /// When to look at a game: a little later if it is being seen to, since that mostly settles it.
    fn unless_busy(&self, game: GameId, at: Millis) -> Millis {
        if self.is_busy(game) { at.max(Millis(self.now().0 + LATER)) } else { at }
    }

    /// Sees to the games whose time has come.
    fn ring(&mut self) {
        let now = self.now();
        // Asked once more: the process may have been asleep in between.
        while self.is_fresh(now) && self.ringing.len() < MOST_RINGING {
            let Some(game) = self.agenda.take_due(now) else { return };
            if !self.shards.holds(game.shard()) {
                continue;
            }
            let tables = Arc::clone(&self.tables);
            let outages = self.shards.outages(game.shard());
            let bots = Arc::clone(&self.bots);
            let task = self.ringing.spawn(async move {
                let table = tables.get(game).await?;
                let next = table.ring(&outages).await?;
                Ok(table.bot_turn().map_or(next, |turn| Next::Bot(bots.due(&turn))))
            });
            self.games.insert(task.id(), game);
        }
    }

    /// Lets the bots move whose time has come.
    fn move_bots(&mut self) {
        let now = self.now();
        while self.is_fresh(now) && self.playing.len() < MOST_PLAYING {
            let Some(game) = self.moves.take_due(now) else { return };
            if !self.shards.holds(game.shard()) {
                continue;
            }
            let (tables, bots) = (Arc::clone(&self.tables), Arc::clone(&self.bots));
            let task = self.playing.spawn(async move { bots.play(tables.get(game).await?).await });
            self.games.insert(task.id(), game);
        }
    }

    fn rung(&mut self, rung: Result<(Id, Result<Next, TableError>), JoinError>) {
        let (id, outcome) = match rung {
            Ok((id, outcome)) => (id, Some(outcome)),
            Err(panicked) => (panicked.id(), None),
        };
        let Some(game) = self.games.remove(&id) else { return };
        match outcome {
            Some(Ok(Next::Clock(at))) if at.0 < self.now().0 + SOON => self.agenda.plan(game, at),
            // Another task plays there already.
            Some(Ok(Next::Bot(at))) if self.is_busy(game) => {
                let at = self.unless_busy(game, at);
                self.agenda.plan(game, at);
            }
            Some(Ok(Next::Bot(at))) => self.moves.plan(game, at),
            Some(Ok(_)) => {}
            // It is still due, so the next beat finds it.
            Some(Err(
                error @ (TableError::Unavailable(_)
                | TableError::Contended
                | TableError::Overloaded
                | TableError::Stopping),
            )) => {
                tracing::debug!(%game, %error, "the clock comes again");
            }
            outcome => {
                let error = outcome.and_then(Result::err);
                let error = error.as_ref().map(|error| error as &dyn std::error::Error);
                tracing::error!(%game, error, "the clock can't act; it tries again later");
                self.agenda.rest(game, Millis(self.now().0 + REST));
            }
        }
    }
}
