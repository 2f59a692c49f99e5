//! Server streams as server-sent events or as lines of JSON.

use std::{convert::Infallible, sync::Arc};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use prost_reflect::{DynamicMessage, Value};
use tonic::{Code, Status};
use tower::BoxError;

use crate::{
    frames::Messages,
    json,
    options::Options,
    route::Route,
    status::{self, Details},
};

/// How the messages of a stream are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// `text/event-stream`.
    Events,
    /// `application/x-ndjson`: one JSON text a line.
    Lines,
}

impl Format {
    /// Events for a client that names their media type, lines for any other.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let wants_events = values.flat_map(|value| value.split(',')).any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let quality = |p: &str| p.strip_prefix("q=").and_then(|q| q.parse::<f32>().ok());
            parts.next().is_some_and(|media| media.eq_ignore_ascii_case("text/event-stream"))
                && !parts.any(|parameter| quality(parameter) == Some(0.0))
        });
        if wants_events { Self::Events } else { Self::Lines }
    }

    fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Events => "text/event-stream",
            Self::Lines => "application/x-ndjson",
        })
    }
}

/// All that the rest of a stream needs.
pub(crate) struct Writer {
    pub(crate) format: Format,
    pub(crate) route: Arc<Route>,
    pub(crate) options: Arc<Options>,
    pub(crate) details: Arc<Details>,
}

/// Waits a moment for the first message, so that a call which is refused at once gets an error status, and
/// answers with the stream.
pub(crate) async fn respond<B>(mut messages: Messages<B>, writer: Writer) -> Result<Response, Status>
where
    B: http_body::Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<BoxError>,
{
    let first = match tokio::time::timeout(writer.options.first_message_wait, messages.next()).await {
        Ok(Some(Err(status))) => return Err(status),
        Ok(Some(Ok(message))) => Some(writer.item(&message)?),
        Ok(None) => None,
        Err(_elapsed) => None,
    };
    let content_type = writer.format.content_type();
    let rest = stream::unfold(Some((messages, writer)), |open| async move {
        let (mut messages, writer) = open?;
        let (chunk, ended) = writer.next(&mut messages).await?;
        Some((chunk, (!ended).then_some((messages, writer))))
    });
    let chunks = stream::iter(first).chain(rest).map(Ok::<_, Infallible>);
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Asks nginx and those who follow it not to collect the stream.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(response)
}

impl Writer {
    /// The next chunk to send and whether it is the last one.
    async fn next<B>(&self, messages: &mut Messages<B>) -> Option<(Bytes, bool)>
    where
        B: http_body::Body<Data = Bytes> + Unpin,
        B::Error: Into<BoxError>,
    {
        let next = match self.format {
            Format::Lines => messages.next().await,
            Format::Events => match tokio::time::timeout(self.options.keep_alive, messages.next()).await {
                Ok(next) => next,
                Err(_elapsed) => return Some((Bytes::from_static(b":\n\n"), false)),
            },
        };
        match next.map(|message| message.and_then(|message| self.item(&message))) {
            Some(Ok(chunk)) => Some((chunk, false)),
            Some(Err(status)) => Some((self.end(&status), true)),
            None => match self.format {
                // Without it a browser would take the end for a lost connection, and connect again.
                Format::Events => Some((self.end(&Status::new(Code::Ok, "")), true)),
                Format::Lines => None,
            },
        }
    }

    /// One message.
    fn item(&self, message: &Bytes) -> Result<Bytes, Status> {
        let message = DynamicMessage::decode(self.route.output.clone(), message.clone())
            .map_err(|error| Status::internal(format!("a streamed message can't be read: {error}")))?;
        let mut out = Vec::with_capacity(256);
        if self.format == Format::Events {
            self.write_event_fields(&message, &mut out);
            out.extend_from_slice(b"data: ");
        }
        // Compact JSON has no line breaks.
        json::write(&message, self.route.response_body.as_ref(), &mut out)
            .map_err(|error| Status::internal(format!("a streamed message has no JSON form: {error}")))?;
        out.extend_from_slice(match self.format {
            Format::Events => b"\n\n",
            Format::Lines => b"\n",
        });
        Ok(out.into())
    }

    fn write_event_fields(&self, message: &DynamicMessage, out: &mut Vec<u8>) {
        let Some(streaming) = &self.route.stream else { return };
        if let Some(id) =
            streaming.id.as_ref().and_then(|field| field.get(message)).and_then(|v| event_id(&v))
        {
            out.extend_from_slice(format!("id: {id}\n").as_bytes());
        }
        let set = streaming.oneofs.iter().flat_map(|oneof| oneof.fields()).find(|f| message.has_field(f));
        if let Some(field) = set {
            out.extend_from_slice(format!("event: {}\n", field.json_name()).as_bytes());
        }
    }

    /// How the stream ended: the event `status`, or a last line that has `error`.
    fn end(&self, end: &Status) -> Bytes {
        match self.format {
            Format::Events => format!("event: status\ndata: {}\n\n", self.details.status_json(end)),
            Format::Lines => {
                let (http, details) = (status::http_status(end.code()), self.details.of(end));
                format!("{}\n", status::error_json(http, end.code(), end.message(), details))
            }
        }
        .into()
    }
}

/// The text of an id; none for a string that would break out of its line.
fn event_id(value: &Value) -> Option<String> {
    Some(match value {
        Value::Bool(v) => v.to_string(),
        Value::I32(v) => v.to_string(),
        Value::I64(v) => v.to_string(),
        Value::U32(v) => v.to_string(),
        Value::U64(v) => v.to_string(),
        Value::F32(v) => v.to_string(),
        Value::F64(v) => v.to_string(),
        Value::EnumNumber(v) => v.to_string(),
        Value::String(v) if !v.contains(['\n', '\r', '\0']) => v.clone(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_for_those_who_ask() {
        let cases = [
            (None, Format::Lines),
            (Some("*/*"), Format::Lines),
            (Some("application/json"), Format::Lines),
            (Some("text/event-stream"), Format::Events),
            (Some("application/json;q=0.5, Text/Event-Stream; q=0.1"), Format::Events),
            (Some("text/event-stream;q=0, application/x-ndjson"), Format::Lines),
        ];
        for (accept, expected) in cases {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            }
            assert_eq!(Format::accepted(&headers), expected, "{accept:?}");
        }
    }

    #[test]
    fn an_id_stays_in_its_line() {
        assert_eq!(event_id(&Value::String("a b".to_owned())), Some("a b".to_owned()));
        assert_eq!(event_id(&Value::String("a\ndata: x".to_owned())), None);
        assert_eq!(event_id(&Value::U64(7)), Some("7".to_owned()));
    }
}
