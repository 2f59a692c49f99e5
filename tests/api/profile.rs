//! What is kept about players: changed, given to them, and erased so that it stays so.

use std::{path::Path, time::Duration};

use remik::proto::v1::{GameState, SeatView};
use serde_json::{Value as Json, json};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};

use crate::{
    call::{Credentials, call, reason, start_with, until},
    chat::{ChatStream, execute, say},
    client::{Client, Command, Failure, Order, Via, fresh_id},
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    program::{remik, text},
    service::Service,
    spectators::list,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_new_name_is_seen_everywhere
    a_player_gets_all_that_is_held_about_him
    nothing_is_left_of_an_erased_player_but_his_games
    an_erased_player_stays_so_in_a_database_that_was_set_back
}

/// How long another instance may take to hear of it.
const BOUND: Duration = Duration::from_secs(6);

async fn profile(url: &str, via: Via, method: &str, request: Json, token: &str) -> Result<Json, Failure> {
    call(url, via, &format!("remik.v1.ProfileService/{method}"), &request, &Credentials::token(token)).await
}

async fn players(url: &str, method: &str, request: Json, token: &str) -> Result<Json, Failure> {
    call(url, Via::Rest, &format!("remik.v1.PlayerService/{method}"), &request, &Credentials::token(token))
        .await
}

/// The service with a data folder of its own.
async fn start(database_url: &str, folder: &Path) -> Service {
    start_with(database_url, &["--data-dir", folder.to_str().unwrap()]).await
}

async fn shown_names(client: &Client, game: &str) -> Vec<String> {
    let seats = client.look(game).await.unwrap().seats;
    seats.into_iter().map(|seat| seat.display_name).collect()
}

async fn a_new_name_is_seen_everywhere(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let second = match backend {
        Backend::Postgres => Some(Service::start(&database.url).await),
        Backend::Sqlite => None,
    };
    let url = &service.url;
    let there = second.as_ref().map_or(url, |second| &second.url);
    let party = Party::seated(url, &Wish::seats(2)).await;
    let [ala, ola] = &party.players[..] else { panic!() };
    let far = ola.at(there, Via::Rest);
    assert_eq!(shown_names(&far, &party.game).await, ["Grpc", "Rest"]);
    let change = json!({"playerId": "me", "displayName": " A\u{301}la ", "locale": "pl-PL"});
    let player = profile(url, Via::Rest, "UpdatePlayer", change, &ala.token).await.unwrap();
    assert_eq!(player["player"]["displayName"], "Ála");
    assert_eq!((&player["player"]["locale"], &player["player"]["guest"]), (&json!("pl-PL"), &json!(true)));
    assert_eq!(shown_names(ola, &party.game).await, ["Ála", "Rest"]);
    let games = list(url, ola, &[GameState::Waiting], 20).await.games;
    let name = games[0].seats[0].display_name.clone();
    assert_eq!(name, "Ála");
    until(BOUND, "the other instance shows it", async || {
        shown_names(&far, &party.game).await == ["Ála", "Rest"]
    })
    .await;
    // His language is his own and his backend's business; each may be changed alone, or neither.
    let change = json!({"playerId": ala.id, "locale": ""});
    let player = profile(url, Via::Grpc, "UpdatePlayer", change, &service.console_key).await.unwrap();
    assert_eq!((&player["player"]["displayName"], &player["player"]["locale"]), (&json!("Ála"), &json!("")));
    let change = json!({"playerId": "me"});
    let player = profile(url, Via::Rest, "UpdatePlayer", change, &ala.token).await.unwrap();
    assert_eq!(player["player"]["displayName"], "Ála");
    // His profile, for everybody.
    let shown = players(url, "GetPlayer", json!({"playerId": ala.id}), &ola.token).await.unwrap();
    let shown = &shown["player"];
    assert_eq!((&shown["displayName"], &shown["locale"]), (&json!("Ála"), &json!("")));
    assert!(shown["createdAt"].as_str().is_some_and(|at| at.starts_with("20")), "{shown}");
    for (change, told) in [
        (json!({"playerId": "me", "displayName": ""}), "MISSING_FIELD"),
        (json!({"playerId": "me", "displayName": "x".repeat(33)}), "FIELD_OUT_OF_RANGE"),
        (json!({"playerId": "me", "displayName": "a\u{202e}b"}), "MALFORMED_FIELD"),
        (json!({"playerId": "me", "locale": "po polsku"}), "MALFORMED_FIELD"),
        (json!({"playerId": ola.id, "displayName": "Kto inny"}), "SCOPE_MISSING"),
    ] {
        for via in [Via::Grpc, Via::Rest] {
            assert_eq!(reason(profile(url, via, "UpdatePlayer", change.clone(), &ala.token).await), told);
        }
    }
    let nobody = json!({"playerId": fresh_id().to_string(), "displayName": "Nikt"});
    let refused = profile(url, Via::Rest, "UpdatePlayer", nobody, &service.console_key).await;
    assert_eq!(reason(refused), "PLAYER_NOT_FOUND");
}

