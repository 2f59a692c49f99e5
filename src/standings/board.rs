//! Pages of leaderboards.

use uuid::Uuid;

use crate::store::{Board, BoardPlace, Store, StoreError};

/// Which page of a leaderboard is asked for.
#[derive(Debug, Clone, Copy)]
pub struct LeaderboardAsk<'a> {
    /// The leaderboard.
    pub board: Board<'a>,
    /// How many players at most.
    pub size: u32,
    /// Behind which place, where a page before has ended.
    pub behind: Option<BoardPlace>,
    /// Otherwise: around which player, who is to be in the middle of the page.
    pub around: Option<Uuid>,
}

/// A page of a leaderboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaderboard {
    /// The players, the best first.
    pub leaders: Vec<Leader>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<BoardPlace>,
}

/// A player on a leaderboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leader {
    /// His rank from 1, shared where the figure is equal.
    pub rank: i64,
    /// Who.
    pub player: Uuid,
    /// The figure.
    pub value: i32,
    /// How many games it rests on.
    pub games: i32,
}

/// Why there is no page around a player.
#[derive(Debug, thiserror::Error)]
pub enum NotListed {
    /// He isn't on the leaderboard.
    #[error("the player isn't on this leaderboard")]
    Nowhere,
    /// The store can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A page of a leaderboard. Pages follow each other by places, so nobody is missed or comes twice who stays where he is.
///
/// # Errors
/// Nobody to look around, or the store can't be read.
pub async fn leaderboard(store: &Store, ask: LeaderboardAsk<'_>) -> Result<Leaderboard, NotListed> {
    let LeaderboardAsk { board, size, .. } = ask;
    let behind = match (ask.behind, ask.around) {
        (Some(behind), _) => behind,
        (None, None) => BoardPlace::TOP,
        (None, Some(player)) => {
            let own = store.board_place(board, player).await?.ok_or(NotListed::Nowhere)?;
            let above = (size - 1) / 2;
            let before = store.places_before(board, own, above + 1).await?;
            before.get(above as usize).copied().unwrap_or(BoardPlace::TOP)
        }
    };
    let mut rows = store.leaderboard(board, behind, size + 1).await?;
    let more = rows.len() > size as usize;
    rows.truncate(size as usize);
    let Some(first) = rows.first() else { return Ok(Leaderboard { leaders: Vec::new(), next: None }) };
    let (ahead, higher) = match behind {
        BoardPlace::TOP => (0, 0),
        _ => store.count_ahead(board, first.place).await?,
    };
    let (mut rank, mut value) = (higher + 1, first.place.value);
    let leaders = (ahead + 1..).zip(&rows).map(|(position, row)| {
        if row.place.value != value {
            (rank, value) = (position, row.place.value);
        }
        Leader { rank, player: row.place.player_id, value, games: row.games }
    });
    Ok(Leaderboard { leaders: leaders.collect(), next: rows.last().filter(|_| more).map(|row| row.place) })
}
