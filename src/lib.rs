//! The remik game service.

pub mod proto;
