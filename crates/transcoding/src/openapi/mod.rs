//! An OpenAPI 3.1 document of the annotated methods.
//!
//! Comments in the protos become descriptions; `google.api.field_behavior` marks what is required, only
//! read or only written, and `remik.transcoding.v1.schema` says what values a field takes. Custom HTTP methods
//! that OpenAPI doesn't know are left out.

mod comments;
mod constraint;
mod errors;
mod operation;
mod path;
mod schema;

use std::collections::{BTreeMap, HashSet};

use http::Method;
use prost_reflect::{DescriptorPool, EnumDescriptor, ServiceDescriptor};
use serde_json::{Map, Value as Json, json};

use crate::route::{self, Route};
use comments::Comments;
pub use errors::{ErrorReason, Scope};
use operation::Operations;
use path::Paths;
use schema::Schemas;

/// What a document says of the API as a whole.
#[derive(Debug, Clone, Default)]
pub struct Info {
    /// The name of the API.
    pub title: String,
    /// The version of the API.
    pub version: String,
    /// What the API is for, in CommonMark. May be empty.
    pub description: String,
    /// Where the API is served, as URLs. None leaves it to the reader: where the document came from.
    pub servers: Vec<String>,
    /// What the bearer token is and where to get one, in CommonMark. May be empty.
    pub bearer: String,
    /// Every reason for which requests are refused. Without any, all errors are told in one.
    pub errors: Vec<ErrorReason>,
}

/// The comments on an enum's values, by their numbers; empty in a pool without source information.
pub fn value_comments(values: &EnumDescriptor) -> BTreeMap<i32, String> {
    let comments = Comments::of(values.parent_pool());
    values.values().map(|value| (value.number(), comments.of_value(&value).to_owned())).collect()
}

/// Makes the document.
///
/// Every method with a route is in it; bindings that [`Transcoder::new`](crate::Transcoder::new) would
/// refuse are left out.
pub fn document(pool: &DescriptorPool, info: &Info) -> Json {
    let (routes, _faults) = route::read(pool);
    let comments = Comments::of(pool);
    let mut schemas = Schemas::new(pool, &comments, &routes);
    let mut operations = Operations::new(&comments, &mut schemas, &info.errors);
    let mut paths = Paths::default();
    let mut items: BTreeMap<String, Map<String, Json>> = BTreeMap::new();
    let mut services = Vec::new();
    for route in &routes {
        let (path, names) = paths.add(route);
        for method in methods(route) {
            let operation = operations.operation(route, &names);
            items.entry(path.clone()).or_default().insert(method.to_ascii_lowercase(), operation);
        }
        let service = route.rpc.parent_service();
        if !services.contains(service) {
            services.push(service.clone());
        }
    }
    schemas.add_error();
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {"title": info.title, "version": info.version},
        "tags": tags(&services, &comments),
        // But for the methods that need none.
        "security": [{"bearer": []}],
        "paths": items,
        "components": {
            "schemas": schemas.into_components(),
            "responses": {"error": {
                "description": "The request was refused.",
                "content": {"application/json": {"schema": schema::error_reference()}},
            }},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    });
    describe(&mut document["info"], &info.description);
    describe(&mut document["components"]["securitySchemes"]["bearer"], &info.bearer);
    if !info.servers.is_empty() {
        document["servers"] = info.servers.iter().map(|url| json!({"url": url})).collect();
    }
    document
}

/// The methods of a path item that a route is written under.
fn methods(route: &Route) -> Vec<&str> {
    const ALL: [Method; 8] = [
        Method::GET,
        Method::PUT,
        Method::POST,
        Method::DELETE,
        Method::OPTIONS,
        Method::HEAD,
        Method::PATCH,
        Method::TRACE,
    ];
    match &route.method {
        Some(method) => ALL.contains(method).then_some(method.as_str()).into_iter().collect(),
        // Any method: those that its caller may want.
        None => vec!["GET", "PUT", "POST", "DELETE", "PATCH"],
    }
}

fn tags(services: &[ServiceDescriptor], comments: &Comments) -> Vec<Json> {
    let mut seen = HashSet::new();
    let services = services.iter().filter(|service| seen.insert(service.name().to_owned()));
    let tag = |service: &ServiceDescriptor| {
        let mut tag = json!({"name": service.name()});
        describe(&mut tag, comments.of_service(service));
        tag
    };
    services.map(tag).collect()
}

/// Adds a description, unless it is empty.
fn describe(object: &mut Json, description: &str) {
    if !description.is_empty() {
        object["description"] = description.into();
    }
}
