//! A game at its end, as its log tells it.

use remik_rules::event::{DealEnded, Event, Outcome};
use remik_rules::preset::Preset;
use remik_rules::ruleset::Ruleset;
use remik_rules::seat::{PlayerId, Seat};

use crate::record::Record;
use crate::store::{GameId, Millis};

/// What a game is counted as. The numbers are stored: the first three are the kinds of statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum Counted {
    /// People have played by the rules of the preset: it changes ratings.
    Rated = 1,
    /// People have played by house rules that make another game of it.
    HouseRules = 2,
    /// A bot had a seat of its own.
    WithBots = 3,
    /// Somebody has chosen its cards.
    Sandbox = 4,
    /// It ended before any cards were dealt.
    NotPlayed = 5,
    /// Its log can't be read.
    Unreadable = 6,
    /// It was voided: it is over without anybody having a place.
    Voided = 7,
}

/// A game that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// The game.
    pub game: GameId,
    /// What it is counted as.
    pub counted: Counted,
    /// The preset that its rules come from.
    pub preset: Preset,
    /// When it ended.
    pub ended_at: Millis,
    /// Its players, by their seats; bots aren't here.
    pub players: Vec<SeatResult>,
}

/// How a game has gone for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatResult {
    /// Who.
    pub player: PlayerId,
    /// His place among all seats, from 1, shared where equal. Who wasn't at the table at the end comes behind all who
    /// were, who left it first last of all.
    pub place: u8,
    /// Deals that counted while he was at the table.
    pub deals: u32,
    /// Those in which he went out.
    pub deals_won: u32,
    /// Those in which he went rummy.
    pub rummies: u32,
    /// What these deals counted for him.
    pub points: i64,
    /// How often his time ran out.
    pub timeouts: u32,
}

/// A seat in the course of its game.
#[derive(Default, Clone)]
struct Course {
    player: Option<PlayerId>,
    /// A bot has it for itself.
    bot: bool,
    /// The move in which its player left it.
    away_since: Option<usize>,
    deals: u32,
    deals_won: u32,
    rummies: u32,
    points: i64,
    timeouts: u32,
}

impl Finished {
    /// Reads what a game has come to off its record; `None` if it isn't over.
    pub fn of(record: &Record) -> Option<Self> {
        let mut seats: Vec<Course> = Vec::new();
        let (mut house_rules, mut sandbox, mut dealt) = (false, false, false);
        let mut end = None;
        for (number, mv) in record.moves.iter().enumerate() {
            for event in &mv.events {
                match event {
                    Event::GameCreated { rules, seats: count, .. } => {
                        house_rules = is_another_game(rules, record.preset);
                        seats = vec![Course::default(); usize::from(*count)];
                    }
                    Event::SandboxArranged { .. } => sandbox = true,
                    Event::Dealt(_) => dealt = true,
                    Event::GameEnded { places, .. } if end.is_none() => {
                        end = Some((Millis(mv.made_at.0), places.clone()));
                    }
                    Event::DealEnded(ended) => count_deal(&mut seats, ended),
                    event => note(&mut seats, number, event),
                }
            }
        }
        let (ended_at, places) = end?;
        let counted = match () {
            () if sandbox => Counted::Sandbox,
            () if !dealt => Counted::NotPlayed,
            () if places.iter().all(|place| *place == 0) => Counted::Voided,
            () if seats.iter().any(|seat| seat.bot) => Counted::WithBots,
            () if house_rules => Counted::HouseRules,
            () => Counted::Rated,
        };
        let players = results(&seats, &places);
        Some(Self { game: record.game, counted, preset: record.preset, ended_at, players })
    }
}

/// Notes who sits where, and whose time ran out.
fn note(seats: &mut [Course], number: usize, event: &Event) {
    let mut at = |seat: &Seat, change: &dyn Fn(&mut Course)| {
        // A log names no other seats.
        if let Some(course) = seats.get_mut(seat.index()) {
            change(course);
        }
    };
    match event {
        Event::SeatTaken { seat, player } => at(seat, &|course| course.player = Some(*player)),
        Event::SeatLeft { seat } => at(seat, &|course| *course = Course::default()),
        Event::BotSeated { seat, absent: None, .. } => at(seat, &|course| course.bot = true),
        Event::BotSeated { seat, absent: Some(_), .. } | Event::SeatForfeited { seat, .. } => {
            at(seat, &|course| course.away_since = Some(number));
        }
        Event::SeatResumed { seat } => at(seat, &|course| course.away_since = None),
        Event::TimedOut { seat, .. } => at(seat, &|course| course.timeouts += 1),
        _ => {}
    }
}

/// Counts a deal for those who were at the table: not for who has left a bot to play for him.
fn count_deal(seats: &mut [Course], ended: &DealEnded) {
    for (seat, points) in &ended.scores {
        let Some(course) = seats.get_mut(seat.index()).filter(|course| course.away_since.is_none()) else {
            continue;
        };
        course.deals += 1;
        course.points += i64::from(*points);
        if let Outcome::WentOut { seat: winner, rummy } = ended.outcome
            && winner == *seat
        {
            course.deals_won += 1;
            course.rummies += u32::from(rummy);
        }
    }
}

