//! A strong player: tries its few best moves at tables that it imagines, the same tables for each move, and
//! plays those deals on to their end.

use remik_rules::card::Card;
use remik_rules::command::{Command, Source};
use remik_rules::table::Table;

use crate::appraise::Outlook;
use crate::dice::Dice;
use crate::normal;
use crate::plays::Step;
use crate::rollout::{Worth, carry_out, play_on};
use crate::world::Known;

/// The most discards that are tried.
const DISCARDS: usize = 4;
/// The most worlds: more hardly change the choice.
const WORLDS: u32 = 400;
/// What the first look counts for, in played deals.
const FIRST_LOOK: f32 = 12.0;
/// What a thousandth of a card is worth in won deals.
const PER_VALUE: f32 = 0.08 / 1000.0;

/// A move to be tried.
struct Trial {
    command: Command,
    /// What the first look gives it, in won deals against the best.
    prior: f32,
    sum: Worth,
    out: bool,
}

impl Trial {
    fn new(command: Command, value: i32) -> Self {
        Self { command, prior: value as f32 * PER_VALUE, sum: 0.0, out: false }
    }

    fn mean(&self, worlds: u32) -> f32 {
        (self.sum + self.prior * FIRST_LOOK) / (worlds as f32 + FIRST_LOOK)
    }
}

pub(crate) fn draw(
    known: &Known<'_>,
    outlook: &Outlook<'_>,
    dice: &mut Dice,
    time_is_up: &mut dyn FnMut() -> bool,
) -> Source {
    let gain = normal::draw_gain(known, outlook);
    // Far from even there is nothing to find out.
    if gain.abs() > 2500 {
        return if gain > 0 { Source::Discard } else { Source::Stock };
    }
    let trials = vec![
        Trial::new(Command::Draw(Source::Stock), 0),
        Trial::new(Command::Draw(Source::Discard), gain),
    ];
    match best(known, trials, dice, time_is_up) {
        Some(Command::Draw(source)) => source,
        _ => Source::Stock,
    }
}

pub(crate) fn play(
    known: &Known<'_>,
    table: &Table,
    outlook: &Outlook<'_>,
    allowed: &[Card],
    dice: &mut Dice,
    time_is_up: &mut dyn FnMut() -> bool,
) -> Option<Command> {
    let play = normal::play(known, table, outlook);
    let ranked = normal::ranked(known, outlook, allowed);
    let Some(&(most, _)) = ranked.first() else { return play.map(|step| step.command) };
    let mut trials = Vec::with_capacity(DISCARDS + 1);
    if let Some(step) = play {
        // Whether to lay now is asked only about the first cards of a deal; a player who has opened lays.
        let opened = known.deal.opened.contains(known.seat);
        if opened || ends_deal(&step) {
            return Some(step.command);
        }
        trials.push(Trial::new(step.command, 0));
        trials.push(Trial::new(Command::Discard(ranked[0].1), -600));
    } else {
        let discards = ranked.iter().take(DISCARDS);
        trials.extend(discards.map(|&(value, card)| Trial::new(Command::Discard(card), value - most)));
    }
    best(known, trials, dice, time_is_up)
}

fn ends_deal(step: &Step) -> bool {
    step.events.iter().any(|event| matches!(event, remik_rules::event::Event::DealEnded(_)))
}

/// Tries the moves at one imagined table after another until the time is up, and leaves out those that fall
/// behind.
fn best(
    known: &Known<'_>,
    mut trials: Vec<Trial>,
    dice: &mut Dice,
    time_is_up: &mut dyn FnMut() -> bool,
) -> Option<Command> {
    let mut worlds = 0;
    while worlds < WORLDS && trials.iter().filter(|trial| !trial.out).count() > 1 {
        let Some(table) = known.imagine(dice) else { break };
        let mut worths = Vec::with_capacity(trials.len());
        for trial in trials.iter().filter(|trial| !trial.out) {
            // A world that not all have played counts for none.
            if time_is_up() {
                return leader(&trials, worlds);
            }
            worths.push(try_at(table.clone(), known, trial));
        }
        trials.iter_mut().filter(|trial| !trial.out).zip(worths).for_each(|(trial, worth)| trial.sum += worth);
        worlds += 1;
        if worlds.is_multiple_of(8) {
            let most = trials.iter().filter(|t| !t.out).map(|t| t.mean(worlds)).fold(f32::MIN, f32::max);
            let slack = 0.9 / (worlds as f32).sqrt();
            trials.iter_mut().for_each(|trial| trial.out |= trial.mean(worlds) < most - slack);
        }
    }
    leader(&trials, worlds)
}

fn leader(trials: &[Trial], worlds: u32) -> Option<Command> {
    let best = trials
        .iter()
        .filter(|trial| !trial.out)
        .reduce(|best, trial| if trial.mean(worlds) > best.mean(worlds) { trial } else { best })?;
    Some(best.command.clone())
}

fn try_at(mut table: Table, known: &Known<'_>, trial: &Trial) -> Worth {
    let seat = known.seat;
    let Some(step) = Step::judged(&table, seat, trial.command.clone()) else { return 0.0 };
    if let Some(worth) = carry_out(&mut table, &step, seat) {
        return worth;
    }
    // After a discard another's turn begins; after a draw or a play the own one goes on.
    let goes_on = table.turn() == Some(seat) && !matches!(trial.command, Command::Discard(_));
    play_on(&mut table, seat, goes_on)
}
