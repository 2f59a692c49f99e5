//! Webhooks: what is posted, how often and in which order, and to whom it isn't.

use std::collections::HashSet;
use std::process::Command as Program;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value as Json, json};

use crate::{
    accounts::make_key,
    call::{Credentials, call, reason, until},
    client::{Client, Failure, Via, fresh_id},
    log::Log,
    on_each_backend,
    party::{Party, Wish, any_seed, get_ready},
    receiver::{Manner, Receiver, expected, in_order},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    games_are_told_signed_and_in_order
    bad_receivers_get_everything_in_order
    a_failing_game_holds_no_other_back
    dead_letters_are_listed_and_replayed
    webhooks_are_made_listed_changed_and_deleted
    secrets_are_rotated
    nothing_is_posted_to_private_addresses
}

/// How long anything may take to come.
const BOUND: Duration = Duration::from_secs(120);

const ALL: [&str; 5] = ["GAME_STARTED", "YOUR_TURN", "DEAL_OVER", "GAME_OVER", "MATCH_FOUND"];

/// The service that is quick to try again, and may post to this machine.
pub(crate) async fn start(database_url: &str, settings: &[(&str, &str)]) -> Service {
    let mut program = Program::new(env!("CARGO_BIN_EXE_remik"));
    program.args(Service::arguments(database_url));
    for (name, value) in [("RETRY_MS", "20"), ("TIMEOUT_MS", "500"), ("ALLOW_PRIVATE", "127.0.0.0/8")] {
        program.env(format!("REMIK_WEBHOOK_{name}"), value);
    }
    for (name, value) in settings {
        program.env(format!("REMIK_WEBHOOK_{name}"), value);
    }
    Service::start_by(program).await
}

/// A backend with the scope `webhooks`.
struct Backed {
    url: String,
    key: String,
}

impl Backed {
    async fn new(url: &str, database_url: &str) -> Self {
        Self { url: url.to_owned(), key: make_key(database_url, "webhooks").await.0 }
    }

    async fn call(&self, method: &str, request: Json) -> Result<Json, Failure> {
        let method = format!("remik.v1.WebhookService/{method}");
        call(&self.url, Via::Rest, &method, &request, &Credentials::token(&self.key)).await
    }

    fn asked(url: &str, kinds: &[&str]) -> Json {
        let kinds: Vec<String> = kinds.iter().map(|kind| format!("WEBHOOK_KIND_{kind}")).collect();
        json!({"requestId": fresh_id().to_string(), "name": "Haczyk", "url": url, "kinds": kinds})
    }

    /// A webhook's id and its secret.
    async fn hook(&self, url: &str, kinds: &[&str]) -> (String, String) {
        let made = self.call("CreateWebhook", Self::asked(url, kinds)).await.unwrap();
        let text = |value: &Json| value.as_str().unwrap().to_owned();
        (text(&made["webhook"]["webhookId"]), text(&made["secret"]))
    }

    async fn deliveries(&self, hook: &str, state: &str) -> Vec<Json> {
        let mut all = Vec::new();
        let mut token = Json::from("");
        loop {
            let state = format!("WEBHOOK_DELIVERY_STATE_{state}");
            let asked = json!({"webhookId": hook, "state": state, "pageSize": 3, "pageToken": token});
            let page = self.call("ListWebhookDeliveries", asked).await.unwrap();
            all.extend(page["deliveries"].as_array().unwrap().iter().cloned());
            token = page["nextPageToken"].clone();
            if token == "" {
                return all;
            }
        }
    }
}

/// Whole games of one deal.
async fn play(url: &str, games: usize) -> Vec<String> {
    let games = (0..games).map(async |number| {
        let wish = Wish::seats(2).easy();
        let party = Party::seated(url, &if number.is_multiple_of(2) { wish.private() } else { wish }).await;
        party.play(any_seed()).await;
        party.game
    });
    join_all(games).await
}

/// Waits until a receiver has taken the end of each game.
async fn until_over(receiver: &Receiver, games: &[String]) {
    receiver
        .until(BOUND, "all games are over", |receiver| {
            let taken = receiver.taken();
            let ends = taken.iter().filter(|post| post.kind() == "GAME_OVER");
            let ended: HashSet<String> = ends.map(|post| post.game()).collect();
            games.iter().all(|game| ended.contains(game))
        })
        .await;
}

