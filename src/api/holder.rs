//! Whoever holds a stream, and what may end it.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Api;
use crate::error::ApiError;
use crate::identity::{Identity, Pass, Revocations};
use crate::limits::Slot;

/// How long a stream is silent at most.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

/// Who holds a stream of his own, as long as what he was let in by counts and the service runs.
pub(super) struct Holder {
    pass: Pass,
    revocations: Revocations,
    identity: Arc<Identity>,
    stop: CancellationToken,
    _slot: Slot,
}

impl Holder {
    /// Somebody who was let in. `revocations` tells of what has happened since before his credentials were looked at.
    pub(super) fn new(api: &Api, pass: Pass, revocations: Revocations, slot: Slot) -> Self {
        let (identity, stop) = (Arc::clone(&api.identity), api.stop.clone());
        Self { pass, revocations, identity, stop, _slot: slot }
    }

    /// What he was let in by.
    pub(super) const fn pass(&self) -> &Pass {
        &self.pass
    }

    /// Waits for something on his behalf.
    ///
    /// # Errors
    /// His pass counts no more, that can't be found out, or the service stops.
    pub(super) async fn wait_for<T>(&mut self, item: impl Future<Output = T>) -> Result<T, ApiError> {
        let mut item = std::pin::pin!(item);
        loop {
            tokio::select! {
                biased;
                () = self.revocations.of(&self.pass) => self.identity.recheck(&self.pass).await?,
                item = &mut item => return Ok(item),
                () = self.stop.cancelled() => return Err(ApiError::draining()),
            }
        }
    }
}
