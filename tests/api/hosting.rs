//! What hosts do before the first deal: who may sit, who goes, who has to be ready.

use remik::proto::v1::{GameOverCause, GameState, event::Kind};
use remik::store::{Millis, Store, StoreOptions};
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::{
    call::{Credentials, call, reason, start_with},
    client::{Client, Command, Order, Via},
    clocks::{BOUND, until},
    on_each_backend,
    service::Service,
    support::database::{Backend, fresh},
    tables::{ask, command, open, sit},
};

on_each_backend! {
    only_the_host_hosts_until_he_hands_over
    who_is_removed_is_told_and_stays_away
    a_table_admits_whom_its_host_says
    who_is_kept_apart_isnt_seated_and_isnt_told_why
    all_ready_starts_and_who_is_late_loses_the_seat
    the_last_seat_is_taken_once
    a_host_may_leave_while_he_removes_somebody
    a_table_that_nobody_is_at_is_closed
    a_table_waits_for_the_ready_while_somebody_is_there
}

async fn people(url: &str) -> [Client; 3] {
    let guest = async |name| Client::guest(url, Via::Grpc, name).await.unwrap();
    [guest("Ala").await, guest("Ola").await, guest("Ewa").await]
}

fn player(who: &Client) -> Json {
    json!({"playerId": who.id})
}

async fn only_the_host_hosts_until_he_hands_over(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let [ala, ola, ewa] = people(url).await;
    let game = open(url, &ala, json!({"seats": 3})).await;
    assert_eq!(game.host_seat, Some(0));
    let game = game.game_id;
    sit(url, Via::Grpc, &ola, &game).await.unwrap();
    let settings = json!({"settings": {"title": "Nie mój"}});
    for via in [Via::Grpc, Via::Rest] {
        for (method, more) in [
            ("ChangeTable", settings.clone()),
            ("HandOverHost", player(&ala)),
            ("RemovePlayer", player(&ala)),
            ("AskReady", json!({})),
            ("InvitePlayers", json!({"playerIds": [ewa.id]})),
            ("WithdrawInvitation", player(&ewa)),
            ("ListInvitations", json!({})),
        ] {
            let request = match method {
                "InvitePlayers" | "WithdrawInvitation" | "ListInvitations" => {
                    let mut request = more;
                    request["gameId"] = json!(game);
                    request
                }
                _ => command(&game, &more),
            };
            let outcome = ask(url, via, &ola, method, &request).await;
            assert_eq!(reason(outcome), "NOT_HOST", "{method}");
            let outcome = ask(url, via, &ewa, method, &request).await;
            assert_eq!(reason(outcome), "NOT_SEATED", "{method}");
        }
        let outcome = ask(url, via, &ala, "AskReady", &command(&game, &json!({}))).await;
        assert_eq!(reason(outcome), "SEATS_FREE");
        let outcome = ask(url, via, &ala, "HandOverHost", &command(&game, &player(&ewa))).await;
        assert_eq!(reason(outcome), "NO_OTHER_PLAYER");
        let wrong = command(&game, &json!({"settings": {"title": "x".repeat(33)}}));
        assert_eq!(reason(ask(url, via, &ala, "ChangeTable", &wrong).await), "FIELD_OUT_OF_RANGE");
    }
    // A change is made once, whatever its repeats come in between of.
    let first = command(&game, &json!({"settings": {"title": "Pierwszy"}}));
    let answer = ask(url, Via::Rest, &ala, "ChangeTable", &first).await.unwrap();
    let second = command(&game, &json!({"settings": {"title": "Drugi"}}));
    ask(url, Via::Grpc, &ala, "ChangeTable", &second).await.unwrap();
    let again = ask(url, Via::Rest, &ala, "ChangeTable", &first).await.unwrap();
    assert_eq!((&again["version"], &again["move"]), (&answer["version"], &answer["move"]));
    assert_eq!(ala.look(&game).await.unwrap().settings.unwrap().title, "Drugi");
    let mut reused = first;
    reused["settings"]["title"] = json!("Trzeci");
    assert_eq!(reason(ask(url, Via::Rest, &ala, "ChangeTable", &reused).await), "REQUEST_ID_REUSED");

    ask(url, Via::Rest, &ala, "HandOverHost", &command(&game, &player(&ola))).await.unwrap();
    assert_eq!(ala.look(&game).await.unwrap().host_seat, Some(1));
    let outcome = ask(url, Via::Grpc, &ala, "ChangeTable", &command(&game, &settings)).await;
    assert_eq!(reason(outcome), "NOT_HOST");
    ask(url, Via::Grpc, &ola, "ChangeTable", &command(&game, &settings)).await.unwrap();
    sit(url, Via::Rest, &ewa, &game).await.unwrap();
    for who in [&ala, &ola, &ewa] {
        who.send(&Order::new(&game, 0, Command::Ready(String::new()))).await.unwrap();
    }
    let outcome = ask(url, Via::Grpc, &ola, "ChangeTable", &command(&game, &settings)).await;
    assert_eq!(reason(outcome), "ALREADY_STARTED");
}

