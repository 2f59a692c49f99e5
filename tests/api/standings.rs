//! What finished games come to: games are played at the service, and ratings, statistics and leaderboards tell of them.

use std::time::Duration;

use remik::proto::v1::{BotStrength, NewBot, game_end::End};
use serde_json::{Value as Json, json};

use crate::{
    admin::{admin, order},
    call::{Caller, Credentials, until},
    client::{Client, Command, Order, Via},
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    program::{remik, text},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    finished_games_are_rated
    what_isnt_rated_is_told_so
    a_stopped_game_is_rated_and_a_voided_one_counts_nowhere
    a_whole_game_is_summed_up
    leaderboards_show_who_is_ahead
    a_killed_service_counts_nothing_twice
    a_result_is_as_late_as_its_game
}

/// How long it may take until a game is counted, on a machine that does much else.
const BOUND: Duration = Duration::from_secs(20);

/// Somebody who asks about standings, by turns over gRPC and REST.
struct Asker {
    caller: Caller,
    credentials: Credentials,
}

impl Asker {
    fn new(url: &str, client: &Client) -> Self {
        Self { caller: Caller::new(url), credentials: Credentials::token(&client.token) }
    }

    /// Asks in both ways, which must tell the same.
    async fn ask(&self, method: &str, request: Json) -> Json {
        let method = format!("remik.v1.StandingsService/{method}");
        let [one, other] = [Via::Grpc, Via::Rest].map(|via| {
            let (request, method) = (request.clone(), method.clone());
            async move { self.caller.call(via, &method, &request, &self.credentials).await.unwrap() }
        });
        let (one, other) = (one.await, other.await);
        assert_eq!(one, other, "{method}");
        told(one)
    }

    /// Asks in one way, where the answer may change meanwhile.
    async fn poll(&self, method: &str, request: &Json) -> Json {
        let method = format!("remik.v1.StandingsService/{method}");
        told(self.caller.call(Via::Grpc, &method, request, &self.credentials).await.unwrap())
    }

    async fn refused(&self, method: &str, request: Json) -> String {
        let method = format!("remik.v1.StandingsService/{method}");
        let answer = self.caller.call(Via::Rest, &method, &request, &self.credentials).await;
        answer.unwrap_err().refused().reason
    }

    /// What a game is counted as, once it is.
    async fn counting(&self, game: &str) -> Json {
        let asked = json!({"gameId": game});
        let took = until(BOUND, "the game is counted", async || {
            self.poll("GetGameRatings", &asked).await["counting"] != "GAME_COUNTING_PENDING"
        })
        .await;
        println!("counted after {took:?}");
        self.ask("GetGameRatings", asked).await
    }
}

/// An answer without what is empty.
fn told(answer: Json) -> Json {
    let empty = |value: &Json| match value {
        Json::Null => true,
        Json::Bool(value) => !value,
        Json::Number(value) => value.as_f64() == Some(0.0),
        Json::String(value) => value.is_empty() || value == "0",
        Json::Array(values) => values.is_empty(),
        Json::Object(_) => false,
    };
    match answer {
        Json::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| (name, told(value)));
            Json::Object(fields.filter(|(_, value)| !empty(value)).collect())
        }
        Json::Array(values) => Json::Array(values.into_iter().map(told).collect()),
        other => other,
    }
}

/// Everybody leaves in an order; who is left has won. The game must have begun.
async fn leave(party: &Party, seats: &[usize]) {
    for seat in seats {
        let version = party.players[*seat].look(&party.game).await.unwrap().version;
        party.players[*seat].send(&Order::new(&party.game, version, Command::Leave)).await.unwrap();
    }
}

/// A quick game of these players, which the last of them wins.
async fn quick_game(url: &str, players: &[Client], preset: &'static str) -> String {
    let wish = Wish { preset, ..Wish::seats(players.len() as u32) };
    let view = players[0].create(wish.request()).await.unwrap().view.unwrap();
    let party = Party { game: view.game_id, code: view.invite_code, players: players.to_vec() };
    for player in &players[1..] {
        player.at(url, Via::Grpc).send(&Order::new(&party.game, 0, Command::Join(None))).await.unwrap();
    }
    get_ready(&party).await;
    leave(&party, &(0..players.len() - 1).collect::<Vec<_>>()).await;
    party.game
}

