//! REST, server-sent events and OpenAPI from protobuf descriptors, in front of any tonic service.
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
pub use options::Options;
pub use refusal::Reason;
pub use status::{code_name, http_status};
pub use template::TemplateError;
pub use transcoder::Transcoder;
