//! Finding games.

use remik_rules::event::GameOver;
use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::{Access, ReplayError, Replays};
use crate::codec::summary::Detail;
use crate::codec::wire::ReplaySearch;
use crate::proto::v1::GameState;
use crate::store::{self, Millis, PageToken, Summary};
use crate::tables::{Damage, TableError};

/// How many games are looked at for one page at most: a page may have fewer than asked for.
const MOST_LOOKED_AT: u32 = 1000;

/// Games that were found.
#[derive(Debug)]
pub struct Found {
    /// The games, each with what lists tell about it.
    pub games: Vec<(Summary, Detail)>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<PageToken>,
}

impl Replays {
    /// Finds finished games that somebody may see again, the newest first.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn search(
        &self,
        viewer: Option<PlayerId>,
        search: &ReplaySearch,
        mut token: Option<PageToken>,
    ) -> Result<Found, ReplayError> {
        let uuid = |player: PlayerId| Uuid::from_u128(player.0);
        let asked = store::Search {
            player: search.player.map(uuid),
            viewer: viewer.map(uuid),
            status: GameState::Over as i16,
            everybody: Access::Public as i16,
            preset: search.preset.map(|preset| preset.to_string()),
            made_from: Millis(search.made_from.0),
            made_before: Millis(search.made_before.0),
            now: Millis(self.tables.clock().now().0),
        };
        let (size, mut looked_at) = (search.page_size as usize, 0);
        let mut games = Vec::with_capacity(size);
        loop {
            let limit = search.page_size + 1;
            let page = self.store.search_replays(&asked, token, limit).await?;
            let mut left = page.len();
            looked_at += limit;
            for summary in page.into_iter().take(size) {
                token = Some(PageToken::after(summary.game));
                left -= 1;
                let unreadable = |source| TableError::Damaged(Damage::Summary(source));
                let detail = Detail::decode(&summary.detail).map_err(unreadable)?;
                if fits(&detail, search.player, search.won) {
                    games.push((summary, detail));
                }
                if games.len() == size {
                    break;
                }
            }
            if left == 0 {
                return Ok(Found { games, next: None });
            }
            if games.len() == size || looked_at >= MOST_LOOKED_AT {
                return Ok(Found { games, next: token });
            }
        }
    }
}

fn fits(detail: &Detail, player: Option<PlayerId>, won: Option<bool>) -> bool {
    let Some(won) = won else { return true };
    // Nobody has lost it either.
    if detail.over == Some(GameOver::Voided) {
        return false;
    }
    let place = detail.seats.iter().find(|seat| seat.player == player).map(|seat| seat.place);
    (place == Some(1)) == won
}
