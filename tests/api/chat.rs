//! What is said at tables: by whom, to whom, in what order, and what isn't.

use std::{process::Command as Program, time::Duration};

use remik::proto::v1::{
    WatchChatRequest, WatchChatResponse, chat_message::Content, chat_service_client::ChatServiceClient,
    watch_chat_response::Item,
};
use reqwest::Response;
use serde_json::{Value as Json, json};
use tonic::{Request, Streaming, transport::Endpoint};

use crate::{
    call::{Credentials, call, reason, start_with},
    client::{Client, Failure, Via, fresh_id, from_json, rest::refusal},
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    what_is_said_is_heard_once_and_in_order
    strangers_hear_nothing_and_spectators_say_nothing
    spectators_hear_with_the_tables_delay
    whom_somebody_does_not_want_to_hear_is_not_shown_to_him
    what_is_deleted_is_gone_everywhere
    a_game_that_is_long_over_is_silent
}

/// How long something may take that is told by another instance.
const BOUND: Duration = Duration::from_secs(20);

const VIAS: [Via; 2] = [Via::Grpc, Via::Rest];

/// A call of the service of chats, as somebody. What is to be said may stand beside the rest.
async fn chat(url: &str, via: Via, method: &str, mut request: Json, token: &str) -> Result<Json, Failure> {
    let fields = request.as_object_mut().unwrap();
    for kind in ["text", "phrase"] {
        if let Some(said) = fields.remove(kind) {
            fields.insert("content".to_owned(), json!({kind: said}));
        }
    }
    call(url, via, &format!("remik.v1.ChatService/{method}"), &request, &Credentials::token(token)).await
}

async fn profile(url: &str, via: Via, method: &str, request: Json, token: &str) -> Result<Json, Failure> {
    call(url, via, &format!("remik.v1.ProfileService/{method}"), &request, &Credentials::token(token)).await
}

/// Says a text, and gives its position.
pub(crate) async fn say(url: &str, player: &Client, game: &str, text: &str) -> Result<u32, Failure> {
    let request = json!({"gameId": game, "requestId": fresh_id().to_string(), "text": text});
    let said = chat(url, Via::Grpc, "SendMessage", request, &player.token).await?;
    Ok(said["message"]["position"].as_u64().unwrap() as u32)
}

/// A stream of a chat.
pub(crate) enum ChatStream {
    Grpc(Box<Streaming<WatchChatResponse>>),
    Rest(Box<Response>, Vec<u8>),
}

impl ChatStream {
    pub(crate) async fn open(
        url: &str,
        via: Via,
        game: &str,
        after: u32,
        token: &str,
    ) -> Result<Self, Failure> {
        match via {
            Via::Grpc => {
                let channel = Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy();
                let (game_id, after_position) = (game.to_owned(), after);
                let mut request =
                    Request::new(WatchChatRequest { game_id, after_position, ..Default::default() });
                let bearer = format!("Bearer {token}").parse().unwrap();
                request.metadata_mut().insert("authorization", bearer);
                let stream = ChatServiceClient::new(channel).watch_chat(request).await?;
                Ok(Self::Grpc(Box::new(stream.into_inner())))
            }
            Via::Rest => {
                let url = format!("{url}/v1/games/{game}/messages:watch");
                let request = reqwest::Client::new().get(url).bearer_auth(token);
                let request = request.header("accept", "text/event-stream");
                let response = request.header("last-event-id", after.to_string()).send().await.unwrap();
                if response.status() != 200 {
                    return Err(refusal(response).await);
                }
                Ok(Self::Rest(Box::new(response), Vec::new()))
            }
        }
    }

