//! Games that releases have written, in `tests/golden/RELEASE/`: every later release reads them as the same games.
//!
//! `scripts/golden` writes those of this release.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use remik_rules::event::Viewer;
use remik_rules::preset::Preset;
use remik_rules::table::Table;
use serde_json::Value;

use super::{SigningKey, export, parse};
use crate::codec::json;
use crate::codec::wire::{self, GameContext, Names};
use crate::notation;
use crate::record::Record;
use crate::record::tests::play;

/// The secret by which golden games are signed: no service has it.
const SECRET: [u8; 32] = *b"golden games are no one's secret";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The table at the end of a game, as everybody sees it.
fn state(record: &Record, table: &Table) -> String {
    let context = GameContext {
        game: record.game.0,
        version: record.moves.len() as u32,
        public: true,
        spectators: None,
        settings: None,
        invite_code: "",
        preset: record.preset,
        names: &Names::new(),
        now: record.moves.last().unwrap().made_at,
    };
    json::encode("remik.v1.GameView", &wire::game_view(&table.view(Viewer::Public), &context))
}

/// Of each preset a finished game in which much happens, not too long.
fn game(preset: Preset) -> Record {
    let finished = |record: &Record| record.judge().unwrap().unwrap().is_over();
    let games = (100..400).map(|number| play(preset, number)).filter(|game| game.moves.len() < 500);
    games.filter(finished).max_by_key(kinds).unwrap()
}

/// How many kinds of events a game has.
fn kinds(record: &Record) -> usize {
    let events = record.moves.iter().flat_map(|mv| &mv.events);
    events.map(std::mem::discriminant).collect::<HashSet<_>>().len()
}

#[test]
fn games_of_every_release_stay_the_same() {
    if env::var("GOLDEN").is_ok_and(|how| how == "write") {
        write();
    }
    let mut presets = BTreeSet::new();
    for release in fs::read_dir(folder()).unwrap() {
        for file in fs::read_dir(release.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "json") {
                presets.insert(check(&path).name());
            }
        }
    }
    assert_eq!(presets, Preset::ALL.into_iter().map(Preset::name).collect(), "a game of each preset");
}

fn check(path: &Path) -> Preset {
    let name = path.display();
    let text = fs::read_to_string(path).unwrap();
    let document = parse(&text).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    assert_eq!(document.key, SigningKey::from_secret(&SECRET).public());
    let record = document.record;
    let table = record.judge().unwrap_or_else(|verdict| panic!("{name}: {verdict}")).unwrap();
    let kept: Value =
        serde_json::from_str(&fs::read_to_string(path.with_extension("state")).unwrap()).unwrap();
    let now: Value = serde_json::from_str(&state(&record, &table)).unwrap();
    assert!(holds(&now, &kept), "{name}:\n{now}\nisn't\n{kept}");
    let written = notation::write(&record).unwrap();
    assert_eq!(notation::read(&written).as_ref(), Ok(&record), "{name}");
    let kept = fs::read_to_string(path.with_extension("remik")).unwrap();
    assert_eq!(notation::read(&kept).as_ref(), Ok(&record), "{name}");
    record.preset
}

/// Whether everything kept is still so; there may be more.
fn holds(now: &Value, kept: &Value) -> bool {
    match (now, kept) {
        (Value::Object(now), Value::Object(kept)) => {
            kept.iter().all(|(name, kept)| now.get(name).is_some_and(|now| holds(now, kept)))
        }
        (Value::Array(now), Value::Array(kept)) => {
            now.len() == kept.len() && now.iter().zip(kept).all(|(now, kept)| holds(now, kept))
        }
        _ => now == kept,
    }
}

fn write() {
    let folder = folder().join(env!("CARGO_PKG_VERSION"));
    fs::create_dir_all(&folder).unwrap();
    for preset in Preset::ALL {
        let record = game(preset);
        let table = record.judge().unwrap().unwrap();
        let path = folder.join(preset.name());
        fs::write(path.with_extension("state"), state(&record, &table)).unwrap();
        fs::write(path.with_extension("remik"), notation::write(&record).unwrap()).unwrap();
        let document = export(record, &SigningKey::from_secret(&SECRET));
        fs::write(path.with_extension("json"), document.to_string()).unwrap();
    }
}

/// The same decks by a program of another language, written from `docs/fairness.md`.
#[test]
fn python_finds_the_same_decks() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/verify.py");
    let verify = |file: &Path| {
        let output = Command::new("python3").arg(&script).arg(file).output();
        let output = output.expect("python3 is missing: apt-get install python3");
        let told = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(told).unwrap())
    };
    let mut files = 0;
    for release in fs::read_dir(folder()).unwrap() {
        for preset in Preset::ALL {
            let file = release.as_ref().unwrap().path().join(preset.name()).with_extension("json");
            let (fine, told) = verify(&file);
            assert!(fine && told.starts_with("OK"), "{}: {told}", file.display());
            files += 1;
        }
    }
    assert!(files >= Preset::ALL.len());

    // A seed that isn't the one committed to, and a card that isn't the deck's.
    let scratch = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(folder().join("0.1.0/remik-51.json")).unwrap();
    for (part, told) in [("\"serverSeed\":\"", "commitment"), ("\"stockDrawn\":{", "card drawn")] {
        let (before, after) = text.split_once(part).unwrap();
        let forged = match part {
            "\"serverSeed\":\"" => format!("{before}{part}{}{}", "00", &after[2..]),
            _ => {
                let (fields, rest) = after.split_once("\"card\":\"").unwrap();
                let (card, rest) = rest.split_once('"').unwrap();
                let other = if card == "2C" { "3C" } else { "2C" };
                format!("{before}{part}{fields}\"card\":\"{other}\"{rest}")
            }
        };
        let file = scratch.path().join("forged.json");
        fs::write(&file, forged).unwrap();
        let (fine, found) = verify(&file);
        assert!(!fine && found.starts_with("WRONG") && found.contains(told), "{part}: {found}");
    }
}
