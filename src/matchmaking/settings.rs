//! How matchmaking is set.

use std::num::NonZeroU32;

use remik_matchmaking::Curve;
use serde::{Deserialize, Serialize};

/// The settings of matchmaking: `[matchmaking]` in the file, `REMIK_MATCHMAKING_…` in the environment.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub struct MatchmakingSettings {
    /// The gap of ratings that a ticket accepts by the time it has waited: pairs of seconds and points, with straight
    /// lines between them.
    pub window: Curve,
    /// After how many seconds a ticket for which nobody was found expires.
    pub ticket_seconds: NonZeroU32,
    /// How many seconds after its stream a ticket ends that ends with it.
    pub grace_seconds: NonZeroU32,
    /// How many seconds the players of a new game have to say that they are ready; then it begins anyway. 0 for none.
    pub ready_seconds: u32,
    /// How many tickets may be open.
    pub tickets: u32,
    /// How many of them the tickets of one API key may be.
    pub tickets_of_key: u32,
}

impl MatchmakingSettings {
    /// The settings' names.
    pub const NAMES: [&str; 6] =
        ["window", "ticket_seconds", "grace_seconds", "ready_seconds", "tickets", "tickets_of_key"];
}

const fn number(n: u32) -> NonZeroU32 {
    match NonZeroU32::new(n) {
        Some(n) => n,
        None => NonZeroU32::MIN,
    }
}

impl Default for MatchmakingSettings {
    fn default() -> Self {
        Self {
            window: Curve::default(),
            ticket_seconds: number(1800),
            grace_seconds: number(15),
            ready_seconds: 20,
            tickets: 20_000,
            tickets_of_key: 10_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_name() {
        let json = serde_json::to_value(MatchmakingSettings::default()).unwrap();
        let mut names: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = MatchmakingSettings::NAMES;
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
}
