//! Tables to join: listed by filters, and watched.

use remik::proto::v1::{WatchLobbyRequest, watch_lobby_response::Item};
use serde_json::{Value as Json, json};

use crate::{
    call::reason,
    client::{Client, Command, Order, Via},
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
    tables::{Watched, ask, command, open, sit},
};

on_each_backend! {
    a_list_has_what_its_filter_finds
    the_stream_tells_what_changes_and_goes_on_after_a_break
    a_stream_begins_anew_after_a_restart
}

fn ids(list: &Json) -> Vec<String> {
    let tables = list["tables"].as_array().unwrap();
    tables.iter().map(|table| table["gameId"].as_str().unwrap().to_owned()).collect()
}

fn any() -> WatchLobbyRequest {
    WatchLobbyRequest { free_seats: 1, ..WatchLobbyRequest::default() }
}

async fn a_list_has_what_its_filter_finds(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let host = Client::guest(url, Via::Grpc, "Ala").await.unwrap();
    let rated = json!({"allowed": "ADMISSION_RATED", "minPoints": 1600, "maxPoints": 1800});
    let invited = json!({"allowed": "ADMISSION_INVITED"});
    let tables = [
        json!({"settings": {"title": "Piątek", "language": "pl"}}),
        json!({"preset": "remi-30", "seats": 4, "settings": {"language": "en-GB"}}),
        json!({"settings": {"language": "pl-PL", "admission": rated}}),
        json!({"settings": {"admission": invited}}),
        json!({"visibility": "VISIBILITY_PRIVATE"}),
    ];
    let mut games = Vec::new();
    for table in tables {
        games.push(open(url, &host, table).await.game_id);
    }
    // Neither one that has begun nor one that is over is a table to join.
    let begun = Party::seated(url, &Wish::seats(2)).await;
    get_ready(&begun).await;
    let closed = open(url, &host, json!({})).await;
    host.send(&Order::new(&closed.game_id, 1, Command::Leave)).await.unwrap();
    for (filter, found) in [
        (json!({}), vec![3, 2, 1, 0]),
        (json!({"presets": ["remi-30"]}), vec![1]),
        (json!({"freeSeats": 2}), vec![1]),
        (json!({"languages": ["pl"]}), vec![2, 0]),
        (json!({"languages": ["en"]}), vec![1]),
        (json!({"minPoints": 1500, "maxPoints": 1500}), vec![3, 1, 0]),
        (json!({"minPoints": 1700, "maxPoints": 1700, "languages": ["pl"]}), vec![2, 0]),
        (json!({"admissions": ["ADMISSION_RATED"]}), vec![2]),
    ] {
        let found: Vec<_> = found.into_iter().map(|index: usize| games[index].clone()).collect();
        // A list in a query of REST isn't JSON.
        for via in if filter.to_string().contains('[') { &[Via::Grpc][..] } else { &[Via::Grpc, Via::Rest] } {
            let list = ask(url, *via, &host, "ListTables", &filter).await.unwrap();
            assert_eq!(ids(&list), found, "{filter} {via:?}");
        }
    }
    let list = ask(url, Via::Rest, &host, "ListTables", &json!({})).await.unwrap();
    let line = &list["tables"][3];
    assert_eq!((&line["settings"]["title"], &line["freeSeats"]), (&json!("Piątek"), &json!(1)));
    assert_eq!(line["seats"][0]["displayName"], "Ala");
    let mut paged = Vec::new();
    let mut token = String::new();
    loop {
        let page = json!({"pageSize": 1, "pageToken": token});
        let page = ask(url, Via::Rest, &host, "ListTables", &page).await.unwrap();
        paged.extend(ids(&page));
        token = page["nextPageToken"].as_str().unwrap_or_default().to_owned();
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(paged, ids(&list));
    for wrong in [json!({"freeSeats": 7}), json!({"minPoints": 2, "maxPoints": 1}), json!({"pageSize": 101})]
    {
        let outcome = ask(url, Via::Rest, &host, "ListTables", &wrong).await;
        assert_eq!(reason(outcome), "FIELD_OUT_OF_RANGE", "{wrong}");
    }
    let wrong = ask(url, Via::Rest, &host, "ListTables", &json!({"languages": "?"})).await;
    assert_eq!(reason(wrong), "MALFORMED_FIELD");
}

async fn the_stream_tells_what_changes_and_goes_on_after_a_break(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let host = Client::guest(url, Via::Grpc, "Ala").await.unwrap();
    let guest = Client::guest(url, Via::Grpc, "Ola").await.unwrap();
    let before = open(url, &host, json!({"settings": {"language": "pl"}})).await.game_id;
    let polish = WatchLobbyRequest { languages: vec!["pl".to_owned()], ..any() };
    for via in [Via::Grpc, Via::Rest] {
        let mut stream = Watched::open(url, via, &guest, polish.clone()).await.unwrap();
        let (anew, tables, gone, first) = stream.caught_up().await;
        assert_eq!((anew, tables, gone), (true, vec![before.clone()], vec![]));
        let made = open(url, &host, json!({"settings": {"language": "pl"}, "seats": 3})).await.game_id;
        let (position, Item::Table(table)) = stream.next().await else { panic!() };
        assert_eq!((&table.game_id, table.free_seats), (&made, 2));
        assert_ne!(position, first);
        // A break: meanwhile somebody sits down, and another table comes and goes.
        drop(stream);
        sit(url, via, &guest, &made).await.unwrap();
        let other = open(url, &host, json!({"settings": {"language": "pl"}})).await.game_id;
        host.send(&Order::new(&other, 1, Command::Leave)).await.unwrap();
        // Somebody has to be there all the time, or the next one begins anew.
        let mut again =
            Watched::open(url, via, &guest, WatchLobbyRequest { after_position: position, ..polish.clone() })
                .await
                .unwrap();
        let (anew, tables, _, _) = again.caught_up().await;
        let mut told = tables.contains(&made);
        while !told {
            // What was done lately may come a moment later.
            assert!(!anew, "what is listed is as it is now");
            told = matches!(again.next().await.1, Item::Table(table) if table.game_id == made);
        }
        let change = json!({"settings": {"language": "en"}});
        ask(url, via, &host, "ChangeTable", &command(&made, &change)).await.unwrap();
        let (_, Item::Removed(removed)) = again.next().await else { panic!() };
        assert_eq!(removed.game_id, made);
        let change = json!({"settings": {"language": "pl", "title": "Znów"}});
        ask(url, via, &host, "ChangeTable", &command(&made, &change)).await.unwrap();
        let (position, Item::Table(table)) = again.next().await else { panic!() };
        assert_eq!(table.settings.unwrap().title, "Znów");
        // With somebody else watching what has changed is known.
        let mut keeper = Watched::open(url, via, &host, any()).await.unwrap();
        keeper.caught_up().await;
        drop(again);
        host.send(&Order::new(&made, 0, Command::Leave)).await.unwrap();
        guest.send(&Order::new(&made, 0, Command::Leave)).await.unwrap();
        let after = WatchLobbyRequest { after_position: position, ..polish.clone() };
        let mut last = Watched::open(url, via, &guest, after).await.unwrap();
        loop {
            match last.next().await.1 {
                Item::Removed(removed) => break assert_eq!(removed.game_id, made),
                Item::Table(table) => assert_eq!(table.game_id, made),
                Item::CaughtUp(_) => {}
                other => panic!("{other:?}"),
            }
        }
        let wrong = WatchLobbyRequest { after_position: "7".to_owned(), ..any() };
        let outcome = match Watched::open(url, via, &guest, wrong).await {
            Err(failure) => failure.refused().reason,
            Ok(_) => panic!("it is no position"),
        };
        assert_eq!(outcome, "MALFORMED_FIELD");
    }
}

async fn a_stream_begins_anew_after_a_restart(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let host = Client::guest(&service.url, Via::Grpc, "Ala").await.unwrap();
    let game = open(&service.url, &host, json!({"settings": {"title": "Zostaje"}})).await.game_id;
    let mut stream = Watched::open(&service.url, Via::Rest, &host, any()).await.unwrap();
    let (.., position) = stream.caught_up().await;
    service.kill();
    let service = Service::start(&database.url).await;
    let after = WatchLobbyRequest { after_position: position, ..any() };
    let mut stream = Watched::open(&service.url, Via::Rest, &host, after).await.unwrap();
    let (_, tables, ..) = stream.caught_up().await;
    // Nothing has changed, and the place is the same one if nobody has made a move.
    assert!(tables.is_empty() || tables == [game.clone()], "{tables:?}");
    let view = host.at(&service.url, Via::Grpc).look(&game).await.unwrap();
    assert_eq!(view.settings.unwrap().title, "Zostaje");
}

/// What happens at one instance is told at the other, and a position of one is one of the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lobby_is_one_at_two_instances() {
    let database = fresh(Backend::Postgres).await;
    let services = [Service::start(&database.url).await, Service::start(&database.url).await];
    let [here, there] = services.each_ref().map(|service| service.url.as_str());
    let host = Client::guest(here, Via::Grpc, "Ala").await.unwrap();
    let mut at_here = Watched::open(here, Via::Grpc, &host, any()).await.unwrap();
    let mut at_there = Watched::open(there, Via::Rest, &host, any()).await.unwrap();
    at_here.caught_up().await;
    at_there.caught_up().await;
    let one = open(here, &host, json!({})).await.game_id;
    let (position, Item::Table(table)) = at_here.next().await else { panic!() };
    assert_eq!(table.game_id, one);
    let (_, Item::Table(table)) = at_there.next().await else { panic!() };
    assert_eq!(table.game_id, one);
    drop(at_here);
    // The settings of one instance count at the other at once.
    let rated = json!({"allowed": "ADMISSION_RATED", "minPoints": 1600, "maxPoints": 1800});
    let change = command(&one, &json!({"settings": {"title": "Nowa", "admission": rated}}));
    let guest = Client::guest(there, Via::Grpc, "Ola").await.unwrap();
    guest.at(there, Via::Grpc).look(&one).await.unwrap();
    ask(here, Via::Grpc, &host, "ChangeTable", &change).await.unwrap();
    assert_eq!(reason(sit(there, Via::Rest, &guest, &one).await), "RATING_OUT_OF_RANGE");
    let after = WatchLobbyRequest { after_position: position, ..any() };
    let mut goes_on = Watched::open(there, Via::Grpc, &host, after).await.unwrap();
    loop {
        match goes_on.next().await.1 {
            Item::Table(table) if table.settings.as_ref().unwrap().title == "Nowa" => break,
            Item::Restart(_) => panic!("the position is known there"),
            _ => {}
        }
    }
    // A change at one that the other hasn't seen isn't undone by it.
    let open_again = command(&one, &json!({"settings": {"title": "Ostatnia"}}));
    ask(here, Via::Grpc, &host, "ChangeTable", &open_again).await.unwrap();
    sit(there, Via::Grpc, &guest, &one).await.unwrap();
    for url in [here, there] {
        let view = guest.at(url, Via::Grpc).look_by(&one, 4, "").await.unwrap();
        assert_eq!(view.settings.unwrap().title, "Ostatnia");
    }
    let list = ask(here, Via::Grpc, &host, "ListTables", &json!({})).await.unwrap();
    assert_eq!(list["tables"][0]["settings"]["title"], "Ostatnia");
}
