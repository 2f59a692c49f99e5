//! `remik load`: what it reports is what the log holds.

use serde_json::Value as Json;
use sqlx::{Connection, SqliteConnection};

use crate::{
    program::{remik, text},
    service::Service,
    support::database::{Backend, fresh},
};

/// Plays at a service by itself for a few seconds, and reports.
async fn play(via: &str, more: &[&str]) -> (Json, i64) {
    let database = fresh(Backend::Sqlite).await;
    let service = Service::start(&database.url).await;
    let mut arguments = vec!["load".to_owned(), service.url.clone()];
    let settings =
        "--games 4 --players 3 --preset rummy-200 --seconds 3 --warm-up 0 --json --ask-every 1 --via";
    arguments.extend(settings.split(' ').chain([via]).chain(more.iter().copied()).map(str::to_owned));
    let run = move || remik(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    service.stop().await;
    let mut log = SqliteConnection::connect(&database.url).await.unwrap();
    let draws_and_more = "SELECT count(*) FROM moves WHERE seat IS NOT NULL";
    let moves = sqlx::query_scalar(draws_and_more).fetch_one(&mut log).await.unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), moves)
}

#[track_caller]
fn check(report: &Json, logged: i64) {
    assert_eq!(report["troubles"], serde_json::json!({}), "{report}");
    let answered = report["answered"]["count"].as_i64().unwrap();
    // Every move that was answered is in the log; besides, seats were taken and some answers came too late to count.
    assert!(answered > 0 && answered <= logged, "{answered} of {logged}");
    let kinds = report["by_kind"].as_object().unwrap();
    assert_eq!(kinds.values().map(|times| times["count"].as_i64().unwrap()).sum::<i64>(), answered);
    for kind in ["ready", "draw", "discard"] {
        assert!(kinds[kind]["count"].as_i64().unwrap() > 0, "{kind}: {report}");
    }
    assert!(report["answered"]["p50"].as_f64().unwrap() > 0.0);
    assert!(report["legal_moves"]["count"].as_i64().unwrap() > 0);
}

#[tokio::test]
async fn calls_are_measured() {
    let (report, logged) = play("calls", &[]).await;
    check(&report, logged);
    assert!(report["seen_by_all"]["count"].as_i64().unwrap() > 0, "{report}");
}

#[tokio::test]
async fn streams_of_games_are_measured() {
    let (report, logged) = play("play", &[]).await;
    check(&report, logged);
    assert!(report["seen_by_all"]["count"].as_i64().unwrap() > 0, "{report}");
}

#[tokio::test]
async fn rest_is_measured() {
    let (report, logged) = play("rest", &["--no-streams"]).await;
    check(&report, logged);
    assert_eq!(report["seen_by_all"]["count"], 0, "{report}");
}

#[tokio::test]
async fn a_rate_is_kept_to() {
    let (report, logged) = play("calls", &["--rate", "20", "--think-ms", "1"]).await;
    check(&report, logged);
    let answered = report["answered"]["count"].as_i64().unwrap();
    assert!(answered <= 61, "{answered} moves in 3 s at 20 a second");
}

#[test]
fn another_machine_is_left_alone() {
    let output = remik(&["load", "http://192.0.2.1:8080"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--allow-remote"), "{}", text(&output.stderr));
}
