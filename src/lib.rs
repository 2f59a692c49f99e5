//! The remik game service.

pub mod codec;
pub mod proto;
pub mod store;