async fn games_are_told_signed_and_in_order(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    // Of two instances one posts, whichever has made the moves.
    let other = match backend {
        Backend::Sqlite => None,
        Backend::Postgres => Some(start(&database.url, &[]).await),
    };
    let backed = Backed::new(&service.url, &database.url).await;
    let receiver = Receiver::start().await;
    let (hook, secret) = backed.hook(&format!("{}/hook?a=b", receiver.url), &ALL).await;
    let ends = Receiver::start().await;
    backed.hook(&ends.url, &["GAME_OVER"]).await;
    let mut games = play(&service.url, 2).await;
    games.extend(play(&other.as_ref().unwrap_or(&service).url, 1).await);
    until_over(&receiver, &games).await;
    until_over(&ends, &games).await;
    let posts = receiver.all();
    assert_eq!(posts, receiver.taken());
    let ids: HashSet<String> = posts.iter().map(|post| post.delivery()).collect();
    assert_eq!(ids.len(), posts.len(), "nothing comes twice that was taken");
    for post in &posts {
        assert!(post.is_signed_by(&secret) && !post.is_signed_by("remik_webhook_0"));
        assert_eq!(
            (&post.path, &post.headers["content-type"]),
            (&"/hook?a=b".to_owned(), &"application/json".to_owned())
        );
        assert_eq!(post.headers["remik-delivery"], post.delivery());
        assert!(post.headers["user-agent"].starts_with("remik/"));
        let event = post.json();
        assert_eq!((&event["preset"], event["seats"].as_array().unwrap().len()), (&json!("remik-51"), 2));
        if post.kind() == "YOUR_TURN" {
            let seat = event["yourTurn"]["seat"].as_u64().unwrap() as usize;
            assert_eq!(event["yourTurn"]["playerId"], event["seats"][seat]["playerId"]);
        }
    }
    assert!(ends.all().iter().all(|post| post.kind() == "GAME_OVER" && post.json()["gameOver"].is_object()));
    assert_eq!(ends.all().len(), 3);
    until(BOUND, "all is noted", async || {
        backed.deliveries(&hook, "DELIVERED").await.len() == posts.len()
            && backed.deliveries(&hook, "WAITING").await.is_empty()
    })
    .await;

    // Players who are seated at a table that was opened for them have found a match; bots' turns aren't theirs.
    let (sandbox, _) = make_key(&database.url, "sandbox").await;
    let players = [
        Client::guest(&service.url, Via::Grpc, "Ala").await.unwrap().id,
        Client::guest(&service.url, Via::Grpc, "Ola").await.unwrap().id,
    ];
    let asked = json!({"requestId": fresh_id().to_string(), "playerIds": players});
    let create = "remik.v1.SandboxService/CreateSandboxGame";
    call(&service.url, Via::Rest, create, &asked, &Credentials::token(&sandbox)).await.unwrap();
    receiver
        .until(BOUND, "the match is found", |all| all.all().iter().any(|post| post.kind() == "MATCH_FOUND"))
        .await;
    let found = receiver.all().into_iter().find(|post| post.kind() == "MATCH_FOUND").unwrap().json();
    let seated: Vec<&Json> =
        found["seats"].as_array().unwrap().iter().map(|seat| &seat["playerId"]).collect();
    assert_eq!((json!(seated[..2]), &found["version"]), (json!(players), &json!(1)));
    for service in [Some(service), other].into_iter().flatten() {
        service.stop().await;
    }
    for game in &games {
        assert_eq!(in_order(&posts, game), expected(&Log::read(&database.url, game).await));
    }
}

/// A receiver that does everything wrong gets each event all the same, and of each game in order.
async fn bad_receivers_get_everything_in_order(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[("ATTEMPTS", "1000")]).await;
    let backed = Backed::new(&service.url, &database.url).await;
    let mut receiver = Receiver::start().await;
    let elsewhere = Receiver::start().await;
    let (hook, _) = backed.hook(&receiver.url, &ALL).await;
    let away = elsewhere.url.clone();
    receiver.behave(move |_| match rand::random_range(0..30) {
        0 => Manner::Answer(500),
        1 => Manner::Answer(404),
        2 => Manner::Redirect(away.clone()),
        3 => Manner::Close,
        4 => Manner::Hang,
        5 => Manner::Endless,
        6 => Manner::Late(Duration::from_millis(100), 202),
        7 => Manner::Late(Duration::from_millis(50), 503),
        _ => Manner::Answer(204),
    });
    let down = async {
        receiver.until_come(BOUND, 10).await;
        receiver.go_down().await;
        // So long that something is tried in vain.
        until(BOUND, "nobody is reached", async || {
            let waiting = backed.deliveries(&hook, "WAITING").await;
            waiting.iter().any(|delivery| delivery["failure"] == "WEBHOOK_FAILURE_UNREACHABLE")
        })
        .await;
        receiver.come_up().await;
    };
    let (games, ()) = futures::future::join(play(&service.url, 2), down).await;
    until_over(&receiver, &games).await;
    assert_eq!(elsewhere.all(), [], "redirections aren't followed");
    let posts = receiver.all();
    assert!(posts.len() > receiver.taken().len());
    service.stop().await;
    for game in &games {
        assert_eq!(in_order(&posts, game), expected(&Log::read(&database.url, game).await));
    }
}