/// All records of an export, by pages of a size.
async fn export(url: &str, player: &str, size: u32, token: &str) -> Vec<(String, Json)> {
    let mut records = Vec::new();
    let mut page_token = String::new();
    loop {
        let asked = json!({"playerId": player, "pageSize": size, "pageToken": page_token});
        let page = profile(url, Via::Rest, "ExportPlayer", asked, token).await.unwrap();
        let all = page["records"].as_array().cloned().unwrap_or_default();
        assert!(all.len() <= size as usize);
        let record = |record: Json| (record["section"].as_str().unwrap().to_owned(), record["data"].clone());
        records.extend(all.into_iter().map(record));
        page_token = page["nextPageToken"].as_str().unwrap_or_default().to_owned();
        if page_token.is_empty() {
            return records;
        }
    }
}

/// The records of a section.
fn section<'a>(records: &'a [(String, Json)], name: &str) -> Vec<&'a Json> {
    records.iter().filter(|(section, _)| section == name).map(|(_, data)| data).collect()
}

async fn a_player_gets_all_that_is_held_about_him(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let asked = json!({"externalId": "konto-7", "displayName": "Zenobia", "locale": "pl"});
    let made = players(url, "CreatePlayer", asked, &service.console_key).await.unwrap();
    let id = made["player"]["playerId"].as_str().unwrap().to_owned();
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let issued = players(url, "IssueToken", json!({"playerId": id}), &service.console_key).await.unwrap();
        tokens.push(issued["token"].as_str().unwrap().to_owned());
        tokens.push(issued["refreshToken"].as_str().unwrap().to_owned());
    }
    let mut zenobia = Client::nobody(url, Via::Grpc);
    zenobia.token.clone_from(&tokens[0]);
    zenobia.id.clone_from(&id);
    let zenobia = zenobia.at(url, Via::Grpc);
    let party = Party::seated(url, &Wish::seats(2).easy()).await;
    // One that is over, in which she has won or lost; one that goes on; and one that she has left.
    let over = zenobia.create(Wish::seats(2).easy().request()).await.unwrap().view.unwrap().game_id;
    let other = &party.players[1];
    other.send(&Order::new(&over, 0, Command::Join(None))).await.unwrap();
    let whole =
        Party { game: over.clone(), code: String::new(), players: vec![zenobia.clone(), other.clone()] };
    whole.play(any_seed()).await;
    let waiting = zenobia.create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;
    say(url, &zenobia, &over, "Gratulacje").await.unwrap();
    say(url, other, &over, "Dziękuję").await.unwrap();
    say(url, &zenobia, &waiting, "Halo").await.unwrap();
    for (method, more) in
        [("BlockPlayer", json!({})), ("MutePlayer", json!({})), ("MutePlayer", json!({"gameId": over}))]
    {
        let mut asked = json!({"playerId": party.players[0].id});
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        profile(url, Via::Rest, method, asked, &zenobia.token).await.unwrap();
    }

    let invited = other.create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;
    let asked = json!({"gameId": invited, "playerIds": [id]});
    let own = Credentials::token(&other.token);
    call(url, Via::Rest, "remik.v1.LobbyService/InvitePlayers", &asked, &own).await.unwrap();
    let asked = json!({"requestId": fresh_id().to_string(), "presets": ["remik-51"], "seats": [4]});
    let own = Credentials::token(&zenobia.token);
    call(url, Via::Rest, "remik.v1.MatchmakingService/CreateTicket", &asked, &own).await.unwrap();

    // What games come to is counted a little later.
    let counted = async || !section(&export(url, "me", 100, &zenobia.token).await, "statistics").is_empty();
    until(Duration::from_secs(30), "the game is counted", counted).await;
    let records = export(url, "me", 100, &zenobia.token).await;
    for size in [1, 3] {
        assert_eq!(export(url, "me", size, &zenobia.token).await, records, "by {size}");
    }
    assert_eq!(export(url, &id, 100, &service.console_key).await, records);
    let player = section(&records, "player");
    assert_eq!(player.len(), 1);
    for (field, value) in
        [("playerId", &*id), ("displayName", "Zenobia"), ("externalId", "konto-7"), ("locale", "pl")]
    {
        assert_eq!(player[0][field], value);
    }
    assert_eq!(section(&records, "sessions").len(), 2);
    assert_eq!(section(&records, "blocks")[0]["playerId"], json!(party.players[0].id));
    let mut muted: Vec<&Json> = section(&records, "mutes").iter().map(|mute| &mute["gameId"]).collect();
    muted.sort_by_key(|game| game.to_string());
    assert_eq!(muted, [&json!(over), &Json::Null]);
    let said: Vec<&Json> = section(&records, "messages").iter().map(|line| &line["text"]).collect();
    assert_eq!(said, ["Gratulacje", "Halo"], "by the games, which are in the order of their making");
    let games = section(&records, "games");
    assert_eq!(games.len(), 2);
    let one = |game: &str| *games.iter().find(|data| data["gameId"] == game).unwrap();
    let view = zenobia.look(&over).await.unwrap();
    let seat = &view.seats[0];
    assert_eq!((&one(&over)["seat"], &one(&over)["state"]), (&json!(0.0), &json!("GAME_STATE_OVER")));
    assert_eq!(one(&over)["total"].as_f64(), Some(f64::from(seat.total)));
    assert!(one(&over)["place"].as_f64().is_some_and(|place| (1.0..=2.0).contains(&place)));
    assert_eq!(
        (&one(&waiting)["state"], &one(&waiting)["place"]),
        (&json!("GAME_STATE_WAITING"), &Json::Null)
    );
    assert_eq!(section(&records, "requests").len(), 3, "of the two tables and the ticket");
    let sums = section(&records, "statistics");
    assert!(sums.iter().all(|sum| sum["kind"] == "GAME_COUNTING_HOUSE_RULES" && sum["games"] == json!(1.0)));
    assert_eq!(section(&records, "tickets")[0]["state"], "TICKET_STATE_QUEUED");
    let invitations = section(&records, "invitations");
    assert_eq!(
        (&invitations[0]["gameId"], &invitations[0]["invitedBy"]),
        (&json!(invited), &json!(other.id))
    );
    // Nothing that signs anybody in, and nothing that others have said.
    let whole = format!("{records:?}");
    assert!(tokens.iter().all(|token| !whole.contains(token.as_str())) && !whole.contains("Dziękuję"));
    let refused = profile(url, Via::Rest, "ExportPlayer", json!({"playerId": id}), &other.token).await;
    assert_eq!(reason(refused), "SCOPE_MISSING");
    for token in ["x", "player", "sessions:x", "messages:1.2.3"] {
        let asked = json!({"playerId": "me", "pageToken": token});
        let refused = profile(url, Via::Rest, "ExportPlayer", asked, &zenobia.token).await;
        assert_eq!(reason(refused), "MALFORMED_FIELD", "{token}");
    }

    // A ban ends the search for a game, and is told.
    let asked = json!({"playerId": id, "requestId": fresh_id().to_string(), "reason": "Zmowa"});
    let admin = Credentials::token(&service.console_key);
    call(url, Via::Rest, "remik.v1.AdminService/BanPlayer", &asked, &admin).await.unwrap();
    let records = export(url, &id, 100, &service.console_key).await;
    let act = section(&records, "acts")[0];
    assert_eq!((&act["act"], &act["reason"]), (&json!("ADMIN_ACT_BAN_PLAYER"), &json!("Zmowa")));
    assert_eq!(section(&records, "tickets")[0]["state"], "TICKET_STATE_CANCELLED");
}

