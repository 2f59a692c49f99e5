//! What transcoding adds to a unary call: each case against the same call made as a gRPC client would.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../tests/it/library.rs"]
mod library;

use axum::body::Body;
use bytes::{BufMut as _, Bytes, BytesMut};
use http::Request;
use http_body_util::{BodyExt as _, Full};
use library::{Library, proto::library_service_server::LibraryServiceServer};
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage};
use remik_transcoding::{Options, Transcoder};
use tokio::runtime::{Builder, Runtime};
use tonic::service::Routes;
use tower::ServiceExt as _;

const BOOK: &str = r#"{"book":{"name":"Lalka","pages":700,"cover":"+/8=","binding":"BINDING_SOFT","names":{"en":
    "The Doll"},"authors":[{"fullName":"Bolesław Prus"}],"printedAt":"1890-01-02T03:04:05Z","shelf":"P",
    "serialNumber":"18446744073709551615","weight":0.75},"requestId":"0190163d-8694-739b-aea5-966c26f8ad91"}"#;

fn main() {
    divan::main();
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn grpc() -> Routes {
    Routes::new(LibraryServiceServer::new(Library)).prepare()
}

fn pool() -> DescriptorPool {
    DescriptorPool::decode(include_bytes!(concat!(env!("OUT_DIR"), "/testing.bin")).as_slice()).unwrap()
}

fn over_http(bencher: divan::Bencher<'_, '_>, request: fn() -> Request<Body>) {
    let (runtime, transcoder) = (runtime(), Transcoder::new(pool(), grpc(), Options::new("bench")).unwrap());
    bencher.with_inputs(request).bench_values(|request| {
        runtime.block_on(async {
            let answer = transcoder.clone().handle(request).await;
            assert_eq!(answer.status().as_u16(), 200);
            answer.into_body().collect().await.unwrap().to_bytes()
        })
    });
}

fn over_grpc(bencher: divan::Bencher<'_, '_>, method: &str, message: &DynamicMessage) {
    let (runtime, grpc) = (runtime(), grpc());
    let mut frame = BytesMut::new();
    frame.put_u8(0);
    frame.put_u32(message.encoded_len().try_into().unwrap());
    message.encode(&mut frame).unwrap();
    let (frame, path): (Bytes, _) = (frame.freeze(), format!("/testing.v1.LibraryService/{method}"));
    let request = || {
        let body = tonic::body::Body::new(Full::new(frame.clone()));
        let request = Request::post(&path).header("content-type", "application/grpc");
        request.body(body).unwrap()
    };
    bencher.with_inputs(request).bench_values(|request| {
        runtime.block_on(async {
            grpc.clone().oneshot(request).await.unwrap().into_body().collect().await.unwrap().to_bytes()
        })
    });
}

#[divan::bench]
fn get_http(bencher: divan::Bencher<'_, '_>) {
    over_http(bencher, || Request::get("/v1/books/a%20b?revision=3").body(Body::empty()).unwrap());
}

#[divan::bench]
fn get_grpc(bencher: divan::Bencher<'_, '_>) {
    let descriptor = pool().get_message_by_name("testing.v1.GetBookRequest").unwrap();
    let mut message = DynamicMessage::new(descriptor);
    message.set_field_by_name("book_id", prost_reflect::Value::String("a b".to_owned()));
    over_grpc(bencher, "GetBook", &message);
}

#[divan::bench]
fn post_http(bencher: divan::Bencher<'_, '_>) {
    over_http(bencher, || {
        Request::post("/v1/books").header("content-type", "application/json").body(Body::from(BOOK)).unwrap()
    });
}

#[divan::bench]
fn post_grpc(bencher: divan::Bencher<'_, '_>) {
    let descriptor = pool().get_message_by_name("testing.v1.CreateBookRequest").unwrap();
    let mut json = serde_json::Deserializer::from_str(BOOK);
    over_grpc(bencher, "CreateBook", &DynamicMessage::deserialize(descriptor, &mut json).unwrap());
}
