//! How high the limits are.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// The limits' settings: `[limits]` in the file, `REMIK_LIMITS_…` in the environment.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Whether there are limits for single players and addresses at all. Those of the whole service always hold.
    pub per_caller: bool,
    /// How many calls a player may make a second, commands on a stream among them.
    pub calls_of_player: NonZeroU32,
    /// How many calls may come from an address a second. IPv6 addresses of a /64 network count as one.
    pub calls_of_address: NonZeroU32,
    /// How many seconds' calls may come at once.
    pub burst: u32,
    /// How many guests an address may make a minute.
    pub guests_of_address: NonZeroU32,
    /// How many messages a player may say at tables a minute.
    pub messages_of_player: NonZeroU32,
    /// How many streams may be open.
    pub streams: usize,
    /// How many streams a player may have open.
    pub streams_of_player: usize,
    /// How many streams an address may have open.
    pub streams_of_address: usize,
    /// How many connections may be open.
    pub connections: usize,
    /// How many of them an address may have; not counted behind proxies.
    pub connections_of_address: usize,
    /// How many calls are carried out at once.
    pub calls_at_once: usize,
    /// How many seconds a call may take.
    pub call_seconds: NonZeroU32,
    /// How many proxies are in front of the service: so many addresses at the end of `X-Forwarded-For` are theirs to
    /// write, and the first of those is the client's. With 0 the header counts for nothing.
    pub proxies: usize,
}

impl LimitSettings {
    /// The settings' names.
    pub const NAMES: [&str; 14] = [
        "per_caller",
        "calls_of_player",
        "calls_of_address",
        "burst",
        "guests_of_address",
        "messages_of_player",
        "streams",
        "streams_of_player",
        "streams_of_address",
        "connections",
        "connections_of_address",
        "calls_at_once",
        "call_seconds",
        "proxies",
    ];
}

const fn number(n: u32) -> NonZeroU32 {
    match NonZeroU32::new(n) {
        Some(n) => n,
        None => NonZeroU32::MIN,
    }
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            per_caller: true,
            calls_of_player: number(50),
            calls_of_address: number(500),
            burst: 4,
            guests_of_address: number(30),
            messages_of_player: number(20),
            streams: 50_000,
            streams_of_player: 32,
            streams_of_address: 1_000,
            connections: 20_000,
            connections_of_address: 1_000,
            calls_at_once: 4_096,
            call_seconds: number(10),
            proxies: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_name() {
        let json = serde_json::to_value(LimitSettings::default()).unwrap();
        let mut names: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = LimitSettings::NAMES;
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
}