    async fn next_item(&mut self) -> Result<WatchChatResponse, Failure> {
        match self {
            Self::Grpc(stream) => Ok(stream.message().await?.expect("the stream goes on")),
            Self::Rest(response, bytes) => loop {
                if let Some(end) = bytes.windows(2).position(|two| two == b"\n\n") {
                    let event = String::from_utf8(bytes.drain(..end + 2).collect()).unwrap();
                    let field = |name| event.lines().find_map(|line| line.strip_prefix(name));
                    let data = field("data: ").unwrap();
                    if field("event: ") == Some("status") {
                        let status: Json = serde_json::from_str(data).unwrap();
                        let info = &status["details"][0]["reason"];
                        return Err(Failure::Lost(info.as_str().unwrap().to_owned()));
                    }
                    let item: WatchChatResponse = from_json("WatchChatResponse", data);
                    let id = field("id: ").map_or(0, |id| id.parse().unwrap());
                    assert_eq!(id, item.position);
                    return Ok(item);
                }
                bytes.extend(response.chunk().await.unwrap().expect("the stream goes on"));
            },
        }
    }

    /// The next item that isn't a heartbeat, as a line: `3 Ola: Cześć`, `4 -2`, `4 =`.
    pub(crate) async fn next(&mut self) -> Result<String, Failure> {
        loop {
            let item = tokio::time::timeout(BOUND, self.next_item()).await.expect("something comes")?;
            let at = item.position;
            return Ok(match item.item.unwrap() {
                Item::Heartbeat(_) => continue,
                Item::CaughtUp(_) => format!("{at} ="),
                Item::Removed(removed) => format!("{at} -{}", removed.position),
                Item::Message(message) => {
                    assert_eq!(message.position, at);
                    let said = match message.content.unwrap() {
                        Content::Text(text) => text,
                        Content::Phrase(key) => format!("[{key}]"),
                    };
                    format!("{at} {}: {said}", message.display_name)
                }
            });
        }
    }

    /// All lines up to what there is now, without the mark.
    pub(crate) async fn caught_up(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.next().await.unwrap();
            if line.ends_with(" =") {
                return lines;
            }
            lines.push(line);
        }
    }
}

/// Everything that a reader is told from a position on.
async fn heard(url: &str, via: Via, game: &str, after: u32, token: &str) -> Vec<String> {
    ChatStream::open(url, via, game, after, token).await.unwrap().caught_up().await
}

/// The texts of a page, the newest first, and the answer itself.
async fn page(url: &str, via: Via, game: &str, more: Json, token: &str) -> (Vec<String>, Json) {
    let mut request = json!({"gameId": game});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = chat(url, via, "ListMessages", request, token).await.unwrap();
    let said = |message: &Json| {
        let said = message.get("text").or(message.get("phrase")).unwrap();
        format!("{} {}", message["position"], said.as_str().unwrap())
    };
    (answer["messages"].as_array().map_or_else(Vec::new, |all| all.iter().map(said).collect()), answer)
}

