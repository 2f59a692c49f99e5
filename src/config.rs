//! What can be configured: by flags, the environment (`REMIK_…`) and a TOML file, in this order of precedence.

mod flags;
mod networks;
mod origins;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, fs, io};

use clap::ValueEnum;
use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use serde::{Deserialize, Serialize, Serializer};

use crate::bots::Manner;
use crate::chat::Mode;
use crate::limits::LimitSettings;
use crate::matchmaking::MatchmakingSettings;
use crate::webhooks::WebhookSettings;

pub use flags::Flags;
pub use networks::{NetworkError, Networks};
pub use origins::{OriginError, Origins};

/// How the service runs.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where it listens.
    pub listen: SocketAddr,
    /// `postgres://…`, or `sqlite:PATH`. Without it an SQLite file in the data folder is used.
    pub database_url: Option<String>,
    /// A file with what `database_url` would say, which may hold a password.
    pub database_url_file: Option<PathBuf>,
    /// The folder for what is kept on this machine.
    pub data_dir: PathBuf,
    /// Which log lines are written, such as `info` or `remik=debug`.
    pub log: String,
    /// The form of log lines.
    pub log_format: LogFormat,
    /// How many idle tables are kept in memory.
    pub cached_tables: usize,
    /// From which web pages of other origins the API may be called; none by default.
    pub cors_origins: Origins,
    /// How long a bot lets people look at the last move before its own, in milliseconds: at most a minute.
    pub bot_delay_ms: u32,
    /// How long a bot thinks about a move at most, in milliseconds: at most 10 s.
    pub bot_budget_ms: u32,
    /// How many threads think for bots; half of the processors if 0.
    pub bot_threads: usize,
    /// After how many seconds a table is closed that waits for its first deal while none of its players is there, at
    /// least 1.
    pub idle_table_seconds: u32,
    /// How long a player's token lasts until it has to be refreshed, in minutes, at least 1.
    pub token_minutes: u32,
    /// For how many days a player who stays away can still refresh his token, at least 1.
    pub refresh_days: u32,
    /// The secret of the integrator's tokens that are signed by HS256, of at least 32 bytes.
    pub jwt_secret: Option<Hidden>,
    /// A file with it.
    pub jwt_secret_file: Option<PathBuf>,
    /// A JWKS file with the public keys of the integrator's tokens (RS256, ES256, EdDSA).
    pub jwt_jwks_file: Option<PathBuf>,
    /// The URL of one: https, or http on a loopback address.
    pub jwt_jwks_url: Option<String>,
    /// How often the JWKS is read again, in seconds, at least 1.
    pub jwt_jwks_seconds: u32,
    /// Whose tokens count (`iss`). With a JWKS, this or `jwt_audience` has to be set.
    pub jwt_issuer: Option<String>,
    /// For whom the tokens that count are made (`aud`).
    pub jwt_audience: Option<String>,
    /// By how much clocks may differ when a token's times are judged, in seconds.
    pub jwt_leeway_seconds: u64,
    /// The claim that has the account's id.
    pub jwt_id_claim: String,
    /// The claim that has the player's name.
    pub jwt_name_claim: String,
    /// The claim that has the player's language.
    pub jwt_locale_claim: String,
    /// What may be said at tables; a table may allow less.
    pub chat: Mode,
    /// To which networks webhooks may post though they aren't public, also by http; none by default.
    pub webhook_allow_private: Networks,
    /// After how many attempts a delivery to a webhook is a dead letter, at least 1.
    pub webhook_attempts: u32,
    /// How long after its first attempt a delivery is sent again, in milliseconds; each further time is twice as long, up
    /// to an hour.
    pub webhook_retry_ms: u32,
    /// How long a webhook's receiver may take to answer, in milliseconds: at most a minute.
    pub webhook_timeout_ms: u32,
    /// What callers may ask of the service.
    pub limits: LimitSettings,
    /// How players are matched.
    pub matchmaking: MatchmakingSettings,
}

