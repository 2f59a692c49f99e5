//! The remik game service.

pub mod store;
