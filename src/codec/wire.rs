//! What is sent and received.
