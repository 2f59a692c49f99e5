//! The command `remik admin`: what `AdminService` does, from a terminal. It goes through the running service, so that
//! live tables hear of it, every instance heeds it, and the audit trail knows by which key it was done: an SQLite file
//! belongs to one process, and a table in memory must be the first to know of its game's moves.

mod client;
mod options;
mod text;

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use reqwest::Url;
use serde_json::json;
use uuid::Uuid;

pub use client::ClientError;
use client::{Client, Fields, Told};
use options::{Audit, GameOrder, Games, PlayerOrder, Players};

use crate::proto::v1;

/// How to reach the service, and what to do there.
#[derive(Debug, Args)]
pub struct Options {
    /// Where the service is
    #[arg(long, env = "REMIK_SERVER", default_value = "http://127.0.0.1:8080")]
    server: Url,
    /// An API key with the scope `admin`; others on this machine may see the arguments, so better in REMIK_ADMIN_KEY
    #[arg(long, env = "REMIK_ADMIN_KEY", hide_env_values = true)]
    key: Option<String>,
    /// A file with it
    #[arg(long, conflicts_with = "key")]
    key_file: Option<PathBuf>,
    /// Prints the API's messages as JSON, one on each line
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: AdminCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Finds games, the newest first
    Games(Games),
    /// Shows a table as a seat sees it, or the public
    Show {
        /// The game's id
        game: Uuid,
        /// As which seat, from 0; as the public without it
        #[arg(long)]
        seat: Option<u32>,
        /// After which move; the last one without it
        #[arg(long, default_value_t = 0)]
        at: u32,
        /// Why, for the audit trail
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Prints a game's moves as a seat sees them, or the public: as JSON, one on each line
    Moves {
        /// The game's id
        game: Uuid,
        /// As which seat, from 0; as the public without it
        #[arg(long)]
        seat: Option<u32>,
        /// Behind which move
        #[arg(long, default_value_t = 0)]
        after: u32,
        /// Why, for the audit trail
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Ends a game with the result of its finished deals
    End(GameOrder),
    /// Voids a game: it has no result
    Void(GameOrder),
    /// Finds players, those who came last first
    Players(Players),
    /// Bans a player
    Ban {
        #[command(flatten)]
        order: PlayerOrder,
        /// Until when, as in 2026-12-24T18:00:00Z; for good without it
        #[arg(long)]
        until: Option<String>,
    },
    /// Lifts a player's ban
    LiftBan(PlayerOrder),
    /// Signs a player out everywhere
    SignOut(PlayerOrder),
    /// Revokes an API key for good
    RevokeKey {
        /// The key's id
        key: Uuid,
    },
    /// Lists what administrators have done, the latest first
    Audit(Audit),
}

/// Nobody says with which key.
#[derive(Debug, thiserror::Error)]
#[error("an API key is needed: set REMIK_ADMIN_KEY, or give --key-file or --key")]
pub struct NoKey;

/// Carries out a command at a service.
///
/// # Errors
/// The service refuses it or can't be reached, or `out` can't be written to.
pub async fn run(options: &Options, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let key = match (&options.key, &options.key_file) {
        (_, Some(path)) => std::fs::read_to_string(path)?.trim().to_owned(),
        (Some(key), None) => key.clone(),
        (None, None) => return Err(NoKey.into()),
    };
    let client = Client::new(options.server.clone(), key)?;
    let json = options.json;
    match &options.command {
        AdminCommand::Games(games) => {
            let pages = client.pages::<v1::FindGamesResponse>("admin/games", games.fields(), games.limit);
            print_all(out, json, &pages.await?, text::game)
        }
        AdminCommand::Players(players) => {
            let fields = players.fields();
            let pages = client.pages::<v1::FindPlayersResponse>("admin/players", fields, players.limit);
            print_all(out, json, &pages.await?, text::player)
        }
        AdminCommand::Audit(audit) => {
            let pages =
                client.pages::<v1::ListAuditEntriesResponse>("admin/audit", audit.fields(), audit.limit);
            print_all(out, json, &pages.await?, text::audit_entry)
        }
        AdminCommand::Show { game, seat, at, reason } => {
            let mut fields = Fields::default();
            fields.add("seat", seat.as_ref()).add("atVersion", Some(at)).add("reason", Some(reason));
            let path = format!("admin/games/{game}");
            let seen: v1::InspectGameResponse = client.get(&path, &fields).await?;
            print(out, json, &seen, text::table)
        }
        AdminCommand::Moves { game, seat, after, reason } => {
            let path = format!("admin/games/{game}/moves");
            let mut after = *after;
            loop {
                let mut fields = Fields::default();
                fields
                    .add("seat", seat.as_ref())
                    .add("afterVersion", Some(&after))
                    .add("reason", Some(reason));
                fields.add("pageSize", Some(&100));
                let page: v1::InspectMovesResponse = client.get(&path, &fields).await?;
                let Some(last) = page.moves.last() else { return Ok(()) };
                after = last.version;
                print_all(out, true, &page.moves, |_| String::new())?;
            }
        }
        AdminCommand::End(order) => {
            let told: v1::EndGameResponse = client.post(&order.path("end"), order.why.body()).await?;
            let line = |told: &v1::EndGameResponse| format!("ended by move {}", told.version);
            print(out, json, &told, line)
        }
        AdminCommand::Void(order) => {
            let told: v1::VoidGameResponse = client.post(&order.path("void"), order.why.body()).await?;
            let line = |told: &v1::VoidGameResponse| format!("voided by move {}", told.version);
            print(out, json, &told, line)
        }
        AdminCommand::Ban { order, until } => {
            let mut body = order.why.body();
            if let Some(until) = until {
                body["until"] = json!(until);
            }
            let told: v1::BanPlayerResponse = client.post(&order.path("ban"), body).await?;
            let line = |told: &v1::BanPlayerResponse| {
                let player = told.player.as_ref().map(text::player).unwrap_or_default();
                format!("{player}  left {} games", told.games_left)
            };
            print(out, json, &told, line)
        }
        AdminCommand::LiftBan(order) => {
            let told: v1::LiftBanResponse = client.post(&order.path("liftBan"), order.why.body()).await?;
            let line =
                |told: &v1::LiftBanResponse| told.player.as_ref().map(text::player).unwrap_or_default();
            print(out, json, &told, line)
        }
        AdminCommand::SignOut(order) => {
            let told: v1::SignOutPlayerResponse =
                client.post(&order.path("signOut"), order.why.body()).await?;
            let line =
                |told: &v1::SignOutPlayerResponse| told.player.as_ref().map(text::player).unwrap_or_default();
            print(out, json, &told, line)
        }
        AdminCommand::RevokeKey { key } => {
            let told: v1::RevokeKeyResponse = client.post(&format!("keys/{key}:revoke"), json!({})).await?;
            let line = |told: &v1::RevokeKeyResponse| told.key.as_ref().map(text::key).unwrap_or_default();
            print(out, json, &told, line)
        }
    }
}

fn print_all<M: Told>(
    out: &mut impl Write,
    json: bool,
    messages: &[M],
    line: impl Fn(&M) -> String,
) -> Result<(), Box<dyn Error>> {
    messages.iter().try_for_each(|message| print(out, json, message, &line))
}

fn print<M: Told>(
    out: &mut impl Write,
    json: bool,
    message: &M,
    line: impl Fn(&M) -> String,
) -> Result<(), Box<dyn Error>> {
    let told = if json { crate::codec::json::encode(M::NAME, message) } else { line(message) };
    Ok(writeln!(out, "{told}")?)
}
