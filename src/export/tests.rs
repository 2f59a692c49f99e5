use remik_rules::preset::Preset;

use super::{ExportFault, SigningKey, export, parse};
use crate::record::tests::{Dice, play};

#[test]
fn a_document_is_read_as_it_was_written() {
    let key = SigningKey::generate();
    for preset in Preset::ALL {
        let record = play(preset, 2);
        let document = export(record.clone(), &key);
        let text = document.to_string();
        let read = parse(&text).unwrap_or_else(|fault| panic!("{preset}: {fault}"));
        assert_eq!(read, document);
        assert_eq!((read.record.clone(), read.key), (record, key.public()));
        assert_eq!(read.to_string(), text);
    }
}

#[test]
fn a_document_changed_in_any_bit_is_found_out() {
    let mut record = play(Preset::RemikPoints, 4);
    record.moves.truncate(40);
    let text = export(record, &SigningKey::generate()).to_string();
    let lines = text.lines().count();
    let mut dice = Dice(9);
    for _ in 0..1000 {
        let (at, bit) = (dice.under(text.len()), dice.under(8));
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1 << bit;
        // What isn't UTF-8 is no text at all.
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        let fault = parse(&changed).unwrap_err();
        if let ExportFault::Changed { line, .. } | ExportFault::Shape { line, .. } = fault {
            assert!((1..=lines + 1).contains(&line), "{fault}");
        }
    }
}

/// Who forges a game has to sign it anew, with a key of his own.
#[test]
fn another_key_is_another_signature() {
    let (own, other) = (SigningKey::generate(), SigningKey::generate());
    let text = export(play(Preset::RemikPoints, 4), &own).to_string();
    let with_other = text.replace(&own.public().to_string(), &other.public().to_string());
    assert_eq!(parse(&with_other), Err(ExportFault::Signature));
    let without =
        text.lines().filter(|line| !line.starts_with("{\"number\":5,")).collect::<Vec<_>>().join("\n");
    assert_eq!(parse(&without), Err(ExportFault::Chain(5)));
    assert_eq!(parse(&text.replace("remikExport\":1", "remikExport\":2")), Err(ExportFault::Version(2)));
}

#[test]
fn a_key_goes_through_text_and_store() {
    let key = SigningKey::generate();
    assert_eq!(SigningKey::from_secret(&key.secret()).public(), key.public());
    assert_eq!(key.public().to_string().parse(), Ok(key.public()));
    assert!("AAAA".parse::<super::PublicKey>().is_err());
}
