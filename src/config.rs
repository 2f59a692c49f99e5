//! What can be configured: by flags, the environment (`REMIK_…`) and a TOML file, in this order of precedence.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use serde::{Deserialize, Serialize};

use crate::bots::Manner;

/// How the service runs.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where it listens.
    pub listen: SocketAddr,
    /// `postgres://…`, or `sqlite:PATH`. Without it an SQLite file in the data folder is used.
    pub database_url: Option<String>,
    /// The folder for what is kept on this machine.
    pub data_dir: PathBuf,
    /// Which log lines are written, such as `info` or `remik=debug`.
    pub log: String,
    /// The form of log lines.
    pub log_format: LogFormat,
    /// How many idle tables are kept in memory.
    pub cached_tables: usize,
    /// How long a bot lets people look at the last move before its own, in milliseconds: at most a minute.
    pub bot_delay_ms: u32,
    /// How long a bot thinks about a move at most, in milliseconds: at most 10 s.
    pub bot_budget_ms: u32,
    /// How many threads think for bots; half of the processors if 0.
    pub bot_threads: usize,
}

/// The settings' names.
const SETTINGS: [&str; 9] = [
    "listen",
    "database_url",
    "data_dir",
    "log",
    "log_format",
    "cached_tables",
    "bot_delay_ms",
    "bot_budget_ms",
    "bot_threads",
];

/// The longest delay of a bot, in milliseconds.
const LONGEST_DELAY: u32 = 60_000;

/// The longest that a bot may think, in milliseconds.
const LONGEST_BUDGET: u32 = 10_000;

/// The form of log lines.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            database_url: None,
            data_dir: PathBuf::from("data"),
            log: "info".to_owned(),
            log_format: LogFormat::Text,
            cached_tables: 10_000,
            bot_delay_ms: 700,
            bot_budget_ms: 200,
            bot_threads: 0,
        }
    }
}

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
    /// A TOML file with any of these settings [default: remik.toml, if there is one]
    #[arg(long, global = true, env = "REMIK_CONFIG")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
}

impl Config {
    /// The configuration that these flags, the environment and the file make.
    ///
    /// # Errors
    /// A setting that doesn't exist, or a value of the wrong kind; a named file that isn't there.
    pub fn load(flags: &Flags) -> Result<Self, Box<figment::Error>> {
        let file = match &flags.config {
            Some(path) => Toml::file_exact(path),
            None => Toml::file("remik.toml"),
        };
        Figment::from(Serialized::defaults(Self::default()))
            .merge(file)
            // Only the settings: an orchestrator may set REMIK_SERVICE_HOST and the like for a service of this name.
            .merge(Env::prefixed("REMIK_").only(&SETTINGS))
            .merge(Serialized::defaults(flags))
            .extract()
            .map_err(Box::new)
    }

    /// How bots behave at tables.
    pub fn bot_manner(&self) -> Manner {
        Manner {
            delay: self.bot_delay_ms.min(LONGEST_DELAY).into(),
            budget: Duration::from_millis(self.bot_budget_ms.min(LONGEST_BUDGET).into()),
        }
    }

    /// How many threads think for bots.
    pub fn bot_threads(&self) -> usize {
        match self.bot_threads {
            0 => std::thread::available_parallelism().map_or(1, |all| all.get() / 2),
            threads => threads,
        }
    }

    /// The database to use.
    pub fn database(&self) -> String {
        match &self.database_url {
            Some(url) => url.clone(),
            None => format!("sqlite:{}", self.data_dir.join("remik.db").display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_name() {
        let json = serde_json::to_value(Config::default()).unwrap();
        let mut names: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let mut settings = SETTINGS;
        names.sort_unstable();
        settings.sort_unstable();
        assert_eq!(names, settings);
    }

    #[test]
    #[allow(clippy::result_large_err, reason = "the type is figment's")]
    fn flags_come_before_the_environment_and_that_before_the_file() {
        figment::Jail::expect_with(|jail| {
            jail.create_file("remik.toml", "listen = '127.0.0.1:1'\nlog = 'warn'\ncached_tables = 3")?;
            jail.set_env("REMIK_LOG", "debug");
            jail.set_env("REMIK_LISTEN", "127.0.0.1:2");
            let flags = Flags { listen: Some(([127, 0, 0, 1], 3).into()), ..Flags::default() };
            let config = Config::load(&flags).map_err(|e| *e)?;
            assert_eq!((config.listen.port(), config.log.as_str(), config.cached_tables), (3, "debug", 3));
            assert_eq!(config.database(), "sqlite:data/remik.db");
            jail.set_env("REMIK_SERVICE_HOST", "10.0.0.1");
            assert!(Config::load(&flags).is_ok());
            jail.create_file("remik.toml", "listne = '127.0.0.1:1'")?;
            assert!(Config::load(&flags).is_err());
            Ok(())
        });
    }
}
