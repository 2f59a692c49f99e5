//! A library over gRPC and REST on one port: `cargo run -p remik-transcoding --example library`.
//!
//! Its service is the one of the crate's own tests; `tests/proto/testing/v1/library.proto` has the annotations.

use std::error::Error;

use axum::{Router, routing::get};
use prost_reflect::DescriptorPool;
use remik_transcoding::{Options, Transcoder, openapi};
use tonic::service::Routes;

#[path = "../tests/it/library.rs"]
#[allow(clippy::unwrap_used)]
mod library;

use library::{Library, proto::library_service_server::LibraryServiceServer};

const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/testing.bin"));

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let pool = DescriptorPool::decode(DESCRIPTORS)?;
    let info = openapi::Info { title: "Library".into(), version: "1.0".into(), ..Default::default() };
    let document = openapi::document(&pool, &info).to_string();
    let grpc = Routes::new(LibraryServiceServer::new(Library)).prepare();
    let rest = Transcoder::new(pool, grpc.clone(), Options::new("library.example"))?;
    let app: Router =
        grpc.into_axum_router().route("/openapi.json", get(|| async { document })).fallback_service(rest);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8081").await?;
    println!("http://{}/openapi.json", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}
