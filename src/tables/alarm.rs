//! When a game next needs somebody who isn't there, and the clock's part: what it does when a time is up.

use std::time::Duration;

use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::event::Event;
use remik_rules::evolve::evolve;
use remik_rules::seat::Seat;
use remik_rules::table::Table;

use super::play::TRIES;
use super::state::State;
use super::{LiveTable, TableError};
use crate::fairness::Fairness;
use crate::store::{self, AlarmChange, Outage};

/// A shorter time that an outage took from a turn isn't given back, in milliseconds.
const LEAST_LOST: i64 = 1000;

/// What a game waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Nothing but players.
    Players,
    /// The clock, at this time.
    Clock(Millis),
    /// A bot, which may move from this time on.
    Bot(Millis),
}

/// What a move made at a table changes in when the game next needs the clock or a bot, which is at once; it says the
/// same as the table after it.
pub(super) fn change(table: &Table, made_at: Millis, events: &[Event], idle: i64) -> Option<AlarmChange> {
    let at = |at: Millis| AlarmChange::At(store::Millis(at.0));
    if table.is_waiting() && !events.iter().any(|e| matches!(e, Event::Dealt(_) | Event::GameEnded { .. })) {
        let mut after = table.clone();
        events.iter().for_each(|event| evolve(&mut after, event));
        return due(&after, made_at, idle).map(|(time, _)| at(time));
    }
    let bot = |of: Seat| {
        let changed = events.iter().rev().find_map(|event| match event {
            Event::BotSeated { seat, .. } if *seat == of => Some(true),
            Event::SeatResumed { seat } if *seat == of => Some(false),
            _ => None,
        });
        changed.unwrap_or_else(|| table.bot(of).is_some())
    };
    let turn = |seat, deadline: Option<Millis>| match deadline {
        _ if bot(seat) => at(made_at),
        Some(deadline) => at(deadline),
        None => AlarmChange::Off,
    };
    events.iter().rev().find_map(|event| match event {
        Event::TurnStarted { seat, deadline, .. } => Some(turn(*seat, *deadline)),
        Event::ClockExtended { seat, until } => Some(turn(*seat, Some(*until))),
        Event::BotSeated { seat, .. } | Event::SeatResumed { seat } if table.turn() == Some(*seat) => {
            Some(turn(*seat, table.alarm().map(|(at, _)| at)))
        }
        Event::DealEnded(ended) => Some(at(ended.pause_until)),
        Event::GameEnded { .. } => Some(AlarmChange::Off),
        _ => None,
    })
}

impl LiveTable {
    /// Lets the clock do what is due: give time back that an outage of the game's shard took, play for who is out of
    /// time, end a pause. Answers what the game waits for then. To be carried to its end once begun.
    ///
    /// # Errors
    /// The log can't be read or written.
    pub async fn ring(&self, outages: &[Outage]) -> Result<Next, TableError> {
        let _order = self.commands.lock().await;
        self.catch_up().await?;
        for _ in 0..TRIES {
            let now = self.clock.now();
            let (closes, set_at);
            let mut decided = {
                let state = self.state();
                let next = next(&state, self.idle);
                let Some((at, command)) = due(&state.table, state.made_at(), self.idle) else {
                    return Ok(next);
                };
                let lost = match command {
                    Command::TimeOut | Command::EndReadyCheck => lost(outages, state.alarm_set_at, at),
                    _ => 0,
                };
                set_at = state.alarm_set_at;
                let command = if lost >= LEAST_LOST {
                    Command::ExtendClock { by: Duration::from_millis(lost.unsigned_abs()) }
                } else if now >= at {
                    command
                } else {
                    return Ok(next);
                };
                closes = command == Command::Close;
                decide(
                    &state.table,
                    Actor::Clock,
                    &command,
                    now,
                    &mut Fairness::at(self.meta.game, &state.table),
                )
            };
            if closes {
                let until = self.waits_until(set_at, outages).await?;
                if until > now {
                    return Ok(Next::Clock(until));
                }
                // As long as somebody was there the table has waited for what else the clock has to do.
                let state = self.state();
                if let Some((_, command)) = state.table.alarm().filter(|(at, _)| *at <= until) {
                    let mut chance = Fairness::at(self.meta.game, &state.table);
                    decided = decide(&state.table, Actor::Clock, &command, now, &mut chance);
                }
            }
            // What wasn't appended is decided anew; and one thing may follow another.
            self.append(None, None, decided?, now).await?;
        }
        Err(TableError::Contended)
    }
}

/// What a game in this state waits for.
pub(super) fn next(state: &State, idle: i64) -> Next {
    next_of(&state.table, state.made_at(), idle)
}

/// What a game waits for at a table whose last move was made at a time.
pub(super) fn next_of(table: &Table, made_at: Millis, idle: i64) -> Next {
    match (table.bot_to_move(), due(table, made_at, idle)) {
        (Some(_), _) => Next::Bot(made_at),
        (None, Some((at, _))) => Next::Clock(at),
        (None, None) => Next::Players,
    }
}

