//! The remik game service.

pub mod check;
pub mod codec;
pub mod error;
pub mod proto;
pub mod store;
