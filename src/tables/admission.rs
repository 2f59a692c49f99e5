//! Who may sit down at a table, besides what the rules say.

use std::collections::HashSet;

use remik_rules::preset::Preset;
use remik_rules::seat::{PlayerId, Seat};
use uuid::Uuid;

use super::LiveTable;
use crate::codec::settings::Admission;
use crate::ratings::Rating;
use crate::store::{GameId, Store, StoreError};

/// Why somebody can't sit at a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// The table admits other ratings.
    #[error("the table admits ratings from {least} to {most}, not {points}")]
    Rating {
        /// What he has.
        points: i32,
        /// The fewest that are admitted.
        least: i32,
        /// The most.
        most: i32,
    },
    /// The table admits whom its host has invited.
    #[error("only who is invited may sit at the table")]
    Uninvited,
    /// He and somebody who sits there are kept apart; who has blocked whom isn't told.
    #[error("the player can't sit with the people at the table")]
    Apart,
}

/// Somebody who wants to sit down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guest {
    /// The host has invited him.
    pub(super) invited: bool,
    /// His rating for the table's preset.
    points: i32,
    /// With whom he doesn't sit.
    apart: HashSet<Uuid>,
}

impl Guest {
    pub(super) async fn read(
        store: &Store,
        game: GameId,
        preset: Preset,
        player: PlayerId,
    ) -> Result<Self, StoreError> {
        let id = Uuid::from_u128(player.0);
        Ok(Self {
            invited: store.is_invited(game, id).await?,
            points: Rating::of(store, id, preset).await?.points(),
            apart: store.apart_from(id).await?,
        })
    }
}

impl LiveTable {
    /// Judges somebody who would have a seat by the rules. `code` says whether he has the invite code.
    pub(super) fn admits(&self, player: PlayerId, guest: &Guest, code: bool) -> Result<(), NotAdmitted> {
        let state = self.state();
        let table = &state.table;
        let mut seated = Seat::first(table.seat_count()).filter_map(|seat| table.player(seat));
        if seated.any(|other| guest.apart.contains(&Uuid::from_u128(other.0))) {
            return Err(NotAdmitted::Apart);
        }
        if guest.invited || table.lobby().offer_to(player).is_some() {
            return Ok(());
        }
        match state.settings.admission {
            Admission::Anyone => Ok(()),
            Admission::Rated { least, most } if (least..=most).contains(&guest.points) => Ok(()),
            Admission::Rated { least, most } => {
                Err(NotAdmitted::Rating { points: guest.points, least, most })
            }
            Admission::Invited if code => Ok(()),
            Admission::Invited => Err(NotAdmitted::Uninvited),
        }
    }
}
