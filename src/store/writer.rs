//! Group commit: appends of many games wait in a queue, and a writer task commits all that wait in one transaction.
//! Nobody waits for a batch to fill: while one commits, the next one gathers.

use std::{
    collections::HashSet,
    future::Future,
    mem,
    sync::{Arc, PoisonError, RwLock},
};

use tokio::{
    sync::{Mutex, mpsc, oneshot},
    task::JoinSet,
};

use super::{Append, AppendError, GameId, Rejection};

/// How often a batch is tried that the database undoes for no fault of its own (a deadlock).
const TRIES: usize = 5;

/// Where a writer task writes: one per database.
pub(super) trait Sink: Send + 'static {
    /// Writes the appends, sorted by game and each of another game, in one transaction. It answers after the commit,
    /// one landing for each append in their order; in case of a fault nothing is written, but for [`Fault::Lost`].
    fn write(&mut self, round: &[&Append]) -> impl Future<Output = Result<Vec<Landing>, Fault>> + Send;
}

/// What became of an append in a committed transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Landing {
    Landed,
    Conflict,
    Gap,
}

impl Landing {
    fn answer(self) -> Result<(), AppendError> {
        match self {
            Self::Landed => Ok(()),
            Self::Conflict => Err(AppendError::Conflict),
            Self::Gap => Err(AppendError::Rejected(Rejection::Gap)),
        }
    }
}

/// Why a transaction failed as a whole.
pub(super) enum Fault {
    /// Some append's data were refused; alone in a transaction, it deserves this answer.
    Data(AppendError),
    /// The database undid it, and asks to try again.
    Again(sqlx::Error),
    /// It may be committed or not.
    Lost(sqlx::Error),
}

struct Job {
    append: Append,
    answer: oneshot::Sender<Result<(), AppendError>>,
}

/// The queues and their writer tasks.
pub(super) struct Writers {
    /// Empty once closed.
    queues: RwLock<Vec<mpsc::Sender<Job>>>,
    tasks: Mutex<JoinSet<()>>,
}

impl Writers {
    /// Starts a task for each sink. At most `queue` appends wait for each, of which it takes up to `batch` at once.
    pub(super) fn start<S: Sink>(sinks: Vec<S>, queue: usize, batch: usize) -> Self {
        let mut tasks = JoinSet::new();
        let start = |sink| {
            let (sender, receiver) = mpsc::channel(queue.max(1));
            tasks.spawn(run(sink, receiver, batch.max(1)));
            sender
        };
        let queues = RwLock::new(sinks.into_iter().map(start).collect());
        Self { queues, tasks: Mutex::new(tasks) }
    }

    /// Queues an append and waits for its commit.
    pub(super) async fn append(&self, append: Append) -> Result<(), AppendError> {
        let queue = self.queue_of(append.mv.game).ok_or(AppendError::Closed)?;
        let (answer, answered) = oneshot::channel();
        queue.try_send(Job { append, answer }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AppendError::Overloaded,
            mpsc::error::TrySendError::Closed(_) => AppendError::Closed,
        })?;
        drop(queue);
        // The task drops a job unanswered only when the runtime is torn down around it.
        answered.await.unwrap_or_else(|gone| Err(AppendError::Unknown(Arc::new(gone))))
    }

    /// A game always has the same queue, so its appends keep their order.
    fn queue_of(&self, game: GameId) -> Option<mpsc::Sender<Job>> {
        let queues = self.queues.read().unwrap_or_else(PoisonError::into_inner);
        // The low bits of a version 7 id are random.
        let index = (game.0.as_u128() as usize).checked_rem(queues.len())?;
        queues.get(index).cloned()
    }

    /// Takes no more appends, and returns when all that wait are written and answered.
    pub(super) async fn close(&self) {
        mem::take(&mut *self.queues.write().unwrap_or_else(PoisonError::into_inner));
        let mut tasks = self.tasks.lock().await;
        while tasks.join_next().await.is_some() {}
    }
}

impl Drop for Writers {
    /// The tasks end by themselves when they have written what waits.
    fn drop(&mut self) {
        self.tasks.get_mut().detach_all();
    }
}

async fn run<S: Sink>(mut sink: S, mut queue: mpsc::Receiver<Job>, batch: usize) {
    let mut jobs = Vec::new();
    while queue.recv_many(&mut jobs, batch).await > 0 {
        // Stable: appends of one game stay in their order.
        jobs.sort_by_key(|job| job.append.mv.game);
        while !jobs.is_empty() {
            let mut games = HashSet::new();
            let round = jobs.extract_if(.., |job| games.insert(job.append.mv.game)).collect();
            write_round(&mut sink, round).await;
        }
    }
}

/// Writes a round, and answers each job. Data that the database refuses fail the whole transaction, so the round is
/// split until the bad append stands alone; that is rare, and costs two transactions for each halving.
async fn write_round<S: Sink>(sink: &mut S, round: Vec<Job>) {
    let mut parts = vec![round];
    while let Some(mut part) = parts.pop() {
        match write_part(sink, &part).await {
            Ok(landings) => {
                for (job, landing) in part.into_iter().zip(landings) {
                    answer(job, landing.answer());
                }
            }
            Err(Fault::Data(_)) if part.len() > 1 => {
                let rest = part.split_off(part.len() / 2);
                parts.extend([rest, part]);
            }
            Err(Fault::Data(error)) => part.into_iter().for_each(|job| answer(job, Err(error.clone()))),
            Err(Fault::Again(error) | Fault::Lost(error)) => {
                let error = AppendError::Unknown(Arc::new(error));
                part.into_iter().for_each(|job| answer(job, Err(error.clone())));
            }
        }
    }
}

async fn write_part<S: Sink>(sink: &mut S, part: &[Job]) -> Result<Vec<Landing>, Fault> {
    let appends: Vec<_> = part.iter().map(|job| &job.append).collect();
    let mut tries = 1;
    loop {
        match sink.write(&appends).await {
            Err(Fault::Again(_)) if tries < TRIES => tries += 1,
            outcome => return outcome,
        }
    }
}

/// Whoever stopped waiting will find the move in the log.
fn answer(job: Job, outcome: Result<(), AppendError>) {
    let _ = job.answer.send(outcome);
}
