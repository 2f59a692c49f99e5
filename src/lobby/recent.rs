//! What has changed in the lobby lately.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Line;
use crate::store::{Cursor, GameId};

/// How many changes are kept.
const MOST: usize = 4096;

/// A table that has changed.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) game: GameId,
    /// How it is in the lobby now; `None` if it isn't there.
    pub(super) line: Option<Arc<Line>>,
}

/// Changes that were read off the feed together.
#[derive(Debug)]
pub(super) struct Batch {
    /// The place in the feed that they go up to.
    pub(super) end: Cursor,
    pub(super) changes: Vec<Change>,
}

/// What follows a place in the feed.
#[derive(Debug)]
pub(super) enum After {
    /// More than is kept.
    Unknown,
    /// These changes next.
    Changes(Arc<Batch>),
    /// Nothing up to this place.
    Nothing(Cursor),
}

/// The last changes, within a bound.
#[derive(Debug)]
pub(super) struct Recent {
    /// Where they begin.
    begin: Cursor,
    end: Cursor,
    batches: VecDeque<Arc<Batch>>,
    changes: usize,
}

impl Recent {
    /// No changes, from a place in the feed on.
    pub(super) fn from(place: Cursor) -> Self {
        Self { begin: place, end: place, batches: VecDeque::new(), changes: 0 }
    }

    /// How far the feed was read.
    pub(super) fn end(&self) -> Cursor {
        self.end
    }

    /// Adds what was read up to a place.
    pub(super) fn add(&mut self, end: Cursor, changes: Vec<Change>) {
        self.end = end;
        if changes.is_empty() {
            return;
        }
        self.changes += changes.len();
        self.batches.push_back(Arc::new(Batch { end, changes }));
        while self.changes > MOST {
            let Some(oldest) = self.batches.pop_front() else { break };
            self.changes -= oldest.changes.len();
            self.begin = oldest.end;
        }
    }

    /// What follows a place. A batch that another instance read only in part comes whole: to be told the same twice does no
    /// harm.
    pub(super) fn after(&self, place: &Cursor) -> After {
        if !place.reaches(&self.begin) {
            return After::Unknown;
        }
        match self.batches.iter().find(|batch| !place.reaches(&batch.end)) {
            Some(batch) => After::Changes(Arc::clone(batch)),
            None if self.end.reaches(place) => After::Nothing(self.end),
            // Another instance is further.
            None => After::Nothing(*place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::GameId;

    fn place(position: u64) -> Cursor {
        format!("00000000000000000000000000000007.{position}.00000000000000000000000000000000.0")
            .parse()
            .unwrap()
    }

    fn changes(count: usize) -> Vec<Change> {
        (0..count).map(|_| Change { game: GameId::generate(), line: None }).collect()
    }

    #[test]
    fn what_follows_a_place_is_known_as_far_back_as_it_is_kept() {
        let mut recent = Recent::from(place(10));
        recent.add(place(20), changes(1));
        recent.add(place(30), Vec::new());
        recent.add(place(40), changes(2));
        let end = |after: u64| match recent.after(&place(after)) {
            After::Unknown => None,
            After::Changes(batch) => Some((batch.changes.len(), batch.end)),
            After::Nothing(end) => Some((0, end)),
        };
        assert_eq!(end(9), None);
        assert_eq!(end(10), Some((1, place(20))));
        assert_eq!(end(15), Some((1, place(20))), "in the middle of a batch");
        assert_eq!(end(20), Some((2, place(40))));
        assert_eq!(end(40), Some((0, place(40))));
        assert_eq!(end(50), Some((0, place(50))), "another instance is further");
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut recent = Recent::from(place(0));
        for number in 1..=10 {
            recent.add(place(number), changes(MOST / 4));
        }
        assert_eq!(recent.batches.len(), 4);
        assert!(matches!(recent.after(&place(5)), After::Unknown));
        assert!(matches!(recent.after(&place(6)), After::Changes(_)));
    }
}
