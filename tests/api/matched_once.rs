//! A thousand tickets at once while instances are killed: nobody is matched twice, and nobody is lost.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use futures::{StreamExt, stream::iter};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value as Json, json};
use tokio::{sync::watch, time::timeout};
use uuid::Uuid;

use crate::{
    call::{Caller, Credentials, until},
    client::{Client, Failure, Via},
    program,
    service::Service,
    support::database::{Backend, fresh},
};

/// How many tickets there are; every tenth is a party of two.
const TICKETS: usize = 1000;

/// How many calls are made at the same time.
const AT_ONCE: usize = 24;

/// How long all of it may take.
const BOUND: Duration = Duration::from_secs(300);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tickets_on_one_instance_that_is_killed() {
    timeout(BOUND, a_thousand_tickets(Backend::Sqlite, 1)).await.expect("everybody is matched in time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_tickets_on_two_instances_that_are_killed() {
    timeout(BOUND, a_thousand_tickets(Backend::Postgres, 2)).await.expect("everybody is matched in time");
}

/// The instances' callers, as they change.
#[derive(Clone)]
struct Places {
    callers: watch::Receiver<Vec<std::sync::Arc<Caller>>>,
    key: String,
}

impl Places {
    /// Makes a call until it is answered: of what is lost with an instance nobody knows what became.
    async fn insist(&self, mut place: usize, method: &str, asked: &Json) -> Json {
        let credentials = Credentials::token(&self.key);
        let mut callers = self.callers.clone();
        loop {
            let now = callers.borrow_and_update().clone();
            match now[place % now.len()].call(Via::Rest, method, asked, &credentials).await {
                Ok(answer) => return answer,
                // With one place there is nothing but to wait for the next.
                Err(Failure::Lost(_)) if now.len() == 1 => {
                    let _ = timeout(Duration::from_millis(100), callers.changed()).await;
                }
                Err(Failure::Lost(_)) => place += 1,
                // One that has lost the database for a moment, or is being killed.
                Err(Failure::Refused(refused)) if refused.retry_after.is_some() => place += 1,
                Err(Failure::Refused(refused)) => panic!("{method}: {refused:?}"),
            }
        }
    }
}

fn callers(services: &[Service]) -> Vec<std::sync::Arc<Caller>> {
    services.iter().map(|service| std::sync::Arc::new(Caller::new(&service.url))).collect()
}

/// A key that may do all that the test does.
async fn key(database_url: &str) -> String {
    let scopes = ["--scope", "players", "--scope", "matchmaking", "--scope", "games"];
    let usual = ["key", "create", "--name", "Test", "--database-url"].map(str::to_owned);
    let url = [database_url.to_owned()];
    let arguments: Vec<String> = usual.into_iter().chain(url).chain(scopes.map(str::to_owned)).collect();
    let run = move || program::remik(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    assert!(output.status.success(), "{}", program::text(&output.stderr));
    program::text(&output.stdout).trim().to_owned()
}

async fn a_thousand_tickets(backend: Backend, instances: usize) {
    let seed: u64 = rand::random();
    println!("the seed is {seed}");
    let mut chance = StdRng::seed_from_u64(seed);
    let database = fresh(backend).await;
    let key = key(&database.url).await;
    let mut services = Vec::new();
    for _ in 0..instances {
        services.push(Service::start(&database.url).await);
    }
    let (told, now) = watch::channel(callers(&services));
    let places = Places { callers: now, key };

    let sizes: Vec<usize> = (0..TICKETS).map(|number| if number % 10 == 0 { 2 } else { 1 }).collect();
    let players = iter(0..sizes.iter().sum()).map(|number: usize| {
        let places = places.clone();
        let asked = json!({"externalId": format!("user-{number}"), "displayName": "Ala"});
        async move {
            let made = places.insist(number, "remik.v1.PlayerService/CreatePlayer", &asked).await;
            made["player"]["playerId"].as_str().unwrap().to_owned()
        }
    });
    let players: Vec<String> = players.buffered(AT_ONCE).collect().await;

    let (progress, mut acknowledged) = watch::channel(0usize);
    let mut free = players.into_iter();
    let wishes: Vec<(usize, Vec<String>)> =
        sizes.iter().map(|size| free.by_ref().take(*size).collect()).enumerate().collect();
    let tickets = iter(wishes).map(|(number, players)| {
        let (places, progress) = (places.clone(), progress.clone());
        let request = Uuid::new_v4().to_string();
        async move {
            let asked = json!({"requestId": request, "playerIds": players, "seats": [4]});
            let made = places.insist(number, "remik.v1.MatchmakingService/CreateTicket", &asked).await;
            progress.send_modify(|count| *count += 1);
            (made["ticket"]["ticketId"].as_str().unwrap().to_owned(), players)
        }
    });
    let tickets = tickets.buffer_unordered(AT_ONCE).collect::<HashMap<String, Vec<String>>>();
    // Three kills, by turns, while tickets come.
    let kills = async {
        let mut wanted = 0;
        for turn in 0..3 {
            wanted += chance.random_range(150..300);
            acknowledged.wait_for(|count| *count >= wanted).await.unwrap();
            let place = turn % instances;
            services.remove(place).kill();
            services.insert(place, Service::start(&database.url).await);
            told.send_replace(callers(&services));
        }
    };
    let (tickets, ()) = tokio::join!(tickets, kills);
    assert_eq!(tickets.len(), TICKETS);

    // And one more while the last of them are matched.
    services.remove(0).kill();
    services.insert(0, Service::start(&database.url).await);
    told.send_replace(callers(&services));
    let open = json!({"openOnly": true, "pageSize": 1});
    let matched = async || {
        let listed = places.insist(0, "remik.v1.MatchmakingService/ListTickets", &open).await;
        listed["tickets"].as_array().is_none_or(Vec::is_empty)
    };
    until(Duration::from_secs(120), "no ticket is open", matched).await;
    check(&places, &services, &tickets).await;
}

/// Every ticket has one game, every game its four players and nobody else, and nobody is in two.
async fn check(places: &Places, services: &[Service], tickets: &HashMap<String, Vec<String>>) {
    let shown = iter(tickets.iter().enumerate()).map(|(number, (id, players))| async move {
        let asked = json!({"ticketId": id});
        let shown = places.insist(number, "remik.v1.MatchmakingService/GetTicket", &asked).await;
        assert_eq!(shown["ticket"]["state"], "TICKET_STATE_MATCHED", "{id} is lost");
        (shown["ticket"]["gameId"].as_str().unwrap().to_owned(), players)
    });
    let mut games: BTreeMap<String, HashSet<&str>> = BTreeMap::new();
    for (game, players) in shown.buffer_unordered(AT_ONCE).collect::<Vec<_>>().await {
        games.entry(game).or_default().extend(players.iter().map(String::as_str));
    }
    assert!(games.values().all(|players| players.len() == 4));
    assert_eq!(games.len() * 4, tickets.values().map(Vec::len).sum::<usize>());
    let backend = &Caller::new(&services[0].url);
    let looks = iter(&games).map(|(game, players)| async move {
        for player in players {
            let acting = Credentials::acting(&places.key, player);
            let asked = json!({"mine": true});
            let own = backend.call(Via::Rest, "remik.v1.GameService/ListGames", &asked, &acting).await;
            let own = own.unwrap()["games"].take();
            let own = own.as_array().unwrap();
            let ids: Vec<&str> = own.iter().map(|game| game["gameId"].as_str().unwrap()).collect();
            assert_eq!(ids, [game], "{player} has one game, and sees it");
            let seats = own[0]["seats"].as_array().unwrap();
            let seated: HashSet<&str> = seats.iter().map(|seat| seat["playerId"].as_str().unwrap()).collect();
            assert_eq!(seated, *players);
        }
    });
    looks.buffer_unordered(AT_ONCE).collect::<Vec<()>>().await;
    let stranger = Client::guest(&services[0].url, Via::Grpc, "Obcy").await.unwrap();
    let game = games.keys().next().unwrap();
    assert_eq!(stranger.look(game).await.unwrap_err().refused().reason, "GAME_NOT_FOUND");
}