async fn who_is_removed_is_told_and_stays_away(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let [ala, ola, ewa] = people(url).await;
    for (private, via) in [(false, Via::Grpc), (true, Via::Rest)] {
        let visibility = if private { "VISIBILITY_PRIVATE" } else { "VISIBILITY_PUBLIC" };
        let table = open(url, &ala, json!({"visibility": visibility, "seats": 3})).await;
        let (game, code) = (table.game_id, table.invite_code);
        let join = || Order::new("", 0, Command::JoinByCode(code.clone()));
        ola.send(&join()).await.unwrap();
        let mut stream = ola.at(url, via).watch(&game, Some(2)).await.unwrap();
        let remove = command(&game, &player(&ola));
        let answer = ask(url, via, &ala, "RemovePlayer", &remove).await.unwrap();
        let again = ask(url, via, &ala, "RemovePlayer", &remove).await.unwrap();
        assert_eq!(answer["version"], again["version"]);
        until(&mut stream, |kind| matches!(kind, Kind::PlayerRemoved(removed) if removed.seat == 1)).await;
        if private {
            let end = tokio::time::timeout(BOUND, async {
                loop {
                    match stream.next().await {
                        Ok(Some(_)) => {}
                        other => return other,
                    }
                }
            });
            assert_eq!(reason(end.await.unwrap()), "REMOVED_FROM_TABLE");
        }
        assert_eq!(reason(ola.send(&join()).await), "REMOVED_FROM_TABLE");
        assert_eq!(reason(ola.at(url, Via::Rest).send(&join()).await), "REMOVED_FROM_TABLE");
        ewa.send(&join()).await.unwrap();
        assert_eq!(ala.look(&game).await.unwrap().seats[1].player_id, ewa.id);
    }
}

