//! Calls whose answers are kept as the bytes that came, times aside.

use std::{sync::LazyLock, time::Duration};

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage, Value};
use remik::proto::{
    DESCRIPTORS,
    v1::{WatchGameResponse, watch_game_response::Item},
};
use reqwest::{Method, Response};
use tokio::time::timeout;
use tonic::{
    Request, Status, Streaming,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::{Channel, Endpoint},
};

/// How long anything may take to come.
const BOUND: Duration = Duration::from_secs(20);

/// A client that reads nothing.
#[derive(Clone)]
pub(crate) struct Raw {
    channel: Channel,
    http: reqwest::Client,
    url: String,
    token: String,
}

/// A stream's messages.
pub(crate) enum Frames {
    Grpc { stream: Streaming<Bytes>, kind: &'static str },
    Rest(Response),
}

impl Raw {
    pub(crate) fn new(url: &str, token: &str) -> Self {
        Self {
            channel: Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy(),
            http: reqwest::Client::new(),
            url: url.to_owned(),
            token: token.to_owned(),
        }
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", format!("Bearer {}", self.token).parse().unwrap());
        request
    }

    async fn ready(&self) -> tonic::client::Grpc<Channel> {
        let mut grpc = tonic::client::Grpc::new(self.channel.clone());
        grpc.ready().await.unwrap();
        grpc
    }

    /// A method of `GameService`: the frame of its answer, or all that a refusal says.
    pub(crate) async fn grpc(&self, method: &str, message: &impl Message) -> Vec<u8> {
        let path: PathAndQuery = format!("/remik.v1.GameService/{method}").parse().unwrap();
        let request = self.request(Bytes::from(message.encode_to_vec()));
        match self.ready().await.unary(request, path, Plain).await {
            Ok(response) => {
                let (metadata, frame, _) = response.into_parts();
                [headers(metadata.as_ref()).into_bytes(), without_times(&format!("{method}Response"), frame)]
                    .concat()
            }
            Err(status) => refusal(&status),
        }
    }

    /// A stream of `GameService`.
    pub(crate) async fn stream(
        &self,
        method: &'static str,
        messages: impl futures::Stream<Item = Bytes> + Send + 'static,
    ) -> Frames {
        let path: PathAndQuery = format!("/remik.v1.GameService/{method}").parse().unwrap();
        let kind = if method == "Play" { "PlayResponse" } else { "WatchGameResponse" };
        let stream = self.ready().await.streaming(self.request(messages), path, Plain).await.unwrap();
        Frames::Grpc { stream: stream.into_inner(), kind }
    }

    /// A call over REST: status, headers and body as they came.
    pub(crate) async fn rest(&self, method: Method, path: &str, body: Option<String>) -> Vec<u8> {
        let mut request = self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        let response = request.send().await.unwrap();
        let head = format!("{}\n{}", response.status(), headers(response.headers()));
        let body = response.text().await.unwrap();
        format!("{head}\n{}", text_without_times(&body)).into_bytes()
    }

    /// Server-sent events of a path.
    pub(crate) async fn events(&self, path: &str) -> Frames {
        let request = self.http.get(format!("{}{path}", self.url)).bearer_auth(&self.token);
        Frames::Rest(request.header("accept", "text/event-stream").send().await.unwrap())
    }
}

impl Frames {
    /// Why a stream of gRPC ends, before any message.
    pub(crate) async fn failure(self) -> Status {
        let Self::Grpc { mut stream, .. } = self else { panic!("only gRPC has one") };
        timeout(BOUND, stream.message()).await.expect("it ends").unwrap_err()
    }

    /// What comes until `last` is in it, but for signs of life, which depend on the time alone.
    pub(crate) async fn until(&mut self, last: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let mut read = Vec::new();
        loop {
            match self {
                Self::Grpc { stream, kind } => {
                    let frame = timeout(BOUND, stream.message()).await.expect("it comes").unwrap().unwrap();
                    let frame = without_times(kind, frame);
                    if *kind == "WatchGameResponse" && is_heartbeat(&frame) {
                        continue;
                    }
                    read.put_u32(frame.len() as u32);
                    read.extend_from_slice(&frame);
                    if last(&frame) {
                        return read;
                    }
                }
                Self::Rest(response) => {
                    let chunk = timeout(BOUND, response.chunk()).await.expect("it comes").unwrap().unwrap();
                    read.extend_from_slice(&chunk);
                    // A chunk has whole events.
                    if chunk.split(|byte| *byte == b'\n').any(&last) {
                        let text = text_without_times(std::str::from_utf8(&read).unwrap());
                        let events = text.split_inclusive("\n\n");
                        let alive =
                            |event: &&str| event.starts_with(':') || event.contains("event: heartbeat");
                        return events.filter(|event| !alive(event)).collect::<String>().into_bytes();
                    }
                }
            }
        }
    }
}

fn is_heartbeat(frame: &[u8]) -> bool {
    let item = WatchGameResponse::decode(frame).unwrap().item;
    matches!(item, Some(Item::Heartbeat(_)))
}

fn refusal(status: &Status) -> Vec<u8> {
    let head = format!("{:?} {}\n{}", status.code(), status.message(), headers(status.metadata().as_ref()));
    [head.as_bytes(), status.details()].concat()
}

/// Names and values, but for those that tell the time or depend on how long it takes to write.
fn headers(headers: &http::HeaderMap) -> String {
    let kept = headers.iter().filter(|(name, _)| *name != "date" && *name != "content-length");
    kept.map(|(name, value)| format!("{name}: {}\n", value.to_str().unwrap())).collect()
}

/// A message of the API, and all that is in it that it doesn't know, but for times.
fn without_times(name: &str, frame: Bytes) -> Vec<u8> {
    static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).unwrap());
    let descriptor = POOL.get_message_by_name(&format!("remik.v1.{name}")).unwrap();
    let mut message = DynamicMessage::decode(descriptor, frame).unwrap();
    clear_times(&mut message);
    message.encode_to_vec()
}

fn clear_times(message: &mut DynamicMessage) {
    if message.descriptor().full_name() == "google.protobuf.Timestamp" {
        message.clear_field_by_name("seconds");
        message.clear_field_by_name("nanos");
        return;
    }
    for (_, value) in message.fields_mut() {
        clear_times_in(value);
    }
}

fn clear_times_in(value: &mut Value) {
    match value {
        Value::Message(message) => clear_times(message),
        Value::List(list) => list.iter_mut().for_each(clear_times_in),
        Value::Map(map) => map.values_mut().for_each(clear_times_in),
        _ => {}
    }
}

/// A text whose quoted times, such as "2026-01-02T03:04:05.678Z", have become "T".
fn text_without_times(text: &str) -> String {
    let is_time = |part: &str| {
        part.len() >= 20
            && part.ends_with('Z')
            && part.as_bytes()[10] == b'T'
            && part.bytes().all(|b| b.is_ascii_digit() || b"-:.TZ".contains(&b))
    };
    text.split('"').map(|part| if is_time(part) { "T" } else { part }).collect::<Vec<_>>().join("\"")
}

/// Frames as they are.
#[derive(Debug, Clone, Copy)]
struct Plain;

impl Codec for Plain {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(message);
        Ok(())
    }
}

impl Decoder for Plain {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}