/// Two players talk, at two instances where there can be two; everybody hears the same, from each position on.
async fn what_is_said_is_heard_once_and_in_order(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let second = match backend {
        Backend::Postgres => Some(Service::start(&database.url).await),
        Backend::Sqlite => None,
    };
    let urls = [&service.url, second.as_ref().map_or(&service.url, |second| &second.url)];
    let party = Party::seated(urls[0], &Wish::seats(2)).await;
    let game = &party.game;
    let mut live = Vec::new();
    for via in VIAS {
        let widz = Client::guest(urls[1], via, "Widz").await.unwrap();
        let mut stream = ChatStream::open(urls[1], via, game, 0, &widz.token).await.unwrap();
        assert_eq!(stream.next().await.unwrap(), "0 =");
        live.push(stream);
    }
    let said = [
        (0, json!({"text": " Cze\u{15b}\u{107}\n wszystkim \u{202e}"}), "1 Grpc: Cześć  wszystkim"),
        (1, json!({"phrase": "hello"}), "2 Rest: [hello]"),
        (0, json!({"text": "Zo\u{308}e"}), "3 Grpc: Zöe"),
        (1, json!({"text": "日本 👩\u{200d}🚀"}), "4 Rest: 日本 👩\u{200d}🚀"),
        (1, json!({"phrase": "thanks"}), "5 Rest: [thanks]"),
    ];
    for (n, (who, content, line)) in said.iter().enumerate() {
        let mut request = json!({"gameId": game, "requestId": fresh_id().to_string()});
        request.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
        let player = &party.players[*who];
        let (via, url) = (VIAS[n % 2], urls[n % 2]);
        let first = chat(url, via, "SendMessage", request.clone(), &player.token).await.unwrap();
        // The answer was lost: said again, anywhere, it is said once.
        for (url, via) in urls.into_iter().zip(VIAS) {
            let again = chat(url, via, "SendMessage", request.clone(), &player.token).await.unwrap();
            assert_eq!(again["message"]["position"], first["message"]["position"]);
        }
        let mut other = request.clone();
        other.as_object_mut().unwrap().remove("phrase");
        other["text"] = json!("co innego");
        let reused = chat(urls[0], via, "SendMessage", other, &player.token).await;
        assert_eq!(reason(reused), "REQUEST_ID_REUSED");
        for stream in &mut live {
            assert_eq!(stream.next().await.unwrap(), *line);
        }
    }
    let lines: Vec<&str> = said.iter().map(|(_, _, line)| *line).collect();
    for (url, via) in urls.into_iter().zip(VIAS) {
        for after in 0..=lines.len() {
            assert_eq!(heard(url, via, game, after as u32, &party.players[1].token).await, lines[after..]);
        }
        let ahead = ChatStream::open(url, via, game, 6, &party.players[0].token).await;
        let refused = ahead.err().unwrap().refused();
        assert_eq!(refused.reason, "CHAT_POSITION_AHEAD");
        assert_eq!((&*refused.metadata["position"], &*refused.metadata["named"]), ("5", "6"));
        // The list has it the other way round, in pages.
        let mut pages = Vec::new();
        let mut token = String::new();
        loop {
            let more = json!({"pageSize": 2, "pageToken": token});
            let (texts, answer) = page(url, via, game, more, &party.players[0].token).await;
            assert_eq!((answer["position"].as_u64(), &answer["mode"]), (Some(5), &json!("CHAT_MODE_ON")));
            assert!(texts.len() <= 2);
            pages.extend(texts);
            token = answer["nextPageToken"].as_str().unwrap_or_default().to_owned();
            if token.is_empty() {
                break;
            }
        }
        assert_eq!(pages.len(), 5);
        assert_eq!((&*pages[0], &*pages[4]), ("5 thanks", "1 Cześć  wszystkim"));
    }
    // What can't be said.
    let request = |content: Json| {
        let mut request = json!({"gameId": game, "requestId": fresh_id().to_string()});
        request.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
        request
    };
    for (content, told) in [
        (json!({}), "MISSING_FIELD"),
        (json!({"text": ""}), "MISSING_FIELD"),
        (json!({"text": " \u{200b}"}), "MALFORMED_FIELD"),
        (json!({"text": "ł".repeat(501)}), "FIELD_OUT_OF_RANGE"),
    ] {
        for via in VIAS {
            let refused =
                chat(urls[0], via, "SendMessage", request(content.clone()), &party.players[0].token).await;
            assert_eq!(reason(refused), told, "{content}");
        }
    }
    let unknown =
        chat(urls[0], Via::Grpc, "SendMessage", request(json!({"phrase": "x"})), &party.players[0].token);
    assert_eq!(reason(unknown.await), "MALFORMED_FIELD");
    let phrases = chat(urls[0], Via::Rest, "ListQuickPhrases", json!({}), "").await.unwrap();
    assert_eq!(phrases["phrases"][0], json!({"key": "hello", "text": {"pl": "Cześć!", "en": "Hello!"}}));
    // A ticket of the game opens its chat too.
    let method = "remik.v1.GameService/CreateWatchTicket";
    let credentials = Credentials::token(&party.players[0].token);
    let ticket = call(urls[0], Via::Rest, method, &json!({"gameId": game}), &credentials).await.unwrap();
    let ticket = ticket["ticket"].as_str().unwrap();
    let url = format!("{}/v1/games/{game}/messages:watch?afterPosition=4&ticket={ticket}", urls[0]);
    let mut by_ticket = reqwest::get(url).await.unwrap();
    assert_eq!(by_ticket.status(), 200);
    let first = by_ticket.chunk().await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&first).contains("\"thanks\""));
}

