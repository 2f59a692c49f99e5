//! Logs judged by the rules: true ones pass, forged ones don't.

use remik_rules::card::Card;
use remik_rules::chance::{Chance, ClientSeed, Commitment, Millis, Seed, Stream};
use remik_rules::command::{Actor, Command, Source};
use remik_rules::decide::{create, decide};
use remik_rules::event::{Event, Forfeit, GameOver};
use remik_rules::evolve::evolve;
use remik_rules::legal::{LegalMoves, legal_moves_into};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{AbsentSeats, Ruleset};
use remik_rules::seat::{GameRef, PlayerId, Seat};
use remik_rules::strength::Strength;
use remik_rules::table::Table;
use remik_rules::verify::{Fault, Verifier};

use super::dice::Dice;
use super::player;
use super::rulesets::random_ruleset;
use super::stop::stop;

/// How many games are played and judged.
const GAMES: u64 = 600;

/// A game is left after so many moves.
const MOST_MOVES: usize = 1500;

/// Chance as a service has it: what isn't a seed follows from the seed.
struct Derived(Dice);

fn commitment(seed: &Seed) -> Commitment {
    Commitment(seed.0.map(|byte| byte ^ 0x55))
}

impl Chance for Derived {
    fn commit(&mut self) -> (Seed, Commitment) {
        let (seed, _) = self.0.commit();
        (seed, commitment(&seed))
    }

    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
        self.0.shuffle(stream, cards);
    }

    fn below(&mut self, stream: Stream<'_>, bound: u32) -> u32 {
        u32::from(stream.seed.0[0]) % bound
    }
}

#[derive(Clone)]
struct Recorded {
    seat: Option<Seat>,
    made_at: Millis,
    events: Vec<Event>,
}

/// A game with its moves.
struct Log {
    table: Table,
    chance: Derived,
    now: Millis,
    moves: Vec<Recorded>,
}

impl Log {
    fn open(rules: Ruleset, seats: u8, seed: u64) -> Self {
        let mut chance = Derived(Dice(seed));
        let mut events = create(rules, seats, &mut chance).unwrap();
        let first = Seat::new(0).unwrap();
        events.push(Event::SeatTaken { seat: first, player: PlayerId(1) });
        let table = Table::replay(&events).unwrap();
        let now = Millis(1_000_000);
        Self { table, chance, now, moves: vec![Recorded { seat: Some(first), made_at: now, events }] }
    }

    fn act(&mut self, actor: Actor, command: &Command) -> bool {
        let Ok(events) = decide(&self.table, actor, command, self.now, &mut self.chance) else {
            return false;
        };
        let seat = match (actor, &events[0]) {
            (Actor::Seat(seat) | Actor::Bot(seat), _)
            | (Actor::Player(_), &(Event::SeatTaken { seat, .. } | Event::OfferEnded { seat })) => Some(seat),
            _ => None,
        };
        events.iter().for_each(|event| evolve(&mut self.table, event));
        self.moves.push(Recorded { seat, made_at: self.now, events });
        true
    }

    /// A whole game, with sleepers, leavers and outages, but for a bound.
    fn play(number: u64) -> Self {
        let mut dice = Dice(number ^ 0xACE1);
        let rules = match Preset::ALL.get(dice.under(Preset::ALL.len() + 3)) {
            Some(preset) => preset.ruleset(),
            None => random_ruleset(&mut dice),
        };
        let clock = dice.under(3) > 0;
        let rules = Ruleset {
            turn_seconds: clock.then_some(30),
            time_bank_seconds: (clock && dice.under(2) == 0).then_some(60),
            absent_seats: [AbsentSeats::Forfeit, AbsentSeats::NormalBot][dice.under(2)],
            ..rules
        };
        let (least, most) = rules.seats;
        let seats = least + dice.under(usize::from(most - least) + 1) as u8;
        let mut log = Self::open(rules, seats, number);
        let bots = dice.under(2) as u128;
        if bots > 0 {
            let first = Actor::Seat(Seat::new(0).unwrap());
            log.act(first, &Command::AddBot { seat: None, strength: Strength::Easy });
            log.act(first, &Command::RemoveBot { seat: Seat::new(1).unwrap() });
            log.act(first, &Command::AddBot { seat: None, strength: Strength::Hard });
        }
        log.host(&mut dice);
        for player in 2..=u128::from(seats) - bots {
            log.act(Actor::Player(PlayerId(player)), &Command::Join { seat: None });
        }
        let mut legal = LegalMoves::default();
        while !log.table.is_over() && log.moves.len() < MOST_MOVES {
            log.now = log.now.plus(std::time::Duration::from_millis(dice.under(40_000) as u64));
            if number % 4 == 2 && dice.under(300) == 0 {
                log.act(Actor::Admin, &stop(number % 8 == 2));
                break;
            }
            let Some(seat) = log.table.turn() else {
                log.between(seats, &mut dice);
                continue;
            };
            match dice.under(200) {
                0 if dice.under(8) == 0 => log.act(Actor::Seat(seat), &Command::Leave),
                1 | 2 => log.act(Actor::Clock, &Command::TimeOut),
                3 => {
                    let by = std::time::Duration::from_secs(5);
                    log.act(Actor::Clock, &Command::ExtendClock { by })
                }
                4 => log.act(Actor::Seat(seat), &Command::Resume),
                dice_says => {
                    let bot = log.table.bot(seat).is_some() && dice_says > 8;
                    let actor = if bot { Actor::Bot(seat) } else { Actor::Seat(seat) };
                    legal_moves_into(&log.table, seat, &mut legal);
                    let sensible = if dice_says > 40 { player::choose(&log.table, seat) } else { None };
                    let at_random = || legal.command(legal.get(dice.under(legal.len())).unwrap());
                    let command = sensible.or_else(at_random).unwrap();
                    log.act(actor, &command)
                }
            };
        }
        log.act(Actor::Seat(Seat::new(0).unwrap()), &Command::Rematch { game: GameRef(u128::from(number)) });
        log
    }

