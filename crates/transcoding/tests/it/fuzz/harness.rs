//! Bytes as an HTTP request: whatever they say, the transcoder holds what it promises.
//!
//! The first line is the method and the target, then come headers, one a line, and after an empty line the body.
//! Any bytes are an input, so a fuzzer may change them as it likes.

use std::{cell::RefCell, convert::Infallible, path::Path, pin::Pin, sync::LazyLock};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use remik_transcoding::{Options, Reason, Transcoder};
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};
use tower::util::ServiceFn;

/// The library's API, which has a field of every kind and a rule of every kind.
static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The fuzz target is compiled in another folder.
    let root = here.ancestors().find(|folder| folder.join("crates/transcoding/proto").is_dir()).unwrap();
    let folders = ["crates/transcoding/tests/proto", "crates/transcoding/proto", "proto/third_party"];
    let mut compiler = protox::Compiler::new(folders.map(|folder| root.join(folder))).unwrap();
    compiler.include_imports(true);
    compiler.open_files(["testing/v1/library.proto", "google/rpc/error_details.proto"]).unwrap();
    DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice()).unwrap()
});

type Service = ServiceFn<fn(Request<tonic::body::Body>) -> Answer>;
type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().unwrap();
    static TRANSCODER: Transcoder<Service> = {
        let mut options = Options::new("fuzz");
        options.max_body_bytes = 512;
        Transcoder::new(POOL.clone(), tower::service_fn(answer as fn(_) -> Answer), options).unwrap()
    };
    /// What the last request has become.
    static ASKED: RefCell<Option<Asked>> = const { RefCell::new(None) };
}

/// What the service was asked.
struct Asked {
    input: MessageDescriptor,
    message: Bytes,
}

/// Sends the request that the bytes are, and panics where a promise isn't kept.
pub(crate) fn fuzz_one(data: &[u8]) {
    let Some(request) = request(data) else { return };
    let head_only = request.method() == http::Method::HEAD;
    let (status, headers, body) = RUNTIME.with(|runtime| runtime.block_on(send(request)));
    assert!(!status.is_server_error(), "{status}: {body:?}");
    if head_only {
        assert!(body.is_empty(), "HEAD has no body");
    } else if status.is_client_error() {
        check_refusal(status, &headers, &body);
    }
    match ASKED.take() {
        Some(asked) => {
            assert!(status.is_success(), "the service's answer was good: {status} {body:?}");
            check_message(&asked);
        }
        None => assert_ne!(status, StatusCode::OK, "nobody has answered that"),
    }
}

fn request(data: &[u8]) -> Option<Request<Body>> {
    let (head, body) = match data.windows(2).position(|pair| pair == b"\n\n") {
        Some(end) => (&data[..end], &data[end + 2..]),
        None => (data, &data[data.len()..]),
    };
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = lines.next()?;
    let space = first.iter().position(|byte| *byte == b' ')?;
    // What isn't HTTP never comes as far as the transcoder.
    let mut request = Request::builder().method(&first[..space]).uri(&first[space + 1..]);
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
        request = request.header(HeaderName::from_bytes(&line[..colon]).ok()?, value);
    }
    request.body(Body::from(body.to_vec())).ok()
}

async fn send(request: Request<Body>) -> (StatusCode, HeaderMap, Bytes) {
    let transcoder = TRANSCODER.with(Clone::clone);
    let (head, body) = transcoder.handle(request).await.into_parts();
    (head.status, head.headers, body.collect().await.unwrap().to_bytes())
}

/// A service with a good answer to everything: an empty message.
fn answer(call: Request<tonic::body::Body>) -> Answer {
    Box::pin(async move {
        let (service, method) = call.uri().path()[1..].split_once('/').unwrap();
        let service = POOL.get_service_by_name(service).unwrap();
        let input = service.methods().find(|m| m.name() == method).unwrap().input();
        let message = call.into_body().collect().await.unwrap().to_bytes().slice(5..);
        ASKED.set(Some(Asked { input, message }));
        let ok =
            HeaderMap::from_iter([(HeaderName::from_static("grpc-status"), HeaderValue::from_static("0"))]);
        let body = Full::new(Bytes::from_static(&[0; 5])).with_trailers(async { Some(Ok(ok)) });
        Ok(Response::new(Body::new(body)))
    })
}

/// Every refusal is typed, and names one of the transcoder's reasons.
fn check_refusal(status: StatusCode, headers: &HeaderMap, body: &Bytes) {
    let answer: Json = serde_json::from_slice(body).unwrap_or_else(|error| panic!("{error}: {body:?}"));
    let error = &answer["error"];
    assert_eq!(error["code"], status.as_u16());
    let reason = error["details"][0]["reason"].as_str().unwrap();
    let reason = Reason::ALL.into_iter().find(|known| known.as_str() == reason).unwrap();
    assert_eq!(reason.http_status(), status);
    assert_eq!(headers.contains_key("allow"), reason == Reason::MethodNotAllowed);
    let violations = error["details"][1]["fieldViolations"].as_array().map_or(0, Vec::len);
    assert_eq!(violations > 0, reason == Reason::MalformedRequest, "{body:?}");
}

/// What was read is a message of its type, has a JSON form, and reads the same from that.
fn check_message(asked: &Asked) {
    let message = DynamicMessage::decode(asked.input.clone(), asked.message.clone()).unwrap();
    let json = serde_json::to_string(&message).unwrap_or_else(|error| panic!("{error}: {message:?}"));
    let mut reader = serde_json::Deserializer::from_str(&json);
    let again = DynamicMessage::deserialize(asked.input.clone(), &mut reader)
        .unwrap_or_else(|error| panic!("{error}: {json}"));
    // By their JSON: a number that is none doesn't equal itself, and maps have no order.
    let values = [serde_json::to_value(&message).unwrap(), serde_json::to_value(&again).unwrap()];
    assert_eq!(values[0], values[1]);
}
