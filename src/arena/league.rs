//! `remik ratings bots`: players of all kinds play whole games and are rated as people are, to see that ratings order them
//! by their strength.

use std::io::{self, Write};

use clap::Args;
use remik_bots::dice::Dice;
use remik_rules::chance::{ClientSeed, Millis};
use remik_rules::command::{Actor, Command};
use remik_rules::decide::{create, decide};
use remik_rules::event::{Event, Full};
use remik_rules::preset::Preset;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::strength::Strength;
use remik_rules::table::Table;
use serde::Serialize;

use super::deal::{Cards, act};
use super::parallel::in_parallel;
use super::player::Player;
use super::{ArenaError, Budget, Participant};
use crate::ratings::{Rating, rate};

/// The kinds, the weakest first.
const KINDS: [Participant; 4] = [
    Participant::Random,
    Participant::Bot(Strength::Easy),
    Participant::Bot(Strength::Normal),
    Participant::Bot(Strength::Hard),
];

/// What is to be played.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// How many games
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub games: u32,
    /// The rules
    #[arg(long, default_value = "block-rummy")]
    pub preset: Preset,
    /// How many seats; who sits there is drawn for each game
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=4))]
    pub seats: u8,
    /// How long a hard player thinks about a move, as in 5ms, or how many deals it plays in its mind, as in 60
    #[arg(long, default_value = "60")]
    pub budget: Budget,
    /// How many games are played at the same time [default: one a processor]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The number that decides who sits where, the cards and the players' chance
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Prints the table as JSON
    #[arg(long)]
    pub json: bool,
}

/// A kind of player in the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Its name.
    pub player: String,
    /// The rating, in points.
    pub points: i32,
    /// How unsure it is, in points.
    pub deviation: i32,
    /// How many games it has played.
    pub games: u32,
    /// How many it has won, alone or with others.
    pub wins: u32,
    /// The estimate itself, in units of the model.
    pub mean: f64,
}

/// What a league has come to: the kinds, the best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct League {
    /// The kinds.
    pub lines: Vec<Line>,
    /// Whether they stand in the order of their strength.
    pub by_strength: bool,
}

/// A game: who sat at each seat, and came to which place.
type Played = Vec<(usize, u8)>;

/// Plays the games, several at a time, and rates them in their order.
///
/// # Errors
/// Seats that the rules don't allow; a player that breaks the rules.
pub fn run(options: &Options) -> Result<League, ArenaError> {
    let games = in_parallel(options.games, options.threads, |number| play(options, number), || {})?;
    Ok(rated(&games))
}

/// The table after some games.
fn rated(games: &[Played]) -> League {
    let mut ratings = [Rating::default(); KINDS.len()];
    let mut wins = [0; KINDS.len()];
    for game in games {
        let before: Vec<_> = game.iter().map(|(kind, place)| (ratings[*kind], *place)).collect();
        for ((kind, place), after) in game.iter().zip(rate(&before)) {
            ratings[*kind] = after;
            wins[*kind] += u32::from(*place == 1);
        }
    }
    let line = |kind: usize| Line {
        player: KINDS[kind].to_string(),
        points: ratings[kind].points(),
        deviation: ratings[kind].deviation_points(),
        games: ratings[kind].games,
        wins: wins[kind],
        mean: ratings[kind].mean,
    };
    let mut order: Vec<usize> = (0..KINDS.len()).rev().collect();
    order.sort_by(|one, other| ratings[*other].mean.total_cmp(&ratings[*one].mean));
    let by_strength = order.iter().is_sorted_by(|one, other| one > other);
    League { lines: order.into_iter().map(line).collect(), by_strength }
}