/// What must not be found anywhere.
const NAME: &str = "Zenobiusz Ćwiek";
const ACCOUNT: &str = "konto-zenobiusza-ćwieka";
const WORDS: &str = "mieszkam przy ulicy Dębowej siedem";

/// Everything in a database whose service has stopped, as text: of SQLite the bytes of the file.
async fn everything(url: &str) -> Vec<u8> {
    if let Some(path) = url.strip_prefix("sqlite:") {
        let mut bytes = std::fs::read(path).unwrap();
        bytes.extend(std::fs::read(format!("{path}-wal")).unwrap_or_default());
        return bytes;
    }
    let mut connection = PgConnection::connect(url).await.unwrap();
    let sql = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
    let mut whole = Vec::new();
    for row in connection.fetch_all(sql).await.unwrap() {
        let table: String = row.get(0);
        // As text, bytes are hexadecimal digits: they are searched as such.
        let sql = format!("SELECT t::text FROM \"{table}\" t");
        for row in connection.fetch_all(AssertSqlSafe(sql)).await.unwrap() {
            whole.extend(row.get::<String, _>(0).into_bytes());
        }
    }
    connection.close().await.unwrap();
    whole
}

fn has(whole: &[u8], text: &str) -> bool {
    let hexadecimal = hex::encode(text);
    [text.as_bytes(), hexadecimal.as_bytes()]
        .iter()
        .any(|wanted| whole.windows(wanted.len()).any(|part| part == *wanted))
}