async fn guests(url: &str, names: &[&str]) -> Vec<Client> {
    let mut guests = Vec::new();
    for name in names {
        guests.push(Client::guest(url, Via::Grpc, name).await.unwrap());
    }
    guests
}

fn number(value: &Json) -> i64 {
    value.as_i64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
}

fn column<'a>(list: &'a Json, key: &str) -> Vec<&'a Json> {
    list.as_array().unwrap().iter().map(|item| &item[key]).collect()
}

async fn finished_games_are_rated(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let party = Party::seated(url, &Wish::seats(4).private()).await;
    let asker = Asker::new(url, &party.players[0]);
    get_ready(&party).await;
    let pending = asker.ask("GetGameRatings", json!({"gameId": party.game})).await;
    assert_eq!(pending, json!({"counting": "GAME_COUNTING_PENDING"}));
    leave(&party, &[2, 0, 3]).await;

    let told = asker.counting(&party.game).await;
    assert_eq!(told["counting"], "GAME_COUNTING_RATED");
    let by_place = [1, 3, 0, 2].map(|seat: usize| party.players[seat].id.as_str());
    assert_eq!(column(&told["changes"], "playerId"), by_place);
    assert_eq!(column(&told["changes"], "place"), [1, 2, 3, 4]);
    let points: Vec<i64> = column(&told["changes"], "points").into_iter().map(number).collect();
    assert!(points.is_sorted_by(|one, other| one > other), "{points:?}");
    for change in told["changes"].as_array().unwrap() {
        assert_eq!((number(&change["pointsBefore"]), number(&change["deviationBefore"])), (1500, 500));
        assert_eq!((change["gameId"].as_str(), &change["provisional"]), (Some(&*party.game), &json!(true)));
    }

    let me = json!({"playerId": "me"});
    let ratings = asker.ask("GetRatings", me.clone()).await;
    let of_remik = &ratings["ratings"][0];
    assert_eq!((&of_remik["preset"], number(&of_remik["games"])), (&json!("remik-51"), 1));
    assert_eq!((number(&of_remik["points"]), &of_remik["provisional"]), (points[2], &json!(true)));
    let statistics = asker.ask("GetStatistics", json!({"playerId": by_place[0]})).await;
    let of_winner = &statistics["statistics"][0];
    assert_eq!(statistics["statistics"].as_array().unwrap().len(), 1);
    assert_eq!(of_winner["counting"], "GAME_COUNTING_RATED");
    for (key, expected) in [("games", 1), ("wins", 1), ("streak", 1), ("longestStreak", 1), ("deals", 0)] {
        assert_eq!(number(&of_winner[key]), expected, "{key}");
    }
    let asked = json!({"playerId": by_place[3], "preset": "remik-51", "period": "year"});
    let of_loser = asker.ask("GetStatistics", asked).await;
    let row = &of_loser["statistics"][0];
    assert_eq!((number(&row["games"]), number(&row["wins"]), number(&row["streak"])), (1, 0, 0));
    let year = of_loser["period"].as_str().unwrap();
    assert!(year.parse::<u16>().unwrap() > 2024);
    let asked = json!({"playerId": by_place[3], "preset": "rummy-200"});
    assert_eq!(asker.ask("GetStatistics", asked).await, json!({}));

    // A history in pages, with the ids of games for oneself alone.
    for _ in 0..2 {
        asker.counting(&quick_game(url, &party.players, "remik-51").await).await;
    }
    let mut pages = Vec::new();
    let mut token = String::new();
    loop {
        let page = asker
            .ask("ListRatingChanges", json!({"playerId": "me", "pageSize": 2, "pageToken": token}))
            .await;
        pages.extend(page["changes"].as_array().unwrap().clone());
        match page["nextPageToken"].as_str() {
            Some(next) => token = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(column(&json!(pages), "number"), [3, 2, 1]);
    assert_eq!((pages[2]["gameId"].as_str(), number(&pages[2]["points"])), (Some(&*party.game), points[2]));
    for two in pages.windows(2) {
        assert_eq!(two[0]["pointsBefore"], two[1]["points"]);
    }
    let of_other = asker.ask("ListRatingChanges", json!({"playerId": by_place[0]})).await;
    assert!(of_other["changes"][0]["gameId"].is_null());

    // Who may not know of a game learns nothing of it.
    let stranger = Asker::new(url, &Client::guest(url, Via::Grpc, "Obcy").await.unwrap());
    assert_eq!(stranger.refused("GetGameRatings", json!({"gameId": party.game})).await, "GAME_NOT_FOUND");
    assert_eq!(stranger.ask("GetRatings", me.clone()).await, json!({}));
    let nobody = json!({"playerId": "01912345-0000-7000-8000-000000000000"});
    for method in ["GetRatings", "GetStatistics", "ListRatingChanges"] {
        assert_eq!(stranger.refused(method, nobody.clone()).await, "PLAYER_NOT_FOUND");
    }
    let wrong = [
        ("GetStatistics", json!({"playerId": "me", "period": "2026-13"}), "MALFORMED_FIELD"),
        ("GetStatistics", json!({"playerId": "me", "preset": "canasta"}), "UNKNOWN_PRESET"),
        ("ListRatingChanges", json!({"playerId": "me", "pageToken": "x"}), "MALFORMED_FIELD"),
        ("ListRatingChanges", json!({"playerId": "me", "pageSize": 101}), "FIELD_OUT_OF_RANGE"),
        ("ListLeaderboard", json!({"pageToken": "7"}), "MALFORMED_FIELD"),
        ("ListLeaderboard", json!({"order": 17}), "FIELD_OUT_OF_RANGE"),
        ("ListLeaderboard", json!({"aroundPlayerId": "me"}), "NOT_ON_LEADERBOARD"),
    ];
    for (method, request, reason) in wrong {
        assert_eq!(stranger.refused(method, request).await, reason);
    }
    service.stop().await;
}

async fn what_isnt_rated_is_told_so(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let house_rules = Party::seated(url, &Wish::seats(2).ends(End::Deals(1))).await;
    get_ready(&house_rules).await;
    leave(&house_rules, &[0]).await;
    let asker = Asker::new(url, &house_rules.players[1]);
    let told = asker.counting(&house_rules.game).await;
    assert_eq!(told, json!({"counting": "GAME_COUNTING_HOUSE_RULES"}));

    let mut with_bot = Wish::seats(2).request();
    with_bot.bots = vec![NewBot { strength: BotStrength::Easy.into(), seat: None }];
    let host = &house_rules.players[1];
    let game = host.create(with_bot).await.unwrap().view.unwrap().game_id;
    let version = host.send(&Order::new(&game, 0, Command::Ready(String::new()))).await.unwrap().version;
    host.send(&Order::new(&game, version, Command::Leave)).await.unwrap();
    assert_eq!(asker.counting(&game).await, json!({"counting": "GAME_COUNTING_WITH_BOTS"}));

    let statistics = asker.ask("GetStatistics", json!({"playerId": "me"})).await;
    let kinds = ["GAME_COUNTING_HOUSE_RULES", "GAME_COUNTING_WITH_BOTS"];
    assert_eq!(column(&statistics["statistics"], "counting"), kinds);
    let wins: Vec<i64> = column(&statistics["statistics"], "wins").into_iter().map(number).collect();
    assert_eq!(wins, [1, 0]);
    assert_eq!(asker.ask("GetRatings", json!({"playerId": "me"})).await, json!({}));
    let wins = json!({"order": "LEADERBOARD_ORDER_WINS"});
    assert_eq!(asker.ask("ListLeaderboard", wins).await, json!({}));
    service.stop().await;
}

async fn a_stopped_game_is_rated_and_a_voided_one_counts_nowhere(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let (url, key) = (&service.url, &service.console_key);
    let me = json!({"playerId": "me"});
    let nothing = async |asker: &Asker| {
        for method in ["GetRatings", "GetStatistics"] {
            let told = asker.ask(method, me.clone()).await;
            assert!(told["ratings"].is_null() && told["statistics"].is_null(), "{method}: {told}");
        }
        let history = asker.ask("ListRatingChanges", me.clone()).await;
        assert!(history["changes"].is_null(), "{history}");
    };

    let voided = Party::seated(url, &Wish::seats(2)).await;
    get_ready(&voided).await;
    let asker = Asker::new(url, &voided.players[0]);
    admin(url, "VoidGame", order("gameId", &voided.game, "Zmowa"), key).await.unwrap();
    assert_eq!(asker.counting(&voided.game).await, json!({"counting": "GAME_COUNTING_VOIDED"}));
    nothing(&asker).await;

    // One that ends before any cards are dealt has no places.
    let waiting = Party::seated(url, &Wish::seats(2)).await;
    admin(url, "EndGame", order("gameId", &waiting.game, "Awaria"), key).await.unwrap();
    let asker = Asker::new(url, &waiting.players[0]);
    assert_eq!(asker.counting(&waiting.game).await, json!({"counting": "GAME_COUNTING_NOT_PLAYED"}));
    nothing(&asker).await;

    let ended = Party::seated(url, &Wish::seats(2)).await;
    get_ready(&ended).await;
    let view = admin(url, "EndGame", order("gameId", &ended.game, "Awaria"), key).await.unwrap();
    let places: Vec<i64> = view["view"]["result"]["places"].as_array().unwrap().iter().map(number).collect();
    assert!(places.iter().all(|place| *place > 0), "{places:?}");
    let asker = Asker::new(url, &ended.players[0]);
    let told = asker.counting(&ended.game).await;
    assert_eq!(told["counting"], "GAME_COUNTING_RATED");
    for change in told["changes"].as_array().unwrap() {
        let seat = ended.players.iter().position(|player| change["playerId"] == player.id.as_str()).unwrap();
        assert_eq!(number(&change["place"]), places[seat]);
    }
    let statistics = asker.ask("GetStatistics", me.clone()).await;
    assert_eq!(number(&statistics["statistics"][0]["games"]), 1);
    service.stop().await;
}

async fn a_whole_game_is_summed_up(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let mut wish = Wish { preset: "block-rummy", ..Wish::seats(3) };
    // The time between deals makes no other game of it.
    wish.overrides.pause_seconds = Some(1);
    let party = Party::seated(&service.url, &wish).await;
    party.play(any_seed()).await;
    let view = party.players[0].look(&party.game).await.unwrap();
    let asker = Asker::new(&service.url, &party.players[0]);
    let told = asker.counting(&party.game).await;
    assert_eq!(told["counting"], "GAME_COUNTING_RATED");
    let places = view.result.unwrap().places;
    for change in told["changes"].as_array().unwrap() {
        let seat = party.players.iter().position(|player| change["playerId"] == player.id.as_str()).unwrap();
        assert_eq!(number(&change["place"]), i64::from(places[seat]));
    }
    let (mut won, mut deals) = (0, Vec::new());
    for (seat, player) in party.players.iter().enumerate() {
        let asked = json!({"playerId": player.id, "preset": "block-rummy", "period": "week"});
        let answer = asker.ask("GetStatistics", asked).await;
        assert!(answer["period"].as_str().unwrap().contains("-W"));
        let row = &answer["statistics"][0];
        assert_eq!(number(&row["points"]), i64::from(view.seats[seat].total));
        assert_eq!(number(&row["wins"]), i64::from(places[seat] == 1));
        deals.push(number(&row["deals"]));
        won += number(&row["dealsWon"]);
        let average = number(&row["points"]) as f64 / deals[seat] as f64;
        assert!((row["averagePoints"].as_f64().unwrap_or(0.0) - average).abs() < 1e-9);
    }
    assert!(deals[0] > 0 && deals.iter().all(|count| *count == deals[0]), "{deals:?}");
    assert!(won <= deals[0]);
    service.stop().await;
}

async fn leaderboards_show_who_is_ahead(backend: Backend) {
    const GAMES: usize = 24;
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let people = guests(url, &["Ala", "Ola", "Ewa", "Iga"]).await;
    let asker = Asker::new(url, &people[3]);
    // Until nobody's rating is provisional. Each wins now and then, the last one most often.
    let (mut last, mut wins, mut streaks, mut longest) = (String::new(), [0; 4], [0; 4], [0; 4]);
    for game in 0..GAMES {
        let mut order = [0, 1, 2, 3];
        if game % 3 == 2 {
            order.rotate_left(game / 3 % 4);
        }
        for player in order {
            let won = player == order[3];
            wins[player] += i64::from(won);
            streaks[player] = if won { streaks[player] + 1 } else { 0 };
            longest[player] = longest[player].max(streaks[player]);
        }
        last = quick_game(url, &order.map(|player| people[player].clone()), "remik-51").await;
        if game == 0 {
            asker.counting(&last).await;
            assert_eq!(asker.ask("ListLeaderboard", json!({})).await, json!({}), "all are provisional");
        }
    }
    asker.counting(&last).await;
    let board = asker.ask("ListLeaderboard", json!({})).await;
    assert_eq!(column(&board["leaders"], "displayName"), ["Iga", "Ewa", "Ola", "Ala"]);
    assert_eq!(column(&board["leaders"], "rank"), [1, 2, 3, 4]);
    assert_eq!(column(&board["leaders"], "games"), [GAMES; 4]);
    let rating = asker.ask("GetRatings", json!({"playerId": "me"})).await;
    assert_eq!(board["leaders"][0]["value"], rating["ratings"][0]["points"]);
    assert!(rating["ratings"][0]["provisional"].is_null());

    let around = asker.ask("ListLeaderboard", json!({"aroundPlayerId": people[1].id, "pageSize": 3})).await;
    assert_eq!(column(&around["leaders"], "rank"), [2, 3, 4]);
    let first = asker.ask("ListLeaderboard", json!({"aroundPlayerId": "me", "pageSize": 2})).await;
    assert_eq!(column(&first["leaders"], "displayName"), ["Iga", "Ewa"]);
    let asked = json!({"pageSize": 2, "pageToken": first["nextPageToken"]});
    let second = asker.ask("ListLeaderboard", asked).await;
    assert_eq!(column(&second["leaders"], "rank"), [3, 4]);
    assert!(second["nextPageToken"].is_null());

    let by_wins = |more: Json| {
        let mut asked = json!({"order": "LEADERBOARD_ORDER_WINS", "preset": "remik-51"});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        asked
    };
    let sorted = |mut figures: [i64; 4]| {
        figures.sort_by(|one, other| other.cmp(one));
        figures.into_iter().filter(|figure| *figure > 0).collect::<Vec<_>>()
    };
    for period in ["", "year"] {
        let board = asker.ask("ListLeaderboard", by_wins(json!({"period": period}))).await;
        assert_eq!(column(&board["leaders"], "value"), sorted(wins), "{period}");
        assert_eq!(board["leaders"][0]["displayName"], "Iga");
    }
    assert_eq!(
        asker.ask("ListLeaderboard", by_wins(json!({"period": "1999"}))).await,
        json!({"period": "1999"})
    );
    let streak = json!({"order": "LEADERBOARD_ORDER_LONGEST_STREAK"});
    let streaks = asker.ask("ListLeaderboard", streak).await;
    assert_eq!(column(&streaks["leaders"], "value"), sorted(longest));
    let deals = json!({"order": "LEADERBOARD_ORDER_DEALS_WON"});
    assert_eq!(asker.ask("ListLeaderboard", deals.clone()).await, json!({}));
    let around = json!({"order": "LEADERBOARD_ORDER_DEALS_WON", "aroundPlayerId": "me"});
    assert_eq!(asker.refused("ListLeaderboard", around).await, "NOT_ON_LEADERBOARD");

    // Counted anew beside the running service, it is the same.
    let all = async || {
        let mut told = vec![asker.ask("ListLeaderboard", json!({})).await];
        for player in &people {
            told.push(asker.ask("ListRatingChanges", json!({"playerId": player.id, "pageSize": 100})).await);
            told.push(asker.ask("GetStatistics", json!({"playerId": player.id})).await);
        }
        told
    };
    let before = all().await;
    let database_url = database.url.clone();
    let rebuild = move || remik(&["ratings", "rebuild", "--database-url", &database_url]);
    let output = tokio::task::spawn_blocking(rebuild).await.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), format!("{GAMES} games are counted anew\n"));
    assert_eq!(all().await, before);
    // And the service counts on.
    asker.counting(&quick_game(url, &people, "remik-51").await).await;
    service.stop().await;
}

