//! Everything on one port: gRPC, gRPC-Web, REST with server-sent events, the OpenAPI document, the web page.

mod document;
mod edge;
mod explain;
mod pages;

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::header;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::get;
use axum_server::Handle;
use prost_reflect::DescriptorPool;
use remik_transcoding::{ConfigError, Options, Transcoder};
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::codec::CompressionEncoding::Gzip;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;

use crate::api::{
    ACT_FOR, Admin, Api, ChatApi, Feeds, Games, Keys, LobbyApi, MatchmakingApi, Players, Profiles, ReplayApi,
    Rulesets, Sandboxes, Standings, WebhookApi,
};
use crate::authorization::{Method, SERVICES};
use crate::bots::Bots;
use crate::chat::Chats;
use crate::config::Config;
use crate::erasures::Erasures;
use crate::error::{self, DOMAIN, Language};
use crate::feed::Feed;
use crate::identity::{Identity, Secret, SetupError};
use crate::limits::{self, Gate, Guard, Limits, guard};
use crate::liveness::Liveness;
use crate::lobby::Lobby;
use crate::matchmaking::Matchmaking;
use crate::proto::DESCRIPTORS;
use crate::proto::v1::admin_service_server::AdminServiceServer;
use crate::proto::v1::chat_service_server::ChatServiceServer;
use crate::proto::v1::feed_service_server::FeedServiceServer;
use crate::proto::v1::game_service_server::GameServiceServer;
use crate::proto::v1::key_service_server::KeyServiceServer;
use crate::proto::v1::lobby_service_server::LobbyServiceServer;
use crate::proto::v1::matchmaking_service_server::MatchmakingServiceServer;
use crate::proto::v1::player_service_server::PlayerServiceServer;
use crate::proto::v1::profile_service_server::ProfileServiceServer;
use crate::proto::v1::replay_service_server::ReplayServiceServer;
use crate::proto::v1::ruleset_service_server::RulesetServiceServer;
use crate::proto::v1::sandbox_service_server::SandboxServiceServer;
use crate::proto::v1::standings_service_server::StandingsServiceServer;
use crate::proto::v1::webhook_service_server::WebhookServiceServer;
use crate::replays::Replays;
use crate::standings::Projector;
use crate::store::{Millis, OpenError, Store, StoreError, StoreOptions};
use crate::tables::{Clock, Tables};
use crate::webhooks::Webhooks;

/// The largest request, in bytes; a command is far smaller.
const MOST_BYTES: usize = 64 * 1024;

/// The largest request to import a game, in bytes.
const MOST_DOCUMENT_BYTES: usize = 4 * 1024 * 1024;

/// How long open calls may take to end when the service stops.
const DRAIN: Duration = Duration::from_secs(10);

/// How often the database is asked for its time.
const SET_CLOCK: Duration = Duration::from_secs(30);

/// How long answers to commands that can be repeated are kept, in milliseconds: 7 days.
const KEEP_REQUESTS: i64 = 7 * 24 * 3600 * 1000;

/// How often older ones are swept.
const SWEEP: Duration = Duration::from_secs(3600);