async fn a_failing_game_holds_no_other_back(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[("ATTEMPTS", "1000000"), ("RETRY_MS", "200")]).await;
    let backed = Backed::new(&service.url, &database.url).await;
    let receiver = Receiver::start().await;
    let (hook, _) = backed.hook(&receiver.url, &ALL).await;
    let bad = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let failing = bad.game.clone();
    receiver.behave(move |post| Manner::Answer(if post.game() == failing { 500 } else { 200 }));
    bad.play(any_seed()).await;
    let games = play(&service.url, 2).await;
    until_over(&receiver, &games).await;
    let of_bad: HashSet<String> =
        receiver.all().iter().filter(|post| post.game() == bad.game).map(|post| post.delivery()).collect();
    assert_eq!(of_bad.len(), 1, "only the first is tried again and again");
    let waiting = backed.deliveries(&hook, "WAITING").await;
    let first = &waiting[0];
    assert_eq!((&first["failure"], &first["status"]), (&json!("WEBHOOK_FAILURE_STATUS"), &json!(500)));
    assert!(
        of_bad.contains(first["deliveryId"].as_str().unwrap()) && first["attempts"].as_u64().unwrap() > 0
    );

    // While it is paused nothing comes; what waits comes afterwards.
    let pause = async |paused: bool| {
        backed.call("UpdateWebhook", json!({"webhookId": hook, "paused": paused})).await.unwrap()
    };
    assert_eq!(pause(true).await["webhook"]["paused"], true);
    receiver.behave(|_| Manner::Answer(200));
    let more = play(&service.url, 1).await;
    until(BOUND, "it is enqueued", async || {
        let waiting = backed.deliveries(&hook, "WAITING").await;
        waiting.iter().any(|delivery| {
            delivery["event"]["gameId"] == *more[0] && delivery["event"]["kind"] == "WEBHOOK_KIND_GAME_OVER"
        })
    })
    .await;
    assert!(!receiver.all().iter().any(|post| post.game() == more[0]));
    pause(false).await;
    until_over(&receiver, &[more[0].clone(), bad.game.clone()]).await;
    service.stop().await;
    let posts = receiver.taken();
    for game in games.iter().chain(&more).chain([&bad.game]) {
        assert_eq!(in_order(&posts, game), expected(&Log::read(&database.url, game).await));
    }
}

async fn dead_letters_are_listed_and_replayed(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[("ATTEMPTS", "2")]).await;
    let backed = Backed::new(&service.url, &database.url).await;
    let receiver = Receiver::start().await;
    receiver.behave(|_| Manner::Answer(500));
    let (hook, _) = backed.hook(&receiver.url, &["GAME_STARTED", "YOUR_TURN"]).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    get_ready(&party).await;
    until(BOUND, "both are dead", async || backed.deliveries(&hook, "DEAD").await.len() == 2).await;
    let dead = backed.deliveries(&hook, "DEAD").await;
    assert_eq!(receiver.all().len(), 4, "two attempts each");
    for (letter, kind) in dead.iter().zip(["GAME_STARTED", "YOUR_TURN"]) {
        assert_eq!((&letter["attempts"], &letter["status"]), (&json!(2), &json!(500)));
        assert_eq!(letter["event"]["kind"], format!("WEBHOOK_KIND_{kind}"));
        assert!(letter["attemptedAt"].is_string());
    }
    receiver.behave(|_| Manner::Answer(200));
    let replay = async |ids: &[&Json]| {
        let asked = json!({"webhookId": hook, "deliveryIds": ids});
        backed.call("ReplayWebhookDeliveries", asked).await.unwrap()["replayed"].clone()
    };
    assert_eq!(replay(&[&json!(fresh_id().to_string())]).await, 0);
    assert_eq!(replay(&[&dead[1]["deliveryId"]]).await, 1);
    receiver.until_come(BOUND, 5).await;
    assert_eq!(receiver.all()[4].delivery(), dead[1]["deliveryId"], "under its own id");
    until(BOUND, "it is delivered", async || backed.deliveries(&hook, "DELIVERED").await.len() == 1).await;
    assert_eq!(replay(&[]).await, 1);
    receiver.until_come(BOUND, 6).await;
    assert_eq!(receiver.all()[5].delivery(), dead[0]["deliveryId"]);
    until(BOUND, "all is delivered", async || backed.deliveries(&hook, "DELIVERED").await.len() == 2).await;
    assert_eq!((replay(&[]).await, replay(&[&dead[0]["deliveryId"]]).await), (json!(0), json!(0)));
}