/// A player of an account, who talks at a table where a game is over, and sits at two others.
struct Somebody {
    client: Client,
    other: Client,
    over: String,
    running: String,
    waiting: String,
}

impl Somebody {
    async fn come(service: &Service) -> Self {
        let url = &service.url;
        let asked = json!({"externalId": ACCOUNT, "displayName": NAME, "locale": "szl"});
        let made = players(url, "CreatePlayer", asked, &service.console_key).await.unwrap();
        let id = made["player"]["playerId"].as_str().unwrap().to_owned();
        let issued = players(url, "IssueToken", json!({"playerId": id}), &service.console_key).await.unwrap();
        let mut client = Client::nobody(url, Via::Grpc);
        client.token = issued["token"].as_str().unwrap().to_owned();
        client.id.clone_from(&id);
        let client = client.at(url, Via::Grpc);
        let other = Client::guest(url, Via::Rest, "Ola").await.unwrap();
        let mut games = Vec::new();
        for _ in 0..3 {
            let view = client.create(Wish::seats(2).easy().request()).await.unwrap().view.unwrap();
            games.push(view.game_id);
        }
        let [over, running, waiting] = <[String; 3]>::try_from(games).unwrap();
        for game in [&over, &running] {
            other.send(&Order::new(game, 0, Command::Join(None))).await.unwrap();
        }
        let both = |game: &String| Party {
            game: game.clone(),
            code: String::new(),
            players: vec![client.clone(), other.clone()],
        };
        both(&over).play(any_seed()).await;
        get_ready(&both(&running)).await;
        say(url, &client, &over, WORDS).await.unwrap();
        say(url, &other, &over, "Gdzie mieszkasz?").await.unwrap();
        for (from, to) in [(&client, &other), (&other, &client)] {
            for method in ["BlockPlayer", "MutePlayer"] {
                let asked = json!({"playerId": to.id});
                profile(url, Via::Rest, method, asked, &from.token).await.unwrap();
            }
        }
        for method in ["UnblockPlayer", "UnmutePlayer"] {
            profile(url, Via::Rest, method, json!({"playerId": client.id}), &other.token).await.unwrap();
        }
        Self { client, other, over, running, waiting }
    }

    /// What others see of him.
    fn anonymous(&self) -> String {
        format!("Player {}", self.client.id[self.client.id.len() - 4..].to_uppercase())
    }
}

