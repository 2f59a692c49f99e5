//! Games seen again: by whom their access lets, with what may be seen, and in other services.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command as Program;

use remik::export;
use remik::proto::v1::replay_service_client::ReplayServiceClient;
use remik::proto::v1::*;
use reqwest::{Client as Http, Method, Response};
use serde_json::{Value as Json, json};
use tonic::{Code, Request};

use crate::{
    client::{Client, Command, Order, Refused, Via, from_json, rest::refusal},
    on_each_backend,
    party::{Party, Wish, any_seed},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_finished_game_is_seen_again
    a_running_game_shows_what_its_viewer_sees
    access_is_for_the_opener_to_say
    games_are_found_by_player_and_result
    an_export_is_imported_elsewhere
    a_changed_or_untrue_document_is_refused
}

/// Somebody's calls over REST; with an empty token nobody's.
struct Web<'a> {
    url: &'a str,
    token: &'a str,
}

impl<'a> Web<'a> {
    fn of(url: &'a str, client: &'a Client) -> Self {
        Self { url, token: &client.token }
    }

    async fn call(&self, method: Method, path: &str, body: &Json) -> Response {
        let request = Http::new().request(method, format!("{}/v1/{path}", self.url));
        let request = if self.token.is_empty() { request } else { request.bearer_auth(self.token) };
        let request = if body.is_null() { request } else { request.json(body) };
        request.send().await.unwrap()
    }

    async fn get<M: prost::Message + Default>(&self, path: &str, name: &str) -> Result<M, Refused> {
        told(self.call(Method::GET, path, &Json::Null).await, name).await
    }

    async fn post<M: prost::Message + Default>(
        &self,
        path: &str,
        body: &Json,
        name: &str,
    ) -> Result<M, Refused> {
        told(self.call(Method::POST, path, body).await, name).await
    }

    async fn replay(&self, game: &str, code: &str) -> Result<Replay, Refused> {
        let path = format!("replays/{game}?shareCode={code}");
        let told: GetReplayResponse = self.get(&path, "GetReplayResponse").await?;
        Ok(told.replay.unwrap())
    }

    async fn positions(&self, game: &str, after: u32, size: u32) -> Result<Vec<ReplayPosition>, Refused> {
        let path = format!("replays/{game}/positions?afterVersion={after}&pageSize={size}");
        let told: ListReplayPositionsResponse = self.get(&path, "ListReplayPositionsResponse").await?;
        Ok(told.positions)
    }

    async fn export(&self, game: &str) -> Result<ExportReplayResponse, Refused> {
        self.get(&format!("replays/{game}:export"), "ExportReplayResponse").await
    }

    async fn import(&self, document: &str) -> Result<ImportReplayResponse, Refused> {
        self.post("replays:import", &json!({ "document": document }), "ImportReplayResponse").await
    }

    async fn set_access(
        &self,
        game: &str,
        access: ReplayAccess,
        renew: bool,
    ) -> Result<SetReplayAccessResponse, Refused> {
        let body = json!({"access": access.as_str_name(), "renewShareCode": renew});
        self.post(&format!("replays/{game}:setAccess"), &body, "SetReplayAccessResponse").await
    }

    async fn search(&self, query: &str) -> Result<SearchReplaysResponse, Refused> {
        self.get(&format!("replays?{query}"), "SearchReplaysResponse").await
    }
}

async fn told<M: prost::Message + Default>(response: Response, name: &str) -> Result<M, Refused> {
    if !response.status().is_success() {
        return Err(refusal(response).await.refused());
    }
    Ok(from_json(name, &response.text().await.unwrap()))
}

/// All cards that hands of a position show, and how many they hold.
fn cards(position: &ReplayPosition) -> (usize, usize) {
    let shown = position.hands.iter().map(|hand| hand.cards.len()).sum();
    (shown, position.hands.iter().map(|hand| hand.count as usize).sum())
}

