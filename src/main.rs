//! The `remik` program.

use std::error::Error;
use std::fs::File;
use std::io::{BufReader, Write, stderr, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use remik::config::{Config, Flags};
use remik::export::PublicKey;
use remik::keys::KeyCommand;
use remik::record::Source;
use remik::store::{Store, StoreOptions};
use remik::{arena, check, keys, load, replay, server, telemetry, verify};
use tokio_util::sync::CancellationToken;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A game service for the rummy family.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    flags: Flags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the service (the default)
    Serve,
    /// Prints a game move by move, all cards open
    Replay(replay::Options),
    /// Judges a game: every move by the rules, every card by the seeds; of an export its signature too
    Verify {
        /// A game's id, or a file: an export, or a game in the notation
        source: Source,
        /// The public key, in base64, that must have signed the export
        #[arg(long)]
        key: Option<PublicKey>,
        /// Prints the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Makes, lists and revokes API keys of backends, also beside the running service
    #[command(subcommand)]
    Key(KeyCommand),
    /// Runs cases of the rules and prints one line a case; fails if any differs
    Check {
        /// A file with one JSON case a line
        file: PathBuf,
    },
    /// Lets two kinds of players meet over mirrored deals and prints how often each won
    Arena(arena::Options),
    /// Plays real games against a running service and prints how fast it answers
    Load(load::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            let mut line = format!("remik: {error}");
            let mut cause = error.source();
            while let Some(inner) = cause {
                line.push_str(&format!(": {inner}"));
                cause = inner.source();
            }
            // Nothing is left to be told if the standard error is closed.
            let _ = writeln!(stderr(), "{line}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, Box<dyn Error>> {
    if let Some(Command::Check { file }) = &arguments.command {
        let summary = check::run(BufReader::new(File::open(file)?), &mut stdout().lock())?;
        return Ok(if summary.all_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    if let Some(Command::Arena(options)) = &arguments.command {
        let report = arena::run(options, &mut std::io::stderr().lock())?;
        report.print(&mut stdout().lock(), options.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(Command::Load(options)) = &arguments.command {
        let report = tokio::runtime::Runtime::new()?.block_on(load::run(options, &mut stderr()))?;
        report.print(&mut stdout().lock(), options.json)?;
        return Ok(ExitCode::SUCCESS);
    }
    let config = Config::load(&arguments.flags)?;
    telemetry::start(&config.log, config.log_format)?;
    let runtime = tokio::runtime::Runtime::new()?;
    match &arguments.command {
        Some(Command::Key(command)) => runtime.block_on(async {
            let store = Store::open_beside(&config.database()?, StoreOptions::default()).await?;
            let done = keys::run(command, &store, &mut stdout(), &mut stderr()).await;
            store.close().await;
            done?;
            Ok(ExitCode::SUCCESS)
        }),
        Some(Command::Replay(options)) => {
            let (record, _) = runtime.block_on(options.source.read(&config.database()?))?;
            replay::print(&record, options, &mut anstream::stdout().lock())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Verify { source, key, json }) => {
            let (record, signed_by) = runtime.block_on(source.read(&config.database()?))?;
            let report = verify::verify(&record, signed_by, *key);
            if *json {
                writeln!(stdout(), "{}", serde_json::to_string_pretty(&report)?)?;
            } else {
                write!(stdout(), "{report}")?;
            }
            Ok(if report.fault.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some(Command::Serve | Command::Check { .. } | Command::Arena(_) | Command::Load(_)) | None => runtime
            .block_on(async {
                let stop = CancellationToken::new();
                tokio::spawn(stop_on_signal(stop.clone()));
                server::serve(&config, stop, |address, key| {
                    if let Some(key) = key {
                        let _ = writeln!(
                            stdout(),
                            "API key for this run, with all scopes (nothing else is configured): {}",
                            key.reveal()
                        );
                    }
                    // Whoever starts the service reads the address from here; a closed output is no reason to stop.
                    let _ = writeln!(stdout(), "remik listens on http://{address}");
                })
                .await?;
                Ok(ExitCode::SUCCESS)
            }),
    }
}

/// Stops the service at the first SIGTERM or Ctrl-C.
async fn stop_on_signal(stop: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            stop.cancel();
        }
        Err(error) => tracing::error!(%error, "can't wait for signals: only a kill stops the service"),
    }
}
