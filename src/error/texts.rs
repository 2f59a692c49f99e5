//! What players are told for each reason, in their language, with the numbers and cards of its metadata.
//!
//! A text is a template. `{key}` is the value of a key as players say it: a card is `7♥`, a seat counts from 1.
//! `{key|card|cards}` is a number with the noun in its form for that number: two in English, three in Polish.
//! `{#key|is|are}` is the form alone.

mod en;
mod pl;

use std::collections::BTreeMap;
use std::fmt::Write;

use super::key::Kind;
use super::{Language, Reason};

/// The metadata of a reason.
pub(super) type Metadata = BTreeMap<String, String>;

/// The text for a reason.
pub(super) fn text(language: Language, reason: Reason, metadata: &Metadata) -> String {
    let mut text = String::new();
    for piece in pieces(template(language, reason, metadata)) {
        match piece {
            Piece::Plain(plain) => text.push_str(plain),
            Piece::Value(key) => text.push_str(&value(language, reason, key, metadata)),
            Piece::Form { key, forms, shown } => {
                let count = metadata.get(key).and_then(|value| value.parse().ok()).unwrap_or(0);
                if shown {
                    // Writing to a string can't fail.
                    let _ = write!(text, "{count} ");
                }
                text.push_str(form(language, count, forms));
            }
        }
    }
    // A joker may begin a sentence.
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn template(language: Language, reason: Reason, metadata: &Metadata) -> &'static str {
    match language {
        Language::English => en::template(reason, metadata),
        Language::Polish => pl::template(reason, metadata),
    }
}

/// A piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Plain(&'a str),
    Value(&'a str),
    Form { key: &'a str, forms: &'a str, shown: bool },
}

fn pieces(template: &str) -> impl Iterator<Item = Piece<'_>> {
    template.split_inclusive('}').flat_map(|part| {
        let (plain, place) = part.split_once('{').unwrap_or((part, ""));
        let place = place.strip_suffix('}').map(|place| match place.split_once('|') {
            None => Piece::Value(place),
            Some((key, forms)) => match key.strip_prefix('#') {
                None => Piece::Form { key, forms, shown: true },
                Some(key) => Piece::Form { key, forms, shown: false },
            },
        });
        [Some(Piece::Plain(plain)), place].into_iter().flatten()
    })
}

/// The value of a key as players say it. A status made elsewhere may lack one.
fn value(language: Language, reason: Reason, key: &str, metadata: &Metadata) -> String {
    let Some(value) = metadata.get(key) else { return "?".to_owned() };
    let kind = reason.keys().iter().find(|known| known.name == key).map_or(Kind::Word, |known| known.kind);
    match kind {
        Kind::Index => value.parse::<u32>().map_or_else(|_| value.clone(), |index| (index + 1).to_string()),
        Kind::Card if language == Language::English && is_joker(metadata, key) => "a joker".to_owned(),
        Kind::Card => card(language, value),
        Kind::Cards => value.split(' ').map(|code| card(language, code)).collect::<Vec<_>>().join(" "),
        Kind::Option => option(language, value),
        Kind::Phrase if language == Language::Polish => pl::phrase(value).unwrap_or(value).to_owned(),
        Kind::Number | Kind::Phrase | Kind::Word => value.clone(),
    }
}

/// A card as it is printed: `10♥`, `W♠` (the Polish jack), `joker`. Two copies look the same.
fn card(language: Language, code: &str) -> String {
    let mut letters = code.chars();
    let (Some(rank), Some(suit)) = (letters.next(), letters.next()) else { return code.to_owned() };
    if rank == 'X' {
        return "joker".to_owned();
    }
    let suit = match suit {
        'C' => '♣',
        'D' => '♦',
        'H' => '♥',
        'S' => '♠',
        _ => return code.to_owned(),
    };
    match (language, rank) {
        (_, 'T') => format!("10{suit}"),
        (Language::Polish, 'J') => format!("W{suit}"),
        (Language::Polish, 'Q') => format!("D{suit}"),
        _ => format!("{rank}{suit}"),
    }
}

/// What an option of the rules is called.
fn option(language: Language, name: &str) -> String {
    crate::rulesets::label(name).map_or_else(
        || name.to_owned(),
        |label| {
            match language {
                Language::English => label.en,
                Language::Polish => label.pl,
            }
            .to_owned()
        },
    )
}

/// The form of a noun for a number, of those between the bars.
fn form(language: Language, count: u64, forms: &str) -> &str {
    let index = match language {
        Language::English => usize::from(count != 1),
        Language::Polish => match (count, count % 10, count % 100) {
            (1, ..) => 0,
            (_, 2..=4, last) if !(12..=14).contains(&last) => 1,
            _ => 2,
        },
    };
    forms.split('|').nth(index).unwrap_or(forms)
}

/// Whether the value of a key is that of a joker.
fn is_joker(metadata: &Metadata, key: &str) -> bool {
    metadata.get(key).is_some_and(|code| code.starts_with('X'))
}

/// The value of a key, or nothing.
fn told<'a>(metadata: &'a Metadata, key: &str) -> &'a str {
    metadata.get(key).map_or("", String::as_str)
}

#[cfg(test)]
mod tests;