async fn strangers_hear_nothing_and_spectators_say_nothing(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let stranger = Client::guest(url, Via::Grpc, "Obcy").await.unwrap();
    let outcome = async |game: &str, via: Via, what: &str| {
        let token = &stranger.token;
        let outcome = match what {
            "watch" => match ChatStream::open(url, via, game, 0, token).await {
                Ok(mut stream) => stream.next().await.map(drop),
                Err(failure) => Err(failure),
            },
            "list" => chat(url, via, "ListMessages", json!({"gameId": game}), token).await.map(drop),
            _ => {
                let request = json!({"gameId": game, "requestId": fresh_id().to_string(), "text": "Hej"});
                chat(url, via, "SendMessage", request, token).await.map(drop)
            }
        };
        reason(outcome)
    };
    let private = Party::seated(url, &Wish::seats(2).private()).await;
    let public = Party::seated(url, &Wish::seats(2)).await;
    let unwatched = Party::seated(url, &Wish::seats(2).unwatched()).await;
    for party in [&private, &public, &unwatched] {
        say(url, &party.players[0], &party.game, "Hej").await.unwrap();
    }
    for via in VIAS {
        for what in ["watch", "list", "say"] {
            assert_eq!(outcome(&private.game, via, what).await, "GAME_NOT_FOUND", "{what}");
        }
        assert_eq!(outcome(&public.game, via, "say").await, "NOT_SEATED");
        for what in ["watch", "list"] {
            assert_eq!(outcome(&public.game, via, what).await, "");
            // Before the first deal everybody may look who might sit down.
            assert_eq!(outcome(&unwatched.game, via, what).await, "");
        }
    }
    // With the invite code, and spectators allowed, he hears a private table.
    let wish = Wish { spectators: Wish::seats(2).delayed(0).spectators, ..Wish::seats(2).private() };
    let shown = Party::seated(url, &wish).await;
    say(url, &shown.players[0], &shown.game, "Hej").await.unwrap();
    let (texts, _) =
        page(url, Via::Rest, &shown.game, json!({"inviteCode": shown.code}), &stranger.token).await;
    assert_eq!(texts, ["1 Hej"]);
    // When the game begins, those who may not look on are told with the next line.
    let mut stream = ChatStream::open(url, Via::Grpc, &unwatched.game, 1, &stranger.token).await.unwrap();
    assert_eq!(stream.next().await.unwrap(), "1 =");
    get_ready(&unwatched).await;
    say(url, &unwatched.players[1], &unwatched.game, "Tajemnica").await.unwrap();
    assert_eq!(reason(stream.next().await), "NO_SPECTATORS");
    for via in VIAS {
        for what in ["watch", "list"] {
            assert_eq!(outcome(&unwatched.game, via, what).await, "NO_SPECTATORS");
        }
    }
    // Nobody hears without a token.
    let nobody = chat(url, Via::Rest, "ListMessages", json!({"gameId": public.game}), "").await;
    assert_eq!(reason(nobody), "UNAUTHENTICATED");
}

