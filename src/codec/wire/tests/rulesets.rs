//! The catalogue of presets and options against the messages that it describes and the rules that they are held to.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value};
use remik_rules::preset::Preset;
use remik_rules::range::NumberOption;
use remik_rules::ruleset::{Ruleset, RulesetFault};

use crate::codec::wire::{house_rules, ruleset, rulesets};
use crate::proto::{DESCRIPTORS, v1};
use v1::ruleset_option::Kind as Shown;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| DescriptorPool::decode(DESCRIPTORS).unwrap());

fn message(name: &str) -> MessageDescriptor {
    POOL.get_message_by_name(&format!("remik.v1.{name}")).unwrap()
}

fn options() -> Vec<v1::RulesetOption> {
    rulesets().sections.into_iter().flat_map(|section| section.options).collect()
}

/// House rules with one field set.
fn given(field: &FieldDescriptor, value: Value) -> v1::RulesetOverrides {
    let mut message = DynamicMessage::new(message("RulesetOverrides"));
    message.set_field(field, value);
    message.transcode_to().unwrap()
}

fn applied(preset: Preset, field: &FieldDescriptor, value: Value) -> Ruleset {
    house_rules::apply(preset.ruleset(), &given(field, value)).unwrap()
}

fn dynamic(rules: &Ruleset) -> DynamicMessage {
    DynamicMessage::decode(message("Ruleset"), ruleset(rules).encode_to_vec().as_slice()).unwrap()
}

#[test]
fn every_option_is_described_once() {
    let fields = message("RulesetOverrides");
    let described: Vec<_> = options();
    let names: BTreeSet<_> = described.iter().map(|option| option.name.as_str()).collect();
    assert_eq!(names.len(), described.len(), "none twice");
    for field in fields.fields() {
        assert!(names.contains(field.name()), "{} isn't described", field.name());
    }
    assert_eq!(names.len(), fields.fields().len());
    let of_rulesets: BTreeSet<_> = message("Ruleset").fields().map(|field| field.name().to_owned()).collect();
    assert!(names.iter().all(|name| of_rulesets.contains(*name)) && of_rulesets.len() == names.len());
}

#[test]
fn every_option_has_the_kind_of_its_field() {
    let fields = message("RulesetOverrides");
    for option in options() {
        let name = &option.name;
        let field = fields.get_field_by_name(name).unwrap();
        assert_eq!(option.json_name, field.json_name());
        match (field.kind(), option.kind.unwrap()) {
            (Kind::Bool, Shown::Flag(_)) => {}
            (Kind::Uint32, Shown::Number(_)) => assert!(!field.is_list(), "{name}"),
            (Kind::Uint32, Shown::NumbersBySeats(_)) => assert!(field.is_list(), "{name}"),
            (Kind::Enum(values), Shown::Choice(kind)) => {
                let described: Vec<_> = kind.choices.into_iter().map(|choice| choice.name).collect();
                let values: Vec<_> = values.values().skip(1).map(|value| value.name().to_owned()).collect();
                assert_eq!(described, values, "{name}");
            }
            (Kind::Message(message), Shown::Alternative(kind)) => {
                let described: Vec<_> = kind.alternatives.into_iter().map(|field| field.name).collect();
                let fields: Vec<_> = message.fields().map(|field| field.json_name().to_owned()).collect();
                assert_eq!(described, fields, "{name}");
            }
            (field, shown) => panic!("{name} is {field:?}, but described as {shown:?}"),
        }
    }
}

fn check_text(of: &str, text: Option<&v1::LocalizedText>, sentences: bool) {
    let text = text.unwrap_or_else(|| panic!("{of} has no text"));
    for words in [&text.pl, &text.en] {
        assert!(!words.is_empty(), "{of} lacks a language");
        assert!(!words.contains("  ") && words.trim() == words, "{of}: {words:?}");
        assert_eq!(words.ends_with('.'), sentences, "{of}: {words:?}");
        assert!(words.chars().next().is_some_and(|c| c.is_uppercase() || c.is_numeric()), "{of}: {words:?}");
    }
    assert!(!sentences || text.pl != text.en, "{of} isn't translated");
}

