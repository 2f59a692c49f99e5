//! The commands `remik key create`, `list` and `revoke`: API keys by hand, on the store itself. They work beside a
//! running service, which hears of a revoked key within seconds.

use std::error::Error;
use std::io::Write;

use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use prost_types::Timestamp;
use uuid::Uuid;

use crate::audit::Administrator;
use crate::codec::wire;
use crate::identity::{Scope, create_key, revoke_key};
use crate::store::{Key, Millis, Store};

/// How many keys are read at once.
const PAGE: u32 = 100;

/// What to do with API keys.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Makes a key and prints it: this once, as only its hash is kept
    Create {
        /// What it is for; may be given several times, as no scope includes another
        #[arg(long = "scope", required = true, value_parser = scope_parser())]
        scopes: Vec<Scope>,
        /// What to call it, such as the program that has it (1 to 32 characters)
        #[arg(long)]
        name: String,
    },
    /// Lists all keys, without their secrets
    List,
    /// Revokes a key for good
    Revoke {
        /// The key's id, as `list` prints it
        id: Uuid,
    },
}

fn scope_parser() -> impl TypedValueParser<Value = Scope> {
    PossibleValuesParser::new(Scope::ALL.iter().map(|scope| scope.name()))
        .try_map(|name| name.parse::<Scope>())
}

/// There is no key of this id.
#[derive(Debug, thiserror::Error)]
#[error("there is no key {0}")]
pub struct NoSuchKey(pub Uuid);

/// Carries out a command on a store. What is asked for goes to `out`, a new key alone on its line; what is only good to
/// know goes to `note`.
///
/// # Errors
/// The name can't be one, there is no such key, the store can't do it, or `out` can't be written to.
pub async fn run(
    command: &KeyCommand,
    store: &Store,
    out: &mut impl Write,
    note: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let by = Administrator::of_command_line();
    match command {
        KeyCommand::Create { scopes, name } => {
            let name = wire::display_name("name", name)?;
            let now = store.now().await?;
            let (key, secret) = create_key(store, name, scopes.iter().copied().collect(), &by, now).await?;
            writeln!(out, "{}", secret.reveal())?;
            writeln!(note, "key {} for {}; it isn't shown again", key.id, key.scopes)?;
        }
        KeyCommand::List => {
            let mut after = Uuid::nil();
            loop {
                let keys = store.keys(after, PAGE).await?;
                let Some(last) = keys.last() else { break };
                after = last.id;
                for key in &keys {
                    writeln!(out, "{}", line(key))?;
                }
            }
        }
        KeyCommand::Revoke { id } => {
            let key = revoke_key(store, *id, &by, store.now().await?).await?.ok_or(NoSuchKey(*id))?;
            writeln!(out, "{}", line(&key))?;
        }
    }
    Ok(())
}

fn line(key: &Key) -> String {
    let used = key.used_at.map_or("never used".to_owned(), |at| format!("used {}", time(at)));
    let revoked = key.revoked_at.map(|at| format!("  revoked {}", time(at))).unwrap_or_default();
    let Key { id, name, scopes, made_at, .. } = key;
    format!("{id}  {name:?}  {scopes}  made {}  {used}{revoked}", time(*made_at))
}

/// To the second.
fn time(at: Millis) -> Timestamp {
    Timestamp { seconds: at.0.div_euclid(1000), nanos: 0 }
}