async fn a_killed_service_counts_nothing_twice(backend: Backend) {
    const ROUNDS: usize = 6;
    let database = fresh(backend).await;
    let first = Service::start(&database.url).await;
    let people = guests(&first.url, &["Ala", "Ola"]).await;
    first.stop().await;
    let mut last = String::new();
    for round in 0..ROUNDS {
        // Where two can share a database there are two, and one of them dies.
        let dies = Service::start(&database.url).await;
        let lives = match backend {
            Backend::Postgres => Some(Service::start(&database.url).await),
            Backend::Sqlite => None,
        };
        let here: Vec<Client> = people.iter().map(|player| player.at(&dies.url, Via::Grpc)).collect();
        for _ in 0..4 {
            last = quick_game(&dies.url, &here, "remik-51").await;
        }
        // Before anything is counted, or in the middle of it.
        if round % 2 == 1 {
            let asker = Asker::new(&dies.url, &people[1]);
            until(BOUND, "some games are counted", async || {
                let answer = asker.poll("GetStatistics", &json!({"playerId": "me"})).await;
                number(&answer["statistics"][0]["games"]) > (round * 4) as i64
            })
            .await;
        }
        dies.kill();
        if let Some(lives) = lives {
            lives.stop().await;
        }
    }
    let service = Service::start(&database.url).await;
    let asker = Asker::new(&service.url, &people[1]);
    asker.counting(&last).await;
    let games = (ROUNDS * 4) as i64;
    let answer = asker.ask("GetStatistics", json!({"playerId": "me"})).await;
    let row = &answer["statistics"][0];
    let counted = ["games", "wins", "streak", "longestStreak"].map(|key| number(&row[key]));
    assert_eq!(counted, [games; 4]);
    let ratings = asker.ask("GetRatings", json!({"playerId": "me"})).await;
    assert_eq!(number(&ratings["ratings"][0]["games"]), games);
    let changes = asker.ask("ListRatingChanges", json!({"playerId": "me", "pageSize": 100})).await;
    let numbers: Vec<i64> = column(&changes["changes"], "number").into_iter().map(number).collect();
    assert_eq!(numbers, (1..=games).rev().collect::<Vec<_>>());
    service.stop().await;
}

/// A spectator who sees a table later learns of its result later.
async fn a_result_is_as_late_as_its_game(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).delayed(3600)).await;
    get_ready(&party).await;
    leave(&party, &[0]).await;
    let player = Asker::new(&service.url, &party.players[0]);
    assert_eq!(player.counting(&party.game).await["counting"], "GAME_COUNTING_RATED");
    let stranger = Asker::new(&service.url, &Client::guest(&service.url, Via::Rest, "Obcy").await.unwrap());
    let told = stranger.ask("GetGameRatings", json!({"gameId": party.game})).await;
    assert_eq!(told, json!({"counting": "GAME_COUNTING_PENDING"}));
    service.stop().await;
}
