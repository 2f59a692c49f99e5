//! The text for players, added to every refusal on its way out: whoever has made it, a service, tonic or the
//! transcoder, for a call or at the end of a stream, each knows its reason alone.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http::HeaderMap;
use http_body_util::BodyExt as _;
use prost::Message as _;
use remik_transcoding::Localized;
use tonic::{Code, Status};

use super::status::any;
use super::texts::{Metadata, text};
use super::{ApiError, DOMAIN, Language, Reason};
use crate::proto::rpc::{self, ErrorInfo, LocalizedMessage};

/// Where a gRPC answer has its code.
const GRPC_STATUS: &str = "grpc-status";

/// The layer around all gRPC services: what they refuse gets a text in the language that the caller asks for.
pub async fn localize(request: Request, next: Next) -> Response {
    let language = Language::of(request.headers());
    let mut response = next.run(request).await;
    localize_headers(language, response.headers_mut());
    response.map(|body| {
        Body::new(body.map_frame(move |mut frame| {
            if let Some(trailers) = frame.trailers_mut() {
                localize_headers(language, trailers);
            }
            frame
        }))
    })
}

/// Adds the text to the status in a gRPC answer's headers or trailers, if it is a refusal.
pub fn localize_headers(language: Language, headers: &mut HeaderMap) {
    // Most answers are none: their headers needn't be read.
    if headers.get(GRPC_STATUS).is_none_or(|code| code == "0") {
        return;
    }
    let Some(status) = Status::from_header_map(headers) else { return };
    let Some(status) = localized(language, &status) else { return };
    // The details are base64 and the message is escaped, so they are valid headers.
    let _ = status.add_header(headers);
}

/// What the transcoder adds to its own refusals.
pub fn of_transcoder(reason: remik_transcoding::Reason, headers: &HeaderMap) -> Option<Localized> {
    let language = Language::of(headers);
    let message = text(language, Reason::of_name(reason.as_str())?, &Metadata::new());
    Some(Localized { locale: language.tag(), message })
}

/// A status with its text; `None` where there is none to add.
pub fn localized(language: Language, status: &Status) -> Option<Status> {
    let explained = (status.details().is_empty()).then(|| of_tonic(status)).flatten();
    let status = explained.as_ref().unwrap_or(status);
    let mut whole = rpc::Status::decode(status.details()).ok()?;
    let info = whole.details.iter().find(|any| any.type_url.ends_with("/google.rpc.ErrorInfo"))?;
    let info = ErrorInfo::decode(&*info.value).ok().filter(|info| info.domain == DOMAIN)?;
    let message = text(language, Reason::of_name(&info.reason)?, &info.metadata);
    let localized = LocalizedMessage { locale: language.tag().to_owned(), message };
    whole.details.push(any("LocalizedMessage", &localized));
    Some(Status::with_details(status.code(), status.message(), Bytes::from(whole.encode_to_vec())))
}

/// What tonic refuses before a service is called, which has no details: a method that isn't there, a message that
/// is too large, or frames that hold none. Other codes are left as they are: UNIMPLEMENTED with a message is an
/// unknown compression, which clients know by that code.
fn of_tonic(status: &Status) -> Option<Status> {
    let (reason, message) = match status.code() {
        Code::Unimplemented if status.message().is_empty() => {
            (Reason::NoSuchMethod, "there is no such method")
        }
        Code::OutOfRange => (Reason::BodyTooLarge, status.message()),
        // The services' own faults have details.
        Code::Internal => (Reason::MalformedRequest, status.message()),
        _ => return None,
    };
    Some(ApiError::new(reason, message).into())
}
