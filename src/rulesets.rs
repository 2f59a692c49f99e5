//! What players are told about the rules: the presets and every option, in Polish and English.
//!
//! Words and structure only. Ranges are those of [`NumberOption`], values those of the presets themselves.

mod dealing;
mod melds;
mod presets;
mod scoring;
mod stock;
mod time;

use remik_rules::range::NumberOption;

pub use presets::describe;

/// All options, in the order in which they are best shown.
pub const SECTIONS: [Section; 8] = [
    dealing::TABLE,
    dealing::DEALING,
    melds::MELDS,
    melds::LAYING,
    stock::STOCK,
    scoring::SCORING,
    scoring::GAME_END,
    time::TIME,
];

/// A text for players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// In Polish.
    pub pl: &'static str,
    /// In English.
    pub en: &'static str,
}

/// What a preset is called, and what kind of game it is.
#[derive(Debug, Clone, Copy)]
pub struct PresetText {
    /// Its title.
    pub title: Text,
    /// A paragraph.
    pub description: Text,
}

/// Options that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// Its heading.
    pub title: Text,
    /// The options.
    pub options: &'static [Described],
}

/// An option of the rules.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    /// Its field in the API's house rules.
    pub name: &'static str,
    /// What it is called.
    pub label: Text,
    /// What it means.
    pub explanation: Text,
    /// The numbers of the rules that it belongs to.
    pub rules: &'static [u32],
    /// The names of the options that may follow from this one (RULES 19).
    pub implies: &'static [&'static str],
    /// What values it takes.
    pub kind: Kind,
}

/// What values an option takes.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Yes or no.
    Flag,
    /// A number.
    Number(NumberOption),
    /// A number, or 0 for none.
    NumberOrOff(NumberOption),
    /// A number for each count of seats dealt in.
    NumbersBySeats(NumberOption),
    /// One of these values.
    Choice(&'static [Choice]),
    /// One of these fields.
    Alternative(&'static [Alternative]),
}

/// A value of an option.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Its name in the API.
    pub name: &'static str,
    /// What it is called.
    pub label: Text,
    /// What it means.
    pub explanation: Text,
}

/// A field that an option may hold: a number.
#[derive(Debug, Clone, Copy)]
pub struct Alternative {
    /// Its name in the API.
    pub name: &'static str,
    /// What it is called.
    pub label: Text,
    /// What it means.
    pub explanation: Text,
    /// Its range.
    pub number: NumberOption,
}

/// What an option that is a number is called, by the name that its refusals give it: that of its field, or as
/// `end.total`, or `seats`.
pub fn label(name: &str) -> Option<Text> {
    if name == "seats" {
        return Some(text("Liczba miejsc", "Seats"));
    }
    SECTIONS.iter().flat_map(|section| section.options).find_map(|option| match option.kind {
        Kind::Number(number) | Kind::NumberOrOff(number) | Kind::NumbersBySeats(number) => {
            (number.name() == name).then_some(option.label)
        }
        Kind::Alternative(fields) => {
            fields.iter().find(|field| field.number.name() == name).map(|field| field.label)
        }
        Kind::Flag | Kind::Choice(_) => None,
    })
}

const fn text(pl: &'static str, en: &'static str) -> Text {
    Text { pl, en }
}
