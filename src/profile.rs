//! What is kept about players, and how they get it.

pub mod export;
