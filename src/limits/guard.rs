//! The layer around all gRPC services, through which calls over REST come as well.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use prost_reflect::DescriptorPool;
use tonic::Status;

use super::{Exceeded, Limits, Network, time};
use crate::error::ApiError;

/// What of the service is guarded; health checks and reflection aren't.
const GUARDED: &str = "/remik.";

/// The call that needs no token.
const MAKES_GUEST: &str = "/remik.v1.PlayerService/CreateGuest";

/// The limits of addresses and of all calls together, before anything is done for a call.
#[derive(Clone)]
pub struct Guard {
    limits: Arc<Limits>,
    /// The paths of calls that are streams on either side.
    streams: Arc<HashSet<String>>,
}

impl Guard {
    /// A guard for the services of a pool.
    pub fn new(limits: Arc<Limits>, pool: &DescriptorPool) -> Self {
        let services = pool.services();
        let methods = services.flat_map(|service| service.methods().collect::<Vec<_>>());
        let streams = methods
            .filter(|method| method.is_client_streaming() || method.is_server_streaming())
            .map(|method| format!("/{}/{}", method.parent_service().full_name(), method.name()))
            .collect();
        Self { limits, streams: Arc::new(streams) }
    }

    async fn pass(&self, request: Request, next: Next) -> Result<Response, Exceeded> {
        let path = request.uri().path();
        if !path.starts_with(GUARDED) {
            return Ok(next.run(request).await);
        }
        let limits = &self.limits;
        // Every connection has its address; it is missing in tests of the router alone.
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let network = peer.map(|peer| Network::of(peer, request.headers(), limits.settings.proxies));
        if let Some(network) = network {
            limits.admit_address(network, path == MAKES_GUEST)?;
        }
        if !self.streams.contains(path) {
            let _work = limits.begin_work()?;
            return limits.in_time(time::wanted(request.headers()), next.run(request)).await;
        }
        let slots = limits.stream_from(network)?;
        let response = next.run(request).await;
        Ok(response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                // It counts as long as there is a body.
                let _ = &slots;
                frame
            }))
        }))
    }
}

/// The layer's function.
pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    match guard.pass(request, next).await {
        Ok(response) => response,
        Err(exceeded) => Status::from(ApiError::from(exceeded)).into_http(),
    }
}
