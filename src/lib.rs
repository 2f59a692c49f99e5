//! The remik game service.

pub mod check;
pub mod store;
