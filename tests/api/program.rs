//! The program's other commands.

use std::process::{Command, Output};

use crate::{
    on_each_backend,
    party::{Party, Wish, any_seed},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_finished_game_is_printed
    a_finished_game_is_found_true
}

pub(crate) fn remik(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_remik")).args(arguments).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

async fn a_finished_game_is_printed(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let bots = party.play(any_seed()).await;
    let totals: Vec<i32> =
        bots[0].client.look(&party.game).await.unwrap().seats.iter().map(|seat| seat.total).collect();
    let replay = async |game: &str| {
        let (url, game) = (database.url.clone(), game.to_owned());
        let run = move || remik(&["replay", &game, "--database-url", &url]);
        tokio::task::spawn_blocking(run).await.unwrap()
    };

    // Beside the running service, and without it.
    let beside = replay(&party.game).await;
    assert!(beside.status.success(), "{}", text(&beside.stderr));
    service.stop().await;
    let output = replay(&party.game).await;
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), text(&beside.stdout));
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], format!("game {}", party.game));
    let numbers: Vec<&str> =
        lines.iter().filter_map(|line| line.strip_prefix('#')?.split(' ').next()).collect();
    let expected: Vec<String> = bots[0].seen.iter().map(|made| made.version.to_string()).collect();
    assert_eq!(numbers, expected, "every move once");
    assert!(lines.contains(&"  a table with 2 seats is opened"));
    assert!(lines.contains(&format!("  player {} takes seat 1", bots[1].client.id).as_str()));
    let last_discard =
        bots.iter().flat_map(|bot| &bot.answered).filter_map(|(order, _)| match &order.command {
            crate::client::Command::Discard(card) => Some(card),
            _ => None,
        });
    for card in last_discard {
        assert!(printed.contains(&format!(" discards {card}\n")), "{card}");
    }
    for (seat, total) in totals.iter().enumerate() {
        assert!(printed.contains(&format!("seat {seat} counts {total}, {total} in all")), "{printed}");
    }
    assert!(lines.iter().any(|line| line.starts_with("  the game is over: seat 0 is ")));

    let output = replay("01912345-0000-7000-8000-000000000000").await;
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no such game"), "{}", text(&output.stderr));
}

async fn a_finished_game_is_found_true(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let bots = party.play(any_seed()).await;
    let moves = bots[0].seen.len();
    let run = async |arguments: &[&str]| {
        let mut arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        arguments.extend(["--database-url".to_owned(), database.url.clone()]);
        let run = move || remik(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let told = if output.stdout.is_empty() { output.stderr } else { output.stdout };
        (output.status.code(), String::from_utf8(told).unwrap())
    };
    let game = party.game.as_str();
    let (code, told) = run(&["verify", game]).await;
    assert_eq!(code, Some(0), "{told}");
    assert!(told.starts_with(&format!("game {game}: remik-51, {moves} moves, over\ndeal 1: ")), "{told}");
    let (_, told) = run(&["verify", game, "--json"]).await;
    let report: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&report["over"], &report["fault"]), (&true.into(), &serde_json::Value::Null));

    let (_, notation) = run(&["replay", game, "--notation"]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.remik");
    let file = file.to_str().unwrap();
    std::fs::write(file, &notation).unwrap();
    let (code, told) = run(&["verify", file]).await;
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(run(&["replay", file]).await, run(&["replay", game]).await, "the text is the same game");

    let (_, lines) = run(&["replay", game, "--json", "--moves", "2..4"]).await;
    let versions: Vec<u64> = lines
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["move"]["version"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(versions, [2, 3, 4]);

    let broken = notation.replacen("[Seats 2]", "[Seats 3]", 1);
    std::fs::write(file, broken).unwrap();
    let (code, told) = run(&["verify", file]).await;
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("line "), "{told}");
    service.stop().await;
}

#[test]
fn the_cases_of_the_rules_hold() {
    let output = remik(&["check", concat!(env!("CARGO_MANIFEST_DIR"), "/cases/rules.jsonl")]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.lines().count() >= 177);
}

#[test]
fn a_wrong_expectation_is_reported() {
    let cases = include_str!("../../cases/rules.jsonl");
    let case = cases.lines().find(|line| line.contains(r#""expect": "accept""#)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let check = |lines: &str| {
        let file = folder.path().join("cases.jsonl");
        std::fs::write(&file, lines).unwrap();
        remik(&["check", file.to_str().unwrap()])
    };
    assert_eq!(check(case).status.code(), Some(0));
    let wrong = check(&format!("{case}\n{}\n", case.replace(r#""accept""#, r#""reject""#)));
    assert_eq!(wrong.status.code(), Some(1));
    let printed = text(&wrong.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].ends_with("ok") && lines[1].contains("DIFFERS"), "{printed}");
    let broken = check("{\"id\":");
    assert_eq!(broken.status.code(), Some(1));
    assert!(!broken.stderr.is_empty());
}
