//! Whole games to write down, export and judge.

use std::time::Duration;

use remik_rules::advice::advise;
use remik_rules::card::Card;
use remik_rules::chance::{Chance, ClientSeed, Commitment, Millis, Seed, Stream};
use remik_rules::command::{Actor, Command};
use remik_rules::decide::{create, create_sandbox, decide};
use remik_rules::event::Event;
use remik_rules::evolve::evolve;
use remik_rules::legal::legal_moves;
use remik_rules::preset::Preset;
use remik_rules::reason::Reason;
use remik_rules::ruleset::{AbsentSeats, Ruleset};
use remik_rules::sandbox::{ArrangedDeal, Arrangement};
use remik_rules::seat::{GameRef, PlayerId, Seat};
use remik_rules::strength::Strength;
use remik_rules::table::Table;
use uuid::Uuid;

use super::{Record, RecordedMove};
use crate::fairness::{Fairness, commitment};
use crate::store::GameId;

/// SplitMix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn under(&mut self, bound: usize) -> usize {
        (self.roll() % bound as u64) as usize
    }
}

/// The service's chance, but for the seeds, which a number decides.
struct Seeded {
    fairness: Fairness,
    dice: Dice,
}

impl Chance for Seeded {
    fn commit(&mut self) -> (Seed, Commitment) {
        let seed = Seed(std::array::from_fn(|_| self.dice.roll() as u8));
        (seed, commitment(&seed))
    }

    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
        self.fairness.shuffle(stream, cards);
    }

    fn below(&mut self, stream: Stream<'_>, bound: u32) -> u32 {
        self.fairness.below(stream, bound)
    }
}

