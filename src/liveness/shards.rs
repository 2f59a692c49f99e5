//! The shards that this instance looks after.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::{Lease, Outage};

/// The shards held now, and when nobody looked after them.
#[derive(Debug, Default)]
pub(super) struct Shards {
    held: BTreeMap<u8, Vec<Outage>>,
    /// Those whose outages have yet to be read.
    unsettled: BTreeSet<u8>,
}

impl Shards {
    /// Takes in what a heartbeat has brought.
    pub(super) fn hold(&mut self, leases: &[Lease]) {
        let mut before = std::mem::take(&mut self.held);
        let kept = |lease: &Lease| (lease.shard, before.remove(&lease.shard).unwrap_or_default());
        self.held = leases.iter().map(kept).collect();
        self.unsettled.extend(leases.iter().filter(|lease| lease.news).map(|lease| lease.shard));
        self.unsettled.retain(|shard| self.held.contains_key(shard));
    }

    /// All of them.
    pub(super) fn held(&self) -> Vec<u8> {
        self.held.keys().copied().collect()
    }

    /// Whether a shard is among them. One whose outages aren't known isn't looked after yet.
    pub(super) fn holds(&self, shard: u8) -> bool {
        self.held.contains_key(&shard) && !self.unsettled.contains(&shard)
    }

    /// Those whose outages have yet to be read.
    pub(super) fn unsettled(&self) -> Vec<u8> {
        self.unsettled.iter().copied().collect()
    }

    /// All outages of some shards are known.
    pub(super) fn settle(&mut self, shards: &[u8], outages: Vec<Outage>) {
        for shard in shards {
            self.unsettled.remove(shard);
            if let Some(known) = self.held.get_mut(shard) {
                known.clear();
            }
        }
        for outage in outages {
            if let Some(known) = self.held.get_mut(&outage.shard) {
                known.push(outage);
            }
        }
    }

    /// The outages of a shard.
    pub(super) fn outages(&self, shard: u8) -> Vec<Outage> {
        self.held.get(&shard).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Millis;

    #[test]
    fn a_shard_is_looked_after_once_its_outages_are_known() {
        let lease = |shard, news| Lease { shard, news };
        let mut shards = Shards::default();
        shards.hold(&[lease(3, true), lease(7, true)]);
        assert_eq!((shards.held(), shards.unsettled()), (vec![3, 7], vec![3, 7]));
        assert!(!shards.holds(3));
        let outage = Outage { shard: 7, began: Millis(1), ended: Millis(9) };
        shards.settle(&[3, 7], vec![outage]);
        assert!(shards.holds(3) && shards.holds(7) && !shards.holds(4));
        shards.hold(&[lease(7, false), lease(9, true)]);
        assert_eq!(shards.outages(7), [outage]);
        assert_eq!((shards.outages(9), shards.holds(3), shards.unsettled()), (vec![], false, vec![9]));
    }
}
