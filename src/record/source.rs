//! Where a record is read from.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use super::Record;
use crate::export::{self, ExportFault, PublicKey};
use crate::notation::{self, NotationError};
use crate::store::{GameId, OpenError, Store, StoreOptions};
use crate::tables::TableError;

/// A game of the store, or a file: an export, or a text in the notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A game of the store.
    Game(GameId),
    /// A file.
    File(PathBuf),
}

/// Why a record can't be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The database can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is no such game, or its log can't be read.
    #[error("{0}")]
    Game(GameId, #[source] TableError),
    /// The file can't be read.
    #[error("{}", .0.display())]
    File(PathBuf, #[source] io::Error),
    /// An export that isn't as it was signed.
    #[error("{}", .0.display())]
    Export(PathBuf, #[source] ExportFault),
    /// A text that is no game.
    #[error("{}", .0.display())]
    Notation(PathBuf, #[source] NotationError),
}

/// An id is a game; anything else names a file.
impl FromStr for Source {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::File(text.into()), Self::Game))
    }
}

impl Source {
    /// Reads the record, and whose signature it carries if it is an export.
    ///
    /// # Errors
    /// It can't be read, or isn't as it was signed.
    pub async fn read(&self, database: &str) -> Result<(Record, Option<PublicKey>), SourceError> {
        match self {
            Self::Game(game) => {
                let store = Store::open_to_read(database, StoreOptions::default()).await?;
                let record = Record::load(&store, *game).await;
                store.close().await;
                Ok((record.map_err(|error| SourceError::Game(*game, error))?, None))
            }
            Self::File(path) => {
                let text =
                    fs::read_to_string(path).map_err(|error| SourceError::File(path.clone(), error))?;
                if text.trim_start().starts_with('[') {
                    let record = notation::read(&text);
                    return Ok((record.map_err(|error| SourceError::Notation(path.clone(), error))?, None));
                }
                let document =
                    export::parse(&text).map_err(|fault| SourceError::Export(path.clone(), fault))?;
                Ok((document.record, Some(document.key)))
            }
        }
    }
}