async fn a_table_admits_whom_its_host_says(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let [ala, ola, ewa] = people(url).await;
    let invite = async |game: &str, who: &Client| {
        let request = json!({"gameId": game, "playerIds": [who.id]});
        ask(url, Via::Rest, &ala, "InvitePlayers", &request).await.unwrap();
        ask(url, Via::Grpc, &ala, "InvitePlayers", &request).await.unwrap();
    };
    let rated = |least, most| {
        let range = json!({"allowed": "ADMISSION_RATED", "minPoints": least, "maxPoints": most});
        json!({"seats": 3, "settings": {"admission": range}})
    };
    let strong = open(url, &ala, rated(1600, 2000)).await.game_id;
    for via in [Via::Grpc, Via::Rest] {
        let refused = sit(url, via, &ola, &strong).await.unwrap_err().refused();
        let points = ["points", "least", "most"].map(|key| refused.metadata[key].as_str());
        assert_eq!((refused.reason.as_str(), points), ("RATING_OUT_OF_RANGE", ["1500", "1600", "2000"]));
    }
    invite(&strong, &ola).await;
    sit(url, Via::Rest, &ola, &strong).await.unwrap();
    let everybody = open(url, &ala, rated(1400, 1600)).await.game_id;
    sit(url, Via::Grpc, &ola, &everybody).await.unwrap();

    let by_invitation = json!({"seats": 3, "settings": {"admission": {"allowed": "ADMISSION_INVITED"}}});
    let table = open(url, &ala, by_invitation).await;
    assert_eq!(reason(sit(url, Via::Rest, &ola, &table.game_id).await), "INVITATION_NEEDED");
    invite(&table.game_id, &ola).await;
    sit(url, Via::Grpc, &ola, &table.game_id).await.unwrap();
    ewa.send(&Order::new("", 0, Command::JoinByCode(table.invite_code))).await.unwrap();

    let private = open(url, &ala, json!({"seats": 3, "visibility": "VISIBILITY_PRIVATE"})).await.game_id;
    assert_eq!(reason(sit(url, Via::Rest, &ola, &private).await), "GAME_NOT_FOUND");
    invite(&private, &ola).await;
    invite(&private, &ewa).await;
    assert_eq!(ola.look(&private).await.unwrap().state(), GameState::Waiting);
    let own = ask(url, Via::Rest, &ola, "ListOwnInvitations", &json!({})).await.unwrap();
    let own = own["invitations"].as_array().unwrap();
    let of = |invitation: &Json| invitation["table"]["gameId"].as_str().unwrap().to_owned();
    assert_eq!(own.iter().map(of).collect::<Vec<_>>(), [private.clone(), table.game_id, strong]);
    assert_eq!((&own[0]["displayName"], &own[0]["invitedBy"]), (&json!("Ala"), &json!(ala.id)));
    let page = |token: &str| json!({"gameId": private, "pageSize": 1, "pageToken": token});
    let first = ask(url, Via::Rest, &ala, "ListInvitations", &page("")).await.unwrap();
    let token = first["nextPageToken"].as_str().unwrap();
    let second = ask(url, Via::Grpc, &ala, "ListInvitations", &page(token)).await.unwrap();
    assert_eq!(second["nextPageToken"], "");
    let mut listed = [&first, &second].map(|page| page["invitations"][0]["playerId"].as_str().unwrap());
    let mut invited = [ola.id.as_str(), ewa.id.as_str()];
    listed.sort_unstable();
    invited.sort_unstable();
    assert_eq!(listed, invited);
    let withdraw = json!({"gameId": private, "playerId": ewa.id});
    for via in [Via::Rest, Via::Grpc] {
        ask(url, via, &ala, "WithdrawInvitation", &withdraw).await.unwrap();
    }
    assert_eq!(reason(sit(url, Via::Grpc, &ewa, &private).await), "GAME_NOT_FOUND");
    sit(url, Via::Rest, &ola, &private).await.unwrap();
    let nobody = json!({"gameId": private, "playerIds": [Uuid::new_v4().to_string()]});
    assert_eq!(reason(ask(url, Via::Rest, &ala, "InvitePlayers", &nobody).await), "PLAYER_NOT_FOUND");
    let credentials = Credentials::token(&ala.token);
    let mut most = Ok(json!({}));
    for _ in 0..3 {
        let mut ids = Vec::new();
        for _ in 0..20 {
            ids.push(Client::guest(url, Via::Grpc, "Gość").await.unwrap().id);
        }
        let request = json!({"gameId": private, "playerIds": ids});
        most = call(url, Via::Rest, "remik.v1.LobbyService/InvitePlayers", &request, &credentials).await;
    }
    assert_eq!(reason(most), "TOO_MANY_INVITATIONS");
}

