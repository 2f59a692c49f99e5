//! REST, server-sent events and OpenAPI from protobuf descriptors, in front of any tonic service.
//!
//! A [`Transcoder`] takes HTTP requests, finds the RPC method that is annotated with
//! [`google.api.http`](https://github.com/googleapis/googleapis/blob/master/google/api/http.proto) for them,
//! calls it in this process, and answers in canonical proto3 JSON. There is no code for single methods:
//! descriptors alone drive it.
//!
//! ```
//! use prost_reflect::DescriptorPool;
//! use remik_transcoding::{Options, Transcoder, openapi};
//! use tonic::service::Routes;
//!
//! /// `descriptors` is the encoded descriptor set of the API, with its imports, options and comments.
//! fn serve(grpc: Routes, descriptors: &[u8]) -> Result<axum::Router, Box<dyn std::error::Error>> {
//!     let pool = DescriptorPool::decode(descriptors)?;
//!     let info = openapi::Info { title: "My API".into(), version: "1.0".into(), ..Default::default() };
//!     let document = openapi::document(&pool, &info).to_string();
//!     let grpc = grpc.prepare();
//!     let rest = Transcoder::new(pool, grpc.clone(), Options::new("my.api"))?;
//!     // gRPC clients reach their services by path; whatever else comes is for the transcoder.
//!     Ok(grpc
//!         .into_axum_router()
//!         .route("/openapi.json", axum::routing::get(|| async { document }))
//!         .fallback_service(rest))
//! }
//! ```
//!
//! # Descriptors
//! The pool has to hold `google/api/annotations.proto`; with `google/rpc/error_details.proto` in it, the
//! details of errors are written as typed JSON. The options in
//! `proto/remik/transcoding/v1/annotations.proto` are optional: `server_sent_events` says which field is an
//! event's id and which one a reconnecting client sets, `error_reasons` what a method may be refused for.
//!
//! # Requests
//! * Path templates are those of `google/api/http.proto`. A literal wins over `*`, which wins over `**`. A
//!   colon in the last segment starts the verb; in a value it is to be written `%3A`.
//! * Names in JSON and in queries may be `snake_case` or `camelCase`. Unknown, repeated, misplaced and
//!   mistyped fields are refused, each named in a `google.rpc.BadRequest`. Where a path and a body both give
//!   a field, they have to agree.
//! * A body has to be declared as JSON; none at all means an empty message.
//! * HEAD is answered for GET of a unary method, OPTIONS with `Allow` for every path.
//!
//! # Answers
//! * A message is written with its default values, so that a client sees every field that isn't optional.
//! * An error is `{"error": {"code", "status", "message", "details"}}`, by the table of
//!   `google/rpc/code.proto`. [`Reason`] lists the refusals that the transcoder makes itself.
//! * A server stream is sent as `text/event-stream` to a client that accepts it. An event has the id that
//!   the options name, and is named after the field of a oneof that is set. The event `status` ends the
//!   stream: a `google.rpc.Status`, with code 0 when all is well. Other clients get `application/x-ndjson`,
//!   with an error answer as the last line of a stream that failed.
//! * Methods with a client stream can't be offered.

mod annotation;
mod answer;
mod fault;
mod field_path;
mod frames;
mod json;
pub mod openapi;
mod options;
mod percent;
mod refusal;
mod request;
mod route;
mod router;
mod status;
mod stream;
mod template;
mod transcoder;
mod violation;
mod well_known;

pub use fault::{ConfigError, Fault, Role};
pub use field_path::PathError;
pub use options::{Localized, Options};
pub use refusal::Reason;
pub use status::{code_name, http_status};
pub use template::TemplateError;
pub use transcoder::Transcoder;
