//! The service that HTTP clients talk to.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Version, header, request::Parts};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use prost_reflect::{DescriptorPool, DynamicMessage};
use tonic::{Code, Status};
use tower::{BoxError, Service, ServiceExt as _};

use crate::{
    answer,
    fault::{ConfigError, Fault},
    frames::{self, Messages},
    json,
    options::Options,
    refusal::Refusal,
    request,
    route::{self, Route},
    router::{Found, Path, Router},
    status::Details,
    stream::{self, Format, Writer},
    violation::Violation,
};

/// Offers the annotated methods of a gRPC service as JSON over HTTP.
///
/// `S` is the service as a gRPC client would reach it, with all its layers: for example tonic's `Routes`. It
/// is called in this process, once for each request. Cheap to clone when `S` is.
#[derive(Debug, Clone)]
pub struct Transcoder<S> {
    router: Arc<Router>,
    options: Arc<Options>,
    details: Arc<Details>,
    grpc: S,
}

impl<S> Transcoder<S> {
    /// Makes a route for each binding of each `google.api.http` rule in the pool.
    ///
    /// # Errors
    /// Lists everything that is wrong with the annotations; nothing of it can come up later.
    pub fn new(pool: DescriptorPool, grpc: S, options: Options) -> Result<Self, ConfigError> {
        let (routes, mut faults) = route::read(&pool);
        let mut router = Router::default();
        for route in routes {
            if let Err(other) = router.add(Arc::clone(&route)) {
                faults.push(Fault::Conflict {
                    method: route.rpc.full_name().to_owned(),
                    template: route.template_text.clone(),
                    other_method: other.rpc.full_name().to_owned(),
                    other_template: other.template_text.clone(),
                });
            }
        }
        ConfigError::check(faults)?;
        let details = Arc::new(Details::new(&pool));
        Ok(Self { router: Arc::new(router), options: Arc::new(options), details, grpc })
    }
}

impl<S, B> Transcoder<S>
where
    S: Service<Request<tonic::body::Body>, Response = http::Response<B>>,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    /// Answers a request. Whatever the request, there is an answer; malformed ones get a 4xx.
    pub async fn handle(self, request: Request<Body>) -> Response {
        let head_only = request.method() == Method::HEAD;
        let (options, details) = (Arc::clone(&self.options), Arc::clone(&self.details));
        let (parts, body) = request.into_parts();
        // Only texts for users are chosen by the request's headers.
        let asked = options.localize.map(|_| parts.headers.clone()).unwrap_or_default();
        let response = self
            .answer(parts, body)
            .await
            .unwrap_or_else(|refusal| refusal.into_response(&asked, &options, &details));
        if head_only { answer::without_body(response) } else { response }
    }

    async fn answer(self, parts: Parts, body: Body) -> Result<Response, Refusal> {
        let path = Path::parse(parts.uri.path()).ok_or(Refusal::NoSuchRoute)?;
        let route = match self.router.find(&parts.method, &path) {
            Found::Route(route) => Arc::clone(route),
            Found::OtherMethods(methods) if parts.method == Method::OPTIONS => {
                return Ok(answer::options(&methods));
            }
            Found::OtherMethods(methods) => return Err(Refusal::OtherMethods(methods)),
            Found::Nothing => return Err(Refusal::NoSuchRoute),
        };
        let body = read_body(&parts.headers, body, most_bytes(&route, &self.options)).await?;
        let message = request::message(&route, &path, parts.uri.query(), &parts.headers, &body)?;
        let format = Format::accepted(&parts.headers);
        let asked = answer::Asked::new(&parts);
        let call = grpc_request(&route, &message, parts, &self.options)?;
        let answer = self.grpc.oneshot(call).await.map_err(|error| Status::from_error(error.into()))?;
        let (head, body) = answer.into_parts();
        if head.status != StatusCode::OK {
            return Err(
                Status::internal(format!("the gRPC service answered with HTTP {}", head.status)).into()
            );
        }
        if let Some(status) = Status::from_header_map(&head.headers)
            && status.code() != Code::Ok
        {
            return Err(status.into());
        }
        let messages = Messages::new(Box::pin(body));
        let answer_headers = Arc::clone(&self.options);
        let mut response = if route.stream.is_some() {
            let writer = Writer { format, route, options: self.options, details: self.details };
            stream::respond(messages, writer).await?
        } else {
            asked.answered(unary(messages, &route).await?, &head.headers)
        };
        answer::copy_headers(&head.headers, response.headers_mut(), &answer_headers.answer_headers);
        Ok(response)
    }
}