/// Why the service doesn't run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The store doesn't open.
    #[error("can't open the store")]
    Store(#[from] OpenError),
    /// The file that names the database can't be read.
    #[error("can't read the file that names the database")]
    DatabaseFile(#[source] io::Error),
    /// Identity can't be set up as configured.
    #[error("identity can't be set up")]
    Identity(#[from] SetupError),
    /// The address can't be listened on, or the listener failed.
    #[error("can't listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The bots' threads don't start.
    #[error("the bots' threads don't start")]
    Threads(#[source] io::Error),
    /// What posts to webhooks can't be set up.
    #[error("what posts to webhooks can't be set up")]
    Webhooks(#[source] reqwest::Error),
    /// The API's own descriptors are wrong.
    #[error("the API's routes don't fit together")]
    Routes(#[from] ConfigError),
    /// The API's own descriptors can't be read.
    #[error("the API's descriptors can't be read")]
    Descriptors(#[from] prost_reflect::DescriptorError),
    /// Server reflection doesn't start.
    #[error("server reflection doesn't start")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// Runs the service until `stop` is cancelled and what is open has ended. `ready` is told the address, and the
/// API key that was made for this run, if one was: on a loopback address, where nobody but guests could come in.
///
/// # Errors
/// It doesn't start, or the listener fails.
pub async fn serve(
    config: &Config,
    stop: CancellationToken,
    ready: impl FnOnce(SocketAddr, Option<&Secret>),
) -> Result<(), ServeError> {
    let database = config.database().map_err(ServeError::DatabaseFile)?;
    let store = Arc::new(Store::open(&database, StoreOptions::default()).await?);
    let clock = Clock::default();
    // Moves are dated from the first one on by the clock that all instances share.
    clock.set(&store).await.map_err(OpenError::from)?;
    let tables = Tables::new(Arc::clone(&store), clock.clone(), config.cached_tables);
    let tables = Arc::new(tables.closing_after(config.idle_table()));
    let lobby = Arc::new(Lobby::new(Arc::clone(&tables)));
    let erasures = Arc::new(Erasures::new(Arc::clone(&store), &config.data_dir));
    // Before anybody can look: the database may have been set back.
    erasures.catch_up(Millis(clock.now().0)).await.map_err(OpenError::from)?;
    let mut identity = Identity::open(Arc::clone(&store), clock.clone(), config).await?;
    // Where strangers can come in nobody gets a key who hasn't been given one.
    let console_key = match config.listen.ip().is_loopback() {
        true => identity.make_console_key().await.map_err(OpenError::from)?,
        false => None,
    };
    let identity = Arc::new(identity);
    let keeping_up = tokio::spawn(Arc::clone(&identity).keep_up(stop.clone()));
    let bots = Bots::start(config.bot_manner(), config.bot_threads()).map_err(ServeError::Threads)?;
    let liveness = tokio::spawn(Liveness::new(Arc::clone(&tables), bots).run(stop.clone()));
    let following = tokio::spawn(Arc::clone(&tables).follow(stop.clone()));
    let lobby_following = tokio::spawn(Arc::clone(&lobby).follow(stop.clone()));
    let matchmaking = Arc::new(Matchmaking::new(Arc::clone(&tables), config.matchmaking.clone()));
    let matching = tokio::spawn(Arc::clone(&matchmaking).run(stop.clone()));
    let counting = tokio::spawn(Projector::new(Arc::clone(&store)).run(stop.clone()));
    let feed = Arc::new(Feed::new(Arc::clone(&store)));
    let webhooks = Webhooks::new(Arc::clone(&store), Arc::clone(&feed), clock.clone(), config.webhooks());
    let webhooks = Arc::new(webhooks.map_err(ServeError::Webhooks)?);
    let delivering = tokio::spawn(Arc::clone(&webhooks).deliver(stop.clone()));
    let kept = Kept {
        store: Arc::clone(&store),
        identity: Arc::clone(&identity),
        erasures: Arc::clone(&erasures),
        webhooks: Arc::clone(&webhooks),
    };
    let chores = tokio::spawn(kept.chores(clock, stop.clone()));
    let (health, health_service) = tonic_health::server::health_reporter();
    for service in SERVICES {
        health.set_service_status(service, ServingStatus::Serving).await;
    }
    let replays = Replays::open(Arc::clone(&store), Arc::clone(&tables)).await.map_err(OpenError::from)?;
    let limits = Arc::new(Limits::new(config.limits.clone()));
    let chats = Arc::new(Chats::new(Arc::clone(&tables), Arc::clone(&limits), config.chat));
    let hearing = tokio::spawn(Arc::clone(&chats).follow(stop.clone()));
    let api = Api::new(tables, identity, Arc::clone(&limits), stop.clone());
    let parts = Parts { lobby, matchmaking, replays: Arc::new(replays), chats, erasures, feed, webhooks };
    let router = router(api, parts, &limits, health_service)?;
    let router = edge::shared(edge::compressed(router), &config.cors_origins);

    let failed = |source| ServeError::Listen { address: config.listen, source };
    let listener = TcpListener::bind(config.listen).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let handle = Handle::new();
    tokio::spawn({
        let (handle, stop) = (handle.clone(), stop.clone());
        async move {
            stop.cancelled().await;
            for service in SERVICES {
                health.set_service_status(service, ServingStatus::NotServing).await;
            }
            handle.graceful_shutdown(Some(DRAIN));
        }
    });
    tracing::info!(%address, "serving");
    ready(address, console_key.as_ref());
    let server = axum_server::from_tcp(listener).map_err(failed)?.handle(handle);
    let server = limits::harden(server.acceptor(Gate::new(limits)));
    server.serve(router.into_make_service_with_connect_info::<SocketAddr>()).await.map_err(failed)?;
    // They end with `stop`; a panic in one has been reported already.
    let _ = tokio::join!(
        liveness,
        following,
        lobby_following,
        hearing,
        keeping_up,
        matching,
        counting,
        delivering,
        chores
    );
    store.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// What some services stand on besides the tables.
struct Parts {
    lobby: Arc<Lobby>,
    matchmaking: Arc<Matchmaking>,
    replays: Arc<Replays>,
    chats: Arc<Chats>,
    erasures: Arc<Erasures>,
    feed: Arc<Feed>,
    webhooks: Arc<Webhooks>,
}

fn router<H>(api: Api, parts: Parts, limits: &Arc<Limits>, health: H) -> Result<Router, ServeError>
where
    H: tower::Service<
            axum::http::Request<tonic::body::Body>,
            Response = axum::http::Response<tonic::body::Body>,
            Error = Infallible,
        > + tonic::server::NamedService
        + Clone
        + Send
        + Sync
        + 'static,
    H::Future: Send + 'static,
{
    let Parts { lobby, matchmaking, replays, chats, erasures, feed, webhooks } = parts;
    let profiles = Profiles::new(api.clone(), Arc::clone(&chats), erasures);
    let pool = DescriptorPool::decode(DESCRIPTORS)?;
    let document = pages::document(&pool);
    // Older clients, such as Python's, know the first version only.
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let (reflection, reflection_alpha) = (reflection().build_v1()?, reflection().build_v1alpha()?);
    macro_rules! limited {
        ($server:ident($service:expr), $most:expr) => {
            $server::new($service)
                .max_decoding_message_size($most)
                .accept_compressed(Gzip)
                .send_compressed(Gzip)
        };
    }
    let grpc = Routes::new(limited!(GameServiceServer(Games(api.clone())), MOST_BYTES))
        .add_service(limited!(PlayerServiceServer(Players(api.clone())), MOST_BYTES))
        .add_service(limited!(KeyServiceServer(Keys(api.clone())), MOST_BYTES))
        .add_service(limited!(LobbyServiceServer(LobbyApi::new(api.clone(), lobby)), MOST_BYTES))
        .add_service(limited!(
            MatchmakingServiceServer(MatchmakingApi::new(api.clone(), matchmaking)),
            MOST_BYTES
        ))
        .add_service(limited!(FeedServiceServer(Feeds::new(api.clone(), feed)), MOST_BYTES))
        .add_service(limited!(WebhookServiceServer(WebhookApi::new(api.clone(), webhooks)), MOST_BYTES))
        .add_service(limited!(RulesetServiceServer(Rulesets::default()), MOST_BYTES))
        .add_service(limited!(SandboxServiceServer(Sandboxes(api.clone())), MOST_BYTES))
        .add_service(limited!(AdminServiceServer(Admin::new(api.clone())), MOST_BYTES))
        .add_service(limited!(StandingsServiceServer(Standings(api.clone())), MOST_BYTES))
        .add_service(limited!(ChatServiceServer(ChatApi::new(api.clone(), chats)), MOST_BYTES))
        .add_service(limited!(ProfileServiceServer(profiles), MOST_BYTES))
        .add_service(limited!(ReplayServiceServer(ReplayApi::new(api, replays)), MOST_DOCUMENT_BYTES))
        .add_service(health)
        .add_service(reflection)
        .add_service(reflection_alpha)
        .prepare()
        .into_axum_router()
        .layer(map_response(explain::explain))
        .layer(CatchPanicLayer::custom(explain::panicked))
        .layer(from_fn_with_state(Guard::new(Arc::clone(limits), &pool), guard))
        .layer(from_fn(error::localize));
    let mut options = Options::new(DOMAIN);
    options.max_body_bytes = MOST_BYTES;
    options.larger_bodies.push((Method::ImportReplay.full_name().to_owned(), MOST_DOCUMENT_BYTES));
    options.request_headers.push(header::HeaderName::from_static(ACT_FOR));
    options.localize = Some(error::of_transcoder);
    let rest = Transcoder::new(pool, grpc.clone(), options)?;
    let limits = Arc::clone(limits);
    Ok(grpc
        .layer(tonic_web::GrpcWebLayer::new())
        .route("/openapi.json", get(move |request| document.serve(request)))
        .merge(pages::router())
        .route("/healthz", get(|| async { "ok" }))
        .fallback(move |request| fallback(rest.clone(), Arc::clone(&limits), request))
        .layer(CatchPanicLayer::new()))
}

/// REST; and what a gRPC client is told that asks for a service which isn't there.
async fn fallback<S>(rest: Transcoder<S>, limits: Arc<Limits>, request: Request) -> Response
where
    Transcoder<S>: tower::Service<Request, Response = Response, Error = Infallible>,
{
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.starts_with("application/grpc")) {
        let language = Language::of(request.headers());
        let mut response = Status::unimplemented("").into_http();
        error::localize_headers(language, response.headers_mut());
        return response;
    }
    let language = Language::of(request.headers());
    let request = request.map(|body| limits.in_time_body(body, language));
    rest.oneshot(request).await.unwrap_or_else(|never| match never {})
}

/// What is looked after now and then.
struct Kept {
    store: Arc<Store>,
    identity: Arc<Identity>,
    erasures: Arc<Erasures>,
    webhooks: Arc<Webhooks>,
}

impl Kept {
    /// Sets the clock, forgets old answers, tickets, invitations, outages, tokens and deliveries, and finishes erasures, until `stop`.
    async fn chores(self, clock: Clock, stop: CancellationToken) {
        let mut set = tokio::time::interval(SET_CLOCK);
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            let done = tokio::select! {
                () = stop.cancelled() => return,
                _ = set.tick() => clock.set(&self.store).await,
                _ = sweep.tick() => self.sweep(Millis(clock.now().0)).await,
            };
            if let Err(error) = done {
                tracing::warn!(%error, "a chore failed; it is tried again later");
            }
        }
    }

    async fn sweep(&self, now: Millis) -> Result<(), StoreError> {
        let swept = self.store.sweep_requests(Millis(now.0 - KEEP_REQUESTS)).await;
        let swept = swept.and(self.store.forget_outages().await);
        let swept = swept.and(self.store.sweep_tickets(Millis(now.0 - KEEP_REQUESTS)).await);
        let swept = swept.and(self.store.sweep_invitations(Millis(now.0 - KEEP_REQUESTS)).await);
        let swept = swept.map(drop).and(self.identity.sweep().await);
        let swept = swept.and(self.webhooks.sweep().await.map(drop));
        swept.and(self.erasures.look_after(now).await)
    }
}
