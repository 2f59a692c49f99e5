//! Following the feed, and counting anew.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::try_join_all;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::count::Ledger;
use super::{Counted, Finished, Period};
use crate::codec::log::{self, DecodeError};
use crate::record::Record;
use crate::store::{Cursor, GameId, Generation, StandingsBatch, Store, StoreError};
use crate::tables::{Damage, TableError};

/// How often the feed is asked: games are counted so long after their end.
const POLL: Duration = Duration::from_millis(250);

/// How many moves are read at once.
const CHUNK: u32 = 1000;

/// How many games' logs are read at the same time.
const READS: usize = 4;

/// After how many moves in which no game has ended the place in the feed is kept all the same.
const KEEP_AFTER: usize = 20_000;

/// The duty to count games, where several instances could.
const DUTY: &str = "standings";

/// How long it lasts unless it is kept.
const LAPSE: Duration = Duration::from_secs(5);

/// How often it is kept, or asked for.
const KEEP_DUTY: Duration = Duration::from_secs(1);

/// Why games aren't counted now.
#[derive(Debug, thiserror::Error)]
pub enum ProjectorError {
    /// The store can't be read or written, or was set back.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A move that only a newer build can read: it is for that one to count the game.
    #[error("a move of game {0} can't be read here")]
    Newer(GameId, #[source] DecodeError),
}

/// Counts games as they end.
pub struct Projector {
    store: Arc<Store>,
    instance: Uuid,
    /// How far what is shown has been read.
    shown: Option<Reading>,
    /// How far what is to be shown next has been read.
    made: Option<Reading>,
    /// Whether the duty is this instance's, and when that was found.
    duty: Option<(bool, Instant)>,
    /// Whether there may be generations that aren't shown any more.
    litter: bool,
}

/// How far the feed was read for a generation: often further than its cursor, which is kept where games have ended.
struct Reading {
    generation: Generation,
    at: Cursor,
    /// Moves read behind the cursor.
    behind: usize,
}

/// What came of a step.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// There may be more to read.
    More,
    /// All there is has been read.
    CaughtUp,
    /// Somebody else has counted on.
    Beaten,
}

impl Projector {
    /// A projector of a store.
    pub fn new(store: Arc<Store>) -> Self {
        Self { store, instance: Uuid::now_v7(), shown: None, made: None, duty: None, litter: true }
    }

    /// Counts games until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut polls = interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = polls.tick() => {}
            }
            while !stop.is_cancelled() {
                match self.round().await {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(error) => {
                        let cause = std::error::Error::source(&error).map(ToString::to_string);
                        tracing::warn!(%error, cause, "games can't be counted; it is tried again");
                        if matches!(error, ProjectorError::Newer(..)) {
                            self.leave_duty().await;
                        }
                        polls.reset_after(KEEP_DUTY);
                        break;
                    }
                }
            }
        }
        self.leave_duty().await;
    }

    /// Lets another instance count.
    async fn leave_duty(&mut self) {
        self.duty = Some((false, Instant::now()));
        if self.store.is_shared()
            && let Err(error) = self.store.give_back_duty(DUTY, self.instance).await
        {
            tracing::debug!(%error, "the duty to count games lapses by itself");
        }
    }

    /// Counts what there is for a while; whether there may be more to do at once.
    async fn round(&mut self) -> Result<bool, ProjectorError> {
        if !self.on_duty().await? {
            return Ok(false);
        }
        let (shown, made) = self.store.standings().await?;
        let (number, stale) = (shown.number, shown.stale);
        let mut shown = Reading::resume(self.shown.take(), shown);
        let counted = shown.step(&self.store).await;
        let lost = matches!(counted, Err(ProjectorError::Store(StoreError::OtherEpoch)));
        let more = if lost { false } else { counted? != Step::CaughtUp };
        self.shown = Some(shown);
        if lost || stale {
            return self.make_anew(made, number).await.map(|busy| busy || more);
        }
        if std::mem::take(&mut self.litter) {
            self.store.sweep_standings().await?;
        }
        Ok(more)
    }

    /// Whether this instance is to count: of those that share the store one is. None counts wrongly if two do.
    async fn on_duty(&mut self) -> Result<bool, StoreError> {
        if !self.store.is_shared() {
            return Ok(true);
        }
        match self.duty {
            Some((mine, found)) if found.elapsed() < KEEP_DUTY => Ok(mine),
            _ => {
                let mine = self.store.take_duty(DUTY, self.instance, LAPSE).await?;
                self.duty = Some((mine, Instant::now()));
                Ok(mine)
            }
        }
    }

    /// Counts some more of a new generation, which is shown when it has caught up; whether there is more to do.
    async fn make_anew(&mut self, made: Option<Generation>, shown: i32) -> Result<bool, ProjectorError> {
        let made = match made {
            Some(made) if !made.stale => made,
            _ => {
                tracing::info!("ratings and statistics are counted anew");
                self.store.begin_standings().await?
            }
        };
        let number = made.number;
        let mut reading = Reading::resume(self.made.take(), made);
        match reading.step(&self.store).await {
            // The store was set back once more.
            Err(ProjectorError::Store(StoreError::OtherEpoch)) => {
                self.store.begin_standings().await?;
                Ok(true)
            }
            Err(error) => Err(error),
            Ok(Step::CaughtUp) if number > shown => {
                self.litter = self.store.show_standings(number).await?;
                Ok(true)
            }
            Ok(_) => {
                self.made = Some(reading);
                Ok(true)
            }
        }
    }
}