#[test]
fn everything_has_its_texts_in_both_languages() {
    let catalogue = rulesets();
    for preset in &catalogue.presets {
        check_text(&preset.name, preset.title.as_ref(), false);
        check_text(&preset.name, preset.description.as_ref(), true);
    }
    for section in &catalogue.sections {
        check_text("a section", section.title.as_ref(), false);
    }
    for option in options() {
        check_text(&option.name, option.label.as_ref(), false);
        check_text(&option.name, option.explanation.as_ref(), true);
        match option.kind.unwrap() {
            Shown::Choice(kind) => {
                for choice in kind.choices {
                    check_text(&choice.name, choice.label.as_ref(), false);
                    check_text(&choice.name, choice.explanation.as_ref(), true);
                }
            }
            Shown::Alternative(kind) => {
                for field in kind.alternatives {
                    check_text(&field.name, field.label.as_ref(), false);
                    check_text(&field.name, field.explanation.as_ref(), true);
                }
            }
            Shown::Flag(_) | Shown::Number(_) | Shown::NumbersBySeats(_) => {}
        }
    }
}

#[test]
fn rules_are_named_by_their_numbers() {
    let numbered = include_str!("../../../../docs/rules.md");
    for option in options() {
        assert!(option.rules.is_sorted_by(|one, next| one < next), "{}", option.name);
        for rule in option.rules {
            assert!(numbered.contains(&format!("\n{rule}. **")), "{}: {rule}", option.name);
        }
    }
}

/// What the rules say to a number: nothing about its range, or the range.
fn out_of_range(rules: &Ruleset) -> Option<(&'static str, u32, u32, u32)> {
    match rules.validate() {
        Err(RulesetFault::OutOfRange { option, value, least, most }) => {
            Some((option.name(), value, least, most))
        }
        _ => None,
    }
}

fn check_range(of: &str, range: v1::NumberKind, with: impl Fn(u32) -> Ruleset) {
    let v1::NumberKind { least, most, zero_is_off } = range;
    assert_eq!(out_of_range(&with(most + 1)), Some((of, most + 1, least, most)));
    assert_eq!((out_of_range(&with(least)), out_of_range(&with(most))), (None, None), "{of}");
    match least.checked_sub(1) {
        Some(below) if below > 0 || !zero_is_off => {
            assert_eq!(out_of_range(&with(below)), Some((of, below, least, most)));
        }
        _ => assert_eq!(out_of_range(&with(0)), None, "{of}"),
    }
}

#[test]
fn every_range_is_the_one_that_rules_are_held_to() {
    let fields = message("RulesetOverrides");
    for option in options() {
        let field = fields.get_field_by_name(&option.name).unwrap();
        // Two to six seats, so that neither limit of theirs depends on the other.
        let with = |value| applied(Preset::BasicRummy, &field, value);
        match option.kind.unwrap() {
            Shown::Number(range) => {
                check_range(&option.name, range, |number| with(Value::U32(number)));
                if range.zero_is_off {
                    let off = dynamic(&with(Value::U32(0)));
                    assert!(!off.has_field_by_name(&option.name), "{}", option.name);
                }
            }
            Shown::NumbersBySeats(range) => {
                check_range(&option.name, range, |number| with(Value::List(vec![Value::U32(number)])));
            }
            Shown::Alternative(kind) => {
                let Kind::Message(message) = field.kind() else { panic!("{}", option.name) };
                for alternative in kind.alternatives {
                    let path = format!("{}.{}", option.name, alternative.name);
                    check_range(&path, alternative.number.unwrap(), |number| {
                        let mut end = DynamicMessage::new(message.clone());
                        end.set_field_by_name(&alternative.name, Value::U32(number));
                        with(Value::Message(end))
                    });
                }
            }
            Shown::Flag(_) | Shown::Choice(_) => {}
        }
    }
}

