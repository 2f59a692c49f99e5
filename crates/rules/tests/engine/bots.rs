//! Bots at the table: RULES 15 and 16.

use remik_rules::command::{Actor, Command, Source};
use remik_rules::event::{Event, Forfeit, GameOver, Outcome, Viewer};
use remik_rules::preset::Preset;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{AbsentSeats, GameEnd, Ruleset};
use remik_rules::strength::Strength;
use remik_rules::view::{Stage, Standing};

use super::support::{Game, seat};

fn bots_stand_in() -> Ruleset {
    let preset = Preset::Remik51.ruleset();
    Ruleset { absent_seats: AbsentSeats::NormalBot, turn_seconds: Some(30), timeouts_to_forfeit: 2, ..preset }
}

fn add(strength: Strength, at: Option<u8>) -> Command {
    Command::AddBot { seat: at.map(seat), strength }
}

fn ready() -> Command {
    Command::Ready { client_seed: Default::default() }
}

fn time_out(game: &mut Game) -> Vec<Event> {
    game.now = game.now.plus_seconds(31);
    game.act(Actor::Clock, &Command::TimeOut).unwrap()
}

/// Whoever has the turn draws and throws the card away.
fn turn(game: &mut Game) -> Vec<Event> {
    let seat = game.table.turn().unwrap();
    let actor = if game.table.bot(seat).is_some() { Actor::Bot(seat) } else { Actor::Seat(seat) };
    game.act(actor, &Command::Draw(Source::Stock)).unwrap();
    let card = game.table.hand(seat).iter().next().unwrap();
    game.act(actor, &Command::Discard(card)).unwrap()
}

fn given(seat: u8, absent: Option<Forfeit>) -> Event {
    Event::BotSeated { seat: super::support::seat(seat), strength: Strength::Normal, absent }
}

