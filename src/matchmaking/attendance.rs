//! Who watches which ticket at this instance.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;

/// The tickets that are watched, and what watchers wait for.
#[derive(Debug, Clone, Default)]
pub struct Attendance(Arc<Mutex<HashMap<Uuid, Watched>>>);

/// A ticket that is watched.
#[derive(Debug)]
struct Watched {
    /// The last version that was heard of.
    version: watch::Sender<i32>,
    watchers: usize,
    /// How many of them keep it from ending.
    holders: usize,
}

/// Somebody who watches a ticket, until this is dropped.
#[derive(Debug)]
pub struct Attending {
    attendance: Attendance,
    ticket: Uuid,
    holds: bool,
    version: watch::Receiver<i32>,
}

impl Attendance {
    /// Begins to watch. Whoever watches for the holder keeps a ticket from ending that ends with its stream.
    pub fn attend(&self, ticket: Uuid, holds: bool) -> Attending {
        let mut watched = self.watched();
        let entry = watched.entry(ticket).or_insert_with(|| Watched {
            version: watch::channel(0).0,
            watchers: 0,
            holders: 0,
        });
        entry.watchers += 1;
        entry.holders += usize::from(holds);
        Attending { attendance: self.clone(), ticket, holds, version: entry.version.subscribe() }
    }

    /// Whether nobody watches anything.
    pub(super) fn is_empty(&self) -> bool {
        self.watched().is_empty()
    }

    /// The tickets that are watched for their holders.
    pub(super) fn held(&self) -> Vec<Uuid> {
        self.watched().iter().filter(|(_, watched)| watched.holders > 0).map(|(ticket, _)| *ticket).collect()
    }

    /// Tells watchers of the versions of tickets, if they are new.
    pub(super) fn tell(&self, versions: &[(Uuid, i32)]) {
        let watched = self.watched();
        for (ticket, version) in versions {
            if let Some(watched) = watched.get(ticket) {
                watched.version.send_if_modified(|known| {
                    let newer = *version > *known;
                    *known = (*known).max(*version);
                    newer
                });
            }
        }
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<Uuid, Watched>> {
        // No code panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attending {
    /// Waits until the ticket may have changed. Nothing is missed that changes after this was made.
    pub async fn changed(&mut self) {
        if self.version.changed().await.is_err() {
            // The sender lives as long as this does.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Attending {
    fn drop(&mut self) {
        let mut watched = self.attendance.watched();
        if let Some(entry) = watched.get_mut(&self.ticket) {
            entry.watchers -= 1;
            entry.holders -= usize::from(self.holds);
            if entry.watchers == 0 {
                watched.remove(&self.ticket);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn watchers_hear_of_newer_versions_and_leave_nothing_behind() {
        let attendance = Attendance::default();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut holder = attendance.attend(one, true);
        let mut looker = attendance.attend(one, false);
        assert_eq!(attendance.held(), [one]);
        assert!(holder.changed().now_or_never().is_none());
        attendance.tell(&[(one, 2), (other, 7)]);
        assert!(holder.changed().now_or_never().is_some() && looker.changed().now_or_never().is_some());
        attendance.tell(&[(one, 2)]);
        attendance.tell(&[(one, 1)]);
        assert!(holder.changed().now_or_never().is_none());
        drop(holder);
        assert!(attendance.held().is_empty() && !attendance.is_empty());
        drop(looker);
        assert!(attendance.is_empty());
    }
}