#[test]
fn presets_come_with_their_rules_the_usual_one_first() {
    let presets = rulesets().presets;
    let names: Vec<_> = presets.iter().map(|preset| preset.name.as_str()).collect();
    assert_eq!(names, Preset::ALL.map(Preset::name));
    assert_eq!(names[0], Preset::default().name());
    for preset in presets {
        let rules = preset.name.parse::<Preset>().unwrap().ruleset();
        assert_eq!(preset.rules, Some(ruleset(&rules)));
    }
}

/// For every preset and every choice, the options that change with it are those that are told to.
#[test]
fn what_follows_from_a_choice_is_told() {
    let fields = message("RulesetOverrides");
    let catalogue = rulesets();
    let mut told = 0;
    for option in options() {
        let field = fields.get_field_by_name(&option.name).unwrap();
        let Kind::Enum(values) = field.kind() else {
            assert_eq!(option.implies, [""; 0], "{}", option.name);
            continue;
        };
        let mut implied = BTreeSet::new();
        for (preset, shown) in Preset::ALL.into_iter().zip(&catalogue.presets) {
            let before = dynamic(&preset.ruleset());
            for value in values.values().skip(1) {
                let after = dynamic(&applied(preset, &field, Value::EnumNumber(value.number())));
                let found = shown.consequences.iter().find(|consequence| {
                    consequence.option == option.name && consequence.choice == value.name()
                });
                let mut follows = DynamicMessage::new(fields.clone());
                if let Some(implies) = found.and_then(|consequence| consequence.implies.as_ref()) {
                    follows.transcode_from(implies).unwrap();
                    told += 1;
                }
                for other in fields.fields().filter(|other| *other != field) {
                    let at = format!("{preset} {} {}", value.name(), other.name());
                    let (was, is) =
                        (before.get_field_by_name(other.name()), after.get_field_by_name(other.name()));
                    if follows.has_field(&other) {
                        assert_eq!(is.as_deref(), Some(&*follows.get_field(&other)), "{at}");
                        implied.insert(other.name().to_owned());
                    } else {
                        assert_eq!(is, was, "{at}");
                    }
                }
            }
        }
        let listed: BTreeSet<_> = option.implies.into_iter().collect();
        assert_eq!(listed, implied, "{}", option.name);
    }
    assert_eq!(told, catalogue.presets.iter().map(|preset| preset.consequences.len()).sum::<usize>());
    assert!(told > 24, "{told}");
}

/// What the OpenAPI document says of a number is what the rules hold it to.
#[test]
fn the_annotated_ranges_are_those_of_the_rules() {
    let extension = POOL.get_extension_by_name("remik.transcoding.v1.schema").unwrap();
    for option in NumberOption::ALL {
        let field = match option.name().split_once('.') {
            Some((_, name)) => message("GameEnd").get_field_by_name(name).unwrap(),
            None => message("RulesetOverrides").get_field_by_name(option.name()).unwrap(),
        };
        let options = field.options();
        let schema = options.get_extension(&extension);
        let said = |name| schema.as_message().unwrap().get_field_by_name(name).unwrap().as_i64().unwrap();
        let (least, most) = option.range();
        // 0 turns these off.
        let off = ["whole_hand_from_deal", "turn_seconds", "time_bank_seconds"].contains(&option.name());
        let least = if off { 0 } else { least };
        assert_eq!((said("minimum"), said("maximum")), (least.into(), most.into()), "{option}");
    }
}

#[test]
fn the_annotated_presets_are_all_there_are() {
    let extension = POOL.get_extension_by_name("remik.transcoding.v1.schema").unwrap();
    for request in ["CreateGameRequest", "ListGamesRequest"] {
        let options = message(request).get_field_by_name("preset").unwrap().options();
        let schema = options.get_extension(&extension).into_owned();
        let said = schema.as_message().unwrap().get_field_by_name("one_of").unwrap().into_owned();
        let said: Vec<String> =
            said.as_list().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        assert_eq!(said, Preset::ALL.map(|preset| preset.to_string()), "{request}");
    }
}
