//! The rummy family as a pure engine.
