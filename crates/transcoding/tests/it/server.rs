//! A server on a free port, and requests to it.

use std::{net::SocketAddr, time::Duration};

use prost_reflect::DescriptorPool;
use remik_transcoding::{Options, Transcoder};
use serde_json::Value as Json;
use tonic::service::Routes;

use crate::library::{Library, proto::library_service_server::LibraryServiceServer};

pub(crate) fn pool() -> DescriptorPool {
    DescriptorPool::decode(include_bytes!(concat!(env!("OUT_DIR"), "/testing.bin")).as_slice()).unwrap()
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    client: reqwest::Client,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {:?}", self.text))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The reason in the answer's `ErrorInfo`.
    pub(crate) fn reason(&self) -> String {
        self.json()["error"]["details"][0]["reason"].as_str().unwrap_or_default().to_owned()
    }

    /// The violations in the answer's `BadRequest`, as (field, description).
    pub(crate) fn violations(&self) -> Vec<(String, String)> {
        let json = self.json();
        let details = json["error"]["details"].as_array().unwrap();
        let bad = details.iter().find(|d| d["@type"] == "type.googleapis.com/google.rpc.BadRequest");
        let Some(bad) = bad else { return vec![] };
        let text = |v: &Json| v.as_str().unwrap().to_owned();
        let violations = bad["fieldViolations"].as_array().unwrap();
        violations.iter().map(|v| (text(&v["field"]), text(&v["description"]))).collect()
    }
}

impl Server {
    pub(crate) async fn start() -> Self {
        let mut options = Options::new("testing");
        options.max_body_bytes = 1000;
        Self::with(options).await
    }

    pub(crate) async fn with(options: Options) -> Self {
        let grpc = Routes::new(LibraryServiceServer::new(Library)).prepare();
        let transcoder = Transcoder::new(pool(), grpc.clone(), options).unwrap();
        let app = grpc.into_axum_router().fallback_service(transcoder);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        // Built together with the service, the library has TLS, and wants to know by what, even for plain HTTP.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
        Self { address, client }
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = method.parse::<http::Method>().unwrap();
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    pub(crate) async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answer { status, headers, text: response.text().await.unwrap() }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(self.request("GET", path)).await
    }

    /// Sends a body declared as JSON.
    pub(crate) async fn json(&self, method: &str, path: &str, body: impl Into<reqwest::Body>) -> Answer {
        let request = self.request(method, path).header("content-type", "application/json");
        self.send(request.body(body)).await
    }
}
