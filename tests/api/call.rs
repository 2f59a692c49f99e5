//! Any call of the API by its name, the request and the answer as JSON: over gRPC and over REST, by the descriptors
//! alone.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MethodDescriptor, SerializeOptions};
use remik::proto::DESCRIPTORS;
use reqwest::Method;
use serde_json::{Map, Value as Json};
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use crate::client::rest::refusal;
use crate::client::{Failure, Via};
use crate::service::Service;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).unwrap());

/// Credentials, as a call carries them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Credentials {
    /// What stands behind `Bearer`; empty for none.
    pub(crate) token: String,
    /// The player for whom a backend calls; empty for none.
    pub(crate) player: String,
}

impl Credentials {
    pub(crate) fn token(token: &str) -> Self {
        Self { token: token.to_owned(), player: String::new() }
    }

    pub(crate) fn acting(key: &str, player: &str) -> Self {
        Self { token: key.to_owned(), player: player.to_owned() }
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let token = (!self.token.is_empty()).then(|| ("authorization", format!("Bearer {}", self.token)));
        let player = (!self.player.is_empty()).then(|| ("remik-player", self.player.clone()));
        token.into_iter().chain(player).collect()
    }
}

/// The service with more flags than usual, or others.
pub(crate) async fn start_with(database_url: &str, more: &[&str]) -> Service {
    let usual = Service::arguments(database_url);
    let (serve, flags) = usual.split_first().unwrap();
    let kept = flags.chunks(2).filter(|flag| !more.contains(&flag[0])).flatten();
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_remik"));
    program.arg(serve).args(kept).args(more);
    Service::start_by(program).await
}

/// What calls go through.
pub(crate) struct Caller {
    url: String,
    http: reqwest::Client,
    channel: Channel,
}

impl Caller {
    pub(crate) fn new(url: &str) -> Self {
        let channel = Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy();
        Self { url: url.to_owned(), http: reqwest::Client::new(), channel }
    }

    /// Calls a method such as `remik.v1.GameService/Draw`; of a stream, its first item.
    pub(crate) async fn call(
        &self,
        via: Via,
        method: &str,
        request: &Json,
        credentials: &Credentials,
    ) -> Result<Json, Failure> {
        let (service, name) = method.split_once('/').unwrap();
        let service = POOL.get_service_by_name(service).unwrap();
        let descriptor = service.methods().find(|method| method.name() == name).unwrap();
        match via {
            Via::Grpc => grpc(&self.channel, method, &descriptor, request, credentials).await,
            Via::Rest => rest(&self.http, &self.url, &descriptor, request, credentials).await,
        }
    }
}

/// A single call.
pub(crate) async fn call(
    url: &str,
    via: Via,
    method: &str,
    request: &Json,
    credentials: &Credentials,
) -> Result<Json, Failure> {
    Caller::new(url).call(via, method, request, credentials).await
}

async fn grpc(
    channel: &Channel,
    path: &str,
    method: &MethodDescriptor,
    request: &Json,
    credentials: &Credentials,
) -> Result<Json, Failure> {
    let message = DynamicMessage::deserialize(method.input(), request).unwrap();
    let mut request = Request::new(Bytes::from(message.encode_to_vec()));
    for (name, value) in credentials.headers() {
        request.metadata_mut().insert(name, value.parse().unwrap());
    }
    let mut client = tonic::client::Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let path = PathAndQuery::try_from(format!("/{path}")).unwrap();
    // The one answer of a unary call is a stream too.
    let mut answers = client.server_streaming(request, path, Raw).await?.into_inner();
    let answer = answers.message().await?.expect("an answer");
    let answer = DynamicMessage::decode(method.output(), answer).unwrap();
    let options = SerializeOptions::new().skip_default_fields(false);
    Ok(answer.serialize_with_options(serde_json::value::Serializer, &options).unwrap())
}

async fn rest(
    http: &reqwest::Client,
    url: &str,
    method: &MethodDescriptor,
    request: &Json,
    credentials: &Credentials,
) -> Result<Json, Failure> {
    let rule = POOL.get_extension_by_name("google.api.http").unwrap();
    let rule = method.options().get_extension(&rule).into_owned();
    let rule = rule.as_message().unwrap();
    let template = |verb: &str| {
        let template = rule.get_field_by_name(verb).unwrap().as_str().unwrap().to_owned();
        (!template.is_empty()).then_some(template)
    };
    let (verb, template) = match (template("get"), template("post")) {
        (Some(template), None) => (Method::GET, template),
        (None, Some(template)) => (Method::POST, template),
        other => panic!("{other:?}"),
    };
    let mut fields: Map<String, Json> = request.as_object().unwrap().clone();
    let mut path = template;
    while let Some((before, rest)) = path.split_once('{') {
        let (name, after) = rest.split_once('}').unwrap();
        let field = method.input().get_field_by_name(name).unwrap();
        let value = fields.remove(field.json_name()).unwrap_or_default();
        path = format!("{before}{}{after}", value.as_str().unwrap());
    }
    let mut request = if verb == Method::GET {
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let pairs = fields.iter().map(|(name, value)| (name, text(value)));
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        http.get(format!("{url}{path}?{query}"))
    } else {
        http.post(format!("{url}{path}")).json(&fields)
    };
    for (name, value) in credentials.headers() {
        request = request.header(name, value);
    }
    let lost = |error: reqwest::Error| Failure::Lost(format!("{error:?}"));
    let mut response = request.send().await.map_err(lost)?;
    if !response.status().is_success() {
        return Err(refusal(response).await);
    }
    if method.is_server_streaming() {
        let line = response.chunk().await.map_err(lost)?.unwrap();
        return Ok(serde_json::from_slice(line.split(|byte| *byte == b'\n').next().unwrap()).unwrap());
    }
    response.json().await.map_err(lost)
}

/// Messages as the bytes that they are.
#[derive(Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}

/// The reason of a refusal; empty if the call was answered.
pub(crate) fn reason<T>(outcome: Result<T, Failure>) -> String {
    outcome.map_or_else(|failure| failure.refused().reason, |_| String::new())
}

/// Asks again and again until it is so, and says how long that took.
pub(crate) async fn until(bound: Duration, what: &str, so: impl AsyncFn() -> bool) -> Duration {
    let started = Instant::now();
    while !so().await {
        assert!(started.elapsed() < bound, "it takes too long until {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    started.elapsed()
}
