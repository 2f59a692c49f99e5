//! The `remik` program.
fn main() {}