async fn webhooks_are_made_listed_changed_and_deleted(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let backed = Backed::new(&service.url, &database.url).await;
    let other = Backed::new(&service.url, &database.url).await;
    let receiver = Receiver::start().await;
    let asked = Backed::asked(&receiver.url, &["GAME_OVER", "YOUR_TURN", "GAME_OVER"]);
    let made = backed.call("CreateWebhook", asked.clone()).await.unwrap();
    let hook = &made["webhook"];
    assert_eq!(hook["kinds"], json!(["WEBHOOK_KIND_YOUR_TURN", "WEBHOOK_KIND_GAME_OVER"]));
    assert!(made["secret"].as_str().unwrap().starts_with("remik_webhook_"));
    assert_eq!(backed.call("CreateWebhook", asked.clone()).await.unwrap(), made, "once");
    let mut changed = asked.clone();
    changed["name"] = json!("Inny");
    assert_eq!(reason(backed.call("CreateWebhook", changed).await), "REQUEST_ID_REUSED");
    // Another key may use the same id.
    assert!(
        other.call("CreateWebhook", asked.clone()).await.unwrap()["webhook"]["webhookId"]
            != hook["webhookId"]
    );

    let second = backed.hook(&receiver.url, &["GAME_STARTED"]).await.0;
    let first_page = backed.call("ListWebhooks", json!({"pageSize": 1})).await.unwrap();
    assert_eq!(first_page["webhooks"], json!([hook]));
    let asked_next = json!({"pageSize": 1, "pageToken": first_page["nextPageToken"]});
    let next = backed.call("ListWebhooks", asked_next).await.unwrap();
    assert_eq!((&next["webhooks"][0]["webhookId"], &next["nextPageToken"]), (&json!(second), &json!("")));
    let id = json!({"webhookId": hook["webhookId"]});
    assert_eq!(backed.call("GetWebhook", id.clone()).await.unwrap()["webhook"], *hook);
    assert!(backed.call("GetWebhook", id.clone()).await.unwrap()["webhook"]["secret"].is_null());

    let change =
        json!({"webhookId": hook["webhookId"], "name": " Nowy ", "kinds": ["WEBHOOK_KIND_DEAL_OVER"]});
    let changed = backed.call("UpdateWebhook", change).await.unwrap();
    let mut expected = hook.clone();
    expected["name"] = json!("Nowy");
    expected["kinds"] = json!(["WEBHOOK_KIND_DEAL_OVER"]);
    assert_eq!(changed["webhook"], expected);
    for (method, more) in [
        ("GetWebhook", json!({})),
        ("UpdateWebhook", json!({"paused": true})),
        ("DeleteWebhook", json!({})),
        ("RotateWebhookSecret", json!({"requestId": fresh_id().to_string()})),
        ("ListWebhookDeliveries", json!({})),
        ("ReplayWebhookDeliveries", json!({})),
    ] {
        let mut asked = id.clone();
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(reason(other.call(method, asked).await), "WEBHOOK_NOT_FOUND", "{method}");
    }
    for _ in 0..2 {
        backed.call("DeleteWebhook", id.clone()).await.unwrap();
    }
    assert_eq!(reason(backed.call("GetWebhook", id.clone()).await), "WEBHOOK_NOT_FOUND");
    assert_eq!(reason(backed.call("CreateWebhook", asked.clone()).await), "WEBHOOK_NOT_FOUND");
    assert_eq!(
        backed.call("ListWebhooks", json!({})).await.unwrap()["webhooks"].as_array().unwrap().len(),
        1
    );

    for (request, told, field) in [
        (json!({"name": ""}), "MISSING_FIELD", "name"),
        (json!({"url": ""}), "MISSING_FIELD", "url"),
        (json!({"kinds": []}), "MISSING_FIELD", "kinds"),
        (json!({"kinds": [0]}), "FIELD_OUT_OF_RANGE", "kinds[0]"),
        (json!({"requestId": "x"}), "MALFORMED_FIELD", "request_id"),
        (json!({"url": "ftp://127.0.0.1/"}), "WEBHOOK_URL_REFUSED", "url"),
    ] {
        let mut asked = Backed::asked(&receiver.url, &["GAME_OVER"]);
        asked.as_object_mut().unwrap().extend(request.as_object().unwrap().clone());
        let refused = backed.call("CreateWebhook", asked).await.unwrap_err().refused();
        assert_eq!((refused.reason.as_str(), refused.fields[0].as_str()), (told, field), "{request}");
    }
    for _ in 1..20 {
        backed.hook(&receiver.url, &["GAME_OVER"]).await;
    }
    let refused = backed.call("CreateWebhook", Backed::asked(&receiver.url, &["GAME_OVER"])).await;
    assert_eq!(reason(refused), "TOO_MANY_WEBHOOKS");
}

