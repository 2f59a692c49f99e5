//! Log lines. No token, hidden card, seed or name is ever given to them.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::config::LogFormat;

/// Starts writing log lines to the standard error, once for the whole process.
///
/// # Errors
/// The filter isn't one.
pub fn start(filter: &str, format: LogFormat) -> Result<(), ParseError> {
    let filter = EnvFilter::try_new(filter)?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    let lines = lines.with_ansi(stderr().is_terminal());
    // A second start finds the first one's subscriber, which is as good.
    let _ = match format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    Ok(())
}