async fn spectators_hear_with_the_tables_delay(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let late = Party::seated(url, &Wish::seats(2).delayed(3600)).await;
    let soon = Party::seated(url, &Wish::seats(2).delayed(2)).await;
    let spectator = Client::guest(url, Via::Grpc, "Widz").await.unwrap();
    for party in [&late, &soon] {
        get_ready(party).await;
    }
    for via in VIAS {
        let mut stream = ChatStream::open(url, via, &soon.game, 0, &spectator.token).await.unwrap();
        let before = stream.caught_up().await.len();
        let began = std::time::Instant::now();
        let position = say(url, &soon.players[0], &soon.game, "Mam damę").await.unwrap();
        assert!(stream.next().await.unwrap().ends_with("Mam damę"));
        assert!(began.elapsed() >= Duration::from_millis(1800), "{:?}", began.elapsed());
        assert_eq!(position as usize, before + 1);

        // Within an hour he learns nothing: not that anything was said, nor how much.
        let everything = async || {
            let (texts, answer) = page(url, via, &late.game, json!({}), &spectator.token).await;
            let heard = heard(url, via, &late.game, 0, &spectator.token).await;
            let ahead = ChatStream::open(url, via, &late.game, 1, &spectator.token).await;
            let ahead = format!("{:?}", ahead.err().unwrap().refused());
            (texts, answer["position"].clone(), heard, ahead)
        };
        let silent = everything().await;
        assert!(silent.0.is_empty() && silent.2.is_empty());
        let position = say(url, &late.players[1], &late.game, "Mam asa").await.unwrap();
        assert_eq!(everything().await, silent);
        let own = heard(url, via, &late.game, position - 1, &late.players[0].token).await;
        assert_eq!(own, [format!("{position} Rest: Mam asa")]);
    }
}

async fn whom_somebody_does_not_want_to_hear_is_not_shown_to_him(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let party = Party::seated(url, &Wish::seats(3)).await;
    let [ala, ola, ela] = &party.players[..] else { panic!() };
    let game = &party.game;
    for player in [ala, ola, ela] {
        say(url, player, game, "raz").await.unwrap();
    }
    let mut live = ChatStream::open(url, Via::Rest, game, 0, &ala.token).await.unwrap();
    assert_eq!(live.caught_up().await.len(), 3);
    let ask = async |method: &str, request: Json| profile(url, Via::Rest, method, request, &ala.token).await;
    let other_game = fresh_id().to_string();
    ask("MutePlayer", json!({"playerId": ola.id, "gameId": other_game})).await.unwrap();
    assert_eq!(heard(url, Via::Grpc, game, 0, &ala.token).await.len(), 3, "that is another table");
    for _ in 0..2 {
        ask("MutePlayer", json!({"playerId": ola.id, "gameId": game})).await.unwrap();
        ask("BlockPlayer", json!({"playerId": ela.id})).await.unwrap();
    }
    for player in [ola, ela, ala] {
        say(url, player, game, "dwa").await.unwrap();
    }
    // A stream that is open doesn't show them from now on; positions stay what they are.
    assert_eq!(live.next().await.unwrap(), "6 Grpc: dwa");
    for via in VIAS {
        let lines = heard(url, via, game, 0, &ala.token).await;
        assert_eq!(lines, ["1 Grpc: raz", "6 Grpc: dwa"]);
        let (texts, _) = page(url, via, game, json!({}), &ala.token).await;
        assert_eq!(texts, ["6 dwa", "1 raz"]);
        assert_eq!(heard(url, via, game, 0, &ela.token).await.len(), 6, "the others hear all");
    }
    // Lists, in pages.
    let blocks = ask("ListBlocks", json!({})).await.unwrap();
    assert_eq!(blocks["blocks"].as_array().unwrap().len(), 1);
    let blocked = &blocks["blocks"][0];
    assert_eq!((&blocked["playerId"], &blocked["displayName"]), (&json!(ela.id), &json!("Grpc")));
    let first = ask("ListMutes", json!({"pageSize": 1})).await.unwrap();
    let token = &first["nextPageToken"];
    let second = ask("ListMutes", json!({"pageSize": 1, "pageToken": token})).await.unwrap();
    let mut games = [&first, &second].map(|page| page["mutes"][0]["gameId"].as_str().unwrap().to_owned());
    let mut wanted = [other_game, game.clone()];
    games.sort();
    wanted.sort();
    assert_eq!((games, second["nextPageToken"].as_str().unwrap_or_default()), (wanted, ""));
    // Everywhere, and back.
    ask("UnmutePlayer", json!({"playerId": ola.id, "gameId": game})).await.unwrap();
    ask("UnblockPlayer", json!({"playerId": ela.id})).await.unwrap();
    assert_eq!(heard(url, Via::Grpc, game, 0, &ala.token).await.len(), 6);
    ask("MutePlayer", json!({"playerId": ola.id})).await.unwrap();
    assert_eq!(heard(url, Via::Grpc, game, 0, &ala.token).await.len(), 4);
    ask("UnmutePlayer", json!({"playerId": ola.id})).await.unwrap();
    assert_eq!(heard(url, Via::Grpc, game, 0, &ala.token).await.len(), 6);
    for method in ["BlockPlayer", "MutePlayer"] {
        assert_eq!(reason(ask(method, json!({"playerId": ala.id})).await), "NOT_YOURSELF");
        let nobody = json!({"playerId": fresh_id().to_string()});
        assert_eq!(reason(ask(method, nobody).await), "PLAYER_NOT_FOUND");
    }
    // What lobby and matchmaking ask.
    ask("BlockPlayer", json!({"playerId": ela.id})).await.unwrap();
    service.stop().await;
    let store = remik::store::Store::open(&database.url, Default::default()).await.unwrap();
    let apart = store.apart_from(ela.id.parse().unwrap()).await.unwrap();
    assert_eq!(apart, [ala.id.parse().unwrap()].into());
}

