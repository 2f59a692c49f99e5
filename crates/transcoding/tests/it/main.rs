//! The transcoder over real sockets, in front of a real tonic service.
#![allow(clippy::unwrap_used, missing_docs)]

mod library;
mod server;

mod body;
mod config;
mod errors;
mod fuzz;
mod headers;
mod http_rules;
mod malformed;
mod methods;
mod openapi;
mod paths;
mod query;
mod routing;
mod schemas;
mod stream;
