//! A player: what it has seen, and its next command.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::chance::ClientSeed;
use remik_rules::command::{Command, Source};
use remik_rules::event::{Event, Seen, Viewer};
use remik_rules::legal::{LegalMove, legal_moves};
use remik_rules::seat::Seat;
use remik_rules::strength::Strength;
use remik_rules::table::Table;
use remik_rules::view::{DealView, Observer, Stage, Standing, View};

use crate::appraise::Outlook;
use crate::dice::Dice;
use crate::known::Known;
use crate::memory::Memory;
use crate::{easy, hard, normal};

/// A player of one seat. It is told every event from the game's first on, as its seat may see it.
#[derive(Debug, Clone)]
pub struct Bot {
    strength: Strength,
    seat: Seat,
    seed: u64,
    observer: Option<Observer>,
    memory: Memory,
    /// Events told so far: with the seed they decide its chance, so that the same game is played the same way.
    told: u64,
}

impl Bot {
    /// A bot that has been told nothing yet. The seed is its own chance and has nothing to do with the cards'.
    pub fn new(strength: Strength, seat: Seat, seed: u64) -> Self {
        Self { strength, seat, seed, observer: None, memory: Memory::default(), told: 0 }
    }

    /// How well it plays.
    pub const fn strength(&self) -> Strength {
        self.strength
    }

    /// Its seat.
    pub const fn seat(&self) -> Seat {
        self.seat
    }

    /// What it sees; `None` before the first event.
    pub fn view(&self) -> Option<&View> {
        self.observer.as_ref().map(Observer::view)
    }

    /// Takes in an event as its seat sees it.
    pub fn see(&mut self, event: &Event<Seen>) {
        self.told += 1;
        match &mut self.observer {
            None => self.observer = Observer::open(event, Viewer::Seat(self.seat)),
            Some(observer) => {
                self.memory.see(event, observer.view());
                observer.see(event);
            }
        }
    }

    /// Its next command: `None` while it has nothing to do. It says nothing about when the command is sent.
    ///
    /// `time_is_up` is asked between the pieces of a search, each well under a millisecond; it may count calls
    /// or look at a clock. Only [`Strength::Hard`] asks; it always has an answer.
    pub fn next(&self, time_is_up: &mut dyn FnMut() -> bool) -> Option<Command> {
        let view = self.view()?;
        let state = view.seats.get(self.seat.index())?;
        let taken = state.player.is_some() || state.bot.is_some();
        if !taken || state.standing != Standing::In {
            return None;
        }
        match &view.stage {
            Stage::Waiting | Stage::Between { .. } if !state.ready => {
                Some(Command::Ready { client_seed: ClientSeed::default() })
            }
            Stage::Playing(deal) if deal.turn.seat == self.seat => self.move_of(view, deal, time_is_up),
            _ => None,
        }
    }

    fn move_of(&self, view: &View, deal: &DealView, time_is_up: &mut dyn FnMut() -> bool) -> Option<Command> {
        let hand: Cards = deal.hand.iter().copied().collect();
        let known = Known { view, deal, memory: &self.memory, seat: self.seat, hand };
        let mut dice = Dice::new(self.seed ^ self.told.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let outlook =
            Outlook::new(&view.rules, self.seat, &deal.melds, known.unseen(), known.fewest_opposing());
        if !deal.turn.drawn {
            return Some(Command::Draw(match self.strength {
                _ if deal.pile.is_empty() => Source::Stock,
                Strength::Easy => easy::draw(&known, &outlook),
                Strength::Normal => normal::draw(&known, &outlook),
                Strength::Hard => hard::draw(&known, &outlook, &mut dice, time_is_up),
            }));
        }
        // The moves of the own seat don't depend on the hidden cards, so any guess shows which are legal.
        let table = known.imagine(&mut dice)?;
        let allowed = allowed_discards(&table, self.seat);
        let command = match self.strength {
            Strength::Easy => easy::play(&known, &table, &outlook)
                .or_else(|| easy::discard(&known, &outlook, &allowed).map(Command::Discard)),
            Strength::Normal => normal::play(&known, &table, &outlook, normal::PATIENCE)
                .map(|step| step.command)
                .or_else(|| normal::discard(&known, &outlook, &allowed).map(Command::Discard)),
            Strength::Hard => hard::play(&known, &table, &outlook, &allowed, &mut dice, time_is_up),
        };
        // A pending joker without a place that was found goes back.
        command.or_else(|| deal.turn.can_undo.then_some(Command::Undo))
    }
}

/// A card of each face that may be thrown away.
pub(crate) fn allowed_discards(table: &Table, seat: Seat) -> Vec<Card> {
    let moves = legal_moves(table, seat);
    let card = |face| match moves.command(LegalMove::Discard(face)) {
        Some(Command::Discard(card)) => Some(card),
        _ => None,
    };
    moves.discards().filter_map(card).collect()
}
