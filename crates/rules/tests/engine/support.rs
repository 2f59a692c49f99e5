//! A game to play in a test.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::chance::{ClientSeed, Millis};
use remik_rules::command::{Actor, Command, Source};
use remik_rules::decide::{create, create_sandbox, decide};
use remik_rules::event::{Event, Full};
use remik_rules::evolve::evolve;
use remik_rules::meld::{Meld, Named};
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::Ruleset;
use remik_rules::sandbox::Arrangement;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::situation::Situation;
use remik_rules::table::Table;

pub use super::dice::Dice;

/// A running game and everything that has happened in it.
#[derive(Debug, Clone)]
pub struct Game {
    pub table: Table,
    pub log: Vec<Event<Full>>,
    pub dice: Dice,
    pub now: Millis,
}

impl Game {
    pub fn new(rules: Ruleset, seats: u8, seed: u64) -> Self {
        let mut dice = Dice(seed);
        let log = create(rules, seats, &mut dice).unwrap();
        Self { table: Table::replay(&log).unwrap(), log, dice, now: Millis(1_000_000) }
    }

    /// A game with decks of one's own.
    pub fn sandbox(rules: Ruleset, seats: u8, arrangement: Arrangement, seed: u64) -> Self {
        let mut dice = Dice(seed);
        let log = create_sandbox(rules, seats, arrangement, &mut dice).unwrap();
        Self { table: Table::replay(&log).unwrap(), log, dice, now: Millis(1_000_000) }
    }

    /// A game with all seats taken and the first deal dealt.
    pub fn started(rules: Ruleset, seats: u8, seed: u64) -> Self {
        let mut game = Self::new(rules, seats, seed);
        for number in 0..seats {
            game.join(u128::from(number) + 1).unwrap();
        }
        game.all_ready();
        game
    }

    /// A game in an arranged situation; its log is not whole.
    pub fn arranged(situation: Situation) -> Self {
        let table = situation.table().unwrap();
        Self { table, log: Vec::new(), dice: Dice(7), now: Millis(1_000_000) }
    }

    pub fn act(&mut self, actor: Actor, command: &Command) -> Result<Vec<Event<Full>>, Refusal> {
        let events = decide(&self.table, actor, command, self.now, &mut self.dice)?;
        for event in &events {
            evolve(&mut self.table, event);
        }
        self.log.extend(events.iter().cloned());
        Ok(events)
    }

    pub fn by(&mut self, number: u8, command: Command) -> Result<Vec<Event<Full>>, Refusal> {
        self.act(Actor::Seat(seat(number)), &command)
    }

    pub fn join(&mut self, player: u128) -> Result<Vec<Event<Full>>, Refusal> {
        self.act(Actor::Player(PlayerId(player)), &Command::Join { seat: None })
    }

    pub fn ready(&mut self, number: u8) -> Result<Vec<Event<Full>>, Refusal> {
        self.by(number, Command::Ready { client_seed: ClientSeed::default() })
    }

    pub fn all_ready(&mut self) {
        for number in 0..self.table.seat_count() {
            let _ = self.ready(number);
        }
        assert!(self.table.turn().is_some(), "the deal has begun");
    }

    /// The whole turn of the seat whose turn it is: a stock card drawn and thrown away.
    pub fn pass(&mut self) -> Vec<Event<Full>> {
        let seat = self.table.turn().unwrap();
        let mut events = self.by(seat.number(), Command::Draw(Source::Stock)).unwrap();
        let Some(Event::StockDrawn { card, .. }) = events.last() else { return events };
        let card = *card;
        events.extend(self.by(seat.number(), Command::Discard(card)).unwrap());
        events
    }
}

pub fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

pub fn card(code: &str) -> Card {
    code.parse().unwrap()
}

pub fn cards(codes: &str) -> Cards {
    codes.split_whitespace().map(card).collect()
}

pub fn named(codes: &str) -> Vec<Named> {
    codes
        .split_whitespace()
        .map(|code| match code.split_once('=') {
            Some((joker, face)) => Named { card: card(joker), stands_for: Some(face.parse().unwrap()) },
            None => card(code).into(),
        })
        .collect()
}

pub fn meld(codes: &str, rules: &Ruleset) -> Meld {
    Meld::read(&named(codes), rules).unwrap()
}
