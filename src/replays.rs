//! Games seen again: move by move, by whom the game's access lets, searched, exported and imported.

mod show;

pub use show::{Deal, Position, Show};
