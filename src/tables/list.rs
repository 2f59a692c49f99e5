//! Lists of games, each game as who asks may see it.

use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::{TableError, Tables};
use crate::store::{ListFilter, Page, PageToken, Summary};

/// Which games a player asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Only those that he plays in.
    pub mine_only: bool,
    /// Only those in one of these states, by the numbers of the API; empty for all.
    pub statuses: Vec<i16>,
    /// Only those of this preset.
    pub preset: Option<String>,
    /// How many games at most: 1 to 100.
    pub size: u32,
    /// Where the page before ended; `None` for the first.
    pub token: Option<PageToken>,
}

impl Tables {
    /// The games that a player asks for, the newest first, and the token of the next page if there is one. What he sees
    /// with a delay is listed as he sees it, and found by that too, so that the list tells him no more.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn list(
        &self,
        player: PlayerId,
        listing: Listing,
    ) -> Result<(Vec<Summary>, Option<PageToken>), TableError> {
        let filter = ListFilter {
            viewer: Some(Uuid::from_u128(player.0)),
            mine_only: listing.mine_only,
            statuses: listing.statuses,
            preset: listing.preset,
            now: crate::store::Millis(self.clock().now().0),
        };
        let size = listing.size as usize;
        let mut games = Vec::with_capacity(size + 1);
        let mut token = listing.token;
        // One more than asked for tells whether there is a next page. What isn't found after all is made up for.
        while games.len() <= size {
            let page = Page { size: listing.size + 1, token };
            let (found, next) = self.store().list(&filter, page).await?;
            for summary in found {
                let seen = self.as_seen(player, summary, &filter).await?;
                games.extend(seen.filter(|seen| finds(&filter, seen)));
            }
            token = next;
            if token.is_none() {
                break;
            }
        }
        let more = games.len() > size;
        games.truncate(size);
        let next = games.last().filter(|_| more).map(|last| PageToken::after(last.game));
        Ok((games, next))
    }

    /// A game's line as a player sees it; `None` if he sees none.
    async fn as_seen(
        &self,
        player: PlayerId,
        summary: Summary,
        filter: &ListFilter,
    ) -> Result<Option<Summary>, TableError> {
        let settled = summary.settles_at.is_none_or(|at| at <= filter.now);
        if settled || summary.players.contains(&Uuid::from_u128(player.0)) {
            return Ok(Some(summary));
        }
        let table = self.get(summary.game).await?;
        if table.version() < summary.version {
            table.refresh().await?;
        }
        match table.listed_for(player).await {
            Ok(seen) => Ok(Some(seen)),
            Err(TableError::NotFound | TableError::NoSpectators) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn finds(filter: &ListFilter, summary: &Summary) -> bool {
    filter.statuses.is_empty() || filter.statuses.contains(&summary.status)
}