async fn nothing_is_left_of_an_erased_player_but_his_games(backend: Backend) {
    let (database, folder) = (fresh(backend).await, tempfile::tempdir().unwrap());
    let service = start(&database.url, folder.path()).await;
    let url = &service.url;
    let somebody = Somebody::come(&service).await;
    let Somebody { client, other, over, running, waiting } = &somebody;
    let mut live = ChatStream::open(url, Via::Rest, over, 0, &other.token).await.unwrap();
    assert_eq!(live.caught_up().await[0], format!("1 {NAME}: {WORDS}"));
    let mut own = client.watch(running, Some(0)).await.unwrap();
    // The check itself sees what it should.
    if backend == Backend::Postgres {
        let before = everything(&database.url).await;
        assert!([NAME, ACCOUNT, WORDS].iter().all(|text| has(&before, text)));
    }

    let erase = async |player: &str, confirm: &str, token: &str| {
        let asked = json!({"playerId": player, "confirmPlayerId": confirm});
        profile(url, Via::Rest, "ErasePlayer", asked, token).await
    };
    assert_eq!(reason(erase("me", &other.id, &client.token).await), "CONFIRMATION_WRONG");
    assert_eq!(reason(erase("me", "", &client.token).await), "MISSING_FIELD");
    assert_eq!(reason(erase(&client.id, &client.id, &other.token).await), "SCOPE_MISSING");
    erase("me", &client.id, &client.token).await.unwrap();

    // He is nobody any more, at once, and his streams end.
    assert_eq!(reason(client.look(over).await), "UNAUTHENTICATED");
    let end = loop {
        match own.next().await {
            Ok(Some(_)) => {}
            other => break other,
        }
    };
    assert_eq!(reason(end), "UNAUTHENTICATED");
    for player in [&client.id, &fresh_id().to_string()] {
        let acting = Credentials::acting(&service.console_key, player);
        let listed = call(url, Via::Rest, "remik.v1.GameService/ListGames", &json!({}), &acting).await;
        assert_eq!(reason(listed), "PLAYER_NOT_FOUND");
    }
    let asked = json!({"playerId": client.id});
    let issued = players(url, "IssueToken", asked.clone(), &service.console_key).await;
    assert_eq!(reason(issued), "PLAYER_ERASED");
    let renamed = json!({"playerId": client.id, "displayName": NAME});
    let renamed = profile(url, Via::Rest, "UpdatePlayer", renamed, &service.console_key).await;
    assert_eq!(reason(renamed), "PLAYER_ERASED");
    // Again is as once.
    erase(&client.id, &client.id, &service.console_key).await.unwrap();

    // Others see an anonymous player, and none of his words.
    let shown = players(url, "GetPlayer", asked, &service.console_key).await.unwrap();
    let anonymous = somebody.anonymous();
    assert_eq!(
        (&shown["player"]["displayName"], &shown["player"]["erased"]),
        (&json!(anonymous), &json!(true))
    );
    assert_eq!(live.next().await.unwrap(), "3 -0");
    let mut again = ChatStream::open(url, Via::Grpc, over, 0, &other.token).await.unwrap();
    assert_eq!(again.caught_up().await, ["2 Ola: Gdzie mieszkasz?", "3 -0"]);
    let seats: Vec<SeatView> = other.look(over).await.unwrap().seats;
    assert_eq!((&seats[0].player_id, &seats[0].display_name), (&client.id, &anonymous));
    // Nobody waits for him: the game that was running is over, the table that waited is empty.
    assert_eq!(other.look(running).await.unwrap().state(), GameState::Over);
    let left = other.look(waiting).await.unwrap();
    assert!(left.seats.iter().all(|seat| seat.player_id.is_empty()), "{left:?}");
    for method in ["ListBlocks", "ListMutes"] {
        let list = profile(url, Via::Rest, method, json!({}), &other.token).await.unwrap();
        assert!(!list.to_string().contains(&client.id), "{list}");
    }
    let records = export(url, &client.id, 100, &service.console_key).await;
    assert!(records.iter().all(|(section, _)| matches!(
        &**section,
        "player" | "messages" | "games" | "ratings" | "ratingChanges" | "statistics"
    )));
    assert!(section(&records, "messages").iter().all(|line| line["text"].is_null()));

    // His games stay, as they were: seen again, and true.
    let own = Credentials::token(&other.token);
    let asked = json!({"gameId": over, "pageSize": 100});
    let replay =
        call(url, Via::Rest, "remik.v1.ReplayService/ListReplayPositions", &asked, &own).await.unwrap();
    assert!(replay["positions"].as_array().unwrap().len() > 20);
    service.stop().await;
    for game in [over, running, waiting] {
        let (game, url) = (game.clone(), database.url.clone());
        let run = move || remik(&["verify", &game, "--database-url", &url]);
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    }
    let after = everything(&database.url).await;
    for text in [NAME, "Zenobiusz", ACCOUNT, WORDS, "Dębowej"] {
        assert!(!has(&after, text), "{text}");
    }
    assert!(has(&after, "Gdzie mieszkasz?"), "what others have said is theirs");
    // The account that comes again is somebody new.
    let service = start(&database.url, folder.path()).await;
    let asked = json!({"externalId": ACCOUNT, "displayName": "Nowy"});
    let made = players(&service.url, "CreatePlayer", asked, &service.console_key).await.unwrap();
    assert_eq!(made["created"], true);
    assert_ne!(made["player"]["playerId"], json!(client.id));
}