/// Plays a game; its number and the seed decide everything.
fn play(options: &Options, number: u32) -> Result<Played, ArenaError> {
    let mut draw = Dice::new(options.seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ u64::from(number));
    let mut kinds: Vec<usize> = (0..KINDS.len()).collect();
    draw.shuffle(&mut kinds);
    let seed = draw.roll();
    let mut cards = Cards(seed);
    let log = create(options.preset.ruleset(), options.seats, &mut cards)?;
    let mut players: Vec<Player> = Seat::first(options.seats)
        .zip(&kinds)
        .map(|(seat, kind)| {
            Player::new(KINDS[*kind], seat, seed ^ u64::from(seat.number()) << 32, options.budget)
        })
        .collect();
    // The first event of a game makes a table.
    let Some(mut table) = Table::replay(&log) else {
        unreachable!("a created game begins with its creation")
    };
    log.iter().for_each(|event| players.iter_mut().for_each(|player| player.see(event)));
    for seat in Seat::first(options.seats) {
        let join = Command::Join { seat: Some(seat) };
        let player = Actor::Player(PlayerId(u128::from(seat.number()) + 1));
        let joined = act(&mut table, &mut players, player, &join, &mut cards);
        joined.map_err(refused(number, KINDS[kinds[seat.index()]], &join))?;
    }
    loop {
        let (seat, command) = match table.turn() {
            Some(seat) => {
                let stuck = ArenaError::Stuck { deal: number, participant: KINDS[kinds[seat.index()]] };
                (seat, players[seat.index()].next(&table).ok_or(stuck)?)
            }
            None => {
                let ready = Command::Ready { client_seed: ClientSeed::default() };
                let due = |seat: &Seat| {
                    decide(&table, Actor::Seat(*seat), &ready, Millis::default(), &mut Cards(seed)).is_ok()
                };
                let seat = Seat::first(options.seats).find(due).ok_or(ArenaError::Endless(number))?;
                (seat, ready)
            }
        };
        let events = act(&mut table, &mut players, Actor::Seat(seat), &command, &mut cards);
        let events = events.map_err(refused(number, KINDS[kinds[seat.index()]], &command))?;
        if let Some(places) = events.iter().find_map(places) {
            return Ok(kinds.into_iter().zip(places.iter().copied()).collect());
        }
    }
}

fn places(event: &Event<Full>) -> Option<&[u8]> {
    match event {
        Event::GameEnded { places, .. } => Some(places),
        _ => None,
    }
}

fn refused(
    deal: u32,
    participant: Participant,
    command: &Command,
) -> impl FnOnce(remik_rules::refusal::Refusal) -> ArenaError {
    let command = command.to_string();
    move |source| ArenaError::Refused { deal, participant, command, source }
}

impl League {
    /// Prints it, for people or as one line of JSON.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn print(&self, out: &mut impl Write, json: bool) -> io::Result<()> {
        if json {
            serde_json::to_writer(&mut *out, self)?;
            return writeln!(out);
        }
        for Line { player, points, deviation, games, wins, .. } in &self.lines {
            writeln!(out, "{player:8} {points:5} ± {deviation:3}  {wins} of {games} games won")?;
        }
        match self.by_strength {
            true => writeln!(out, "in the order of their strength"),
            false => writeln!(out, "NOT in the order of their strength"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(games: u32, seats: u8) -> Options {
        Options {
            games,
            preset: Preset::Rummy200,
            seats,
            budget: Budget::Deals(4),
            threads: None,
            seed: 5,
            json: true,
        }
    }

    #[test]
    fn ratings_order_players_by_strength() {
        let league = run(&options(150, 2)).unwrap();
        let names: Vec<_> = league.lines.iter().map(|line| line.player.as_str()).collect();
        assert_eq!(names[3], "random", "{league:?}");
        assert!(league.lines[2].points > league.lines[3].points + 300, "{league:?}");
        assert_eq!(league.lines.iter().map(|line| line.games).sum::<u32>(), 300);
    }

    #[test]
    fn the_seed_decides_everything() {
        let one = options(30, 4);
        let alone = Options { threads: Some(1), ..one.clone() };
        let other = Options { seed: 6, ..one.clone() };
        assert_eq!(run(&one).unwrap(), run(&alone).unwrap());
        assert_ne!(run(&one).unwrap(), run(&other).unwrap());
    }

    #[test]
    fn a_table_is_text_or_one_line_of_json() {
        let league =
            rated(&[vec![(3, 1), (0, 2)], vec![(2, 1), (1, 2)], vec![(3, 1), (2, 2)], vec![(1, 1), (0, 2)]]);
        assert!(league.by_strength);
        let printed = |json| {
            let mut out = Vec::new();
            league.print(&mut out, json).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(printed(false).starts_with("hard "), "{}", printed(false));
        assert!(printed(false).ends_with("\nin the order of their strength\n"));
        let value: serde_json::Value = serde_json::from_str(&printed(true)).unwrap();
        assert_eq!(
            (value["lines"][0]["player"].as_str(), value["byStrength"].as_bool()),
            (Some("hard"), Some(true))
        );
        assert!(!rated(&[vec![(0, 1), (1, 2)]]).by_strength);
    }
}
