//! The rummy family as a pure engine: rules, tables, events, views.
//!
//! No I/O, no clock, no randomness, no serialisation: the time and the shuffles are inputs, and their outcome
//! is in the events. The rules' numbers ("RULES 5") are those of `docs/rules.md`.
//!
//! # A game
//!
//! [`decide`](decide::decide) judges a command and answers with events, [`evolve`](evolve::evolve) applies them;
//! whoever keeps the events can make the table anew. Chance comes from outside:
//!
//! ```
//! use remik_rules::card::Card;
//! use remik_rules::chance::{Chance, ClientSeed, Commitment, Millis, Seed, Stream};
//! use remik_rules::command::{Actor, Command, Source};
//! use remik_rules::decide::{create, decide};
//! use remik_rules::event::{Event, Outcome, Viewer};
//! use remik_rules::evolve::evolve;
//! use remik_rules::legal::legal_moves;
//! use remik_rules::preset::Preset;
//! use remik_rules::refusal::Refusal;
//! use remik_rules::seat::PlayerId;
//! use remik_rules::suggest::suggest_for;
//! use remik_rules::table::Table;
//! use remik_rules::view::{Observer, Stage};
//!
//! /// Chance for an example: it knows no surprise. A service takes seeds from its system and binds itself to
//! /// them by a hash.
//! struct Known;
//!
//! impl Chance for Known {
//!     fn commit(&mut self) -> (Seed, Commitment) {
//!         (Seed([2; 32]), Commitment([0; 32]))
//!     }
//!     fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
//!         // What comes out follows from the stream alone.
//!         let mut state = u32::from(stream.seed.0[0]) + u32::from(stream.deal);
//!         for place in (1..cards.len()).rev() {
//!             state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
//!             cards.swap(place, (state >> 8) as usize % (place + 1));
//!         }
//!     }
//!     fn below(&mut self, _: Stream<'_>, _bound: u32) -> u32 {
//!         0
//!     }
//! }
//!
//! /// What a service does with a command: judge, keep the events, apply them.
//! fn act(table: &mut Table, log: &mut Vec<Event>, who: Actor, what: Command) -> Result<(), Refusal> {
//!     let events = decide(table, who, &what, Millis(0), &mut Known)?;
//!     events.iter().for_each(|event| evolve(table, event));
//!     log.extend(events);
//!     Ok(())
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A table for two, plain rummy to 200. Its log begins here.
//! let mut log = create(Preset::Rummy200.ruleset(), 2, &mut Known)?;
//! let mut table = Table::replay(&log).ok_or("a log begins with the creation")?;
//!
//! // Two players sit down; when both are ready the cards are dealt.
//! for player in [PlayerId(1), PlayerId(2)] {
//!     act(&mut table, &mut log, Actor::Player(player), Command::Join { seat: None })?;
//!     let seat = table.seat_of(player).ok_or("seated")?;
//!     let ready = Command::Ready { client_seed: ClientSeed::default() };
//!     act(&mut table, &mut log, Actor::Seat(seat), ready)?;
//! }
//! let first = table.turn().ok_or("a deal is running")?;
//! assert_eq!(table.hand(first).len(), 7);
//!
//! // A refusal says which rule is against it, and changes nothing.
//! let early = act(&mut table, &mut log, Actor::Seat(first), Command::Undo);
//! assert_eq!(early, Err(Refusal::DrawFirst));
//!
//! // Until somebody goes out, each turn: draw, lay the best melds there are, discard.
//! while let Some(seat) = table.turn() {
//!     act(&mut table, &mut log, Actor::Seat(seat), Command::Draw(Source::Stock))?;
//!     if let Some(melds) = suggest_for(&table, seat).command() {
//!         act(&mut table, &mut log, Actor::Seat(seat), melds)?;
//!     }
//!     let moves = legal_moves(&table, seat);
//!     if let Some(card) = moves.discards().last().and_then(|face| table.hand(seat).pick(face)) {
//!         act(&mut table, &mut log, Actor::Seat(seat), Command::Discard(card))?;
//!     }
//! }
//!
//! // What a player sees is folded from the events as he may see them, and equals what the server would show.
//! let viewer = Viewer::Seat(first);
//! let mut observer = Observer::open(&log[0].observed_by(viewer), viewer).ok_or("created")?;
//! log[1..].iter().for_each(|event| observer.see(&event.observed_by(viewer)));
//! assert_eq!(*observer.view(), table.view(viewer));
//! let Stage::Between { last } = &observer.view().stage else { return Err("the deal is over".into()) };
//! assert!(matches!(last.outcome, Outcome::WentOut { .. }));
//! assert_eq!(last.scores.iter().map(|(_, points)| points).sum::<i32>(), 23);
//!
//! // The log is the game.
//! assert_eq!(Table::replay(&log), Some(table));
//! # Ok(())
//! # }
//! ```

pub mod advice;
pub mod card;
pub mod cards;
pub mod chance;
pub mod command;
pub mod decide;
pub mod event;
pub mod evolve;
pub mod legal;
pub mod lobby;
pub mod meld;
pub mod overrides;
pub mod pack;
pub mod preset;
pub mod range;
pub mod ranking;
pub mod reason;
pub mod refusal;
pub mod ruleset;
pub mod sandbox;
pub mod score;
pub mod seat;
pub mod situation;
pub mod strength;
pub mod suggest;
pub mod table;
pub mod verify;
pub mod view;

mod lay_off;
mod pending;
