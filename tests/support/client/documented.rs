//! Whether a refusal is one that the OpenAPI document names for its call.

use reqwest::Method;
use serde_json::Value as Json;
use tokio::sync::OnceCell;

use super::{Failure, Refused};

/// Panics for a refusal that the service's document doesn't know. What is lost is never documented.
pub(crate) async fn check(url: &str, method: &Method, path: &str, failure: &Failure) {
    let Failure::Refused(Refused { reason, .. }) = failure else { return };
    // The same for all services of a test. One may be stopped meanwhile: that is for the caller to notice.
    static DOCUMENT: OnceCell<Json> = OnceCell::const_new();
    let read = async || reqwest::get(format!("{url}/openapi.json")).await?.json().await;
    let Ok::<_, reqwest::Error>(document) = DOCUMENT.get_or_try_init(read).await else { return };
    let path = path.split('?').next().unwrap();
    let paths = document["paths"].as_object().unwrap();
    let Some((_, item)) = paths.iter().find(|(template, _)| matches(template, path)) else { return };
    let responses = &item[method.as_str().to_lowercase()]["responses"];
    let documented = responses.as_object().into_iter().flatten().any(|(_, response)| {
        response["x-error-reasons"]
            .as_array()
            .is_some_and(|reasons| reasons.iter().any(|known| known == reason))
    });
    assert!(documented, "{method} {path} is refused by {reason}, which its documentation doesn't name");
}

/// Whether a path is one of a template such as `/v1/games/{game_id}:draw`.
fn matches(template: &str, path: &str) -> bool {
    let Some((before, rest)) = template.split_once('{') else { return template == path };
    let Some((_, after)) = rest.split_once('}') else { return false };
    let value = path.strip_prefix(before).and_then(|value| value.strip_suffix(after));
    value.is_some_and(|value| !value.contains(['/', ':']))
}
