//! One deal of the arena.

use std::time::Duration;

use remik_bots::dice::Dice;
use remik_rules::card::Card;
use remik_rules::chance::{Chance, ClientSeed, Commitment, Millis, Purpose, Seed, Stream};
use remik_rules::command::{Actor, Command};
use remik_rules::decide::{create, decide};
use remik_rules::event::{DealEnded, Event, Full, Outcome};
use remik_rules::evolve::evolve;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::Winner;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::table::Table;

use super::player::Player;
use super::{ArenaError, Options};

/// One of the two kinds of players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// `--a`.
    A,
    /// `--b`.
    B,
}

/// How a deal went.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// Who had the first seat.
    pub first: Side,
    /// The hands as they were dealt, by seat.
    pub dealt: Vec<Vec<Card>>,
    /// Nobody went out.
    pub blocked: bool,
    /// What of the deal A won: 0 to 1, half of a blocked one.
    pub share: f64,
    /// What A's seats scored on average, and B's, in points of the game.
    pub points: (f64, f64),
    /// How many turns it had.
    pub turns: u32,
    /// How long hard bots have thought about each of their moves.
    pub thought: Vec<Duration>,
}

/// Plays a deal; its number and the seed decide the cards.
pub(super) fn play(options: &Options, number: u32, first: Side) -> Result<Played, ArenaError> {
    let seed = Dice::new(options.seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ u64::from(number)).roll();
    let mut cards = Cards(seed);
    let rules = options.preset.ruleset();
    let winner = rules.winner;
    let log = create(rules, options.seats, &mut cards)?;
    let side =
        |seat: Seat| if (seat.number().is_multiple_of(2)) == (first == Side::A) { Side::A } else { Side::B };
    let participant = |side| if side == Side::A { options.a } else { options.b };
    let mut players: Vec<Player> = Seat::first(options.seats)
        .map(|seat| {
            let chance = seed ^ u64::from(seat.number()) << 32;
            Player::new(participant(side(seat)), seat, chance, options.budget)
        })
        .collect();
    // The first event of a game makes a table.
    let Some(mut table) = Table::replay(&log) else {
        unreachable!("a created game begins with its creation")
    };
    log.iter().for_each(|event| players.iter_mut().for_each(|player| player.see(event)));

    let mut dealt = Vec::new();
    let mut turns = 0;
    let refused = |participant, command: &Command| {
        let command = command.to_string();
        move |source| ArenaError::Refused { deal: number, participant, command, source }
    };
    for seat in Seat::first(options.seats) {
        let join = Command::Join { seat: Some(seat) };
        let player = Actor::Player(PlayerId(u128::from(seat.number()) + 1));
        act(&mut table, &mut players, player, &join, &mut cards)
            .map_err(refused(participant(side(seat)), &join))?;
    }
    for seat in Seat::first(options.seats) {
        let ready = Command::Ready { client_seed: ClientSeed::default() };
        let events = act(&mut table, &mut players, Actor::Seat(seat), &ready, &mut cards)
            .map_err(refused(participant(side(seat)), &ready))?;
        for event in events {
            if let Event::Dealt(cards) = event {
                dealt = cards.hands.iter().map(|(_, hand)| hand.clone()).collect();
            }
        }
    }
    loop {
        // A deal ends with an event, and until then it is somebody's turn.
        let Some(seat) = table.turn() else { unreachable!("a running deal has a turn") };
        let participant = participant(side(seat));
        let stuck = ArenaError::Stuck { deal: number, participant };
        let command = players[seat.index()].next(&table).ok_or(stuck)?;
        let events = act(&mut table, &mut players, Actor::Seat(seat), &command, &mut cards)
            .map_err(refused(participant, &command))?;
        turns += u32::from(matches!(command, Command::Discard(_)));
        if let Some(ended) = events.iter().find_map(ended) {
            return Ok(Played {
                first,
                dealt,
                blocked: !matches!(ended.outcome, Outcome::WentOut { .. }),
                share: share(ended, winner, side),
                points: points(ended, side),
                turns,
                thought: players.iter().flat_map(Player::thought).copied().collect(),
            });
        }
    }
}

/// Carries a command out, and tells everybody.
pub(super) fn act(
    table: &mut Table,
    players: &mut [Player],
    actor: Actor,
    command: &Command,
    cards: &mut Cards,
) -> Result<Vec<Event<Full>>, Refusal> {
    let events = decide(table, actor, command, Millis::default(), cards)?;
    for event in &events {
        players.iter_mut().for_each(|player| player.see(event));
        evolve(table, event);
    }
    Ok(events)
}

fn ended(event: &Event<Full>) -> Option<&DealEnded> {
    match event {
        Event::DealEnded(ended) => Some(ended),
        _ => None,
    }
}

/// What A won: the best score wins, equal ones share; a blocked deal is halved.
fn share(ended: &DealEnded, winner: Winner, side: impl Fn(Seat) -> Side) -> f64 {
    let scores = || ended.scores.iter().map(|(_, score)| *score);
    let best = match winner {
        Winner::Lowest => scores().min(),
        Winner::Highest => scores().max(),
    };
    if !matches!(ended.outcome, Outcome::WentOut { .. }) {
        return 0.5;
    }
    let winners = || ended.scores.iter().filter(|(_, score)| Some(*score) == best);
    let of_a = winners().filter(|(seat, _)| side(*seat) == Side::A).count();
    of_a as f64 / winners().count().max(1) as f64
}

/// The mean score of each side's seats.
fn points(ended: &DealEnded, side: impl Fn(Seat) -> Side) -> (f64, f64) {
    let mean = |of: Side| {
        let scores = || ended.scores.iter().filter(|(seat, _)| side(*seat) == of).map(|(_, score)| *score);
        f64::from(scores().sum::<i32>()) / scores().count().max(1) as f64
    };
    (mean(Side::A), mean(Side::B))
}

/// The cards of a deal, the same whoever plays them. Not secret, and not meant to be.
pub(super) struct Cards(pub(super) u64);

impl Cards {
    fn dice(&self, stream: Stream<'_>) -> Dice {
        let of_purpose = match stream.purpose {
            Purpose::FirstDealer => 1,
            Purpose::Deck => 2,
            Purpose::Reuse(time) => 2 + u64::from(time),
        };
        // A stock is renewed fewer than 256 times, and deals are counted from 1.
        let stream = of_purpose + (u64::from(stream.deal.saturating_sub(1)) << 10);
        Dice::new(self.0.wrapping_add(stream.wrapping_mul(0x2545_F491_4F6C_DD1D)))
    }
}

impl Chance for Cards {
    fn commit(&mut self) -> (Seed, Commitment) {
        (Seed([0; 32]), Commitment([0; 32]))
    }

    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
        Dice::shuffle(&mut self.dice(stream), cards);
    }

    fn below(&mut self, stream: Stream<'_>, bound: u32) -> u32 {
        self.dice(stream).under(bound as usize) as u32
    }
}
