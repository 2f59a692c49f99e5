//! Whole games, two players over gRPC and two over REST.

use remik::proto::v1::{GameState, Standing, event::Kind, game_end::End};

use remik_rules::{
    event::{DealEnded, Event, Outcome},
    ruleset::Ruleset,
    score::hand_points,
};

use crate::{
    bot::Bot,
    client::to_json,
    log::Log,
    on_each_backend,
    party::{Party, Wish, any_seed},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    four_players_play_to_the_limit
    four_players_lay_cards
}

async fn four_players_play_to_the_limit(backend: Backend) {
    play_and_check(backend, &Wish::seats(4).ends(End::Total(100))).await;
}

async fn four_players_lay_cards(backend: Backend) {
    let (bots, _) = play_and_check(backend, &Wish::seats(4).easy()).await;
    let kinds = bots[0].seen.iter().flat_map(|made| &made.events).map(|event| event.kind.as_ref().unwrap());
    let laid = kinds.filter(|kind| matches!(kind, Kind::Melded(_) | Kind::LaidOff(_))).count();
    assert!(laid >= 4, "{laid}");
}

/// Plays a game of four and compares all that the players were told with the log.
async fn play_and_check(backend: Backend, wish: &Wish) -> (Vec<Bot>, Log) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, wish).await;
    let game = &party.game;
    let bots = party.play(any_seed()).await;
    let mut shown = Vec::new();
    for bot in &bots {
        shown.push(bot.client.look(game).await.unwrap());
    }
    service.stop().await;

    let log = Log::read(&database.url, game).await;
    let last = log.moves.len() as u32;
    let table = log.table(last);
    let totals = reckon(&log, table.rules(), 4);
    // Fewest points win; who has as many as another shares the place unless the last deal tells them apart.
    let last_deal = deals(&log).last().unwrap();
    let keys: Vec<_> =
        totals.iter().zip(&last_deal.scores).map(|(total, (_, last))| (*total, *last)).collect();
    let places: Vec<u32> =
        keys.iter().map(|key| 1 + keys.iter().filter(|other| *other < key).count() as u32).collect();
    for (bot, view) in bots.iter().zip(&shown) {
        assert_eq!(bot.version(), last, "each move was streamed");
        assert_eq!((view.version, view.state()), (last, GameState::Over));
        assert_eq!(view.seats.iter().map(|seat| seat.total).collect::<Vec<_>>(), totals);
        assert!(view.seats.iter().all(|seat| seat.standing() == Standing::In));
        assert_eq!(view.result.as_ref().unwrap().places, places);
        check_answers(bot, &log);
    }
    // Nothing is hidden any more but who drew what from the stock and was dealt what, long ago.
    let last_seen: Vec<_> = bots.iter().map(|bot| to_json("GameMove", bot.seen.last().unwrap())).collect();
    assert!(last_seen.windows(2).all(|pair| pair[0] == pair[1]));
    (bots, log)
}

/// Each answered command is in the log once, at the version that the answer named, and was streamed as answered.
pub(crate) fn check_answers(bot: &Bot, log: &Log) {
    for (order, answer) in &bot.answered {
        let stored: Vec<_> = log.moves.iter().filter(|mv| mv.request_id == Some(order.request_id)).collect();
        assert_eq!(stored.len(), 1);
        assert_eq!(stored[0].number, answer.version);
        assert_eq!(stored[0].seat.map(u32::from), Some(bot.seat));
        let streamed = &bot.seen[answer.version as usize - 1];
        assert_eq!(&answer.made, streamed);
        assert_eq!(answer.view.version, answer.version);
    }
}

/// Every deal that was finished.
fn deals(log: &Log) -> impl Iterator<Item = &DealEnded> {
    log.events.iter().flatten().filter_map(|event| match event {
        Event::DealEnded(ended) => Some(&**ended),
        _ => None,
    })
}

/// Checks the scores of finished deals in penalty scoring by the hands that were revealed, and gives the totals.
fn reckon(log: &Log, rules: &Ruleset, seats: usize) -> Vec<i32> {
    let mut totals = vec![0; seats];
    for ended in deals(log) {
        let (winner, factor) = match ended.outcome {
            Outcome::WentOut { seat, rummy } => (Some(seat), if rummy { 2 } else { 1 }),
            Outcome::Blocked(_) => (None, 1),
            Outcome::Abandoned => continue,
        };
        for (seat, cards) in &ended.hands {
            let points = factor * hand_points(cards.iter().copied().collect(), rules);
            let points = if Some(*seat) == winner { 0 } else { points };
            assert_eq!(ended.scores.iter().find(|(of, _)| of == seat), Some(&(*seat, points)));
            totals[seat.index()] += points;
        }
        assert_eq!(ended.totals, totals);
    }
    totals
}