async fn what_is_deleted_is_gone_everywhere(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let party = Party::seated(url, &Wish::seats(2)).await;
    let (game, ola) = (&party.game, &party.players[1]);
    for text in ["jeden", "brzydkie słowo", "trzy"] {
        say(url, ola, game, text).await.unwrap();
    }
    let request = json!({"gameId": game, "requestId": fresh_id().to_string(), "text": "cztery"});
    chat(url, Via::Rest, "SendMessage", request.clone(), &ola.token).await.unwrap();
    let mut live = ChatStream::open(url, Via::Rest, game, 4, &party.players[0].token).await.unwrap();
    assert_eq!(live.next().await.unwrap(), "4 =");
    let delete = async |position: u32| {
        let asked = json!({"gameId": game, "position": position});
        chat(url, Via::Rest, "DeleteMessage", asked, &service.console_key).await
    };
    for _ in 0..2 {
        delete(2).await.unwrap();
        delete(4).await.unwrap();
    }
    assert_eq!(live.next().await.unwrap(), "5 -2");
    assert_eq!(live.next().await.unwrap(), "6 -4");
    for position in [5, 7, 4_000_000_000] {
        assert_eq!(reason(delete(position).await), "MESSAGE_NOT_FOUND", "{position}");
    }
    assert_eq!(reason(delete(0).await), "MISSING_FIELD");
    for via in VIAS {
        let lines = heard(url, via, game, 0, &ola.token).await;
        assert_eq!(lines, ["1 Rest: jeden", "3 Rest: trzy", "5 -2", "6 -4"]);
        let (texts, _) = page(url, via, game, json!({}), &ola.token).await;
        assert_eq!(texts, ["3 trzy", "1 jeden"]);
    }
    // Who repeats it learns that it was said, and isn't any more.
    let again = chat(url, Via::Rest, "SendMessage", request, &ola.token).await.unwrap();
    assert_eq!((&again["message"]["position"], again["message"].get("text")), (&json!(4), None));
}

async fn a_game_that_is_long_over_is_silent(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    party.play(any_seed()).await;
    say(&service.url, &party.players[0], &party.game, "Dobra gra!").await.unwrap();
    service.stop().await;
    // Eleven minutes pass.
    let sql = "UPDATE moves SET made_at = made_at - 660000";
    execute(&database.url, sql).await;
    let service = Service::start(&database.url).await;
    let late = say(&service.url, &party.players[0], &party.game, "Halo?").await;
    assert_eq!(reason(late), "CHAT_CLOSED");
    let lines = heard(&service.url, Via::Rest, &party.game, 0, &party.players[1].token).await;
    assert_eq!(lines, ["1 Grpc: Dobra gra!"]);
}

