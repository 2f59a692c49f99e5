//! Hearing of what is revoked.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use remik_rules::seat::PlayerId;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval};
use uuid::Uuid;

use super::{Identity, Pass};
use crate::store::{Millis, StoreError};

/// How often the store's notes are read.
const READ: Duration = Duration::from_secs(1);

/// How long a note counts: longer than a transaction may take to show it.
const COUNTS: Duration = Duration::from_secs(60);

/// For how long what is remembered is trusted after the notes were last read. With the longest time between two
/// readings this bounds how long a revoked token may still do something.
const TRUSTED: Duration = Duration::from_secs(4);

/// For how long the notes are kept.
const KEPT: Duration = Duration::from_secs(3600);

/// The sessions, players and keys that were revoked in the last minute, and when.
#[derive(Debug, Clone, Default)]
pub(super) struct Revoked {
    subjects: Arc<HashMap<Uuid, Millis>>,
    /// When the notes were last read.
    read_at: Option<Instant>,
}

/// Tells a stream when to have its pass looked at again.
pub struct Revocations(watch::Receiver<Revoked>);

impl Revocations {
    /// Waits until a pass may have been revoked. May be waited for again and again; nothing is missed in between.
    pub async fn of(&mut self, pass: &Pass) {
        loop {
            // The sender lives as long as the identity, which streams hold.
            if self.0.changed().await.is_err() {
                return std::future::pending().await;
            }
            let subjects = Arc::clone(&self.0.borrow_and_update().subjects);
            if pass.subjects().iter().flatten().any(|subject| subjects.contains_key(subject)) {
                return;
            }
        }
    }
}

impl Identity {
    /// What tells of revocations from now on.
    pub fn revocations(&self) -> Revocations {
        Revocations(self.revoked.subscribe())
    }

    /// Whether what is remembered can be trusted.
    pub(super) fn hears_revocations(&self) -> bool {
        self.revoked.borrow().read_at.is_some_and(|at| at.elapsed() < TRUSTED)
    }

    /// Reads the store's notes again and again.
    pub(super) async fn heed_revocations(&self) {
        let mut again = interval(READ);
        again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            again.tick().await;
            let began = Instant::now();
            let since = Millis(self.now().0 - COUNTS.as_millis() as i64);
            match self.store.revocations(since).await {
                Ok(subjects) => self.heed(subjects.into_iter().collect(), Some(began)),
                Err(error) => tracing::warn!(%error, "what was revoked can't be read"),
            }
        }
    }

    /// What this instance has revoked itself counts at once.
    pub(super) fn heed_own(&self, subject: Uuid, at: Millis) {
        let mut subjects = HashMap::clone(&self.revoked.borrow().subjects);
        subjects.insert(subject, at);
        self.heed(subjects, None);
    }

    fn heed(&self, subjects: HashMap<Uuid, Millis>, read_at: Option<Instant>) {
        if !subjects.is_empty() {
            // As long as a note counts: what was read just before it was made may be remembered after it was first
            // read.
            self.known.forget(|known| {
                known.pass.subjects().iter().flatten().any(|subject| subjects.contains_key(subject))
            });
            self.bans.forget(|(player, _)| subjects.contains_key(player));
            // A player may have another name, or none any more.
            for subject in subjects.keys() {
                self.names.forget_key(&PlayerId(subject.as_u128()));
            }
        }
        self.revoked.send_if_modified(|revoked| {
            if read_at.is_some() {
                revoked.read_at = read_at;
            }
            let new = subjects.iter().any(|(subject, at)| revoked.subjects.get(subject) != Some(at));
            revoked.subjects = Arc::new(subjects);
            new
        });
    }

    /// Forgets what is over: tokens, and notes of revocations.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn sweep(&self) -> Result<(), StoreError> {
        let now = self.now();
        self.store.sweep_tokens(now).await?;
        self.store.sweep_revocations(Millis(now.0 - KEPT.as_millis() as i64)).await?;
        Ok(())
    }
}