async fn who_is_kept_apart_isnt_seated_and_isnt_told_why(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let [ala, ola, ewa] = people(url).await;
    let store = Store::open_beside(&database.url, StoreOptions::default()).await.unwrap();
    let id = |who: &Client| who.id.parse::<Uuid>().unwrap();
    store.block(id(&ola), id(&ala), Millis(1)).await.unwrap();
    let table = open(url, &ala, json!({"seats": 3})).await;
    let blocker = sit(url, Via::Rest, &ola, &table.game_id).await.unwrap_err().refused();
    let mine = open(url, &ola, json!({"seats": 3})).await;
    let blocked = sit(url, Via::Rest, &ala, &mine.game_id).await.unwrap_err().refused();
    assert_eq!(blocker.reason, "KEPT_APART");
    assert_eq!(blocker, blocked);
    let by_code = Order::new("", 0, Command::JoinByCode(table.invite_code));
    assert_eq!(reason(ola.send(&by_code).await), "KEPT_APART");
    // Nor does the host's invitation help, nor is it shown.
    let request = json!({"gameId": table.game_id, "playerIds": [ola.id]});
    ask(url, Via::Rest, &ala, "InvitePlayers", &request).await.unwrap();
    assert_eq!(reason(sit(url, Via::Grpc, &ola, &table.game_id).await), "KEPT_APART");
    let own = ask(url, Via::Rest, &ola, "ListOwnInvitations", &json!({})).await.unwrap();
    assert!(own["invitations"].as_array().is_none_or(Vec::is_empty), "{own}");
    sit(url, Via::Grpc, &ewa, &table.game_id).await.unwrap();
    store.unblock(id(&ola), id(&ala)).await.unwrap();
    sit(url, Via::Grpc, &ola, &table.game_id).await.unwrap();
    store.close().await;
}

async fn all_ready_starts_and_who_is_late_loses_the_seat(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = service.url.clone();
    let [ala, ola, ewa] = people(&url).await;
    let ask_ready = |game: &str| command(game, &json!({"seconds": 10}));
    let ready = |game: &str| Order::new(game, 0, Command::Ready(String::new()));
    let game = open(&url, &ala, json!({})).await.game_id;
    sit(&url, Via::Grpc, &ola, &game).await.unwrap();
    ask(&url, Via::Rest, &ala, "AskReady", &ask_ready(&game)).await.unwrap();
    assert!(ola.look(&game).await.unwrap().ready_until.is_some());
    assert_eq!(reason(ask(&url, Via::Rest, &ala, "AskReady", &ask_ready(&game)).await), "READY_ASKED");
    ala.send(&ready(&game)).await.unwrap();
    assert_eq!(ola.send(&ready(&game)).await.unwrap().view.state(), GameState::Playing);

    let late = open(&url, &ala, json!({"visibility": "VISIBILITY_PRIVATE"})).await;
    let (game, join) = (late.game_id, Order::new("", 0, Command::JoinByCode(late.invite_code)));
    ola.send(&join).await.unwrap();
    ask(&url, Via::Grpc, &ala, "AskReady", &ask_ready(&game)).await.unwrap();
    ala.send(&ready(&game)).await.unwrap();
    // The service is down in between: the time that this takes is given back.
    service.kill();
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let mut stream = ola.at(url, Via::Rest).watch(&game, Some(0)).await.unwrap();
    until(&mut stream, |kind| matches!(kind, Kind::ReadyMissed(missed) if missed.seat == 1)).await;
    let view = ala.at(url, Via::Grpc).look(&game).await.unwrap();
    assert_eq!((view.seats[0].ready, view.seats[1].player_id.as_str()), (true, ""));
    assert!(view.ready_until.is_none());
    // He may come back with the code.
    let again = Order::new("", 0, join.command.clone());
    ola.at(url, Via::Grpc).send(&again).await.unwrap();
    let started = ola.at(url, Via::Grpc).send(&ready(&game)).await.unwrap();
    assert_eq!(started.view.state(), GameState::Playing);
    drop(ewa);
}

async fn the_last_seat_is_taken_once(backend: Backend) {
    let database = fresh(backend).await;
    let mut services = vec![Service::start(&database.url).await];
    if backend == Backend::Postgres {
        services.push(Service::start(&database.url).await);
    }
    let urls: Vec<_> = services.iter().map(|service| service.url.clone()).collect();
    let url = |index: usize| urls[index % urls.len()].as_str();
    let [ala, ola, ewa] = people(&urls[0]).await;
    for _ in 0..8 {
        let game = open(url(0), &ala, json!({})).await.game_id;
        let (one, other) =
            tokio::join!(sit(url(0), Via::Grpc, &ola, &game), sit(url(1), Via::Rest, &ewa, &game));
        let outcomes = [reason(one), reason(other)];
        assert!(
            outcomes == ["", "TABLE_FULL"] || outcomes == ["TABLE_FULL", ""],
            "one has it, the other not: {outcomes:?}"
        );
    }
}

