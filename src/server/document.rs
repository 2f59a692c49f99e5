//! The OpenAPI document of the API.

use prost_reflect::DescriptorPool;
use remik_transcoding::openapi::{self, ErrorReason, Scope};
use serde_json::Value as Json;

use crate::error::Reason;

/// What a reader should know before the first call.
const DESCRIPTION: &str = "\
A game service for the rummy family. Every call here is a call of the gRPC API `remik.v1` as well; both are served \
on this port.

* JSON is canonical proto3 JSON: names in camelCase (snake_case is read too), 64-bit numbers and durations as \
strings, times by RFC 3339. A field that is `null` counts as not given. Unknown fields are refused.
* Every command carries a `requestId` of the client's own making and may be sent again with it until it is \
answered: it is carried out once.
* A refusal has a `reason` in its `google.rpc.ErrorInfo`, with numbers and cards in the metadata. \
Of a path that isn't here the reason is `NO_SUCH_ROUTE` (404), of another HTTP method `METHOD_NOT_ALLOWED` (405).
* `grpc-timeout: 5S` bounds how long a call may take, here too.
* Streams are sent as server-sent events to who accepts `text/event-stream`, else as lines of JSON.";

/// What the bearer token is.
const BEARER: &str = "\
Who calls: a player by the token that `CreateGuest`, `IssueToken` or `RefreshToken` gives or by the integrator's own JWT, a \
backend by its API key. A backend with the scope `games` calls for a player by the header `remik-player`, which has his id.";

/// Writes the document.
pub(super) fn document(pool: &DescriptorPool) -> Json {
    let info = openapi::Info {
        title: "remik".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        description: DESCRIPTION.to_owned(),
        servers: vec!["/".to_owned()],
        bearer: BEARER.to_owned(),
        errors: errors(pool),
    };
    openapi::document(pool, &info)
}

fn errors(pool: &DescriptorPool) -> Vec<ErrorReason> {
    let Some(reasons) = pool.get_enum_by_name("remik.v1.ErrorReason") else { return Vec::new() };
    let told = openapi::value_comments(&reasons).into_iter();
    let known = told.filter_map(|(number, comment)| Some((Reason::try_from(number).ok()?, comment)));
    known
        .filter(|(reason, _)| *reason != Reason::Unspecified)
        .map(|(reason, comment)| error(reason, comment))
        .collect()
}

fn error(reason: Reason, description: String) -> ErrorReason {
    let own = remik_transcoding::Reason::ALL.into_iter().find(|own| own.as_str() == reason.name());
    let scope = match reason {
        Reason::MissingField
        | Reason::MalformedField
        | Reason::FieldOutOfRange
        | Reason::MalformedRequest
        | Reason::RateLimited
        | Reason::Overloaded
        | Reason::Draining
        | Reason::StorageUnavailable
        | Reason::TimedOut
        | Reason::Internal => Scope::All,
        Reason::Unauthenticated
        | Reason::PermissionDenied
        | Reason::TokenExpired
        | Reason::PlayerBanned
        | Reason::ScopeMissing
        | Reason::PlayerRequired
        | Reason::IdentityUnavailable => Scope::WithCredentials,
        Reason::BodyTooLarge | Reason::UnsupportedMediaType => Scope::WithBody,
        _ => Scope::Listed,
    };
    ErrorReason {
        reason: reason.name().to_owned(),
        status: own.map_or(remik_transcoding::http_status(reason.code()), |own| own.http_status()),
        description,
        retry: reason.retry_after().is_some(),
        scope,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::authorization::{Method, Who};
    use crate::proto::DESCRIPTORS;

    /// Reasons that no call of the document is answered with: commands that only the service's own clock or an
    /// administrator gives, and a path or method that isn't in it. By their numbers.
    const OF_NO_CALL: [Reason; 8] = [
        Reason::ClockOnly,
        Reason::NoClock,
        Reason::NotTimeYet,
        Reason::AdminOnly,
        Reason::NoSuchRoute,
        Reason::MethodNotAllowed,
        Reason::NoSuchMethod,
        Reason::RematchMade,
    ];

    fn whole() -> Json {
        document(&DescriptorPool::decode(DESCRIPTORS).unwrap())
    }

    fn texts(list: &Json) -> impl Iterator<Item = String> + '_ {
        list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned())
    }

    #[test]
    fn every_reason_is_named_by_a_call_that_it_may_answer() {
        let document = whole();
        let (mut listed, mut told) = (BTreeSet::new(), BTreeSet::new());
        for operation in document["paths"]
            .as_object()
            .unwrap()
            .values()
            .flat_map(|item| item.as_object().unwrap().values())
        {
            listed.extend(texts(&operation["x-error-reasons"]));
            for response in operation["responses"].as_object().unwrap().values() {
                told.extend(texts(&response["x-error-reasons"]));
            }
        }
        for name in &listed {
            assert!(told.contains(name), "{name} is listed, but no reason");
        }
        let reasons = (1..1000).filter_map(|number| Reason::try_from(number).ok());
        let missing: Vec<Reason> = reasons.filter(|reason| !told.contains(reason.name())).collect();
        assert_eq!(missing, OF_NO_CALL);
    }

    #[test]
    fn calls_need_a_token_as_the_table_says() {
        let document = whole();
        let items = document["paths"].as_object().unwrap().values();
        for operation in items.flat_map(|item| item.as_object().unwrap().values()) {
            let id = operation["operationId"].as_str().unwrap();
            let method =
                Method::ALL.iter().find(|method| method.full_name().ends_with(&format!("/{id}"))).unwrap();
            let told = match method.who() {
                Who::Anyone => serde_json::json!([]),
                Who::AnyoneOrPlayer => serde_json::json!([{}, {"bearer": []}]),
                Who::Player | Who::PlayerOrBackend(_) | Who::Backend(_) => Json::Null,
            };
            assert_eq!(operation["security"], told, "{id}");
        }
    }
}
