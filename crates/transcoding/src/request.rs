//! HTTP requests as request messages.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, header};
use prost_reflect::{DynamicMessage, Value};

use crate::{
    field_path::FieldPath,
    json, percent,
    refusal::Refusal,
    route::{BodyRule, PathVariable, Route},
    router::Path,
    violation::Violation,
};

/// How many faults of a query are told: more would make the answer larger than the request.
const MAX_VIOLATIONS: usize = 16;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Refuses a body that isn't declared as JSON.
pub(crate) fn check_content_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let plain = text(header::CONTENT_ENCODING).is_none_or(|coding| coding.eq_ignore_ascii_case("identity"));
    let json = text(header::CONTENT_TYPE).is_some_and(is_json);
    if plain && json { Ok(()) } else { Err(Refusal::NotJson) }
}

/// `application/json` or a type that ends in `+json`, in UTF-8.
fn is_json(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default().to_ascii_lowercase();
    let utf8 =
        parts.filter_map(|p| p.split_once('=')).filter(|(name, _)| name.eq_ignore_ascii_case("charset"));
    (media_type == "application/json"
        || media_type.starts_with("application/") && media_type.ends_with("+json"))
        && utf8.into_iter().all(|(_, charset)| charset.trim_matches('"').eq_ignore_ascii_case("utf-8"))
}

/// Makes the request message of a route from all parts of an HTTP request.
pub(crate) fn message(
    route: &Route,
    path: &Path<'_>,
    query: Option<&str>,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<DynamicMessage, Refusal> {
    let mut message = from_body(route, body)?;
    let mut violations = Vec::new();
    add_query(route, query.unwrap_or_default(), &mut message, &mut violations);
    violations.extend(add_last_event_id(route, headers, &mut message).err());
    violations.extend(add_path(route, path, &mut message));
    if violations.is_empty() { Ok(message) } else { Err(Refusal::Malformed(violations)) }
}

fn from_body(route: &Route, body: &[u8]) -> Result<DynamicMessage, Violation> {
    match &route.body {
        BodyRule::Whole if !body.is_empty() => return json::message(&route.input, body),
        BodyRule::None if !body.is_empty() => {
            return Err(Violation::new(json::BODY, "this method takes no body"));
        }
        _ => {}
    }
    let mut message = DynamicMessage::new(route.input.clone());
    if let BodyRule::Field(field) = &route.body
        && !body.is_empty()
        && let Some(value) = json::field(field, body)?
    {
        message.set_field(field, value);
    }
    Ok(message)
}

fn add_query(route: &Route, query: &str, message: &mut DynamicMessage, violations: &mut Vec<Violation>) {
    let mut given: Vec<FieldPath> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        if violations.len() == MAX_VIOLATIONS {
            return;
        }
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, text) = match (percent::decode_query(name), percent::decode_query(text)) {
            (Ok(name), Ok(text)) => (name, text),
            _ => {
                violations.push(Violation::new(name, "isn't percent-encoded UTF-8"));
                continue;
            }
        };
        match query_field(route, &name, &given) {
            Ok(field) => {
                violations.extend(add_text(&field, &text, message).err());
                if !field.leaf.is_list() {
                    given.push(field);
                }
            }
            Err(problem) => violations.push(Violation::new(name, problem)),
        }
    }
}

/// The field that a query parameter may set; `given` are the single fields that are set already.
fn query_field(route: &Route, name: &str, given: &[FieldPath]) -> Result<FieldPath, Cow<'static, str>> {
    if matches!(route.body, BodyRule::Whole) {
        return Err("this method takes no query parameters: its fields are in the body".into());
    }
    let field = FieldPath::resolve(&route.input, name).map_err(|error| error.to_string())?;
    if route.variables.iter().any(|v| v.field.is_same(&field)) {
        return Err("this field is in the path".into());
    }
    if matches!(&route.body, BodyRule::Field(body) if body == field.root()) {
        return Err("this field is in the body".into());
    }
    if given.iter().any(|other| other.is_same(&field)) {
        return Err("given more than once".into());
    }
    if field.leaf.is_map() {
        return Err("a map can't be a query parameter".into());
    }
    Ok(field)
}

/// A client that reconnects names the last event that it has seen; that is newer than what its URL says.
fn add_last_event_id(
    route: &Route,
    headers: &HeaderMap,
    message: &mut DynamicMessage,
) -> Result<(), Violation> {
    let Some(field) = route.stream.as_ref().and_then(|stream| stream.resume.as_ref()) else { return Ok(()) };
    let Some(id) = headers.get(&LAST_EVENT_ID).filter(|id| !id.is_empty()) else { return Ok(()) };
    let problem = |problem| Violation::new("Last-Event-ID", problem);
    let id = id.to_str().map_err(|_| problem("isn't text".to_owned()))?;
    add_text(field, id, message).map(|_| ()).map_err(|violation| problem(violation.description))
}

fn add_path(route: &Route, path: &Path<'_>, message: &mut DynamicMessage) -> Vec<Violation> {
    let add = |variable: &PathVariable| {
        let raw = path.capture(variable.segments.clone(), variable.to_the_end);
        let text = if variable.multi { percent::decode_keeping_slashes(&raw) } else { percent::decode(&raw) };
        let text = text.map_err(|_| Violation::new(&*variable.field.name, "isn't percent-encoded UTF-8"))?;
        let in_body = variable.field.get(message).map(Cow::into_owned);
        let value = add_text(&variable.field, &text, message)?;
        match in_body {
            Some(other) if other != value => {
                Err(Violation::new(&*variable.field.name, "the body and the path differ in it"))
            }
            _ => Ok(()),
        }
    };
    route.variables.iter().map(add).filter_map(Result::err).collect()
}

/// Puts a text at a field; gives back its value.
fn add_text(field: &FieldPath, text: &str, message: &mut DynamicMessage) -> Result<Value, Violation> {
    let value =
        json::from_text(&field.leaf.kind(), text).map_err(|problem| Violation::new(&*field.name, problem))?;
    if let Some(oneof) = field.taken_oneof(message) {
        return Err(Violation::new(&*field.name, format!("another field of `{oneof}` is given too")));
    }
    field.put(message, value.clone());
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_json() {
        let cases = [
            ("application/json", true),
            ("Application/JSON; charset=UTF-8", true),
            ("application/json;charset=\"utf-8\"", true),
            ("application/merge-patch+json", true),
            ("application/json; charset=utf-16", false),
            ("text/json", false),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("application/jsonp", false),
            ("", false),
        ];
        for (content_type, expected) in cases {
            assert_eq!(is_json(content_type), expected, "{content_type}");
        }
    }
}