fn results(seats: &[Course], places: &[u8]) -> Vec<SeatResult> {
    // Better is less: by the rules' place, or behind all of those by how late the seat was left.
    let rank = |index: usize| match seats[index].away_since {
        None => (0, usize::from(places.get(index).copied().unwrap_or(u8::MAX))),
        Some(since) => (1, usize::MAX - since),
    };
    let taken: Vec<usize> =
        (0..seats.len()).filter(|&index| seats[index].player.is_some() || seats[index].bot).collect();
    let result = |&index: &usize| {
        let course = &seats[index];
        let better = taken.iter().filter(|&&other| rank(other) < rank(index)).count();
        Some(SeatResult {
            player: course.player?,
            // There are at most six seats.
            place: better as u8 + 1,
            deals: course.deals,
            deals_won: course.deals_won,
            rummies: course.rummies,
            points: course.points,
            timeouts: course.timeouts,
        })
    };
    taken.iter().filter_map(result).collect()
}

/// Whether house rules make another game of a preset: all do but those about how many may play, who begins, the time, and
/// what becomes of who is away.
fn is_another_game(rules: &Ruleset, preset: Preset) -> bool {
    let own = preset.ruleset();
    let alike = Ruleset {
        seats: own.seats,
        first_dealer: own.first_dealer,
        turn_seconds: own.turn_seconds,
        time_bank_seconds: own.time_bank_seconds,
        timeouts_to_forfeit: own.timeouts_to_forfeit,
        pause_seconds: own.pause_seconds,
        absent_seats: own.absent_seats,
        ..rules.clone()
    };
    alike != own
}

#[cfg(test)]
mod tests {
    use remik_rules::chance::{ClientSeed, Seed};
    use remik_rules::event::{Dealt, Forfeit, GameOver};
    use remik_rules::ruleset::{AbsentSeats, GameEnd};
    use remik_rules::strength::Strength;

    use super::*;
    use crate::record::RecordedMove;

    fn seat(number: u8) -> Seat {
        Seat::new(number).unwrap()
    }

    fn created(rules: Ruleset, seats: u8) -> Event {
        Event::GameCreated { rules: Box::new(rules), rules_version: 1, seats }
    }

    fn sits(number: u8) -> Event {
        Event::SeatTaken { seat: seat(number), player: PlayerId(u128::from(number) + 1) }
    }

    fn dealt() -> Event {
        Event::Dealt(Box::new(Dealt {
            deal: 1,
            dealer: seat(0),
            starter: seat(1),
            client_seeds: vec![(seat(0), ClientSeed::default())],
            hands: vec![],
            upcard: None,
            stock_count: 0,
            stock: vec![],
        }))
    }

    fn deal_ended(outcome: Outcome, scores: &[i32]) -> Event {
        Event::DealEnded(Box::new(DealEnded {
            outcome,
            hands: vec![],
            scores: Seat::first(scores.len() as u8).zip(scores.iter().copied()).collect(),
            totals: scores.to_vec(),
            eliminated: vec![],
            seed: Seed([0; 32]),
            pause_until: remik_rules::chance::Millis(0),
        }))
    }

    fn over(places: &[u8]) -> Event {
        Event::GameEnded { cause: GameOver::LimitReached, places: places.to_vec() }
    }

    fn stands_in(number: u8) -> Event {
        Event::BotSeated { seat: seat(number), strength: Strength::Easy, absent: Some(Forfeit::Left) }
    }

    /// A game of as many players as it has seats, with these events, each a move of its own.
    fn game(rules: Ruleset, seats: u8, events: Vec<Event>) -> Record {
        let begin = std::iter::once(created(rules, seats)).chain((0..seats).map(sits)).chain([dealt()]);
        let moves = begin.chain(events).zip(1..).map(|(event, at)| RecordedMove {
            seat: None,
            made_at: remik_rules::chance::Millis(at),
            events: vec![event],
        });
        let preset = Preset::Remik51;
        Record { game: GameId::generate(), preset, moves: moves.collect() }
    }

    fn places(finished: &Finished) -> Vec<u8> {
        finished.players.iter().map(|player| player.place).collect()
    }

    fn counted(rules: Ruleset, events: Vec<Event>) -> Counted {
        Finished::of(&game(rules, 2, events)).unwrap().counted
    }

