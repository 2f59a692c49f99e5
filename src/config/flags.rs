//! What can be said on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Serialize;

use super::{LogFormat, Mode, Networks, Origins};

/// The flags; what isn't given comes from the environment, the file, or the default.
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct Flags {
    /// Where to listen [default: 127.0.0.1:8080]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<SocketAddr>,
    /// postgres://… or sqlite:PATH [default: remik.db in the data folder]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database_url: Option<String>,
    /// The folder for what is kept on this machine [default: data]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_dir: Option<PathBuf>,
    /// Which log lines to write, such as info or remik=debug [default: info]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The form of log lines [default: text]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_format: Option<LogFormat>,
    /// How many idle tables to keep in memory [default: 10000]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tables: Option<usize>,
    /// From which web pages the API may be called.
    #[arg(
        long,
        global = true,
        help = "From which web pages the API may be called, such as https://play.example,https://test.example, or * \
                for every one [default: only from the service's own]"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors_origins: Option<Origins>,
    /// How many milliseconds a bot lets people look at the last move before its own [default: 700]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_delay_ms: Option<u32>,
    /// How many milliseconds a bot thinks about a move at most [default: 200]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_budget_ms: Option<u32>,
    /// How many threads think for bots [default: half of the processors]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_threads: Option<usize>,
    /// After how many seconds a table is closed that waits while none of its players is there [default: 1800]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_table_seconds: Option<u32>,
    /// How long a player's token lasts until it has to be refreshed, in minutes [default: 1440]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_minutes: Option<u32>,
    /// A file with the HS256 secret of the integrator's tokens (at least 32 bytes)
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_secret_file: Option<PathBuf>,
    /// A JWKS file with the public keys of the integrator's tokens
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_jwks_file: Option<PathBuf>,
    /// The URL of a JWKS with the public keys of the integrator's tokens
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_jwks_url: Option<String>,
    /// Whose tokens count (iss)
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_issuer: Option<String>,
    /// For whom the tokens that count are made (aud)
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jwt_audience: Option<String>,
    /// What may be said at tables; a table may allow less [default: on]
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<Mode>,
    /// To which networks webhooks may post though they aren't public.
    #[arg(
        long,
        global = true,
        help = "To which networks webhooks may post though they aren't public, also by http, such as \
                10.0.0.0/8,127.0.0.1, or * for everything [default: none]"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_allow_private: Option<Networks>,
    /// No limits for single players and addresses: for tests and benchmarks
    #[arg(long, global = true)]
    #[serde(skip)]
    pub no_caller_limits: bool,
    /// A TOML file with any of these settings, and others [default: remik.toml, if there is one]
    #[arg(long, global = true, env = "REMIK_CONFIG")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
}
