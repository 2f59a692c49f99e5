//! What has become of a game that a client says it has played.

use serde_json::{Value as Json, json};

use crate::service::Service;

/// Asks the service about a game, as a stranger: it must be over, with these places, after real play.
pub(crate) async fn check(service: &Service, game: &str, places: &Json) {
    let http = reqwest::Client::new();
    let guest = http.post(format!("{}/v1/guests", service.url)).json(&json!({"displayName": "Gość"}));
    let guest: Json = guest.send().await.unwrap().json().await.unwrap();
    let asked = http.get(format!("{}/v1/games/{game}", service.url));
    let answer = asked.bearer_auth(guest["token"].as_str().unwrap()).send().await.unwrap();
    let view = answer.json::<Json>().await.unwrap()["view"].clone();
    assert_eq!(view["state"], "GAME_STATE_OVER", "{view}");
    assert_eq!(&view["result"]["places"], places, "{view}");
    assert!(view["version"].as_u64().unwrap() > 20, "{view}");
    assert_eq!(service.stderr(), "");
}
