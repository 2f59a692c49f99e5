//! The remik game service.
