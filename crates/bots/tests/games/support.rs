//! A game between bots, with chance that a number decides.

use remik_bots::Bot;
use remik_bots::dice::Dice;
use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command};
use remik_rules::decide::{create, decide};
use remik_rules::event::{Event, Full, Viewer};
use remik_rules::evolve::evolve;
use remik_rules::ruleset::Ruleset;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::strength::Strength;
use remik_rules::table::Table;

pub struct Game {
    pub table: Table,
    pub log: Vec<Event<Full>>,
    pub bots: Vec<Bot>,
    pub dice: Dice,
}

/// Lets a hard bot try its moves at so many imagined tables.
pub fn tries(count: u32) -> impl FnMut() -> bool {
    let mut left = count;
    move || {
        left = left.saturating_sub(1);
        left == 0
    }
}

impl Game {
    pub fn new(rules: Ruleset, strengths: &[Strength], seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let log = create(rules, strengths.len() as u8, &mut dice).unwrap();
        let seats = Seat::first(strengths.len() as u8);
        let bots = seats.zip(strengths).map(|(seat, strength)| Bot::new(*strength, seat, seed)).collect();
        let mut game = Self { table: Table::replay(&log).unwrap(), log: Vec::new(), bots, dice };
        game.tell(log);
        for number in 1..=strengths.len() as u128 {
            game.act(Actor::Player(PlayerId(number)), &Command::Join { seat: None });
        }
        game
    }

    fn tell(&mut self, events: Vec<Event<Full>>) {
        for event in &events {
            for bot in &mut self.bots {
                bot.see(&event.observed_by(Viewer::Seat(bot.seat())));
            }
        }
        self.log.extend(events);
    }

    /// Carries out a command, which must be legal.
    pub fn act(&mut self, actor: Actor, command: &Command) {
        let decided = decide(&self.table, actor, command, Millis::default(), &mut self.dice);
        let events = decided.unwrap_or_else(|refusal| panic!("{command}: {refusal}"));
        events.iter().for_each(|event| evolve(&mut self.table, event));
        self.tell(events);
    }

    /// One move of whoever has one; false if nobody has.
    pub fn step(&mut self, budget: u32) -> bool {
        let turn = self.table.turn();
        let mut moves = self.bots.iter().filter_map(|bot| Some((bot.seat(), bot.next(&mut tries(budget))?)));
        let Some((seat, command)) = moves.next() else { return false };
        assert!(
            turn.is_none_or(|turn| turn == seat && moves.next().is_none()),
            "only who has the turn moves"
        );
        drop(moves);
        self.act(Actor::Seat(seat), &command);
        true
    }
}
