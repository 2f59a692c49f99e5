//! `remik admin`, beside a running service.

use serde_json::Value as Json;

use crate::{
    accounts::make_key,
    admin::{admin, audit},
    client::{Client, Command, Order, Via, fresh_id},
    on_each_backend,
    party::{Party, Wish, get_ready},
    program,
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    games_are_administered_from_a_terminal
    players_are_administered_from_a_terminal
}

/// What the program prints, or what it says instead.
async fn run(url: &str, key: &str, arguments: &[&str]) -> Result<String, String> {
    let mut all: Vec<String> = ["admin", "--server", url].map(str::to_owned).to_vec();
    all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    let key = key.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_remik"));
        program.args(all).env_remove("REMIK_ADMIN_KEY");
        if !key.is_empty() {
            program.env("REMIK_ADMIN_KEY", key);
        }
        program.output().unwrap()
    });
    let output = output.await.unwrap();
    let text = |bytes: &[u8]| program::text(bytes).trim_end().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

fn json(line: &str) -> Json {
    serde_json::from_str(line).unwrap()
}

async fn games_are_administered_from_a_terminal(backend: Backend) {
    let database = fresh(backend).await;
    let (key, key_id) = make_key(&database.url, "admin").await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let party = Party::seated(url, &Wish::seats(2).private()).await;
    let version = get_ready(&party).await;
    let waiting = party.players[0].create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;

    let found = run(url, &key, &["games"]).await.unwrap();
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 2, "{found}");
    assert!(lines[0].starts_with(&format!("{waiting}  waiting  public  remik-51  opened 20")), "{found}");
    assert!(lines[0].ends_with(", free"), "{found}");
    assert!(lines[1].starts_with(&party.game) && lines[1].contains(&party.players[1].id), "{found}");
    assert!(lines[1].contains(&format!("  move {version} at 20")), "{found}");
    let narrow = ["games", "--state", "playing", "--state", "over", "--visibility", "private", "--json"];
    let found = json(&run(url, &key, &narrow).await.unwrap());
    assert_eq!(found["summary"]["gameId"], *party.game);
    assert_eq!(run(url, &key, &["games", "--limit", "1"]).await.unwrap().lines().count(), 1);
    assert_eq!(run(url, &key, &["games", "--before", "2020-01-01T00:00:00Z"]).await.unwrap(), "");

    // What a seat holds is shown as that seat, and not to the public.
    let hand = party.players[1].look(&party.game).await.unwrap().deal.unwrap().hand;
    let shown = run(url, &key, &["show", &party.game, "--seat", "1", "--reason", "Skarga"]).await.unwrap();
    assert!(shown.contains(&format!("\nhand: {}", hand.join(" "))), "{shown}");
    let public = run(url, &key, &["show", &party.game]).await.unwrap();
    assert!(
        public.starts_with(&format!("game {}  remik-51  move {version}  playing", party.game)),
        "{public}"
    );
    assert!(!public.contains("hand:"), "{public}");
    let moves = run(url, &key, &["moves", &party.game, "--seat", "1", "--after", "1"]).await.unwrap();
    let numbers: Vec<Json> = moves.lines().map(|line| json(line)["version"].clone()).collect();
    assert_eq!(numbers, (2..=version).map(Json::from).collect::<Vec<_>>());

    // An end by its own id is one.
    let id = fresh_id().to_string();
    let end = ["end", &party.game, "--reason", "Turniej odwołano", "--request-id", &id];
    for _ in 0..2 {
        let ended = run(url, &key, &end).await.unwrap();
        assert_eq!(ended, format!("ended by move {}", version + 1));
    }
    let voided = run(url, &key, &["void", &waiting, "--reason", "Pomyłka", "--json"]).await.unwrap();
    assert_eq!(json(&voided)["view"]["stopReason"], "Pomyłka");
    let shown = run(url, &key, &["show", &waiting]).await.unwrap();
    assert!(shown.contains("\nstopped: Pomyłka"), "{shown}");
    let found = run(url, &key, &["games", "--game", &waiting]).await.unwrap();
    assert!(found.ends_with("  voided"), "{found}");
    let leave = Order::new(&party.game, version + 1, Command::Leave);
    assert_eq!(party.players[0].send(&leave).await.unwrap_err().refused().reason, "GAME_OVER");

    let trail = run(url, &key, &["audit", "--subject", &party.game, "--by", &key_id]).await.unwrap();
    let lines: Vec<&str> = trail.lines().collect();
    assert!(lines[0].contains("end game") && lines[0].contains(&format!("  done  by move {}", version + 1)));
    assert!(
        lines[0].ends_with(": Turniej odwołano") && lines[lines.len() - 1].contains("  as seat 1"),
        "{trail}"
    );
    let act = run(url, &key, &["audit", "--act", "VOID_GAME", "--json"]).await.unwrap();
    assert_eq!(json(&act)["subjectId"], *waiting);

    for (arguments, key, told) in [
        (&["void", &waiting, "--reason", "Pomyłka"][..], &*key, "GAME_OVER"),
        (&["end", &waiting, "--reason", "two\nlines"], &key, "MALFORMED_FIELD"),
        (&["end", &waiting], &key, "--reason"),
        (&["audit", "--act", "NOTHING"], &key, "MALFORMED_REQUEST"),
        (&["games"], "", "an API key is needed"),
        (&["games"], "remik_key_0", "UNAUTHENTICATED"),
    ] {
        let error = run(url, key, arguments).await.unwrap_err();
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    let nowhere = run("http://127.0.0.1:9", &key, &["games"]).await.unwrap_err();
    assert!(nowhere.contains("can't reach the service") && !nowhere.contains(&key[10..]), "{nowhere}");
}