/// The settings' names, but for those that have settings of their own.
const SETTINGS: &[&str] = &[
    "listen",
    "database_url",
    "database_url_file",
    "data_dir",
    "log",
    "log_format",
    "cached_tables",
    "cors_origins",
    "bot_delay_ms",
    "bot_budget_ms",
    "bot_threads",
    "idle_table_seconds",
    "token_minutes",
    "refresh_days",
    "jwt_secret",
    "jwt_secret_file",
    "jwt_jwks_file",
    "jwt_jwks_url",
    "jwt_jwks_seconds",
    "jwt_issuer",
    "jwt_audience",
    "jwt_leeway_seconds",
    "jwt_id_claim",
    "jwt_name_claim",
    "jwt_locale_claim",
    "chat",
    "webhook_allow_private",
    "webhook_attempts",
    "webhook_retry_ms",
    "webhook_timeout_ms",
];

/// Those that are texts: from the environment they are taken as they are, also if they look like a number.
const TEXTS: [&str; 11] = [
    "database_url",
    "log",
    "jwt_secret",
    "jwt_jwks_url",
    "jwt_issuer",
    "jwt_audience",
    "jwt_id_claim",
    "jwt_name_claim",
    "jwt_locale_claim",
    "webhook_allow_private",
    "listen",
];

/// A secret setting. It can be read, but not printed or written anywhere.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Hidden(String);

impl Hidden {
    /// The secret.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

impl Serialize for Hidden {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_none()
    }
}

/// The longest delay of a bot, in milliseconds.
const LONGEST_DELAY: u32 = 60_000;

/// The longest that a bot may think, in milliseconds.
const LONGEST_BUDGET: u32 = 10_000;