/// Changes a database whose service has stopped.
pub(crate) async fn execute(url: &str, sql: &'static str) {
    use sqlx::{Connection, Executor};
    if url.starts_with("sqlite:") {
        let mut connection = sqlx::SqliteConnection::connect(url).await.unwrap();
        connection.execute(sql).await.unwrap();
        connection.close().await.unwrap();
    } else {
        let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
        connection.execute(sql).await.unwrap();
        connection.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_player_says_so_much() {
    let database = fresh(Backend::Sqlite).await;
    let mut program = Program::new(env!("CARGO_BIN_EXE_remik"));
    let arguments = Service::arguments(&database.url);
    program.args(arguments.iter().filter(|argument| **argument != "--no-caller-limits"));
    program.env("REMIK_LIMITS_MESSAGES_OF_PLAYER", "3");
    let service = Service::start_by(program).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let request = json!({"gameId": party.game, "requestId": fresh_id().to_string(), "text": "raz"});
    let token = &party.players[0].token;
    // A repeat is no message more.
    for _ in 0..6 {
        chat(&service.url, Via::Rest, "SendMessage", request.clone(), token).await.unwrap();
    }
    for text in ["dwa", "trzy"] {
        say(&service.url, &party.players[0], &party.game, text).await.unwrap();
    }
    for via in VIAS {
        let request = json!({"gameId": party.game, "requestId": fresh_id().to_string(), "phrase": "bye"});
        let refused = chat(&service.url, via, "SendMessage", request, token).await.unwrap_err().refused();
        assert_eq!(refused.reason, "TOO_MANY_MESSAGES");
        let wait = refused.retry_after.unwrap();
        assert!(wait > Duration::from_secs(5) && wait <= Duration::from_secs(20), "{wait:?}");
    }
    say(&service.url, &party.players[1], &party.game, "cztery").await.unwrap();
}

#[tokio::test]
async fn chat_is_as_open_as_the_service_and_the_table_allow() {
    let database = fresh(Backend::Sqlite).await;
    let text = json!({"text": "Hej"});
    let phrase = json!({"phrase": "hello"});
    let said = async |url: &str, party: &Party, content: &Json| {
        let mut request = json!({"gameId": party.game, "requestId": fresh_id().to_string()});
        request.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
        reason(chat(url, Via::Rest, "SendMessage", request, &party.players[1].token).await)
    };
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let set = async |url: &str, seat: usize, mode: &str| {
        let request = json!({"gameId": party.game, "mode": mode});
        chat(url, Via::Rest, "SetChatMode", request, &party.players[seat].token).await
    };
    for (mode, told_text, told_phrase) in [
        ("CHAT_MODE_PHRASES", "PHRASES_ONLY", ""),
        ("CHAT_MODE_OFF", "CHAT_OFF", "CHAT_OFF"),
        ("CHAT_MODE_UNSPECIFIED", "", ""),
    ] {
        let answer = set(&service.url, 0, mode).await.unwrap();
        let in_force = if mode == "CHAT_MODE_UNSPECIFIED" { "CHAT_MODE_ON" } else { mode };
        assert_eq!(answer["mode"], in_force);
        assert_eq!(said(&service.url, &party, &text).await, told_text);
        assert_eq!(said(&service.url, &party, &phrase).await, told_phrase);
        let (_, answer) =
            page(&service.url, Via::Rest, &party.game, json!({}), &party.players[0].token).await;
        assert_eq!(answer["mode"], in_force);
    }
    assert_eq!(reason(set(&service.url, 1, "CHAT_MODE_OFF").await), "NOT_OPENER");
    service.stop().await;
    // A table allows no more than the service.
    let service = start_with(&database.url, &["--chat", "phrases"]).await;
    assert_eq!(set(&service.url, 0, "CHAT_MODE_ON").await.unwrap()["mode"], "CHAT_MODE_PHRASES");
    assert_eq!(said(&service.url, &party, &text).await, "PHRASES_ONLY");
    assert_eq!(said(&service.url, &party, &phrase).await, "");
    service.stop().await;
    let service = start_with(&database.url, &["--chat", "off"]).await;
    assert_eq!(said(&service.url, &party, &phrase).await, "CHAT_OFF");
}
