//! `remik verify`: is a game what it says it is?
//!
//! Every move is judged by the rules of its version, every deck and every new stock is computed again from the
//! seeds, each seed is checked against its commitment; of an export the chain and the signature too, when it is read.

use std::fmt;

use remik_rules::event::Event;
use remik_rules::table::Table;
use serde::Serialize;

use crate::export::PublicKey;
use crate::record::{Record, Verdict};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The game.
    pub game: String,
    /// Its preset.
    pub preset: String,
    /// How many moves it has.
    pub moves: usize,
    /// Whether it is over.
    pub over: bool,
    /// Whose signature the export carries, in base64; `None` for what is no export.
    pub signed_by: Option<String>,
    /// How many of its first decks somebody has chosen; `None` for what is no sandbox.
    pub chosen_decks: Option<usize>,
    /// The deals, as far as they are as they should be.
    pub deals: Vec<Deal>,
    /// What is wrong; `None` if nothing is.
    pub fault: Option<Fault>,
}

/// A deal whose chance was computed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deal {
    /// Which, from 1.
    pub deal: u16,
    /// The SHA-256 of the server's seed as it was published before.
    pub commitment: String,
    /// The seats that gave a seed of their own.
    pub seeds_of: Vec<u8>,
    /// How often the pile became a new stock.
    pub new_stocks: u32,
}

/// What is wrong with a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The first move that is wrong, from 1; `None` if it is no move.
    #[serde(rename = "move")]
    pub number: Option<u32>,
    /// Why.
    pub why: String,
}

/// Judges a game. `signed_by` is whose signature its export carries; where `trusted` is given it must be that one's.
pub fn verify(record: &Record, signed_by: Option<PublicKey>, trusted: Option<PublicKey>) -> Report {
    let judged = record.judge();
    let sound = match &judged {
        Ok(_) => record.moves.len(),
        Err(Verdict { number, .. }) => (*number as usize).saturating_sub(1),
    };
    let events = || record.moves[..sound].iter().flat_map(|mv| &mv.events);
    let fault = match &judged {
        Err(Verdict { number, fault }) => Some(Fault { number: Some(*number), why: fault.to_string() }),
        Ok(None) => Some(Fault { number: None, why: "there are no moves".to_owned() }),
        Ok(Some(_)) => signature_fault(signed_by, trusted),
    };
    Report {
        game: record.game.to_string(),
        preset: record.preset.to_string(),
        moves: record.moves.len(),
        over: judged.ok().flatten().as_ref().is_some_and(Table::is_over),
        signed_by: signed_by.map(|key| key.to_string()),
        chosen_decks: record.arrangement().map(|arrangement| arrangement.deals.len()),
        deals: deals(events()),
        fault,
    }
}

fn signature_fault(signed_by: Option<PublicKey>, trusted: Option<PublicKey>) -> Option<Fault> {
    let why = match (signed_by, trusted) {
        (Some(key), Some(trusted)) if key != trusted => format!("signed by {key}, not by {trusted}"),
        (None, Some(_)) => "not signed".to_owned(),
        _ => return None,
    };
    Some(Fault { number: None, why })
}

fn deals<'a>(events: impl Iterator<Item = &'a Event>) -> Vec<Deal> {
    let mut deals: Vec<Deal> = Vec::new();
    let mut committed = String::new();
    for event in events {
        match event {
            Event::SeedCommitted { commitment, .. } => committed = hex::encode(commitment.0),
            Event::Dealt(dealt) => deals.push(Deal {
                deal: dealt.deal,
                commitment: std::mem::take(&mut committed),
                seeds_of: dealt
                    .client_seeds
                    .iter()
                    .filter(|(_, seed)| !seed.bytes().is_empty())
                    .map(|(seat, _)| seat.number())
                    .collect(),
                new_stocks: 0,
            }),
            Event::StockReused { .. } => {
                if let Some(deal) = deals.last_mut() {
                    deal.new_stocks += 1;
                }
            }
            _ => {}
        }
    }
    deals
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let over = if self.over { "over" } else { "not over" };
        writeln!(f, "game {}: {}, {} moves, {over}", self.game, self.preset, self.moves)?;
        if let Some(key) = &self.signed_by {
            writeln!(f, "chain and signature: sound, signed by {key}")?;
        }
        if let Some(decks) = self.chosen_decks {
            writeln!(f, "a sandbox: somebody has chosen {decks} decks, and the seeds prove nothing")?;
        }
        for deal in &self.deals {
            write!(f, "deal {}: the seed is the one committed to ({}); ", deal.deal, &deal.commitment[..16])?;
            match deal.seeds_of.as_slice() {
                [] => write!(f, "no player gave a seed; ")?,
                seats => {
                    let seats: Vec<String> = seats.iter().map(u8::to_string).collect();
                    write!(f, "seeds of seats {} are in the deck; ", seats.join(", "))?;
                }
            }
            match deal.new_stocks {
                0 => writeln!(f, "the deck follows")?,
                1 => writeln!(f, "the deck and a new stock follow")?,
                many => writeln!(f, "the deck and {many} new stocks follow")?,
            }
        }
        match &self.fault {
            None if self.chosen_decks.is_some() => {
                writeln!(f, "OK: every move follows from the rules, every card from the choice and the seeds")
            }
            None => writeln!(f, "OK: every move follows from the rules, every card from the seeds"),
            Some(Fault { number: Some(number), why }) => writeln!(f, "WRONG at move {number}: {why}"),
            Some(Fault { number: None, why }) => writeln!(f, "WRONG: {why}"),
        }
    }
}