async fn a_finished_game_is_seen_again(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let bots = party.play(any_seed()).await;
    let game = &party.game;
    // Without an account: the game is public.
    let nobody = Web { url: &service.url, token: "" };
    let replay = nobody.replay(game, "").await.unwrap();
    assert_eq!(replay.last_version, bots[0].version());
    assert_eq!((replay.state(), replay.open, replay.access()), (GameState::Over, true, ReplayAccess::Public));
    let deal = &replay.deals[0];
    assert!(deal.first_version < deal.last_version && deal.result.is_some());

    let mut after = 0;
    let mut positions = Vec::new();
    while after < replay.last_version {
        positions.extend(nobody.positions(game, after, 7).await.unwrap());
        after = positions.last().unwrap().r#move.as_ref().unwrap().version;
    }
    for (position, seen) in positions.iter().zip(&bots[0].seen) {
        let made = position.r#move.as_ref().unwrap();
        assert_eq!((made.version, made.made_at, made.seat), (seen.version, seen.made_at, seen.seat));
        assert_eq!(position.view.as_ref().unwrap().version, made.version);
        let (shown, held) = cards(position);
        assert_eq!(shown, held, "all cards of a finished deal are open");
    }
    assert_eq!(positions.len(), bots[0].seen.len());

    // A jump, over gRPC.
    let mut grpc = ReplayServiceClient::connect(service.url.clone()).await.unwrap();
    let asked = ListReplayPositionsRequest {
        game_id: game.clone(),
        after_version: deal.last_version - 1,
        page_size: 1,
        ..Default::default()
    };
    let jumped = grpc.list_replay_positions(asked.clone()).await.unwrap().into_inner();
    assert_eq!(jumped.positions[..], positions[deal.last_version as usize - 1..][..1]);
    let ahead = ListReplayPositionsRequest { after_version: 10_000, ..asked };
    let refused = grpc.list_replay_positions(ahead).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    service.stop().await;
}

async fn a_running_game_shows_what_its_viewer_sees(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let game = &party.game;
    for player in &party.players {
        let version = player.look(game).await.unwrap().version;
        player.send(&Order::new(game, version, Command::Ready(String::new()))).await.unwrap();
    }
    let view = party.players[0].look(game).await.unwrap();
    let own = view.deal.as_ref().unwrap().hand.len();
    let last = |web: Web<'_>| {
        let (url, token) = (web.url.to_owned(), web.token.to_owned());
        let (game, version) = (game.clone(), view.version);
        async move {
            let web = Web { url: &url, token: &token };
            web.positions(&game, version - 1, 1).await.unwrap().remove(0)
        }
    };
    let position = last(Web::of(&service.url, &party.players[0])).await;
    assert_eq!(cards(&position), (own, 2 * own), "one's own cards");
    assert_eq!(position.view.as_ref().unwrap().your_seat, Some(0));
    let position = last(Web { url: &service.url, token: "" }).await;
    assert_eq!(cards(&position), (0, 2 * own), "nobody's cards");
    let refused = Web::of(&service.url, &party.players[0]).export(game).await.unwrap_err();
    assert_eq!((refused.code, refused.reason.as_str()), (Code::FailedPrecondition, "GAME_NOT_OVER"));
    service.stop().await;
}

async fn access_is_for_the_opener_to_say(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy().private()).await;
    party.play(any_seed()).await;
    let game = &party.game;
    let (url, nobody) = (service.url.as_str(), Web { url: &service.url, token: "" });
    let stranger = Client::guest(url, Via::Rest, "Obca").await.unwrap();
    let (opener, other) = (Web::of(url, &party.players[0]), Web::of(url, &party.players[1]));
    let unseen = async |web: &Web<'_>, code: &str| {
        let refused = web.replay(game, code).await.unwrap_err();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::NotFound, "GAME_NOT_FOUND"));
    };
    assert_eq!(opener.replay(game, "").await.unwrap().access(), ReplayAccess::Players);
    assert!(other.replay(game, "").await.unwrap().open);
    unseen(&nobody, "").await;
    unseen(&Web::of(url, &stranger), "guess").await;

    let refused = other.set_access(game, ReplayAccess::Link, false).await.unwrap_err();
    assert_eq!((refused.code, refused.reason.as_str()), (Code::PermissionDenied, "NOT_OPENER"));
    let refused = Web::of(url, &stranger).set_access(game, ReplayAccess::Link, false).await.unwrap_err();
    assert_eq!(refused.reason, "GAME_NOT_FOUND");
    let refused = nobody.set_access(game, ReplayAccess::Link, false).await.unwrap_err();
    assert_eq!(refused.code, Code::Unauthenticated);

    let set = opener.set_access(game, ReplayAccess::Link, false).await.unwrap();
    assert_eq!(opener.set_access(game, ReplayAccess::Link, false).await.unwrap(), set, "the same again");
    let shared = nobody.replay(game, &set.share_code).await.unwrap();
    assert!(shared.open && shared.share_code.is_empty(), "the code isn't told on");
    assert_eq!(other.replay(game, "").await.unwrap().share_code, set.share_code);
    unseen(&nobody, "").await;
    let renewed = opener.set_access(game, ReplayAccess::Link, true).await.unwrap();
    assert_ne!(renewed.share_code, set.share_code);
    unseen(&nobody, &set.share_code).await;
    assert!(nobody.replay(game, &renewed.share_code).await.unwrap().open);

    opener.set_access(game, ReplayAccess::Public, false).await.unwrap();
    assert!(nobody.replay(game, "").await.unwrap().open);
    opener.set_access(game, ReplayAccess::Unspecified, false).await.unwrap();
    unseen(&nobody, &renewed.share_code).await;
    service.stop().await;
}