async fn secrets_are_rotated(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let backed = Backed::new(&service.url, &database.url).await;
    let receiver = Receiver::start().await;
    let (hook, old) = backed.hook(&receiver.url, &["GAME_STARTED"]).await;
    let asked = json!({"webhookId": hook, "requestId": fresh_id().to_string()});
    let rotated = backed.call("RotateWebhookSecret", asked.clone()).await.unwrap();
    assert_eq!(backed.call("RotateWebhookSecret", asked).await.unwrap(), rotated, "once");
    let new = rotated["secret"].as_str().unwrap();
    let shown = backed.call("GetWebhook", json!({"webhookId": hook})).await.unwrap();
    assert_eq!(shown["webhook"]["oldSecretUntil"], rotated["oldSecretUntil"]);
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    get_ready(&party).await;
    receiver.until_come(BOUND, 1).await;
    let post = &receiver.all()[0];
    assert!(new != old && post.is_signed_by(new) && post.is_signed_by(&old));
}

/// Neither when a webhook is made, nor when it is posted to: where a name leads may change.
async fn nothing_is_posted_to_private_addresses(backend: Backend) {
    let database = fresh(backend).await;
    let strict = start(&database.url, &[("ALLOW_PRIVATE", "")]).await;
    let backed = Backed::new(&strict.url, &database.url).await;
    let receiver = Receiver::start().await;
    let port = receiver.url.rsplit(':').next().unwrap().to_owned();
    for (url, why) in [
        (receiver.url.clone(), "SCHEME"),
        (format!("https://127.0.0.1:{port}"), "ADDRESS"),
        (format!("https://localhost:{port}"), "ADDRESS"),
        (format!("https://2130706433:{port}"), "ADDRESS"),
        (format!("https://[::1]:{port}"), "ADDRESS"),
        (format!("https://[::ffff:7f00:1]:{port}"), "ADDRESS"),
        ("https://169.254.169.254/latest/meta-data/".to_owned(), "ADDRESS"),
        ("https://10.0.0.1/".to_owned(), "ADDRESS"),
        ("https://100.64.0.1/".to_owned(), "ADDRESS"),
        ("https://[fd00::1]/".to_owned(), "ADDRESS"),
        ("https://no-such-host.invalid/".to_owned(), "UNKNOWN_HOST"),
        (format!("https://ala@127.0.0.1:{port}"), "CREDENTIALS"),
    ] {
        let refused = backed.call("CreateWebhook", Backed::asked(&url, &["GAME_STARTED"])).await;
        let refused = refused.unwrap_err().refused();
        assert_eq!(
            (refused.reason.as_str(), refused.metadata["why"].as_str()),
            ("WEBHOOK_URL_REFUSED", why),
            "{url}"
        );
    }
    strict.stop().await;
    // It was allowed once: then neither the address nor a name that leads there are called any more.
    let lax = start(&database.url, &[("ALLOW_PRIVATE", "127.0.0.0/8,::1")]).await;
    let backed = Backed { url: lax.url.clone(), ..backed };
    let mut hooks = Vec::new();
    for url in
        [receiver.url.clone(), format!("https://127.0.0.1:{port}"), format!("https://localhost:{port}")]
    {
        hooks.push(backed.hook(&url, &["GAME_STARTED"]).await.0);
    }
    lax.stop().await;
    let strict = start(&database.url, &[("ALLOW_PRIVATE", "10.0.0.0/8"), ("ATTEMPTS", "1")]).await;
    let backed = Backed { url: strict.url.clone(), ..backed };
    let party = Party::seated(&strict.url, &Wish::seats(2)).await;
    get_ready(&party).await;
    for hook in &hooks {
        until(BOUND, "it is given up", async || !backed.deliveries(hook, "DEAD").await.is_empty()).await;
        assert_eq!(backed.deliveries(hook, "DEAD").await[0]["failure"], "WEBHOOK_FAILURE_ADDRESS_REFUSED");
    }
    assert_eq!(receiver.all(), [], "nothing ever came");
}