/// A copy from before the erasure is put in the database's place.
async fn an_erased_player_stays_so_in_a_database_that_was_set_back(backend: Backend) {
    let (database, folder) = (fresh(backend).await, tempfile::tempdir().unwrap());
    let service = start(&database.url, folder.path()).await;
    let somebody = Somebody::come(&service).await;
    let id = somebody.client.id.clone();
    service.stop().await;
    let copy =
        database.url.strip_prefix("sqlite:").map(|path| (path.to_owned(), std::fs::read(path).unwrap()));

    let service = start(&database.url, folder.path()).await;
    let asked = json!({"playerId": id, "confirmPlayerId": id});
    profile(&service.url, Via::Rest, "ErasePlayer", asked, &service.console_key).await.unwrap();
    let (exported, url) = (folder.path().join("exported.jsonl"), database.url.clone());
    let command = async |arguments: &[&str]| {
        let mut arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        arguments.extend(["--log", "warn", "--database-url", &url].map(str::to_owned));
        let run = move || remik(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        output
    };
    // Beside the running service.
    let output = command(&["erasures", "export"]).await;
    assert_eq!(text(&output.stdout).lines().count(), 1);
    assert!(text(&output.stdout).contains(&id));
    std::fs::write(&exported, &output.stdout).unwrap();
    service.stop().await;

    let set_back = async || match &copy {
        Some((path, bytes)) => std::fs::write(path, bytes).unwrap(),
        None => {
            execute(&database.url, "DELETE FROM erasures").await;
            execute(
                &database.url,
                "UPDATE players SET name = 'Zenobiusz Ćwiek', named_at = 5 WHERE name = ''",
            )
            .await;
            execute(
                &database.url,
                "UPDATE chat SET body = 'mieszkam przy ulicy Dębowej siedem' WHERE number = 1",
            )
            .await;
        }
    };
    let shown = async |service: &Service| {
        let asked = json!({"playerId": id});
        let shown = players(&service.url, "GetPlayer", asked, &service.console_key).await.unwrap();
        shown["player"]["displayName"].as_str().unwrap().to_owned()
    };
    // The service remembers by its data folder.
    set_back().await;
    assert!(has(&everything(&database.url).await, WORDS));
    let service = start(&database.url, folder.path()).await;
    assert_eq!(shown(&service).await, somebody.anonymous());
    assert!(service.stderr().contains("erased again"), "{}", service.stderr());
    let other = &somebody.other.at(&service.url, Via::Rest);
    let mut chat = ChatStream::open(&service.url, Via::Rest, &somebody.over, 0, &other.token).await.unwrap();
    assert_eq!(chat.caught_up().await, ["2 Ola: Gdzie mieszkasz?", "3 -0"]);
    service.stop().await;
    assert!(!has(&everything(&database.url).await, WORDS));

    // Where that is lost too, it is told by the list.
    set_back().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let service = start(&database.url, elsewhere.path()).await;
    assert_eq!(shown(&service).await, NAME);
    let file = exported.to_str().unwrap();
    let output = command(&["erasures", "apply", file]).await;
    assert_eq!(text(&output.stderr), "1 of 1 players are erased now; the others were\n");
    until(BOUND, "the service shows it", async || shown(&service).await == somebody.anonymous()).await;
    let output = command(&["erasures", "apply", file]).await;
    assert!(text(&output.stderr).starts_with("0 of 1"), "{}", text(&output.stderr));
    service.stop().await;
    assert!(!has(&everything(&database.url).await, WORDS));
}
