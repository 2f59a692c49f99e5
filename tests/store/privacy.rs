//! What is done about each table that may hold something about a player.

use std::collections::BTreeSet;

use remik::profile::export::Section;
use sqlx::{Connection, Executor, PgConnection, Row, SqliteConnection};

use crate::{fixture::store, on_both, support::database::Backend};

on_both!(every_table_is_accounted_for);

/// What becomes of a table's rows when a player is erased. That it does is seen in `tests/api/profile.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Erased {
    /// They are gone, or what they say about him is.
    Gone,
    /// They stay, for a reason.
    Kept(&'static str),
}

/// How a player gets what a table holds about him.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// By a section of his export.
    By(Section),
    /// Not at all, for a reason.
    Not(&'static str),
}

use Erased::{Gone, Kept};
use Told::{By, Not};

const BY_ID: Erased = Kept("under his id alone");
const NOBODY: (Told, Erased) = (Not("it says nothing about players"), Kept("it says nothing about players"));

/// Every table. Who adds one says here what it holds about players, in `docs/privacy.md` too.
const TABLES: &[(&str, (Told, Erased))] = &[
    ("players", (By(Section::Player), Gone)),
    ("tokens", (By(Section::Sessions), Gone)),
    ("blocks", (By(Section::Blocks), Gone)),
    ("mutes", (By(Section::Mutes), Gone)),
    ("chat", (By(Section::Messages), Gone)),
    ("games", (By(Section::Games), BY_ID)),
    ("game_players", (By(Section::Games), BY_ID)),
    ("moves", (Not("replays show them, to all who may see the game"), Kept("games can be proved, by ids"))),
    ("ratings", (By(Section::Ratings), BY_ID)),
    ("rating_changes", (By(Section::RatingChanges), BY_ID)),
    ("statistics", (By(Section::Statistics), BY_ID)),
    ("tickets", (By(Section::Tickets), Kept("cancelled, and swept within days; it has ids alone"))),
    ("ticket_players", (By(Section::Tickets), Kept("swept with their tickets; they have ids alone"))),
    (
        "matches",
        (Not("the game itself is in the section of games"), Kept("swept within days; it has ids alone")),
    ),
    ("invitations", (By(Section::Invitations), Gone)),
    ("bans", (By(Section::Acts), Kept("a ban outlives an erasure, with its reason"))),
    ("audit", (By(Section::Acts), Kept("the audit trail is only added to"))),
    ("audit_outcomes", (Not("a part of the audit trail without players"), Kept("as the audit trail"))),
    ("imports", (By(Section::Imports), BY_ID)),
    ("requests", (By(Section::Requests), Gone)),
    ("erasures", (Not("his profile says that he is erased"), Kept("nothing of him may come back"))),
    (
        "revocations",
        (Not("in the section of the player, as the time of it"), Kept("an id and a time, for a while")),
    ),
    (
        "webhook_deliveries",
        (Not("copies of moves, for backends"), Kept("swept after 1 or 30 days; they have ids alone")),
    ),
    ("alarms", NOBODY),
    ("chat_modes", NOBODY),
    ("counted_games", NOBODY),
    ("duties", NOBODY),
    ("instances", NOBODY),
    ("keys", NOBODY),
    ("leases", NOBODY),
    ("meta", NOBODY),
    ("outages", NOBODY),
    ("replays", NOBODY),
    ("secrets", NOBODY),
    ("standings", NOBODY),
    ("webhook_feed", NOBODY),
    ("webhook_lanes", NOBODY),
    ("webhooks", NOBODY),
];

/// The tables of a database, without those of databases' own and of migrations.
async fn tables(backend: Backend, url: &str) -> BTreeSet<String> {
    const OF_POSTGRES: &str = "SELECT table_name::text FROM information_schema.tables \
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE'";
    const OF_SQLITE: &str =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let all: Vec<String> = match backend {
        Backend::Postgres => {
            let mut connection = PgConnection::connect(url).await.unwrap();
            connection.fetch_all(OF_POSTGRES).await.unwrap().iter().map(|row| row.get(0)).collect()
        }
        Backend::Sqlite => {
            let mut connection = SqliteConnection::connect(url).await.unwrap();
            connection.fetch_all(OF_SQLITE).await.unwrap().iter().map(|row| row.get(0)).collect()
        }
    };
    all.into_iter().filter(|name| name != "_sqlx_migrations").collect()
}

async fn every_table_is_accounted_for(backend: Backend) {
    let (_store, database) = store(backend).await;
    let named: BTreeSet<String> = TABLES.iter().map(|(table, _)| (*table).to_owned()).collect();
    assert_eq!(named.len(), TABLES.len(), "a table is named twice");
    assert_eq!(tables(backend, &database.url).await, named, "say what a new table holds about players");
    let document = include_str!("../../docs/privacy.md");
    for section in Section::ALL {
        assert!(document.contains(&format!("\n| `{}` | ", section.name())), "{}", section.name());
        let told = TABLES.iter().any(|(_, (told, _))| *told == By(section));
        assert!(told, "nothing is told by the section {}", section.name());
    }
}