/// When the clock has to act next at a table whose last move was made at a time, and what it does then. One that waits is
/// closed when nobody was there for `idle` milliseconds.
fn due(table: &Table, made_at: Millis, idle: i64) -> Option<(Millis, Command)> {
    let alarm = table.alarm();
    if !table.is_waiting() {
        return alarm;
    }
    let closed = Millis(made_at.0.saturating_add(idle));
    alarm.filter(|(at, _)| *at <= closed).or(Some((closed, Command::Close)))
}

/// How much of a turn's time was lost to outages, in milliseconds: what lay between the move that set its end and the
/// end. What one of them took moves the end, so that another may come before it.
fn lost(outages: &[Outage], set_at: Millis, at: Millis) -> i64 {
    let mut outages = outages.to_vec();
    outages.sort_unstable_by_key(|outage| outage.began);
    let (mut from, mut until) = (set_at.0, at.0);
    for outage in outages {
        let began = outage.began.0.max(from);
        if began < until && outage.ended.0 > began {
            until = until.saturating_add(outage.ended.0 - began);
            from = outage.ended.0;
        }
    }
    until - at.0
}

#[cfg(test)]
mod tests {
    use remik_rules::command::Source;
    use remik_rules::decide::create;
    use remik_rules::preset::Preset;
    use remik_rules::ruleset::{GameEnd, Ruleset};
    use remik_rules::seat::PlayerId;

    use super::*;
    use crate::store::GameId;

    const IDLE: i64 = 1_800_000;

    fn outage(began: i64, ended: i64) -> Outage {
        Outage { shard: 0, began: store::Millis(began), ended: store::Millis(ended) }
    }

    #[test]
    fn only_time_of_the_turn_is_lost() {
        let lost = |outages: &[(i64, i64)]| {
            let outages: Vec<_> = outages.iter().map(|&(began, ended)| outage(began, ended)).collect();
            super::lost(&outages, Millis(1000), Millis(2000))
        };
        assert_eq!(lost(&[]), 0);
        assert_eq!(lost(&[(1200, 1500)]), 300);
        assert_eq!(lost(&[(1200, 9000)]), 7800, "800 are left after it");
        assert_eq!(lost(&[(500, 1500)]), 500, "the turn began in the middle: somebody was there");
        assert_eq!(lost(&[(500, 1000), (2000, 3000), (100, 200)]), 0, "before it, and after it was over");
        assert_eq!(lost(&[(1200, 1500), (2200, 2400)]), 500, "the second is within the longer turn");
        assert_eq!(lost(&[(1200, 1500), (1300, 1600), (1200, 1550)]), 400, "none counts twice");
    }

    /// Two that play, one that sleeps, with a clock and without: a move's change is what the table says after it.
    #[test]
    fn a_change_is_what_the_table_says() {
        for turn_seconds in [Some(1), None] {
            let rules = Ruleset { turn_seconds, end: GameEnd::Deals(2), ..Preset::RemikPoints.ruleset() };
            let mut chance = Fairness::of(GameId::generate());
            let events = create(rules, 3, &mut chance).unwrap();
            let mut table = Table::replay(&events).unwrap();
            let mut alarm = None;
            let mut now = Millis(0);
            let mut act = |table: &mut Table, actor, command: Command| {
                now = now.plus_seconds(2);
                let Ok(events) = decide(table, actor, &command, now, &mut chance) else { return };
                let changed = change(table, now, &events, IDLE);
                events.iter().for_each(|event| evolve(table, event));
                match changed {
                    Some(AlarmChange::At(at)) => alarm = Some(at.0),
                    Some(AlarmChange::Off) => alarm = None,
                    None => {}
                }
                assert_eq!(due(table, now, IDLE).map(|(at, _)| at.0), alarm, "{command}");
            };
            for player in 1..=3 {
                act(&mut table, Actor::Player(PlayerId(player)), Command::Join { seat: None });
            }
            let mut turns = 0;
            while !table.is_over() {
                turns += 1;
                assert!(turns < 5000);
                let Some(seat) = table.turn() else {
                    for seat in Seat::first(3) {
                        let client_seed = Default::default();
                        act(&mut table, Actor::Seat(seat), Command::Ready { client_seed });
                    }
                    continue;
                };
                if turn_seconds.is_some() && seat.number() == 2 {
                    act(&mut table, Actor::Clock, Command::ExtendClock { by: Duration::from_millis(1) });
                    act(&mut table, Actor::Clock, Command::TimeOut);
                    continue;
                }
                act(&mut table, Actor::Seat(seat), Command::Draw(Source::Stock));
                let card = table.hand(seat).iter().next();
                act(&mut table, Actor::Seat(seat), Command::Discard(card.unwrap()));
            }
            assert_eq!(alarm, None);
        }
    }
}