    #[test]
    fn a_game_is_told_by_its_events() {
        let rummy = Outcome::WentOut { seat: seat(2), rummy: true };
        let plain = Outcome::WentOut { seat: seat(0), rummy: false };
        let blocked = Outcome::Blocked(remik_rules::event::Block::TurnLimit);
        let events = vec![
            Event::TimedOut { seat: seat(1), in_a_row: 1 },
            deal_ended(rummy, &[40, 50, 0]),
            deal_ended(plain, &[0, 31, 17]),
            deal_ended(blocked, &[5, 25, 7]),
            // It doesn't count.
            deal_ended(Outcome::Abandoned, &[]),
            over(&[2, 3, 1]),
        ];
        let record = game(Preset::Remik51.ruleset(), 3, events);
        let finished = Finished::of(&record).unwrap();
        assert_eq!((finished.counted, finished.ended_at), (Counted::Rated, Millis(11)));
        assert_eq!((finished.game, finished.preset), (record.game, Preset::Remik51));
        let told = |result: &SeatResult| {
            let SeatResult { player, place, deals, deals_won, rummies, points, timeouts } = *result;
            (player.0, place, deals, deals_won, rummies, points, timeouts)
        };
        let players: Vec<_> = finished.players.iter().map(told).collect();
        assert_eq!(players, [(1, 2, 3, 1, 0, 45, 0), (2, 3, 3, 0, 0, 106, 1), (3, 1, 3, 1, 1, 24, 0)]);
    }

    #[test]
    fn a_game_that_goes_on_has_come_to_nothing_yet() {
        assert_eq!(Finished::of(&game(Preset::Remik51.ruleset(), 2, vec![])), None);
        let empty = Record { game: GameId::generate(), preset: Preset::Remik51, moves: vec![] };
        assert_eq!(Finished::of(&empty), None);
    }

    #[test]
    fn places_are_shared_where_the_rules_share_them() {
        let events = vec![over(&[1, 3, 1])];
        assert_eq!(places(&Finished::of(&game(Preset::Remik51.ruleset(), 3, events)).unwrap()), [1, 3, 1]);
    }

    #[test]
    fn who_leaves_comes_last_whatever_a_bot_makes_of_his_cards() {
        let won = Outcome::WentOut { seat: seat(1), rummy: true };
        let events = vec![
            stands_in(1),
            stands_in(2),
            deal_ended(won, &[40, 0, 60]),
            Event::SeatResumed { seat: seat(2) },
            over(&[2, 1, 3]),
        ];
        let finished = Finished::of(&game(Preset::Remik51.ruleset(), 3, events)).unwrap();
        // Seat 2 is back: it counts what it has, but for the deal that the bot has played.
        assert_eq!((places(&finished), finished.counted), (vec![1, 3, 2], Counted::Rated));
        let deals: Vec<_> = finished.players.iter().map(|player| (player.deals, player.deals_won)).collect();
        assert_eq!(deals, [(1, 0), (0, 0), (0, 0)]);
        // Of several who are away the last to leave is the best.
        let gone = |number| Event::SeatForfeited { seat: seat(number), cause: Forfeit::Left };
        let events = vec![gone(0), gone(2), over(&[3, 1, 2])];
        assert_eq!(places(&Finished::of(&game(Preset::Remik51.ruleset(), 3, events)).unwrap()), [3, 1, 2]);
    }

    #[test]
    fn what_isnt_rated() {
        let own = Preset::Remik51.ruleset();
        let with_bot = Event::BotSeated { seat: seat(1), strength: Strength::Hard, absent: None };
        assert_eq!(counted(own.clone(), vec![with_bot, over(&[1, 2])]), Counted::WithBots);
        let of_time = Ruleset {
            turn_seconds: Some(30),
            time_bank_seconds: Some(60),
            pause_seconds: 5,
            timeouts_to_forfeit: 1,
            absent_seats: AbsentSeats::EasyBot,
            ..own.clone()
        };
        assert_eq!(counted(of_time, vec![over(&[1, 2])]), Counted::Rated);
        for other in [
            Ruleset { end: GameEnd::Deals(1), ..own.clone() },
            Ruleset { opening_points: 0, ..own.clone() },
            Ruleset { joker_in_hand: 20, ..own.clone() },
        ] {
            assert_eq!(counted(other, vec![over(&[1, 2])]), Counted::HouseRules);
        }
        let mut undealt = game(own.clone(), 2, vec![over(&[1, 2])]);
        undealt.moves.retain(|mv| !matches!(mv.events[0], Event::Dealt(_)));
        assert_eq!(Finished::of(&undealt).unwrap().counted, Counted::NotPlayed);
        let arrangement = Box::new(remik_rules::sandbox::Arrangement {
            seed: Seed([0; 32]),
            first_dealer: None,
            deals: vec![],
        });
        assert_eq!(counted(own.clone(), vec![over(&[0, 0])]), Counted::Voided);
        let arranged = Event::SandboxArranged { arrangement };
        assert_eq!(counted(own, vec![arranged, over(&[1, 2])]), Counted::Sandbox);
    }

    #[test]
    fn a_seat_that_was_left_before_the_deal_is_the_next_ones() {
        let mut record = game(Preset::Remik51.ruleset(), 2, vec![over(&[2, 1])]);
        let again =
            [Event::SeatLeft { seat: seat(0) }, Event::SeatTaken { seat: seat(0), player: PlayerId(9) }];
        record.moves[2].events.extend(again);
        let players = Finished::of(&record).unwrap().players;
        assert_eq!((players[0].player, players[0].place), (PlayerId(9), 2));
    }
}
