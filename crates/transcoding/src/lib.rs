//! REST, server-sent events and OpenAPI from protobuf descriptors.
