//! The presets and options, with what players are told about them.

use remik_rules::overrides::Overrides;
use remik_rules::preset::Preset;
use remik_rules::range::NumberOption;

use super::{house_rules, ruleset};
use crate::proto::v1;
use crate::rulesets::{Alternative, Choice, Described, Kind, SECTIONS, Section, Text, describe};

/// Everything that there is to choose from.
pub fn rulesets() -> v1::ListRulesetsResponse {
    v1::ListRulesetsResponse {
        presets: Preset::ALL.into_iter().map(preset).collect(),
        sections: SECTIONS.iter().map(section).collect(),
    }
}

fn preset(preset: Preset) -> v1::Preset {
    let told = describe(preset);
    v1::Preset {
        name: preset.to_string(),
        title: text(told.title),
        description: text(told.description),
        rules: Some(ruleset(&preset.ruleset())),
        consequences: consequences(preset),
    }
}

/// What every choice of the options that imply others brings with it, as the rules themselves have it.
fn consequences(preset: Preset) -> Vec<v1::Consequence> {
    let rules = preset.ruleset();
    let choices = |option: &'static str, number: fn(i32) -> Option<(&'static str, Overrides)>| {
        (1..).map_while(number).filter_map({
            let rules = &rules;
            move |(choice, given)| {
                let implied = given.implied(rules);
                (implied != Overrides::default()).then(|| v1::Consequence {
                    option: option.to_owned(),
                    choice: choice.to_owned(),
                    implies: Some(house_rules::encode(&implied)),
                })
            }
        })
    };
    let aces = choices("aces", |number| {
        let aces = v1::Aces::try_from(number).ok()?;
        Some((aces.as_str_name(), Overrides { aces: aces.into(), ..Overrides::default() }))
    });
    let scoring = choices("scoring", |number| {
        let scoring = v1::Scoring::try_from(number).ok()?;
        Some((scoring.as_str_name(), Overrides { scoring: scoring.into(), ..Overrides::default() }))
    });
    aces.chain(scoring).collect()
}

fn section(section: &Section) -> v1::OptionSection {
    v1::OptionSection { title: text(section.title), options: section.options.iter().map(option).collect() }
}

fn option(option: &Described) -> v1::RulesetOption {
    use v1::ruleset_option::Kind as Shown;
    let kind = match option.kind {
        Kind::Flag => Shown::Flag(v1::FlagKind {}),
        Kind::Number(number) => Shown::Number(range(number, false)),
        Kind::NumberOrOff(number) => Shown::Number(range(number, true)),
        Kind::NumbersBySeats(number) => Shown::NumbersBySeats(range(number, false)),
        Kind::Choice(choices) => {
            Shown::Choice(v1::ChoiceKind { choices: choices.iter().map(choice).collect() })
        }
        Kind::Alternative(fields) => {
            Shown::Alternative(v1::AlternativeKind { alternatives: fields.iter().map(alternative).collect() })
        }
    };
    v1::RulesetOption {
        name: option.name.to_owned(),
        json_name: camel_case(option.name),
        label: text(option.label),
        explanation: text(option.explanation),
        rules: option.rules.to_vec(),
        implies: option.implies.iter().map(|&name| name.to_owned()).collect(),
        kind: Some(kind),
    }
}

fn range(number: NumberOption, zero_is_off: bool) -> v1::NumberKind {
    let (least, most) = number.range();
    v1::NumberKind { least, most, zero_is_off }
}

fn choice(choice: &Choice) -> v1::OptionChoice {
    v1::OptionChoice {
        name: choice.name.to_owned(),
        label: text(choice.label),
        explanation: text(choice.explanation),
    }
}

fn alternative(field: &Alternative) -> v1::OptionAlternative {
    v1::OptionAlternative {
        name: field.name.to_owned(),
        label: text(field.label),
        explanation: text(field.explanation),
        number: Some(range(field.number, false)),
    }
}

/// A field's name as canonical JSON has it.
fn camel_case(name: &str) -> String {
    let mut after_underscore = false;
    let letters = name.chars().filter_map(|c| {
        let upper = std::mem::replace(&mut after_underscore, c == '_');
        (c != '_').then(|| if upper { c.to_ascii_uppercase() } else { c })
    });
    letters.collect()
}

#[expect(clippy::unnecessary_wraps, reason = "as a field of a message holds it")]
fn text(text: Text) -> Option<v1::LocalizedText> {
    Some(v1::LocalizedText { pl: text.pl.to_owned(), en: text.en.to_owned() })
}