async fn players_are_administered_from_a_terminal(backend: Backend) {
    let database = fresh(backend).await;
    let (key, _) = make_key(&database.url, "admin").await;
    let (other, other_id) = make_key(&database.url, "games").await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let player = Client::guest(url, Via::Rest, "Ala").await.unwrap();
    let game = player.create(Wish::seats(2).request()).await.unwrap().view.unwrap().game_id;
    let found = run(url, &key, &["players", "--name", "Al"]).await.unwrap();
    assert!(found.starts_with(&format!("{}  \"Ala\"  guest  since 20", player.id)), "{found}");
    assert_eq!(run(url, &key, &["players", "--banned"]).await.unwrap(), "");

    let until = "2099-12-24T18:00:00Z";
    let ban = ["ban", &player.id, "--reason", "Obelgi", "--until", until];
    let banned = run(url, &key, &ban).await.unwrap();
    assert!(banned.ends_with(&format!("  banned until {until}: Obelgi  left 1 games")), "{banned}");
    let refused = player.look(&game).await.unwrap_err().refused();
    assert_eq!((refused.reason.as_str(), refused.metadata["until"].as_str()), ("PLAYER_BANNED", until));
    let found = json(&run(url, &key, &["players", "--banned", "--json"]).await.unwrap());
    assert_eq!(found["ban"]["reason"], "Obelgi");
    let lifted = run(url, &key, &["lift-ban", &player.id, "--reason", "Przeprosił"]).await.unwrap();
    assert!(!lifted.contains("banned"), "{lifted}");
    assert_eq!(player.look(&game).await.unwrap().game_id, game);
    let out = run(url, &key, &["sign-out", &player.id, "--reason", "Telefon"]).await.unwrap();
    assert!(out.contains("  signed out 20"), "{out}");
    assert_eq!(player.look(&game).await.unwrap_err().refused().reason, "UNAUTHENTICATED");

    // By a file, which no list of processes shows.
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{key}\n")).unwrap();
    let by_file = ["--key-file", file.path().to_str().unwrap(), "revoke-key", &other_id];
    let revoked = run(url, "", &by_file).await.unwrap();
    assert!(revoked.starts_with(&other_id) && revoked.contains("  revoked 20"), "{revoked}");
    let refused = admin(url, "FindGames", serde_json::json!({}), &other).await.unwrap_err().refused();
    assert_eq!(refused.reason, "UNAUTHENTICATED");
    let acts = audit(url, &key, serde_json::json!({"pageSize": 4})).await;
    let acts: Vec<&str> = acts.iter().map(|entry| entry["act"].as_str().unwrap()).collect();
    assert_eq!(
        acts,
        ["REVOKE_KEY", "SIGN_OUT_PLAYER", "LIFT_BAN", "BAN_PLAYER"].map(|act| format!("ADMIN_ACT_{act}"))
    );
}
