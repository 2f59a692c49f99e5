//! `remik.v1.FeedService`.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{Stream, unfold};
use tokio::time::{sleep, timeout};
use tonic::{Request, Response, Status};

use super::holder::{HEARTBEAT, Holder};
use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::codec::wire::{self, FeedQuery, FeedStart};
use crate::error::ApiError;
use crate::feed::{Feed, FeedEntry, FeedError, FeedFilter};
use crate::proto::v1::feed_service_server::FeedService;
use crate::proto::v1::watch_feed_response::Item;
use crate::proto::v1::*;
use crate::store::Cursor;

/// How often a stream that has caught up asks for more.
const POLL: Duration = Duration::from_millis(200);

/// How many moves are looked at at once.
const CHUNK: u32 = 250;

/// How many moves a call looks at that finds few by its filters.
const MOST_LOOKED_AT: u32 = 5_000;

/// The service of the feed.
#[derive(Clone)]
pub struct Feeds {
    api: Api,
    feed: Arc<Feed>,
}

impl Feeds {
    /// The service over a feed.
    pub const fn new(api: Api, feed: Arc<Feed>) -> Self {
        Self { api, feed }
    }

    async fn read(&self, request: Request<ReadFeedRequest>) -> Result<ReadFeedResponse, ApiError> {
        self.api.authorized(request.metadata(), Method::ReadFeed).await?;
        let (query, limit): (FeedQuery, u32) = request.into_inner().try_into()?;
        let mut next = start(&self.feed, query.start).await?;
        let (mut entries, mut caught_up, mut looked_at) = (Vec::new(), false, 0);
        while !caught_up && entries.len() < limit as usize && looked_at < MOST_LOOKED_AT {
            let missing = limit - entries.len() as u32;
            // Without filters no more is looked at than is sent.
            let chunk = if query.filter == FeedFilter::default() { missing.min(CHUNK) } else { CHUNK };
            let mut page = self.feed.read(&next, chunk, &query.filter).await?;
            (next, caught_up) = (page.next, page.caught_up);
            if page.entries.len() > missing as usize {
                page.entries.truncate(missing as usize);
                next = page.entries.last().map_or(next, |last| last.cursor);
                caught_up = false;
            }
            entries.extend(page.entries.iter().map(wire::feed_entry));
            looked_at += chunk;
        }
        Ok(ReadFeedResponse { entries, next_cursor: next.to_string(), caught_up })
    }

    async fn watch(
        &self,
        request: Request<WatchFeedRequest>,
    ) -> Result<impl Stream<Item = Result<WatchFeedResponse, Status>> + Send + use<>, ApiError> {
        // From before the credentials are looked at: nothing is missed in between.
        let revocations = self.api.identity.revocations();
        let pass = self.api.authorized(request.metadata(), Method::WatchFeed).await?;
        let FeedQuery { start: from, filter } = FeedQuery::read(request.get_ref())?;
        let slot = self.api.stream_of(&pass.principal)?;
        let at = start(&self.feed, from).await?;
        // A cursor that doesn't count is refused at once.
        self.feed.read(&at, 1, &filter).await?;
        let reader = Reader {
            feed: Arc::clone(&self.feed),
            filter,
            at,
            waiting: VecDeque::new(),
            read_to: at,
            at_the_end: false,
            caught_up: false,
        };
        let holder = Holder::new(&self.api, pass, revocations, slot);
        Ok(unfold(Some((holder, reader)), |state| async move {
            let (mut holder, mut reader) = state?;
            match holder.wait_for(timeout(HEARTBEAT, reader.next())).await {
                Ok(Ok(Ok(item))) => Some((Ok(item), Some((holder, reader)))),
                Ok(Err(_elapsed)) => {
                    let item = reader.item(Item::Heartbeat(Heartbeat {}));
                    Some((Ok(item), Some((holder, reader))))
                }
                Ok(Ok(Err(error))) => Some((Err(refuse(error)), None)),
                Err(error) => Some((Err(refuse(error)), None)),
            }
        }))
    }
}

async fn start(feed: &Feed, start: FeedStart) -> Result<Cursor, FeedError> {
    match start {
        FeedStart::After(cursor) => Ok(cursor),
        FeedStart::Now => feed.end().await,
    }
}

/// Where a stream is. It holds no more than a chunk of moves, however slow its client is.
struct Reader {
    feed: Arc<Feed>,
    filter: FeedFilter,
    /// Behind what was handed out or left out.
    at: Cursor,
    waiting: VecDeque<FeedEntry>,
    /// Behind what was read.
    read_to: Cursor,
    /// Whether there was nothing behind that.
    at_the_end: bool,
    caught_up: bool,
}

impl Reader {
    /// The next item, when there is one. Nothing is lost if the future is dropped before it is ready.
    async fn next(&mut self) -> Result<WatchFeedResponse, FeedError> {
        loop {
            if let Some(entry) = self.waiting.pop_front() {
                self.at = entry.cursor;
                return Ok(self.item(Item::Entry(wire::feed_entry(&entry))));
            }
            self.at = self.read_to;
            if self.at_the_end {
                if !self.caught_up {
                    self.caught_up = true;
                    return Ok(self.item(Item::CaughtUp(CaughtUp {})));
                }
                sleep(POLL).await;
            }
            let page = self.feed.read(&self.read_to, CHUNK, &self.filter).await?;
            (self.read_to, self.at_the_end) = (page.next, page.caught_up);
            self.waiting = page.entries.into();
        }
    }

    fn item(&self, item: Item) -> WatchFeedResponse {
        WatchFeedResponse { cursor: self.at.to_string(), item: Some(item) }
    }
}

#[tonic::async_trait]
impl FeedService for Feeds {
    type WatchFeedStream = Pin<Box<dyn Stream<Item = Result<WatchFeedResponse, Status>> + Send>>;

    async fn read_feed(&self, request: Request<ReadFeedRequest>) -> Reply<ReadFeedResponse> {
        self.read(request).await.map(Response::new).map_err(refuse)
    }

    async fn watch_feed(&self, request: Request<WatchFeedRequest>) -> Reply<Self::WatchFeedStream> {
        let stream = self.watch(request).await.map_err(refuse)?;
        Ok(Response::new(Box::pin(stream)))
    }
}
