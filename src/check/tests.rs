use std::io::BufReader;

use super::*;

fn checked(cases: &str) -> (Summary, String) {
    let mut out = Vec::new();
    let summary = run(cases.as_bytes(), &mut out).unwrap();
    (summary, String::from_utf8(out).unwrap())
}

#[test]
fn the_engine_plays_by_the_cases_of_the_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/rules.jsonl");
    let mut out = Vec::new();
    let summary = run(BufReader::new(std::fs::File::open(path).unwrap()), &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let differing: Vec<&str> = out.lines().filter(|line| line.ends_with("DIFFERS")).collect();
    assert_eq!(differing, [""; 0]);
    assert_eq!(summary, Summary { ok: 158, differing: 0, for_people: 19 });
    assert_eq!(out.lines().count(), 177);
}

/// A run of three, and what is expected of it.
fn run_of_three(expect: &str) -> String {
    format!(
        r#"{{"id": "mine", "preset": "remik-51", "situation": {{"turn": "A", "opened": {{"A": true}},
            "hand": {{"A": ["AS", "2S", "3S", "4D"]}}, "action": "meld AS 2S 3S"}}, "expect": {expect}}}"#
    )
    .replace('\n', " ")
}

#[test]
fn a_wrong_expectation_differs() {
    for (expect, line) in [
        ("\"accept\"", "mine: accept, worth 6; expected accept; ok\n"),
        ("\"reject\"", "mine: accept, worth 6; expected reject; DIFFERS\n"),
        ("\"accept\", \"points\": 7", "mine: accept, worth 6; expected accept at 7 points; DIFFERS\n"),
        ("{\"result\": {\"A\": 1}}", "mine: A 1; expected result {\"A\":1}; ok\n"),
        ("{\"result\": {\"A\": 2}}", "mine: A 1; expected result {\"A\":2}; DIFFERS\n"),
        ("{\"score\": {\"B\": 6}}", "mine: score A 6 B 0; expected score {\"B\":6}; DIFFERS\n"),
    ] {
        let (summary, out) = checked(&run_of_three(expect));
        assert_eq!(out, line);
        assert_eq!((summary.all_ok(), summary.ok + summary.differing), (line.ends_with("ok\n"), 1));
    }
}

#[test]
fn what_isnt_understood_differs_and_says_why() {
    for (preset, situation, expect, why) in [
        ("remik-52", "{}", "\"accept\"", "no preset is called \"remik-52\""),
        (
            "remik-51",
            r#"{"hand": {"A": ["QY"]}, "action": "undo"}"#,
            "\"accept\"",
            "no card has the code \"QY\"",
        ),
        ("remik-51", r#"{"hand": {"G": 3}, "action": "undo"}"#, "\"accept\"", "not \"G\""),
        ("remik-51", r#"{"action": "sing"}"#, "\"accept\"", "no such action: \"sing\""),
        ("remik-51", r#"{"action": "layoff 7C -> m3"}"#, "\"accept\"", "no meld is called \"m3\""),
        ("remik-51", r#"{"hnd": {}, "action": "undo"}"#, "\"accept\"", "unknown field `hnd`"),
        ("remik-51", r#"{"action": "undo", "rules": {"wild": 2}}"#, "\"accept\"", "unknown field `wild`"),
        ("remik-51", r#"{"action": "undo", "rules": {"decks": 3}}"#, "\"accept\"", "decks is 3"),
        ("remik-51", r#"{"players": 9}"#, r#"{"result": {"hand": 1}}"#, "seats is 9"),
        ("remik-51", r#"{"players": 2}"#, r#"{"result": {"sleeves": 1}}"#, "no such expectation"),
        ("remik-51", r#"{"action": "undo"}"#, "\"perhaps\"", "no such expectation"),
        (
            "remik-51",
            r#"{"hand": {"A": ["QH"], "B": ["QH"]}, "action": "undo"}"#,
            "\"accept\"",
            "QH is in two places",
        ),
        ("basic-rummy", r#"{"hand": {"A": ["X1"]}, "action": "undo"}"#, "\"accept\"", "the pack has no X1"),
        ("remik-51", r#"{"actions": ["undo", "draw stock"]}"#, "\"accept\"", "action 1 was refused"),
        (
            "remik-51",
            r#"{"winner": "A", "hands_points": {"B": 1}}"#,
            r#"{"score": {"B": 1}}"#,
            "no hand of 1",
        ),
    ] {
        let case =
            format!(r#"{{"id": "x", "preset": "{preset}", "situation": {situation}, "expect": {expect}}}"#);
        let (summary, out) = checked(&case);
        assert_eq!(summary.differing, 1, "{out}");
        assert!(out.starts_with("x: not understood: ") && out.contains(why), "{out} lacks {why}");
        assert!(out.ends_with("; DIFFERS\n"), "{out}");
    }
}

#[test]
fn a_line_that_is_no_case_is_an_error_with_its_number() {
    let good = run_of_three("\"accept\"");
    for bad in ["nonsense", "[]", "{\"id\": \"a\"}", "{\"id\": 1, \"preset\": \"remik-51\"}", "{"] {
        let error = run(format!("{good}\n\n{bad}\n").as_bytes(), &mut Vec::new()).unwrap_err();
        assert!(matches!(error, CheckError::Malformed { line: 3, .. }), "{bad}: {error}");
    }
    let error = run(&b"\xff\xfe\n"[..], &mut Vec::new()).unwrap_err();
    assert!(matches!(error, CheckError::Read { line: 1, .. }), "{error}");
}

#[test]
fn cases_for_people_are_only_counted() {
    let case = r#"{"id": "p", "preset": "?", "situation": {"words": 1}, "expect": "x", "people": true}"#;
    let (summary, out) = checked(case);
    assert_eq!(out, "p: for people\n");
    assert_eq!((summary, summary.all_ok()), (Summary { for_people: 1, ..Summary::default() }, true));
}

#[test]
fn any_joker_is_one_that_nothing_else_names() {
    let case = r#"{"id": "x", "preset": "remik-51", "situation": {"turn": "A", "hand": {"A": ["X", "5H", "6H", "JH", "2C"]},
        "table": [{"id": "m1", "owner": "B", "cards": ["TH", "X1=JH", "QH"]}],
        "actions": ["swap JH <-> X in m1", "meld X 5H 6H"]}, "expect": {"result": {"A": 2}}}"#;
    let (summary, out) = checked(&case.replace('\n', " "));
    assert!(summary.all_ok(), "{out}");
}

#[test]
fn the_turn_is_passed_along_to_who_acts() {
    for (actions, expect) in [
        // A joker that is laid, swapped and laid again.
        (
            r#"["A: meld TH X1 QH", "B: swap JH <-> X1 in m1", "B: meld 7C 7D X1"]"#,
            r#"{"score": {"A": 30, "B": 31}}"#,
        ),
        (r#"["A: discard QH", "B: draw discard", "B: meld QH QD QC"]"#, r#"{"score": {"B": 30}}"#),
        (r#"["turn 1: meld 2H 3H 4H", "turn 2: meld 7C 7D 7H"]"#, r#"{"score": {"A": 30}}"#),
    ] {
        let case = format!(
            r#"{{"id": "x", "preset": "remik-points", "situation": {{"actions": {actions}}}, "expect": {expect}}}"#
        );
        let (summary, out) = checked(&case);
        assert!(summary.all_ok(), "{out}");
    }
}