/// A whole game that its number decides, with sleepers and leavers, some stopped from outside; cut off if it gets long. Every third one up to
/// number 100 is a sandbox.
pub(crate) fn play(preset: Preset, number: u64) -> Record {
    let mut dice = Dice(number);
    let clock = dice.under(2) == 0;
    let rules = Ruleset {
        turn_seconds: clock.then_some(30),
        time_bank_seconds: clock.then_some(20),
        pause_seconds: 10,
        absent_seats: if number.is_multiple_of(3) { AbsentSeats::EasyBot } else { AbsentSeats::Forfeit },
        ..preset.ruleset()
    };
    let (least, most) = rules.seats;
    let seats = least + dice.under(usize::from(most - least) + 1) as u8;
    let game = GameId(Uuid::from_u128(u128::from(number) << 64 | 7));
    let sandbox = (number < 100 && number % 3 == 2).then(|| arrangement(&rules, number));
    let fairness = match &sandbox {
        Some(chosen) => Fairness::of_sandbox(&chosen.seed, 0),
        None => Fairness::of(game),
    };
    let mut chance = Seeded { fairness, dice: Dice(number ^ 77) };
    let mut events = match sandbox {
        Some(chosen) => create_sandbox(rules, seats, chosen, &mut chance).unwrap(),
        None => create(rules, seats, &mut chance).unwrap(),
    };
    let first = Seat::new(0).unwrap();
    events.push(Event::SeatTaken { seat: first, player: PlayerId(1) });
    let mut table = Table::replay(&events).unwrap();
    let mut now = Millis(1_790_000_000_000);
    let mut moves = vec![RecordedMove { seat: Some(first), made_at: now, events }];
    let mut act = |table: &mut Table, now: Millis, actor: Actor, command: &Command| {
        let Ok(events) = decide(table, actor, command, now, &mut chance) else { return };
        let seat = match (actor, &events[0]) {
            (Actor::Seat(seat) | Actor::Bot(seat), _)
            | (Actor::Player(_), &(Event::SeatTaken { seat, .. } | Event::OfferEnded { seat })) => Some(seat),
            _ => None,
        };
        events.iter().for_each(|event| evolve(table, event));
        moves.push(RecordedMove { seat, made_at: now, events });
    };
    // Some tables have a bot on their last seat.
    let bots = u128::from(number.is_multiple_of(2));
    if bots > 0 {
        let add = Command::AddBot { seat: None, strength: Strength::Hard };
        act(&mut table, now, Actor::Seat(first), &add);
        act(&mut table, now, Actor::Seat(first), &Command::RemoveBot { seat: Seat::new(1).unwrap() });
        act(&mut table, now, Actor::Seat(first), &add);
    }
    // At some the host tries all that a host can.
    if number % 4 == 1 {
        let within = Duration::from_secs(20);
        let (guest, other) = (PlayerId(101), PlayerId(102));
        let host = Actor::Seat(first);
        act(&mut table, now, host, &Command::ChangeSettings);
        for player in [guest, other] {
            let free = |seat: &Seat| table.player(*seat).is_none() && table.bot(*seat).is_none();
            let Some(seat) = Seat::first(seats).find(free) else { continue };
            act(&mut table, now, host, &Command::Offer { seat, player, within });
            act(&mut table, now, Actor::Player(player), &Command::Join { seat: None });
            act(&mut table, now, host, &Command::HandOver { player });
            act(&mut table, now, Actor::Seat(seat), &Command::HandOver { player: PlayerId(1) });
            act(&mut table, now, host, &Command::Remove { player });
        }
        for player in 201..=206 {
            act(&mut table, now, Actor::Player(PlayerId(player)), &Command::Join { seat: None });
        }
        act(&mut table, now, host, &Command::AskReady { within });
        act(&mut table, now, Actor::Clock, &Command::ExtendClock { by: within });
        act(&mut table, now, host, &Command::Ready { client_seed: ClientSeed::default() });
        now = now.plus(within * 2);
        act(&mut table, now, Actor::Clock, &Command::EndReadyCheck);
        let free = |seat: &Seat| table.player(*seat).is_none() && table.bot(*seat).is_none();
        let seat = Seat::first(seats).find(free).unwrap_or(first);
        for player in [PlayerId(103), PlayerId(104)] {
            act(&mut table, now, host, &Command::Offer { seat, player, within });
            act(&mut table, now, Actor::Player(PlayerId(103)), &Command::Decline);
        }
        now = now.plus(within);
        act(&mut table, now, Actor::Clock, &Command::EndOffers);
    }
    for player in 2..=u128::from(seats) - bots {
        act(&mut table, now, Actor::Player(PlayerId(player)), &Command::Join { seat: None });
    }
    for _ in 0..1500 {
        if table.is_over() {
            break;
        }
        now = now.plus(Duration::from_millis(dice.under(20_000) as u64));
        if number % 7 == 4 && dice.under(150) == 0 {
            let reason = Reason::new("Zmowa graczy: 100 % pewne").unwrap();
            act(&mut table, now, Actor::Admin, &Command::Stop { void: number.is_multiple_of(2), reason });
            break;
        }
        let Some(seat) = table.turn() else {
            let seat = Seat::new(dice.under(usize::from(seats)) as u8).unwrap();
            let client_seed = ClientSeed::new(vec![number as u8; dice.under(3)]).unwrap();
            let (actor, command) = match dice.under(12) {
                0 => (Actor::Clock, Command::EndPause),
                _ => (Actor::Seat(seat), Command::Ready { client_seed }),
            };
            act(&mut table, now, actor, &command);
            continue;
        };
        let (actor, command) = match dice.under(300) {
            0 => (Actor::Seat(seat), Command::Leave),
            1..=4 => (Actor::Clock, Command::TimeOut),
            6..=16 if table.bot(seat).is_some() => (Actor::Seat(seat), Command::Resume),
            5 => (Actor::Clock, Command::ExtendClock { by: Duration::from_millis(1234) }),
            // Whose seat a bot holds comes back now and then, by a move.
            17..=30 => (Actor::Seat(seat), choose(&table, seat, &mut dice)),
            _ if table.bot(seat).is_some() => (Actor::Bot(seat), choose(&table, seat, &mut dice)),
            _ => (Actor::Seat(seat), choose(&table, seat, &mut dice)),
        };
        act(&mut table, now, actor, &command);
    }
    if number % 4 == 1 {
        act(&mut table, now, Actor::Seat(first), &Command::Rematch { game: GameRef(u128::from(number)) });
    }
    Record { game, preset, moves }
}