/// The longest that a webhook's receiver may take, in milliseconds.
const LONGEST_TIMEOUT: u32 = 60_000;

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
            database_url_file: None,
            data_dir: PathBuf::from("data"),
            log: "info".to_owned(),
            log_format: LogFormat::Text,
            cached_tables: 10_000,
            cors_origins: Origins::default(),
            bot_delay_ms: 700,
            bot_budget_ms: 200,
            bot_threads: 0,
            idle_table_seconds: 1800,
            token_minutes: 24 * 60,
            refresh_days: 180,
            jwt_secret: None,
            jwt_secret_file: None,
            jwt_jwks_file: None,
            jwt_jwks_url: None,
            jwt_jwks_seconds: 300,
            jwt_issuer: None,
            jwt_audience: None,
            jwt_leeway_seconds: 30,
            jwt_id_claim: "sub".to_owned(),
            jwt_name_claim: "name".to_owned(),
            jwt_locale_claim: "locale".to_owned(),
            chat: Mode::On,
            webhook_allow_private: Networks::default(),
            webhook_attempts: 15,
            webhook_retry_ms: 2_000,
            webhook_timeout_ms: 10_000,
            limits: LimitSettings::default(),
            matchmaking: MatchmakingSettings::default(),
        }
    }
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
        let mut settings = Figment::from(Serialized::defaults(Self::default()))
            .merge(file)
            // Only the settings: an orchestrator may set REMIK_SERVICE_HOST and the like for a service of this name.
            .merge(Env::prefixed("REMIK_").only(SETTINGS).ignore(&TEXTS));
        for name in TEXTS {
            if let Ok(text) = std::env::var(format!("REMIK_{}", name.to_ascii_uppercase())) {
                settings = settings.merge(Serialized::default(name, text));
            }
        }
        let limits = Env::prefixed("REMIK_LIMITS_").only(&LimitSettings::NAMES);
        settings = settings.merge(limits.map(|name| format!("limits.{name}").into()));
        let matchmaking = Env::prefixed("REMIK_MATCHMAKING_").only(&MatchmakingSettings::NAMES);
        settings = settings.merge(matchmaking.map(|name| format!("matchmaking.{name}").into()));
        settings = settings.merge(Serialized::defaults(flags));
        if flags.no_caller_limits {
            settings = settings.merge(("limits.per_caller", false));
        }
        settings.extract().map_err(Box::new)
    }

    /// How bots behave at tables.
    pub fn bot_manner(&self) -> Manner {
        Manner {
            delay: self.bot_delay_ms.min(LONGEST_DELAY).into(),
            budget: Duration::from_millis(self.bot_budget_ms.min(LONGEST_BUDGET).into()),
        }
    }

    /// After which time a table is closed that waits while none of its players is there.
    pub fn idle_table(&self) -> Duration {
        Duration::from_secs(self.idle_table_seconds.max(1).into())
    }

    /// How many threads think for bots.
    pub fn bot_threads(&self) -> usize {
        match self.bot_threads {
            0 => std::thread::available_parallelism().map_or(1, |all| all.get() / 2),
            threads => threads,
        }
    }

    /// How webhooks are posted to.
    pub fn webhooks(&self) -> WebhookSettings {
        WebhookSettings {
            allowed: self.webhook_allow_private.clone(),
            attempts: self.webhook_attempts.max(1),
            retry: Duration::from_millis(self.webhook_retry_ms.into()),
            timeout: Duration::from_millis(self.webhook_timeout_ms.clamp(1, LONGEST_TIMEOUT).into()),
        }
    }

    /// The database to use.
    ///
    /// # Errors
    /// The file that names it can't be read.
    pub fn database(&self) -> io::Result<String> {
        match (&self.database_url, &self.database_url_file) {
            (Some(url), _) => Ok(url.clone()),
            (None, Some(file)) => Ok(fs::read_to_string(file)?.trim().to_owned()),
            (None, None) => Ok(format!("sqlite:{}", self.data_dir.join("remik.db").display())),
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
        let mut settings: Vec<_> = SETTINGS.iter().copied().chain(["limits", "matchmaking"]).collect();
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
            assert_eq!(config.database().unwrap(), "sqlite:data/remik.db");
            jail.set_env("REMIK_CORS_ORIGINS", "https://a.example,https://b.example");
            let config = Config::load(&flags).map_err(|e| *e)?;
            assert_eq!(Ok(config.cors_origins), "https://a.example,https://b.example".parse());
            jail.set_env("REMIK_CORS_ORIGINS", "a.example");
            assert!(Config::load(&flags).is_err());
            jail.set_env("REMIK_CORS_ORIGINS", "*");
            jail.set_env("REMIK_LIMITS_CALLS_OF_PLAYER", "7");
            let config = Config::load(&flags).map_err(|e| *e)?;
            assert_eq!((config.limits.calls_of_player.get(), config.limits.per_caller), (7, true));
            jail.set_env("REMIK_MATCHMAKING_WINDOW", "[[0, 50], [20, 300]]");
            jail.set_env("REMIK_MATCHMAKING_READY_SECONDS", "0");
            let config = Config::load(&flags).map_err(|e| *e)?.matchmaking;
            assert_eq!((config.window.at(10_000), config.ready_seconds), (175, 0));
            let unlimited = Flags { no_caller_limits: true, ..flags.clone() };
            assert!(!Config::load(&unlimited).map_err(|e| *e)?.limits.per_caller);
            jail.set_env("REMIK_SERVICE_HOST", "10.0.0.1");
            assert!(Config::load(&flags).is_ok());
            jail.create_file("url", "postgres://remik:secret@db/remik\n")?;
            jail.set_env("REMIK_DATABASE_URL_FILE", "url");
            jail.set_env("REMIK_JWT_SECRET", "0123456789");
            let config = Config::load(&flags).map_err(|e| *e)?;
            assert_eq!(config.database().unwrap(), "postgres://remik:secret@db/remik");
            assert_eq!(config.jwt_secret.as_ref().unwrap().reveal(), "0123456789");
            assert!(!format!("{config:?}").contains("0123456789"));
            jail.set_env("REMIK_TOKEN_MINUTES", "5");
            assert_eq!(Config::load(&flags).map_err(|e| *e)?.token_minutes, 5);
            jail.create_file("remik.toml", "listne = '127.0.0.1:1'")?;
            assert!(Config::load(&flags).is_err());
            Ok(())
        });
    }
}
