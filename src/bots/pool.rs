//! The threads that think for bots: few, so that tables of people have the other processors.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use remik_rules::command::Command;
use tokio::sync::{mpsc, oneshot};

use crate::tables::Thinker;

/// How many bots may wait for a thread; who comes then waits to wait, and has no time left to think.
const QUEUE: usize = 1024;

/// So much of a budget is kept for what follows the search, and for a busy machine: a tenth.
const KEPT: u32 = 10;

/// A bot that is to think about its move.
struct Task {
    thinker: Thinker,
    asked: Instant,
    budget: Duration,
    answer: oneshot::Sender<(Thinker, Option<Command>)>,
}

/// Threads that think.
pub struct Thinkers {
    tasks: mpsc::Sender<Task>,
    /// How many bots think or wait.
    waiting: Arc<AtomicUsize>,
}

impl Thinkers {
    /// So many threads, at least one. They end when this is dropped.
    ///
    /// # Errors
    /// A thread can't be started.
    pub fn start(threads: usize) -> io::Result<Self> {
        let threads = threads.max(1);
        let (tasks, queue) = mpsc::channel(QUEUE);
        let queue = Arc::new(Mutex::new(queue));
        let waiting = Arc::new(AtomicUsize::new(0));
        for number in 0..threads {
            let (queue, waiting) = (Arc::clone(&queue), Arc::clone(&waiting));
            let work = move || work(&queue, &waiting, threads);
            thread::Builder::new().name(format!("bots-{number}")).spawn(work)?;
        }
        Ok(Self { tasks, waiting })
    }

    /// Lets a bot think about its move for at most `budget` from now on, the wait for a thread included: where many
    /// wait, each has a smaller part of it, and in the end only a first look. Answers without the bot if it has failed,
    /// which is a fault of the program.
    pub async fn think(&self, thinker: Thinker, budget: Duration) -> (Option<Thinker>, Option<Command>) {
        let (answer, thought) = oneshot::channel();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let task = Task { thinker, asked: Instant::now(), budget, answer };
        let sent = self.tasks.send(task).await;
        let thought = if sent.is_ok() { thought.await.ok() } else { None };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        thought.map_or((None, None), |(thinker, command)| (Some(thinker), command))
    }
}

fn work(queue: &Mutex<mpsc::Receiver<Task>>, waiting: &AtomicUsize, threads: usize) {
    loop {
        // Nothing panics while the lock is held.
        let task = queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        let Some(Task { thinker, asked, budget, answer }) = task else { return };
        let each = share(budget, waiting.load(Ordering::Relaxed), threads);
        let end = (Instant::now() + each).min(asked + budget - budget / KEPT);
        // A bot that fails takes no thread with it: its answer is missing.
        let thought = catch_unwind(AssertUnwindSafe(|| thinker.bot.next(&mut || Instant::now() >= end)));
        if let Ok(command) = thought {
            // Whoever has asked may have gone.
            let _ = answer.send((thinker, command));
        }
    }
}

/// What each of so many has of a budget, so that all are served within it.
fn share(budget: Duration, waiting: usize, threads: usize) -> Duration {
    let rounds = waiting.div_ceil(threads).max(1);
    budget / u32::try_from(rounds).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_shared_among_who_waits() {
        let share = |waiting| share(Duration::from_millis(200), waiting, 2).as_millis();
        assert_eq!([0, 1, 2, 3, 4, 5, 100].map(share), [200, 200, 200, 100, 100, 66, 4]);
    }
}