/// The status that an error carries.
fn status_within(error: &(dyn std::error::Error + 'static)) -> Option<Status> {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.filter_map(|error| error.downcast_ref::<Status>()).next().cloned()
}

/// The largest body that a method reads.
fn most_bytes(route: &Route, options: &Options) -> usize {
    let own = options
        .larger_bodies
        .iter()
        .find(|(method, _)| route.grpc_path.path().strip_prefix('/') == Some(method));
    own.map_or(options.max_body_bytes, |(_, most)| *most)
}

async fn read_body(headers: &HeaderMap, body: Body, max_bytes: usize) -> Result<Bytes, Refusal> {
    if http_body::Body::is_end_stream(&body) {
        return Ok(Bytes::new());
    }
    if http_body::Body::size_hint(&body).lower() > max_bytes as u64 {
        return Err(Refusal::BodyTooLarge);
    }
    let bytes = match Limited::new(body, max_bytes).collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return Err(Refusal::BodyTooLarge),
        // Whoever hands in the body may have ended it, and says why.
        Err(error) if let Some(status) = status_within(&*error) => return Err(status.into()),
        // The client's connection broke, or its framing is wrong.
        Err(_) => return Err(Violation::new(json::BODY, "it can't be read").into()),
    };
    if !bytes.is_empty() {
        request::check_content_type(headers)?;
    }
    Ok(bytes)
}

/// The call that a gRPC client would make. The request's extensions go along: the peer's address, say.
fn grpc_request(
    route: &Route,
    message: &DynamicMessage,
    parts: Parts,
    options: &Options,
) -> Result<Request<tonic::body::Body>, Status> {
    let body = tonic::body::Body::new(Full::new(frames::encode(message)?));
    let mut call = Request::new(body);
    *call.method_mut() = Method::POST;
    *call.uri_mut() = route.grpc_path.clone();
    *call.version_mut() = Version::HTTP_2;
    *call.extensions_mut() = parts.extensions;
    answer::copy_headers(&parts.headers, call.headers_mut(), &options.request_headers);
    call.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    call.headers_mut().insert(header::TE, HeaderValue::from_static("trailers"));
    Ok(call)
}

async fn unary<B>(mut messages: Messages<B>, route: &Route) -> Result<Bytes, Status>
where
    B: http_body::Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let message =
        messages.next().await.unwrap_or_else(|| Err(Status::internal("the call gave no answer")))?;
    // The status comes after the message.
    match messages.next().await {
        None => {}
        Some(Err(status)) => return Err(status),
        Some(Ok(_)) => return Err(Status::internal("the call gave more than one answer")),
    }
    let message = DynamicMessage::decode(route.output.clone(), message)
        .map_err(|error| Status::internal(format!("the answer can't be read: {error}")))?;
    let mut body = Vec::with_capacity(512);
    json::write(&message, route.response_body.as_ref(), &mut body)
        .map_err(|error| Status::internal(format!("the answer has no JSON form: {error}")))?;
    Ok(body.into())
}

impl<S, B> Service<Request<Body>> for Transcoder<S>
where
    S: Service<Request<tonic::body::Body>, Response = http::Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    /// Always ready: the gRPC service is waited for in the call, since only then it is known to be needed.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let this = self.clone();
        Box::pin(async move { Ok(this.handle(request).await) })
    }
}
