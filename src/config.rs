//! What can be configured: by flags, the environment (`REMIK_…`) and a TOML file, in this order of precedence.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::ValueEnum;
use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use serde::{Deserialize, Serialize};

use crate::limits::LimitSettings;

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
    /// What callers may ask of the service.
    pub limits: LimitSettings,
}

/// The settings' names, but for those of the limits.
const SETTINGS: [&str; 6] = ["listen", "database_url", "data_dir", "log", "log_format", "cached_tables"];

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
            limits: LimitSettings::default(),
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
    /// No limits for single players and addresses: for tests and benchmarks
    #[arg(long, global = true)]
    #[serde(skip)]
    pub no_caller_limits: bool,
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
        let limits = Env::prefixed("REMIK_LIMITS_").only(&LimitSettings::NAMES);
        let mut settings = Figment::from(Serialized::defaults(Self::default()))
            .merge(file)
            // Only the settings: an orchestrator may set REMIK_SERVICE_HOST and the like for a service of this name.
            .merge(Env::prefixed("REMIK_").only(&SETTINGS))
            .merge(limits.map(|name| format!("limits.{name}").into()))
            .merge(Serialized::defaults(flags));
        if flags.no_caller_limits {
            settings = settings.merge(("limits.per_caller", false));
        }
        settings.extract().map_err(Box::new)
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
        let mut settings: Vec<_> = SETTINGS.into_iter().chain(["limits"]).collect();
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
            jail.set_env("REMIK_LIMITS_CALLS_OF_PLAYER", "7");
            let config = Config::load(&flags).map_err(|e| *e)?;
            assert_eq!((config.limits.calls_of_player.get(), config.limits.per_caller), (7, true));
            let unlimited = Flags { no_caller_limits: true, ..flags.clone() };
            assert!(!Config::load(&unlimited).map_err(|e| *e)?.limits.per_caller);
            jail.set_env("REMIK_SERVICE_HOST", "10.0.0.1");
            assert!(Config::load(&flags).is_ok());
            jail.create_file("remik.toml", "listne = '127.0.0.1:1'")?;
            assert!(Config::load(&flags).is_err());
            Ok(())
        });
    }
}