    /// A host's doings before the others come; they leave the table as it was, but for who was removed.
    fn host(&mut self, dice: &mut Dice) {
        let host = Actor::Seat(Seat::new(0).unwrap());
        let within = std::time::Duration::from_secs(20);
        let (guest, other) = (PlayerId(101), PlayerId(102));
        self.act(host, &Command::ChangeSettings);
        let Some(free) = Seat::first(6)
            .find(|seat| self.act(host, &Command::Offer { seat: *seat, player: guest, within }))
        else {
            return;
        };
        match dice.under(3) {
            0 => self.act(Actor::Player(guest), &Command::Decline),
            1 => {
                self.now = self.now.plus(within);
                self.act(Actor::Clock, &Command::EndOffers)
            }
            _ => {
                self.act(Actor::Player(guest), &Command::Join { seat: None })
                    && self.act(host, &Command::HandOver { player: guest })
                    && self.act(Actor::Seat(free), &Command::HandOver { player: PlayerId(1) })
                    && self.act(host, &Command::Remove { player: guest })
            }
        };
        while self.act(Actor::Player(PlayerId(200 + dice.roll() as u128)), &Command::Join { seat: None }) {}
        if self.act(host, &Command::AskReady { within }) {
            self.act(Actor::Clock, &Command::ExtendClock { by: within });
            self.act(host, &Command::Ready { client_seed: ClientSeed::default() });
            self.now = self.now.plus(within * 2);
            assert!(self.act(Actor::Clock, &Command::EndReadyCheck));
        }
        self.act(Actor::Player(other), &Command::Join { seat: None });
        self.act(host, &Command::Remove { player: other });
    }

    fn between(&mut self, seats: u8, dice: &mut Dice) {
        if dice.under(4) == 0 && self.act(Actor::Clock, &Command::EndPause) {
            return;
        }
        let seat = Seat::new(dice.under(usize::from(seats)) as u8).unwrap();
        if dice.under(100) == 0 {
            self.act(Actor::Seat(seat), &Command::Leave);
            return;
        }
        let client_seed = ClientSeed::new(dice.roll().to_be_bytes()).unwrap();
        self.act(Actor::Seat(seat), &Command::Ready { client_seed });
    }
}

/// The first fault, with the number of its move.
fn judge(moves: &[Recorded]) -> Result<(), (usize, Fault)> {
    // Another chance: only what is recorded counts.
    let mut verifier = Verifier::new(Derived(Dice(0)), commitment);
    for (number, Recorded { seat, made_at, events }) in moves.iter().enumerate() {
        verifier.judge(*seat, *made_at, events).map_err(|fault| (number, fault))?;
    }
    Ok(())
}

#[test]
fn every_true_log_passes() {
    let mut kinds = [0u32; 10];
    for number in 0..GAMES {
        let log = Log::play(number);
        if let Err((at, fault)) = judge(&log.moves) {
            panic!("game {number}, move {at}: {fault}\n{:?}", log.moves[at].events);
        }
        for event in log.moves.iter().flat_map(|m| &m.events) {
            let kind = match event {
                Event::TimedOut { .. } => 0,
                Event::SeatForfeited { cause: Forfeit::Left, .. } => 1,
                Event::ClockExtended { .. } => 2,
                Event::StockReused { .. } => 3,
                Event::JokerSwapped { .. } => 4,
                Event::GameEnded { .. } => 5,
                Event::BotSeated { absent: None, .. } => 6,
                Event::BotSeated { absent: Some(_), .. } => 7,
                Event::SeatResumed { .. } => 8,
                Event::GameStopped { .. } => 9,
                _ => continue,
            };
            kinds[kind] += 1;
        }
    }
    assert!(kinds.iter().all(|count| *count > 20), "the games show everything: {kinds:?}");
}