async fn games_are_found_by_player_and_result(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = service.url.as_str();
    let mut games = Vec::new();
    let mut party = Party::seated(url, &Wish::seats(2).easy()).await;
    party.play(any_seed()).await;
    games.push(party.game.clone());
    // The same two again, and a private one.
    for private in [false, true] {
        let wish = if private { Wish::seats(2).easy().private() } else { Wish::seats(2).easy() };
        let view = party.players[0].create(wish.request()).await.unwrap().view.unwrap();
        let join = match private {
            true => Command::JoinByCode(view.invite_code.clone()),
            false => Command::Join(None),
        };
        party.players[1].send(&Order::new(&view.game_id, 0, join)).await.unwrap();
        party = Party { game: view.game_id, code: view.invite_code, players: party.players };
        party.play(any_seed()).await;
        games.push(party.game.clone());
    }
    games.reverse();
    let [ala, ola] = [0, 1].map(|seat| party.players[seat].clone());
    let found = async |web: Web<'_>, query: &str| -> Vec<String> {
        let (mut found, mut token) = (Vec::new(), String::new());
        loop {
            let page = web.search(&format!("pageSize=1&pageToken={token}&{query}")).await.unwrap();
            found.extend(page.games.into_iter().map(|game| game.game_id));
            token = page.next_page_token;
            if token.is_empty() {
                return found;
            }
        }
    };
    assert_eq!(found(Web::of(url, &ala), "playerId=me").await, games);
    let of_ala = format!("playerId={}", ala.id);
    assert_eq!(found(Web::of(url, &ola), &of_ala).await, games, "who has played in it finds it");
    assert_eq!(found(Web { url, token: "" }, &of_ala).await, games[1..]);
    assert_eq!(found(Web { url, token: "" }, "preset=remik-51").await, games[1..]);
    assert!(found(Web { url, token: "" }, "preset=rummy-200").await.is_empty());
    assert!(found(Web::of(url, &ala), "playerId=me&createdFrom=2100-01-01T00:00:00Z").await.is_empty());
    assert_eq!(found(Web::of(url, &ala), "playerId=me&createdBefore=2100-01-01T00:00:00Z").await, games);
    let mut won = found(Web::of(url, &ala), "playerId=me&result=REPLAY_RESULT_WON").await;
    let lost = found(Web::of(url, &ala), "playerId=me&result=REPLAY_RESULT_NOT_WON").await;
    for game in &won {
        let result = ala.look(game).await.unwrap().result.unwrap();
        assert_eq!(result.places[0], 1);
    }
    won.extend(lost);
    won.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(won, games);
    let refused = Web::of(url, &ala).search("result=REPLAY_RESULT_WON").await.unwrap_err();
    assert_eq!(refused.fields, ["player_id"]);
    service.stop().await;
}