#[test]
fn the_host_fills_seats_and_the_cards_are_dealt_when_the_players_are_ready() {
    let mut game = Game::new(Preset::Remik51.ruleset(), 4, 1);
    game.join(1).unwrap();
    game.join(2).unwrap();
    assert_eq!(game.by(1, add(Strength::Easy, None)), Err(Refusal::NotHost(seat(0))));
    assert_eq!(game.by(0, add(Strength::Easy, Some(1))), Err(Refusal::SeatTaken(seat(1))));
    game.by(0, add(Strength::Easy, Some(3))).unwrap();
    assert_eq!(game.table.bot(seat(3)), Some(Strength::Easy));
    assert_eq!(game.by(0, Command::RemoveBot { seat: seat(1) }), Err(Refusal::NoBot(seat(1))));
    assert_eq!(game.by(1, Command::RemoveBot { seat: seat(3) }), Err(Refusal::NotHost(seat(0))));
    game.by(0, Command::RemoveBot { seat: seat(3) }).unwrap();
    assert_eq!(game.table.bot(seat(3)), None);
    game.by(0, add(Strength::Hard, Some(3))).unwrap();
    game.by(0, ready()).unwrap();
    game.by(1, ready()).unwrap();
    assert!(game.table.is_waiting(), "a seat is free");
    let events = game.by(0, add(Strength::Normal, None)).unwrap();
    assert_eq!(events[0], given(2, None));
    let dealt = events.iter().find_map(|event| match event {
        Event::Dealt(dealt) => Some(dealt),
        _ => None,
    });
    let dealt = dealt.unwrap();
    assert_eq!(dealt.hands.len(), 4);
    assert_eq!(dealt.client_seeds.iter().map(|(seat, _)| seat.number()).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(game.by(0, add(Strength::Easy, None)), Err(Refusal::AlreadyStarted));
}

#[test]
fn a_table_of_bots_alone_is_given_up() {
    let mut game = Game::new(Preset::Remik51.ruleset(), 3, 1);
    game.join(1).unwrap();
    game.by(0, add(Strength::Easy, None)).unwrap();
    let events = game.by(0, Command::Leave).unwrap();
    assert!(matches!(
        events[..],
        [Event::SeatLeft { .. }, Event::GameEnded { cause: GameOver::Abandoned, .. }]
    ));
}

#[test]
fn a_bot_acts_only_where_it_plays_and_only_plays() {
    let mut game = Game::new(Preset::Remik51.ruleset(), 2, 1);
    game.join(1).unwrap();
    game.by(0, add(Strength::Easy, None)).unwrap();
    let draw = Command::Draw(Source::Stock);
    assert_eq!(game.act(Actor::Bot(seat(1)), &draw), Err(Refusal::NoDealRunning));
    game.by(0, ready()).unwrap();
    while game.table.turn() != Some(seat(1)) {
        turn(&mut game);
    }
    assert_eq!(game.act(Actor::Bot(seat(0)), &draw), Err(Refusal::NoBot(seat(0))));
    assert_eq!(game.by(1, draw.clone()), Err(Refusal::NotSeated), "nobody holds the seat");
    for command in [Command::Leave, ready(), Command::Resume, add(Strength::Easy, None)] {
        assert_eq!(game.act(Actor::Bot(seat(1)), &command), Err(Refusal::BotPlays(seat(1))));
    }
    game.act(Actor::Bot(seat(1)), &draw).unwrap();
}

#[test]
fn a_bot_plays_on_for_who_leaves_and_gives_the_seat_back() {
    let mut game = Game::started(bots_stand_in(), 3, 1);
    let first = game.table.turn().unwrap().number();
    game.by(first, Command::Draw(Source::Stock)).unwrap();
    // In the middle of the own turn: it goes on as it stands.
    assert_eq!(game.by(first, Command::Leave).unwrap(), [given(first, Some(Forfeit::Left))]);
    assert_eq!(game.by(first, Command::Leave), Err(Refusal::BotPlays(seat(first))));
    assert_eq!(game.table.turn(), Some(seat(first)));
    let card = game.table.hand(seat(first)).iter().next().unwrap();
    game.act(Actor::Bot(seat(first)), &Command::Discard(card)).unwrap();
    // What is against the rules brings nobody back.
    let early = game.by(first, Command::Draw(Source::Stock));
    assert!(matches!(early, Err(Refusal::NotYourTurn(_))));
    assert!(game.table.bot(seat(first)).is_some());
    turn(&mut game);
    turn(&mut game);
    let events = game.by(first, Command::Draw(Source::Stock)).unwrap();
    assert!(matches!(events[..], [Event::SeatResumed { .. }, Event::StockDrawn { .. }]), "{events:?}");
    let late = game.act(Actor::Bot(seat(first)), &Command::Undo);
    assert_eq!(late, Err(Refusal::NoBot(seat(first))), "a bot that is late");
    game.by(first, Command::Leave).unwrap();
    assert_eq!(game.by(first, Command::Resume).unwrap(), [Event::SeatResumed { seat: seat(first) }]);
    assert_eq!(game.by(first, Command::Resume), Err(Refusal::NoBot(seat(first))));
}

#[test]
fn a_bot_plays_on_for_who_sleeps() {
    let mut game = Game::started(bots_stand_in(), 2, 1);
    let sleeper = game.table.turn().unwrap().number();
    time_out(&mut game);
    turn(&mut game);
    let events = time_out(&mut game);
    let [.., timed_out, bot, next] = &events[..] else { panic!("{events:?}") };
    assert_eq!(*timed_out, Event::TimedOut { seat: seat(sleeper), in_a_row: 2 });
    assert_eq!(*bot, given(sleeper, Some(Forfeit::TimedOut)));
    assert!(matches!(next, Event::TurnStarted { .. }));
    turn(&mut game);
    // The clock of a bot's turn counts too, but takes the seat from nobody.
    for _ in 0..3 {
        let events = time_out(&mut game);
        assert!(!events.iter().any(|e| matches!(e, Event::BotSeated { .. } | Event::SeatResumed { .. })));
        turn(&mut game);
    }
    game.by(sleeper, Command::Resume).unwrap();
    let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else { panic!() };
    assert_eq!(deal.turn.seat, seat(sleeper));
    let seats = game.table.view(Viewer::Public).seats;
    assert_eq!((seats[usize::from(sleeper)].bot, seats[usize::from(sleeper)].timeouts), (None, 0));
}

#[test]
fn when_only_bots_would_play_on_the_game_is_over() {
    for rules in [bots_stand_in(), Preset::Remik51.ruleset()] {
        // Two players and two bots.
        let mut game = Game::new(rules.clone(), 4, 1);
        game.join(1).unwrap();
        game.join(2).unwrap();
        game.by(0, add(Strength::Easy, None)).unwrap();
        game.by(0, add(Strength::Easy, None)).unwrap();
        game.by(0, ready()).unwrap();
        game.by(1, ready()).unwrap();
        game.by(0, Command::Leave).unwrap();
        assert!(!game.table.is_over());
        game.by(1, Command::Leave).unwrap();
        let view = game.table.view(Viewer::Public);
        let Stage::Over { last: Some(last), cause: GameOver::Abandoned, places } = view.stage else {
            panic!()
        };
        assert_eq!(last.outcome, Outcome::Abandoned);
        let (stay, go) = ([1, 1, 1, 1].to_vec(), [4, 3, 1, 1].to_vec());
        assert_eq!(places, if rules.absent_seats == AbsentSeats::Forfeit { go } else { stay });
    }
}

#[test]
fn who_leaves_between_deals_is_played_for_in_the_next() {
    let rules = Ruleset { turns_per_seat: 1, end: GameEnd::Deals(3), ..bots_stand_in() };
    let mut game = Game::started(rules, 3, 1);
    while game.table.turn().is_some() {
        turn(&mut game);
    }
    game.by(0, ready()).unwrap();
    game.by(1, ready()).unwrap();
    let events = game.by(2, Command::Leave).unwrap();
    assert_eq!(events[0], given(2, Some(Forfeit::Left)));
    assert!(matches!(events[1], Event::Dealt(_)), "nobody is waited for any more");
    while game.table.turn().is_some() {
        turn(&mut game);
    }
    // Back between two deals: now he is waited for.
    game.by(0, ready()).unwrap();
    game.by(2, Command::Resume).unwrap();
    game.by(1, ready()).unwrap();
    assert!(game.table.turn().is_none());
    game.by(2, ready()).unwrap();
    assert!(game.table.turn().is_some());
}

#[test]
fn bots_dont_play_for_the_first_place_alone() {
    let rules = Ruleset { turns_per_seat: 1, end: GameEnd::Elimination(100), ..Preset::Remi30.ruleset() };
    let only_bots_are_in = (1..200).find_map(|seed| {
        let mut game = Game::new(rules.clone(), 3, seed);
        game.join(1).unwrap();
        game.by(0, add(Strength::Easy, None)).unwrap();
        game.by(0, add(Strength::Easy, None)).unwrap();
        game.by(0, ready()).unwrap();
        while game.table.turn().is_some() {
            turn(&mut game);
        }
        let view = game.table.view(Viewer::Public);
        let stays = |index: usize| view.seats[index].standing == Standing::In;
        (!stays(0) && stays(1) && stays(2)).then_some(view.stage)
    });
    let Some(Stage::Over { cause: GameOver::Abandoned, places, last: Some(last) }) = only_bots_are_in else {
        panic!("{only_bots_are_in:?}")
    };
    assert_eq!(places[0], 3);
    assert!(matches!(last.outcome, Outcome::Blocked(_)), "the deal counts");
}