/// Every event of a log, changed where it can be changed: the move is found out, none before it is blamed.
#[test]
fn every_forged_event_is_found() {
    let mut tried = 0;
    for number in 0..40 {
        let log = Log::play(number);
        let mut dice = Dice(number);
        for _ in 0..60 {
            let at = dice.under(log.moves.len());
            let mut moves = log.moves.clone();
            let events = &mut moves[at].events;
            let index = dice.under(events.len());
            if !forge(&mut events[index], &mut dice) {
                continue;
            }
            tried += 1;
            // What a seed is wrong for shows where it is used; another discard may have been as good a move then.
            let late =
                matches!(log.moves[at].events[index], Event::SeedCommitted { .. } | Event::Discarded { .. });
            match judge(&moves) {
                Err((found, _)) => {
                    assert!(found == at || late && found > at, "game {number}: {found}, not {at}")
                }
                Ok(()) => assert!(late, "game {number}, move {at}, {index}: {:?}", moves[at].events[index]),
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

/// A whole move left out, doubled or put elsewhere is found.
#[test]
fn moves_in_another_order_are_found() {
    let log = Log::play(5);
    let mut dice = Dice(1);
    for _ in 0..100 {
        let at = 1 + dice.under(log.moves.len() - 2);
        let (mut without, mut twice, mut swapped) = (log.moves.clone(), log.moves.clone(), log.moves.clone());
        without.remove(at);
        twice.insert(at, log.moves[at].clone());
        swapped.swap(at, at + 1);
        // Who gets ready first makes no difference, nor who sits down or comes and goes first, nor much of what a host does.
        let harmless = |m: &Recorded| {
            m.events.iter().all(|e| {
                matches!(
                    e,
                    Event::BecameReady { .. }
                        | Event::SeatTaken { .. }
                        | Event::SeatResumed { .. }
                        | Event::BotSeated { .. }
                        | Event::SettingsChanged
                        | Event::SeatOffered { .. }
                        | Event::OfferEnded { .. }
                        | Event::HostChanged { .. }
                        | Event::PlayerRemoved { .. }
                        | Event::ReadyAsked { .. }
                )
            })
        };
        if harmless(&log.moves[at]) || harmless(&log.moves[at + 1]) {
            continue;
        }
        assert!(judge(&without).is_err(), "without {at}");
        assert!(judge(&twice).is_err(), "{at} twice");
        // Two plays of a turn may be as good in either order.
        let play = |m: &Recorded| matches!(m.events[0], Event::Melded { .. } | Event::LaidOff { .. });
        let plays = play(&log.moves[at]) && play(&log.moves[at + 1]);
        assert!(plays || judge(&swapped).is_err(), "{at} swapped");
    }
}

#[test]
fn a_move_of_another_seat_is_found() {
    let log = Log::play(5);
    let at = log.moves.iter().position(|m| matches!(m.events[0], Event::Discarded { .. })).unwrap();
    let mut moves = log.moves.clone();
    moves[at].seat = None;
    assert!(matches!(judge(&moves), Err((found, Fault::OtherSeat { .. })) if found == at));
}

#[test]
fn other_rules_are_not_guessed() {
    let mut log = Log::play(3);
    let Event::GameCreated { rules_version, .. } = &mut log.moves[0].events[0] else { panic!() };
    *rules_version = 999;
    assert_eq!(judge(&log.moves), Err((0, Fault::UnknownRules(999))));
    let no_opening = &log.moves[1..];
    assert_eq!(judge(no_opening), Err((0, Fault::NoOpening)));
    let empty = [Recorded { events: Vec::new(), ..log.moves[0].clone() }];
    assert_eq!(judge(&empty), Err((0, Fault::NoOpening)));
}

/// An administrator may stop a game for any reason, but not choose what comes of it, nor may anybody else.
#[test]
fn a_forged_end_is_found() {
    // The same people may be asked to another game behind it.
    let stopped = |log: &Log| {
        let stops =
            |made: &Recorded| matches!(made.events[..], [Event::GameStopped { .. }, Event::DealEnded(_), _]);
        log.moves.iter().position(stops)
    };
    let (log, stop_at) =
        (0..GAMES).map(Log::play).find_map(|log| stopped(&log).map(|stop_at| (log, stop_at))).unwrap();
    let forged = |forge: &dyn Fn(&mut Recorded)| {
        let mut moves = log.moves.clone();
        forge(&mut moves[stop_at]);
        judge(&moves).map_err(|(at, fault)| {
            assert_eq!(at, stop_at);
            fault
        })
    };
    assert_eq!(forged(&|_| {}), Ok(()));
    // Whose idea it was.
    let by_a_seat = forged(&|stop| stop.seat = Seat::new(0));
    assert!(matches!(by_a_seat, Err(Fault::OtherSeat { .. })), "{by_a_seat:?}");
    // A better place, an end that isn't one, another seed, a score, an end without a word.
    let differs: [&dyn Fn(&mut Recorded); 6] = [
        &|stop| {
            let Some(Event::GameEnded { places, .. }) = stop.events.last_mut() else { panic!() };
            places[0] = 7;
        },
        &|stop| {
            let Some(Event::GameEnded { cause, .. }) = stop.events.last_mut() else { panic!() };
            *cause = GameOver::DealsPlayed;
        },
        &|stop| drop(stop.events.pop()),
        &|stop| drop(stop.events.remove(1)),
        &|stop| {
            let Event::DealEnded(ended) = &mut stop.events[1] else { panic!() };
            ended.seed.0[0] ^= 1;
        },
        &|stop| {
            let Event::DealEnded(ended) = &mut stop.events[1] else { panic!() };
            ended.scores.push((Seat::new(0).unwrap(), 100));
        },
    ];
    for forge in differs {
        let found = forged(forge);
        assert!(matches!(found, Err(Fault::Differs { .. })), "{found:?}");
    }
    let silent = forged(&|stop| drop(stop.events.remove(0)));
    assert!(silent.is_err(), "{silent:?}");
}

/// Changes something of an event that matters; `false` where nothing was changed.
fn forge(event: &mut Event, dice: &mut Dice) -> bool {
    match event {
        Event::Dealt(dealt) => {
            let count = dealt.hands.len();
            match dice.under(4) {
                // The two best cards for a friend.
                0 => {
                    let card = dealt.hands[0].1[0];
                    dealt.hands[0].1[0] = dealt.hands[count - 1].1[0];
                    dealt.hands[count - 1].1[0] = card;
                }
                1 => dealt.stock.swap(0, 1),
                2 => dealt.starter = dealt.dealer,
                _ => dealt.client_seeds.push((dealt.dealer, ClientSeed::new(*b"x").unwrap())),
            }
        }
        Event::StockDrawn { card, .. } | Event::Discarded { card, .. } | Event::DiscardTaken { card, .. } => {
            *card = other(*card, dice);
        }
        Event::StockReused { stock, .. } if stock.len() > 1 => stock.swap(0, 1),
        Event::Melded { points, .. } | Event::LaidOff { points, .. } | Event::JokerSwapped { points, .. } => {
            *points += 1;
        }
        Event::TurnStarted { deadline: Some(deadline), .. } => deadline.0 += 1,
        Event::TurnStarted { drawn, .. } => *drawn = !*drawn,
        Event::SeedCommitted { seed, .. } => seed.0[3] ^= 1,
        Event::DealEnded(ended) => match dice.under(3) {
            0 => ended.seed.0[0] ^= 1,
            1 => ended.totals[0] += 1,
            _ => ended.pause_until.0 += 1,
        },
        Event::GameEnded { places, .. } => places[0] += 1,
        Event::TimedOut { in_a_row, .. } => *in_a_row += 1,
        Event::TimeBankUsed { left, .. } => *left += 1,
        _ => return false,
    }
    true
}

fn other(card: Card, dice: &mut Dice) -> Card {
    loop {
        let pack = remik_rules::pack::Pack { decks: 2, jokers: 2 }.sorted();
        let chosen = pack[dice.under(pack.len())];
        if chosen != card {
            return chosen;
        }
    }
}

/// The draw that finds no stock tells of itself by the end of the deal.
#[test]
fn a_blocked_draw_is_a_draw() {
    let rules = Preset::BlockRummy.ruleset();
    let mut log = Log::open(rules, 2, 4);
    log.act(Actor::Player(PlayerId(2)), &Command::Join { seat: None });
    for seat in Seat::first(2) {
        log.act(Actor::Seat(seat), &Command::Ready { client_seed: ClientSeed::default() });
    }
    while let Some(seat) = log.table.turn() {
        assert!(log.act(Actor::Seat(seat), &Command::Draw(Source::Stock)));
        let Some(Event::StockDrawn { card, .. }) = log.moves.last().and_then(|m| m.events.last()).cloned()
        else {
            break;
        };
        log.act(Actor::Seat(seat), &Command::Discard(card));
    }
    assert!(log.moves.iter().any(|m| matches!(
        m.events.last(),
        Some(Event::GameEnded { .. } | Event::SeedCommitted { deal: 2, .. })
    )));
    assert_eq!(judge(&log.moves), Ok(()));
}
