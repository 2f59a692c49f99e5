//! Deciding.