/// Counts all games of a store anew, beside whoever counts on, and shows the result; says how many games it has
/// counted.
///
/// # Errors
/// The store fails, or a game can't be read here.
pub async fn rebuild(store: &Store) -> Result<u64, ProjectorError> {
    let begun = store.begin_standings().await?;
    let number = begun.number;
    let mut reading = Reading::resume(None, begun);
    loop {
        match reading.step(store).await? {
            Step::More => {}
            Step::CaughtUp => {
                store.show_standings(number).await?;
                store.sweep_standings().await?;
                return Ok(store.count_games().await?);
            }
            // The service has taken part, or has shown a newer one already.
            Step::Beaten => match store.standings().await? {
                (_, Some(made)) if made.number == number => reading = Reading::resume(None, made),
                _ => return Ok(store.count_games().await?),
            },
        }
    }
}

impl Reading {
    /// Goes on where a reading has come to, if nobody else has counted on since.
    fn resume(before: Option<Self>, generation: Generation) -> Self {
        match before {
            Some(before)
                if before.generation.number == generation.number
                    && before.generation.cursor == generation.cursor =>
            {
                before
            }
            _ => Self { at: generation.cursor, generation, behind: 0 },
        }
    }

    /// Reads some moves, and counts the games that end in them.
    async fn step(&mut self, store: &Store) -> Result<Step, ProjectorError> {
        let (moves, next) = store.feed(&self.at, CHUNK).await?;
        let more = if moves.len() == CHUNK as usize { Step::More } else { Step::CaughtUp };
        let mut ended: Vec<GameId> = Vec::new();
        for (mv, _) in &moves {
            let ends = log::ends_game(mv.format, &mv.events).or_else(|error| match error {
                DecodeError::UnknownFormat(_) => Err(ProjectorError::Newer(mv.game, error)),
                // The game is looked at as a whole, and noted as one that can't be read.
                _ => Ok(true),
            })?;
            if ends && !ended.contains(&mv.game) {
                ended.push(mv.game);
            }
        }
        self.behind += moves.len();
        if ended.is_empty() && self.behind < KEEP_AFTER {
            self.at = next;
            return Ok(more);
        }
        let batch = self.count(store, &ended, next).await?;
        if !store.commit_standings(&batch).await? {
            return Ok(Step::Beaten);
        }
        self.generation.cursor = next;
        (self.at, self.behind) = (next, 0);
        Ok(more)
    }

    /// What some games come to that end before a place in the feed.
    async fn count(
        &self,
        store: &Store,
        ended: &[GameId],
        to: Cursor,
    ) -> Result<StandingsBatch, ProjectorError> {
        let number = self.generation.number;
        let mut games: Vec<(GameId, Option<Finished>)> = Vec::with_capacity(ended.len());
        for some in ended.chunks(READS) {
            games.extend(try_join_all(some.iter().map(|game| finished(store, *game))).await?);
        }
        let known = store.counted_games(number, ended).await?;
        let (mut players, mut periods) = (Vec::new(), Vec::new());
        for (_, finished) in &games {
            let Some(finished) = finished else { continue };
            players.extend(finished.players.iter().map(|result| Uuid::from_u128(result.player.0)));
            periods.extend(Period::all_of(finished.ended_at).map(|period| period.to_string()));
        }
        periods.sort_unstable();
        periods.dedup();
        players.sort_unstable();
        players.dedup();
        let ratings = store.ratings_in(number, &players).await?;
        let sums = store.statistics_in(number, &players, &periods).await?;
        let mut ledger = Ledger::new(ratings, sums);
        let mut stale = false;
        for (game, finished) in &games {
            let counted = finished.as_ref().map_or(Counted::Unreadable, |finished| finished.counted);
            // A game that ends once more has counted at its first end. If it would count otherwise now, all that came after
            // it rests on what isn't so any more.
            if let Some((_, before)) = known.iter().find(|(known, _)| known == game) {
                stale |= *before != counted as i16;
                continue;
            }
            match finished {
                Some(finished) => ledger.count(finished),
                None => ledger.pass_over(*game, counted),
            }
        }
        Ok(ledger.into_batch(&self.generation, to, stale))
    }
}

/// A game at its end; `None` for one that can't be read.
async fn finished(store: &Store, game: GameId) -> Result<(GameId, Option<Finished>), ProjectorError> {
    match Record::load(store, game).await {
        Ok(record) => Ok((game, Finished::of(&record))),
        Err(TableError::Unavailable(error)) => Err(error.into()),
        Err(TableError::Damaged(Damage::Move {
            source: error @ (DecodeError::UnknownFormat(_) | DecodeError::UnknownEvent),
            ..
        })) => Err(ProjectorError::Newer(game, error)),
        Err(error) => {
            tracing::error!(%game, %error, "a finished game can't be counted");
            Ok((game, None))
        }
    }
}
