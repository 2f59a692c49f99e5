//! A game as a record that stands by itself: to be judged, written down, exported and read back.

use remik_rules::chance::Millis;
use remik_rules::event::Event;
use remik_rules::evolve::evolve;
use remik_rules::preset::Preset;
use remik_rules::ruleset::Aces;
use remik_rules::sandbox::Arrangement;
use remik_rules::seat::Seat;
use remik_rules::table::Table;
use remik_rules::verify::{Fault, Verifier};

use crate::codec::log;
use crate::fairness::{Fairness, commitment};
use crate::store::{GameId, Move, Store};
use crate::tables::{Damage, Played, TableError};

mod source;
#[cfg(test)]
pub(crate) mod tests;

pub use source::{Source, SourceError};

/// A game with all its moves; what only clients need, such as request ids, is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The game's id: shuffles are derived from it.
    pub game: GameId,
    /// The preset that its rules come from.
    pub preset: Preset,
    /// The moves in order, from the first.
    pub moves: Vec<RecordedMove>,
}

/// A move of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedMove {
    /// Whose it is; `None` for the clock's.
    pub seat: Option<Seat>,
    /// When it was accepted.
    pub made_at: Millis,
    /// What happened.
    pub events: Vec<Event>,
}

/// A move that doesn't follow from the rules, or whose chance doesn't follow from the seeds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("move {number}: {fault}")]
pub struct Verdict {
    /// The first such move, from 1.
    pub number: u32,
    /// What is wrong with it.
    pub fault: Fault,
}

impl Record {
    /// A game of a store.
    ///
    /// # Errors
    /// There is no such game, or its log can't be read.
    pub async fn load(store: &Store, game: GameId) -> Result<Self, TableError> {
        let summary = store.summary(game).await?.ok_or(TableError::NotFound)?;
        let preset = summary
            .preset
            .parse()
            .map_err(|_| TableError::Damaged(Damage::UnknownPreset(summary.preset.clone())))?;
        Self::decode(game, preset, store.load(game, 0, None).await?)
    }

    /// A game from the rows of its log.
    ///
    /// # Errors
    /// A move can't be decoded, or isn't where it belongs.
    pub fn decode(game: GameId, preset: Preset, moves: Vec<Move>) -> Result<Self, TableError> {
        let numbered = (1u32..).zip(moves);
        let decoded = numbered.map(|(number, mv)| {
            if mv.number != number {
                return Err(TableError::Damaged(Damage::OutOfPlace(number)));
            }
            let Played { seat, made_at, events, .. } = Played::decode(mv)?;
            Ok(RecordedMove { seat, made_at, events })
        });
        Ok(Self { game, preset, moves: decoded.collect::<Result<_, _>>()? })
    }

    /// Judges every move by the rules and every card by the seeds, and gives the table at the end; `None` for a
    /// record without moves.
    ///
    /// # Errors
    /// The first move that is wrong.
    pub fn judge(&self) -> Result<Option<Table>, Verdict> {
        let mut verifier = self.verifier();
        for (number, mv) in (1..).zip(&self.moves) {
            verifier.judge(mv.seat, mv.made_at, &mv.events).map_err(|fault| Verdict { number, fault })?;
        }
        Ok(verifier.table().cloned())
    }

    /// Where aces stand in the game, on which the points of melds depend.
    pub fn aces(&self) -> Aces {
        match self.moves.first().and_then(|mv| mv.events.first()) {
            Some(Event::GameCreated { rules, .. }) => rules.aces,
            _ => Aces::Low,
        }
    }

    /// What somebody has chosen for the game, if it is a sandbox.
    pub fn arrangement(&self) -> Option<&Arrangement> {
        self.moves.first()?.events.iter().find_map(|event| match event {
            Event::SandboxArranged { arrangement } => Some(arrangement.as_ref()),
            _ => None,
        })
    }

    /// A judge for this game who has seen nothing yet.
    pub fn verifier(&self) -> Verifier<Fairness> {
        let chance = match self.arrangement() {
            Some(arrangement) => Fairness::of_sandbox(&arrangement.seed, 0),
            None => Fairness::of(self.game),
        };
        Verifier::new(chance, commitment)
    }
}

impl RecordedMove {
    /// Applies it to the table before it, which is `None` before the first move; it stays so if that opens no table.
    pub fn apply(&self, table: &mut Option<Table>) {
        match table {
            None => *table = Table::replay(&self.events),
            Some(table) => self.events.iter().for_each(|event| evolve(table, event)),
        }
    }

    /// The events as they are stored.
    pub fn stored(&self) -> bytes::Bytes {
        log::encode_move(&self.events)
    }
}