/// Some cards of two deals, and who deals first.
fn arrangement(rules: &Ruleset, number: u64) -> Arrangement {
    let mut dice = Dice(number);
    let mut deal = || {
        let mut pack = rules.pack.sorted();
        let mut take = |count| (0..count).map(|_| pack.remove(dice.under(pack.len()))).collect::<Vec<_>>();
        let hands = vec![(Seat::new(1).unwrap(), take(3)), (Seat::new(0).unwrap(), take(2))];
        ArrangedDeal { hands, upcard: take(1).pop().filter(|_| rules.upcard), stock: take(4) }
    };
    let deals = vec![deal(), deal()];
    let first_dealer = Seat::new(number as u8 % 2).filter(|_| number != 2);
    Arrangement { seed: Seed([number as u8; 32]), first_dealer, deals }
}

/// The best melds where there are any, else a step at random.
fn choose(table: &Table, seat: Seat, dice: &mut Dice) -> Command {
    let mut unused = Fairness::of(GameId(Uuid::nil()));
    // Nobody advises a bot.
    let advice = advise(table, seat, Millis(0), &mut unused).ok();
    if let Some(melds) =
        advice.filter(|advice| advice.melds_playable).and_then(|advice| advice.melds.command())
    {
        return melds;
    }
    let legal = legal_moves(table, seat);
    legal.command(legal.get(dice.under(legal.len())).unwrap()).unwrap()
}

#[test]
fn true_records_are_found_true() {
    for preset in Preset::ALL {
        for number in 0..4 {
            let record = play(preset, number);
            assert_eq!(record.judge().map(|table| table.is_some()), Ok(true), "{preset} {number}");
        }
    }
}

#[test]
fn other_cards_than_the_chosen_ones_are_found() {
    let mut record = play(Preset::Remik51, 5);
    let moves = record.moves.len();
    let report = crate::verify::verify(&record, None, None);
    assert_eq!((report.chosen_decks, report.fault.clone(), report.moves), (Some(2), None, moves));
    assert!(
        report.to_string().contains("a sandbox: somebody has chosen 2 decks, and the seeds prove nothing")
    );
    let Event::SandboxArranged { arrangement } = &mut record.moves[0].events[1] else { panic!("a sandbox") };
    arrangement.deals[0].stock.swap(0, 1);
    let verdict = record.judge().unwrap_err();
    assert!(verdict.number > 1, "{verdict}");
}

#[test]
fn a_forged_record_is_found_with_its_move() {
    let mut record = play(Preset::Remik51, 1);
    let at = record.moves.iter().position(|m| matches!(m.events[0], Event::StockDrawn { .. })).unwrap();
    let Event::StockDrawn { card, .. } = &mut record.moves[at].events[0] else { unreachable!() };
    *card = if *card == "AS".parse().unwrap() { "AS2".parse().unwrap() } else { "AS".parse().unwrap() };
    let verdict = record.judge().unwrap_err();
    assert_eq!(verdict.number as usize, at + 1, "{verdict}");
}

/// Who opens a table may seat others in the same move.
#[test]
fn others_may_be_seated_with_the_first_move() {
    let mut record = play(Preset::Remik51, 3);
    while matches!(record.moves[1].events[..], [Event::SeatTaken { .. }]) {
        let joined = record.moves.remove(1);
        record.moves[0].events.extend(joined.events);
    }
    assert!(record.moves[0].events.len() > 3);
    assert!(record.judge().unwrap().is_some());
    let text = crate::notation::write(&record).unwrap();
    assert_eq!(crate::notation::read(&text).as_ref(), Ok(&record), "{text}");
}
