//! `remik check` as a user runs it.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::{Command, Output};

fn check(file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_remik")).arg("check").arg(file).output().unwrap()
}

fn written(lines: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines).unwrap();
    file
}

#[test]
fn the_cases_of_the_rules_succeed() {
    let output = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/rules.jsonl"));
    assert!(output.status.success());
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(report.lines().count(), 177);
    assert_eq!(report.lines().filter(|line| line.ends_with(": for people")).count(), 19);
    assert!(!report.contains("DIFFERS"));
}

#[test]
fn a_case_that_differs_fails() {
    let case = r#"{"id": "mine", "preset": "remik-51", "situation": {"players": 2}, "expect": {"result": {"stock": 80}}}"#;
    let output = check(written(case).path());
    assert_eq!(output.status.code(), Some(1));
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(report, "mine: stock 81; expected result {\"stock\":80}; DIFFERS\n");
}

#[test]
fn a_line_that_is_no_case_fails_and_is_named() {
    for (lines, told) in [("\nnonsense\n", "line 2 is no case"), ("{\"id\": \"a\"}", "line 1 is no case")] {
        let output = check(written(lines).path());
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().contains(told));
    }
    assert_eq!(check(Path::new("no such file")).status.code(), Some(1));
}