async fn a_host_may_leave_while_he_removes_somebody(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let [ala, ola, ewa] = people(url).await;
    for _ in 0..8 {
        let game = open(url, &ala, json!({"seats": 3})).await.game_id;
        sit(url, Via::Grpc, &ola, &game).await.unwrap();
        sit(url, Via::Grpc, &ewa, &game).await.unwrap();
        let (remove, leave) = (command(&game, &player(&ola)), Order::new(&game, 0, Command::Leave));
        let (removed, left) =
            tokio::join!(ask(url, Via::Rest, &ala, "RemovePlayer", &remove), ala.send(&leave));
        left.unwrap();
        let view = ewa.look(&game).await.unwrap();
        let sits = view.seats.iter().any(|seat| seat.player_id == ola.id);
        match reason(removed).as_str() {
            "" => assert!(!sits && view.host_seat == Some(2)),
            "NOT_SEATED" => assert!(sits && view.host_seat == Some(1)),
            other => panic!("{other}"),
        }
        assert_eq!(view.state(), GameState::Waiting);
    }
}

async fn a_table_that_nobody_is_at_is_closed(backend: Backend) {
    let database = fresh(backend).await;
    let service = start_with(&database.url, &["--idle-table-seconds", "2"]).await;
    let url = &service.url;
    let [ala, ola, ewa] = people(url).await;
    let attended = open(url, &ala, json!({})).await.game_id;
    let lonely = open(url, &ala, json!({})).await.game_id;
    let host = ala.watch(&attended, None).await.unwrap();
    // Who looks on without a seat keeps no table open.
    let mut stream = ola.watch(&lonely, Some(0)).await.unwrap();
    let moves = until(&mut stream, |kind| matches!(kind, Kind::GameEnded(_))).await;
    let last = moves.last().unwrap();
    assert_eq!(last.seat, None, "the clock has closed it");
    let Some(Kind::GameEnded(ended)) = &last.events[0].kind else { panic!("{last:?}") };
    assert_eq!(ended.cause(), GameOverCause::Abandoned);
    let mut watched = ewa.watch(&attended, Some(0)).await.unwrap();
    let begun = std::time::Instant::now();
    while begun.elapsed() < std::time::Duration::from_secs(6) {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        assert_eq!(ewa.look(&attended).await.unwrap().state(), GameState::Waiting);
    }
    drop(host);
    // After a restart it is still seen to.
    service.kill();
    let service = start_with(&database.url, &["--idle-table-seconds", "2"]).await;
    drop(watched);
    watched = ewa.at(&service.url, Via::Rest).watch(&attended, Some(0)).await.unwrap();
    until(&mut watched, |kind| matches!(kind, Kind::GameEnded(_))).await;
    let list = ask(&service.url, Via::Rest, &ala, "ListTables", &json!({})).await.unwrap();
    assert!(list["tables"].as_array().is_none_or(Vec::is_empty), "{list}");
}

/// Everybody may have longer to be ready than a table waits where nobody is.
async fn a_table_waits_for_the_ready_while_somebody_is_there(backend: Backend) {
    let database = fresh(backend).await;
    let service = start_with(&database.url, &["--idle-table-seconds", "4"]).await;
    let url = &service.url;
    let [ala, ola, _] = people(url).await;
    let game = open(url, &ala, json!({})).await.game_id;
    sit(url, Via::Grpc, &ola, &game).await.unwrap();
    let mut stream = ola.watch(&game, Some(0)).await.unwrap();
    ask(url, Via::Grpc, &ala, "AskReady", &command(&game, &json!({"seconds": 10}))).await.unwrap();
    ola.send(&Order::new(&game, 0, Command::Ready(String::new()))).await.unwrap();
    let moves = until(&mut stream, |kind| matches!(kind, Kind::ReadyMissed(_) | Kind::GameEnded(_))).await;
    assert_eq!(moves.last().unwrap().events.len(), 1);
    assert_eq!(ola.look(&game).await.unwrap().seats[0].player_id, "");
}