async fn an_export_is_imported_elsewhere(backend: Backend) {
    let (here, there) = (fresh(backend).await, fresh(backend).await);
    let (one, two) = (Service::start(&here.url).await, Service::start(&there.url).await);
    let party = Party::seated(&one.url, &Wish::seats(3).easy()).await;
    party.play(any_seed()).await;
    let game = &party.game;
    let exported = Web::of(&one.url, &party.players[0]).export(game).await.unwrap();
    let again = Web::of(&one.url, &party.players[1]).export(game).await.unwrap();
    assert_eq!(again, exported, "the same bytes every time");
    let key: GetSigningKeyResponse =
        Web { url: &one.url, token: "" }.get("signingKey", "GetSigningKeyResponse").await.unwrap();
    let document = export::parse(&exported.document).unwrap();
    assert_eq!(document.key.to_string(), key.public_key);

    // As anybody checks it.
    let folder = tempfile::tempdir().unwrap();
    for (name, text, signed) in [("g.json", &exported.document, true), ("g.remik", &exported.notation, false)]
    {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let mut program = Program::new(env!("CARGO_BIN_EXE_remik"));
        program.arg("verify").arg(&file);
        if signed {
            program.args(["--key", &key.public_key]);
        }
        let output = program.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    let guest = Client::guest(&two.url, Via::Grpc, "Gość").await.unwrap();
    let (guest, nobody) = (Web::of(&two.url, &guest), Web { url: &two.url, token: "" });
    let imported = guest.import(&exported.document).await.unwrap();
    let replay = imported.replay.unwrap();
    assert!(!imported.already_here && replay.imported && replay.open);
    assert_eq!(replay.signed_by, key.public_key);
    // By an id of its own, which a forger's signature under the same game can't take.
    let game = &replay.game_id;
    assert_ne!(game, &party.game);
    let forged = export::export(document.record.clone(), &export::SigningKey::generate()).to_string();
    let other = guest.import(&forged).await.unwrap().replay.unwrap();
    assert!(other.game_id != *game && other.signed_by != replay.signed_by);
    assert!(guest.import(&exported.document).await.unwrap().already_here);
    assert_eq!(guest.export(game).await.unwrap(), exported, "byte for byte");
    let there = guest.positions(game, 0, 100).await.unwrap();
    let here = Web::of(&one.url, &party.players[0]).positions(&party.game, 0, 100).await.unwrap();
    let bare = |position: &ReplayPosition| (position.r#move.clone(), position.hands.clone());
    assert_eq!(there.iter().map(bare).collect::<Vec<_>>(), here.iter().map(bare).collect::<Vec<_>>());

    let refused = nobody.replay(game, "").await.unwrap_err();
    assert_eq!(refused.reason, "GAME_NOT_FOUND");
    let set = guest.set_access(game, ReplayAccess::Link, false).await.unwrap();
    assert!(nobody.replay(game, &set.share_code).await.unwrap().imported);

    // Where it was played it is there already.
    let back = Web::of(&one.url, &party.players[2]).import(&exported.document).await.unwrap();
    assert!(back.already_here && !back.replay.unwrap().imported);
    one.stop().await;
    two.stop().await;
}

async fn a_changed_or_untrue_document_is_refused(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    party.play(any_seed()).await;
    let web = Web::of(&service.url, &party.players[0]);
    let text = web.export(&party.game).await.unwrap().document;

    let changed = text.replacen("\"madeAt\":1", "\"madeAt\":2", 1);
    let refused = web.import(&changed).await.unwrap_err();
    assert_eq!((refused.code, refused.reason.as_str()), (Code::InvalidArgument, "DOCUMENT_CHANGED"));
    assert_eq!((refused.metadata["move"].as_str(), refused.fields[0].as_str()), ("1", "document"));
    for nonsense in ["", "{}", "[]", "\u{0}", "null"] {
        let refused = web.import(nonsense).await.unwrap_err();
        assert_eq!(refused.code, Code::InvalidArgument, "{nonsense:?}");
    }

    // Forged before it was signed, with the forger's own key: the rules find it.
    let mut record = export::parse(&text).unwrap().record;
    record.game = remik::store::GameId::generate();
    let forged = export::export(record, &export::SigningKey::generate()).to_string();
    let refused = web.import(&forged).await.unwrap_err();
    assert_eq!(refused.reason, "GAME_UNTRUE");
    assert!(refused.metadata.contains_key("move") && refused.metadata.contains_key("why"));

    // A large one is no trouble; one too large is refused.
    let large = "x".repeat(1_000_000);
    assert_eq!(web.import(&large).await.unwrap_err().reason, "DOCUMENT_CHANGED");
    let head = format!(
        "POST /v1/replays:import HTTP/1.1\r\nhost: remik\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        web.token,
        5 << 20
    );
    let address = service.url.trim_start_matches("http://").to_owned();
    let answer = tokio::task::spawn_blocking(move || {
        // Refused by its length alone, before it is sent.
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        answer
    });
    assert_eq!(answer.await.unwrap().split(' ').nth(1), Some("413"));
    let mut grpc = ReplayServiceClient::connect(service.url.clone()).await.unwrap();
    let mut request = Request::new(ImportReplayRequest { document: forged });
    request.metadata_mut().insert("authorization", format!("Bearer {}", web.token).parse().unwrap());
    assert_eq!(grpc.import_replay(request).await.unwrap_err().code(), Code::InvalidArgument);
    service.stop().await;
}
