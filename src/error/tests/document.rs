//! `docs/errors.md`, made of the table: `DOCS=write cargo test -p remik --lib error` writes it anew.

use std::fmt::Write;

use prost_reflect::DescriptorPool;
use remik_transcoding::code_name;
use tonic::Code;

use super::super::texts::text;
use super::super::{Language, Reason};
use super::examples::examples;
use super::reasons;
use crate::proto::DESCRIPTORS;

/// The groups, each with the number from which on its reasons are, up to the next one's.
const GROUPS: [(i32, &str, &str); 11] = [
    (0, "The rules of play", "The command is understood, and the table stays as it was."),
    (100, "Rules of a new table", "The rules that `CreateGame` asks for."),
    (200, "Requests", "The request itself is no good: sending it again doesn't help."),
    (300, "Who may do what", "The caller, or what is not there for the caller."),
    (380, "The feed and webhooks", "Reading the moves of all games, and being told of them."),
    (390, "Administration", "What administrators have decided."),
    (400, "The service", "The request is good. Where trying again helps, `RetryInfo` says when."),
    (430, "Before the first deal", "Who sits at a table, who may, and the table after it."),
    (450, "Matchmaking", "Tickets and parties."),
    (470, "Leaderboards", "Who is on them."),
    (
        480,
        "Chat and profiles",
        "What is said at tables, whom players don't want to hear, and what is kept of them.",
    ),
];

const INTRODUCTION: &str = "\
# Errors

<!-- Made of the table in src/error by `DOCS=write cargo test -p remik --lib error`; the tests hold it to that. -->

Every refusal, by gRPC, gRPC-Web, REST and at the end of a stream, is a `google.rpc.Status` with these details:

| detail | what for |
| --- | --- |
| `ErrorInfo` | For programs: the domain `remik`, one of the reasons below, and `metadata`, whose values are all strings. |
| `LocalizedMessage` | For players: a text in Polish or English, with the numbers and cards of the metadata. |
| `BadRequest` | Where fields of the request are at fault: their paths, each with a description for developers. |
| `RetryInfo` | Where trying again helps: when. Over REST also the header `Retry-After`, in whole seconds. |

The language is asked for by `Accept-Language` (RFC 9110), a header over REST and metadata over gRPC: `pl`, `en`, or
a list such as `pl-PL,pl;q=0.9,en;q=0.8`. Without it texts are in English. The status' own `message` is in English,
for developers and logs; match on reasons, never on texts. New reasons may come with any release: treat an unknown one
by its code.

Metadata names cards by their codes (`QH`, `QH2`, `X1`) and counts seats from 0. `rule` is there with every reason that
stands for a rule of play, and is its number in [rules.md](rules.md). A refused command has changed nothing.

## When to try again

| gRPC | HTTP | try again? |
| --- | --- | --- |
";

/// The codes of the table, each with what a client does.
fn advice(code: Code) -> &'static str {
    match code {
        Code::Unavailable => {
            "Yes, the same request with the same `request_id`, after `RetryInfo`, ever more seldom."
        }
        Code::DeadlineExceeded => {
            "Yes, the same request with the same `request_id`: it may have been carried out, and is then answered \
             as the first time."
        }
        Code::ResourceExhausted => "Yes, the same request, but not before `RetryInfo`.",
        Code::Aborted => {
            "Yes, the same request after `RetryInfo`; or look at the game first: others have moved, and it may \
             not be wanted any more."
        }
        Code::Unauthenticated => {
            "Not with this token: on `TOKEN_EXPIRED` refresh it, else get another one; then once."
        }
        Code::FailedPrecondition => "No. It may be right later: look at the game.",
        _ => "No.",
    }
}

fn document() -> String {
    let mut out = INTRODUCTION.to_owned();
    let mut codes: Vec<(Code, u16)> =
        reasons().map(|reason| (reason.code(), reason.http_status().as_u16())).collect();
    codes.sort_by_key(|(code, http)| (*http, *code as i32));
    codes.dedup();
    for (code, http) in codes {
        writeln!(out, "| `{}` | {http} | {} |", code_name(code), advice(code)).unwrap();
    }
    let examples = examples();
    let ends = GROUPS.iter().skip(1).map(|(first, ..)| *first).chain([i32::MAX]);
    for ((first, title, about), end) in GROUPS.into_iter().zip(ends) {
        write!(out, "\n## {title}\n\n{about}\n").unwrap();
        for reason in reasons().filter(|reason| (first..end).contains(&(*reason as i32))) {
            describe(&mut out, reason);
            let mut told = Vec::new();
            for metadata in &examples[&reason] {
                let texts = Language::ALL.map(|language| text(language, reason, metadata));
                if !told.contains(&texts) && told.len() < MOST_EXAMPLES {
                    told.push(texts);
                }
            }
            out.push_str("\n| en | pl |\n| --- | --- |\n");
            for [english, polish] in told {
                writeln!(out, "| {english} | {polish} |").unwrap();
            }
        }
    }
    out
}

/// Options of the rules are many, and told alike.
const MOST_EXAMPLES: usize = 12;

fn describe(out: &mut String, reason: Reason) {
    let meaning = meaning(reason);
    write!(out, "\n### {}\n\n{meaning}\n\n", reason.name()).unwrap();
    write!(out, "`{}`, HTTP {}", code_name(reason.code()), reason.http_status().as_u16()).unwrap();
    match reason.retry_after() {
        Some(after) => write!(out, "; try again after {} s", after.as_secs_f32()).unwrap(),
        None => out.push_str("; not to be tried again"),
    }
    if let Some(rule) = reason.rule() {
        write!(out, "; [rule {rule}](rules.md#rule-{rule})").unwrap();
    }
    out.push_str(".\n");
    if !reason.keys().is_empty() {
        out.push_str("\n| metadata | meaning | example |\n| --- | --- | --- |\n");
    }
    for key in reason.keys() {
        let sometimes = if key.always { "" } else { " (not always there)" };
        writeln!(out, "| `{}` | {}{sometimes} | `{}` |", key.name, key.meaning, key.example).unwrap();
    }
}

/// The comment in the proto.
fn meaning(reason: Reason) -> String {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let reasons = pool.get_enum_by_name("remik.v1.ErrorReason").unwrap();
    let value = reasons.get_value(reason as i32).unwrap();
    let file = reasons.parent_file();
    let locations = &file.file_descriptor_proto().source_code_info.as_ref().unwrap().location;
    let location = locations.iter().find(|location| location.path == value.path()).unwrap();
    location.leading_comments().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_document_is_the_table() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/errors.md");
    let document = document();
    if std::env::var_os("DOCS").is_some_and(|how| how == "write") {
        std::fs::write(file, &document).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(file).unwrap();
    for (line, (is, was)) in document.lines().zip(kept.lines()).enumerate() {
        assert_eq!(was, is, "{file}:{}: renew it with DOCS=write", line + 1);
    }
    assert_eq!(document.len(), kept.len(), "{file}: renew it with DOCS=write");
}

#[test]
fn rules_can_be_linked_to() {
    let rules = include_str!("../../../docs/rules.md");
    for rule in reasons().filter_map(Reason::rule) {
        assert!(rules.contains(&format!("<a id=\"rule-{rule}\"></a>")), "{rule}");
    }
}
