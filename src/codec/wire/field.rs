//! Single fields of requests and answers.

use std::fmt::Write;

use prost_types::{Duration, Timestamp};
use remik_rules::card::Card;
use remik_rules::chance::{ClientSeed, Millis};
use remik_rules::command::MeldId;
use remik_rules::meld::Named;
use remik_rules::seat::{GameRef, PlayerId, Seat};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use uuid::Uuid;

use super::fault::{Fault, Problem};

/// The most characters of a name that others see.
const LONGEST_NAME: usize = 32;

/// The most marks on one of them.
const MOST_MARKS: usize = 4;

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The players of a field `player_ids`: each once, and at most so many.
pub(super) fn player_ids(ids: &[String], most: usize) -> Result<Vec<PlayerId>, Fault> {
    let length = ids.len();
    if length > most {
        return Err(Problem::BadLength { length, of: "players", least: 0, most }.at("player_ids"));
    }
    let mut players = Vec::with_capacity(length);
    for (index, id) in ids.iter().enumerate() {
        let field = format!("player_ids[{index}]");
        let player = PlayerId(uuid(&field, id)?.as_u128());
        if players.contains(&player) {
            return Err(Problem::malformed(id, "another player").at(field));
        }
        players.push(player);
    }
    Ok(players)
}

/// The bytes of hexadecimal digits of either case; `None` for any other text.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let digit = |digit: u8| char::from(digit).to_digit(16);
    pairs.iter().map(|&[high, low]| u8::try_from(digit(high)? << 4 | digit(low)?).ok()).collect()
}

/// A time as messages have it; as a text it is RFC 3339.
pub fn timestamp(at: Millis) -> Timestamp {
    // The remainder is below 1000, so its nanoseconds fit.
    Timestamp { seconds: at.0.div_euclid(1000), nanos: at.0.rem_euclid(1000) as i32 * 1_000_000 }
}

pub(super) fn duration(millis: u32) -> Duration {
    // The remainder is below 1000, so its nanoseconds fit.
    Duration { seconds: (millis / 1000).into(), nanos: (millis % 1000) as i32 * 1_000_000 }
}

pub(super) fn code(card: Option<Card>) -> String {
    card.map_or_else(String::new, |card| card.to_string())
}

pub(super) fn codes(cards: &[Card]) -> Vec<String> {
    cards.iter().map(Card::to_string).collect()
}

pub(super) fn number(seat: Seat) -> u32 {
    seat.number().into()
}

pub(super) fn player_id(player: PlayerId) -> String {
    Uuid::from_u128(player.0).to_string()
}

/// A time as the rules hold it.
pub(super) fn millis(at: Timestamp) -> Millis {
    Millis(at.seconds.saturating_mul(1000).saturating_add(i64::from(at.nanos) / 1_000_000))
}

pub(super) fn game_id(game: GameRef) -> String {
    Uuid::from_u128(game.0).to_string()
}

/// A UUID in one of its usual notations.
///
/// # Errors
/// The text is empty or none.
pub fn uuid(field: &str, text: &str) -> Result<Uuid, Fault> {
    if text.is_empty() {
        return Err(Problem::Missing.at(field));
    }
    Uuid::try_parse(text).map_err(|_| Problem::malformed(text, "a UUID").at(field))
}

/// A text that has to be given.
///
/// # Errors
/// It is empty.
pub fn given<'a>(field: &str, text: &'a str) -> Result<&'a str, Fault> {
    if text.is_empty() { Err(Problem::Missing.at(field)) } else { Ok(text) }
}

/// A name that others see: in normal form (NFC), without spaces around it.
///
/// # Errors
/// It is empty or can't be seen, has more than 32 characters, or one that isn't shown or changes the text around it.
pub fn display_name(field: &str, text: &str) -> Result<String, Fault> {
    let name: String = text.trim().nfc().collect();
    let length = name.chars().count();
    if length == 0 {
        Err(Problem::Missing.at(field))
    } else if length > LONGEST_NAME {
        Err(Problem::BadLength { length, of: "characters", least: 1, most: LONGEST_NAME }.at(field))
    } else if name.chars().any(is_hidden) {
        Err(Problem::malformed(text, "a name without control characters").at(field))
    } else if name.chars().all(is_attached) || is_heaped(&name) {
        Err(Problem::malformed(text, "a name that can be read").at(field))
    } else {
        Ok(name)
    }
}

/// One line of text for others to read, without spaces around it, in normal form (NFC).
///
/// # Errors
/// It is empty or has more than `most` characters, or one that isn't shown or changes the text around it.
pub(super) fn line(field: &str, text: &str, most: usize) -> Result<String, Fault> {
    let line: String = text.trim().nfc().collect();
    let length = line.chars().count();
    if length == 0 {
        Err(Problem::Missing.at(field))
    } else if length > most {
        Err(Problem::BadLength { length, of: "characters", least: 1, most }.at(field))
    } else if line.chars().any(is_hidden) || line.chars().all(is_attached) || is_heaped(&line) {
        Err(Problem::malformed(text, "a line that can be read, without control characters").at(field))
    } else {
        Ok(line)
    }
}

/// A name that others see from one that was made elsewhere, such as an account's: what [`display_name`] would refuse
/// is left out, and the rest cut to its length. `None` if nothing is left.
pub fn cleaned_name(text: &str) -> Option<String> {
    let shown = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !is_hidden(*c));
    let shown: String = shown.collect();
    let cut: String = shown.trim().chars().take(LONGEST_NAME).collect();
    display_name("name", &cut).ok()
}

/// The most characters of a text that is said at a table.
const LONGEST_TEXT: usize = 500;

/// A text that is said at a table: in normal form (NFC) and on one line, without characters that aren't shown or change
/// the text around them.
///
/// # Errors
/// It has more than 500 characters, or nothing of it is left that can be read.
pub(super) fn chat_text(field: &str, text: &str) -> Result<String, Fault> {
    let length = text.chars().count();
    if length == 0 {
        return Err(Problem::Missing.at(field));
    }
    if length > LONGEST_TEXT {
        return Err(Problem::BadLength { length, of: "characters", least: 1, most: LONGEST_TEXT }.at(field));
    }
    let shown = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !is_hidden(*c));
    let said: String = shown.collect::<String>().trim().nfc().collect();
    if said.chars().all(is_attached) || is_heaped(&said) {
        return Err(Problem::malformed(text, "a text that can be read").at(field));
    }
    Ok(said)
}

/// Control characters, those that aren't shown, the marks that turn the direction of the text around them, and those
/// that mean nothing anywhere. Joiners are allowed: words and pictures of people are written with them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}'
            | '\u{3164}' | '\u{FDD0}'..='\u{FDEF}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{E000}'..='\u{F8FF}' | '\u{E0000}'..='\u{10FFFF}')
        || u32::from(c) & 0xFFFE == 0xFFFE
}

/// Marks and joiners that are seen with another character only.
fn is_attached(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

/// More marks on a character than any script needs run into the lines above and below.
fn is_heaped(name: &str) -> bool {
    let mut marks = 0;
    name.chars().any(|c| {
        marks = if is_attached(c) { marks + 1 } else { 0 };
        marks > MOST_MARKS
    })
}

pub(super) fn card(field: &str, text: &str) -> Result<Card, Fault> {
    if text.is_empty() {
        return Err(Problem::Missing.at(field));
    }
    text.parse().map_err(|_| Problem::malformed(text, "a card, such as QH, QH2 or X1").at(field))
}

/// A card as a command names it: `X1=JS` is a joker bound to a face.
pub(super) fn named(field: &str, text: &str) -> Result<Named, Fault> {
    let Some((code, face)) = text.split_once('=') else { return card(field, text).map(Named::from) };
    let bound = || Some(Named { card: code.parse().ok()?, stands_for: Some(face.parse().ok()?) });
    bound().ok_or_else(|| Problem::malformed(text, "a card bound to a face, such as X1=JS").at(field))
}

/// The same, to be sent.
pub(super) fn named_code(named: &Named) -> String {
    match named.stands_for {
        Some(face) => format!("{}={face}", named.card),
        None => named.card.to_string(),
    }
}

pub(super) fn meld_id(field: &str, text: &str) -> Result<MeldId, Fault> {
    if text.is_empty() {
        return Err(Problem::Missing.at(field));
    }
    let digits = text.strip_prefix('m').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    digits
        .and_then(|digits| digits.parse().ok())
        .map(MeldId)
        .ok_or_else(|| Problem::malformed(text, "a meld, such as m1").at(field))
}

pub(super) fn seat(field: &str, value: u32) -> Result<Seat, Fault> {
    let seat = u8::try_from(value).ok().and_then(Seat::new);
    let most = remik_rules::ruleset::MAX_SEATS as u32 - 1;
    seat.ok_or_else(|| Problem::OutOfRange { value, least: 0, most }.at(field))
}

pub(super) fn client_seed(field: &str, text: &str) -> Result<ClientSeed, Fault> {
    let bytes =
        unhex(text).ok_or_else(|| Problem::malformed(text, "pairs of hexadecimal digits").at(field))?;
    let length = bytes.len();
    ClientSeed::new(bytes).ok_or_else(|| {
        Problem::BadLength { length, of: "bytes", least: 0, most: ClientSeed::LONGEST }.at(field)
    })
}

/// A variant of a rules enum from its generated counterpart.
pub(super) fn choice<P, R>(field: &str, value: i32) -> Result<R, Fault>
where
    P: TryFrom<i32>,
    Option<R>: From<P>,
{
    let choice = P::try_from(value).ok().and_then(Option::from);
    choice.ok_or_else(|| Problem::UnknownChoice(value).at(field))
}

/// A number in the narrower type in which the rules hold it. Their own range is judged with the whole ruleset.
pub(super) fn narrow<T: TryFrom<u32>>(field: &str, value: u32) -> Result<T, Fault> {
    let most = u32::MAX >> (u32::BITS - u8::BITS * size_of::<T>() as u32);
    T::try_from(value).map_err(|_| Problem::OutOfRange { value, least: 0, most }.at(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_go_both_ways() {
        assert_eq!(hex(&[0, 0x0F, 0xA5, 0xFF]), "000fa5ff");
        assert_eq!(unhex("000fA5fF"), Some(vec![0, 0x0F, 0xA5, 0xFF]));
        assert_eq!(unhex(""), Some(vec![]));
        for text in ["0", "0g", "+1", "0x", "ąć", " 00"] {
            assert_eq!(unhex(text), None, "{text}");
        }
    }

    #[test]
    fn a_moment_before_the_epoch_is_one_too() {
        assert_eq!(timestamp(Millis(-1)), Timestamp { seconds: -1, nanos: 999_000_000 });
        assert_eq!(timestamp(Millis(1_500)), Timestamp { seconds: 1, nanos: 500_000_000 });
        assert_eq!(timestamp(Millis(i64::MIN)).nanos, 192_000_000);
    }

    #[test]
    fn names_are_trimmed_and_bounded() {
        assert_eq!(display_name("n", "  Zażółć gęślą \n"), Ok("Zażółć gęślą".to_owned()));
        assert_eq!(display_name("n", &"ł".repeat(32)), Ok("ł".repeat(32)));
        assert_eq!(display_name("n", " \t"), Err(Problem::Missing.at("n")));
        let length = Problem::BadLength { length: 33, of: "characters", least: 1, most: 32 };
        assert_eq!(display_name("n", &"ł".repeat(33)), Err(length.at("n")));
        // One name has one form: the letter with its mark as one character.
        assert_eq!(display_name("n", "Zo\u{308}e"), Ok("Z\u{f6}e".to_owned()));
        assert_eq!(display_name("n", &"o\u{308}".repeat(32)), Ok("\u{f6}".repeat(32)));
        for name in ["Дмитрий", "李雷", "नेहा", "می\u{200c}خواهم", "👩\u{200d}🚀", "❤\u{fe0f} Ala", "Phạm Thị"]
        {
            assert!(display_name("n", name).is_ok(), "{name}");
        }
        let hidden =
            ['\u{0}', '\u{7}', '\u{7f}', '\u{85}', '\u{ad}', '\u{61c}', '\u{200b}', '\u{202e}', '\u{2066}'];
        let more = ['\u{2800}', '\u{3164}', '\u{feff}', '\u{ffff}', '\u{e000}', '\u{e0041}', '\u{10fffe}'];
        for c in hidden.into_iter().chain(more) {
            assert!(display_name("n", &format!("a{c}b")).is_err(), "{c:?}");
        }
        for name in ["\u{200d}", "\u{301}\u{302}", "\u{fe0f}", "a\u{1ab0}\u{301}\u{302}\u{303}\u{304}\u{305}"]
        {
            assert!(display_name("n", name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn what_is_said_is_cleaned() {
        for (text, said) in [
            (" Cześć \n", "Cześć"),
            ("Dobra\r\ngra", "Dobra  gra"),
            ("a\u{202E}b\u{200B}\u{0}c", "abc"),
            ("Zo\u{308}e 👩\u{200d}🚀", "Z\u{f6}e 👩\u{200d}🚀"),
        ] {
            assert_eq!(chat_text("text", text), Ok(said.to_owned()), "{text:?}");
        }
        assert_eq!(chat_text("text", ""), Err(Problem::Missing.at("text")));
        assert!(chat_text("text", &"ł".repeat(500)).is_ok());
        let length = Problem::BadLength { length: 501, of: "characters", least: 1, most: 500 };
        assert_eq!(chat_text("text", &"ł".repeat(501)), Err(length.at("text")));
        for text in [" ", "\u{200B}", "\u{301}", &format!("a{}", "\u{301}".repeat(9))] {
            assert!(chat_text("text", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn names_from_elsewhere_are_made_acceptable() {
        for (text, name) in [
            (" Ala ", Some("Ala")),
            ("Ala\nKowalska", Some("Ala Kowalska")),
            ("A\u{202E}l\u{0}a", Some("Ala")),
            ("", None),
            (" \u{200B} ", None),
        ] {
            assert_eq!(cleaned_name(text).as_deref(), name, "{text:?}");
        }
        assert_eq!(cleaned_name(&"ł".repeat(500)), Some("ł".repeat(32)));
        assert_eq!(cleaned_name(&format!("{} x", "ł".repeat(31))), Some("ł".repeat(31)));
    }

    #[test]
    fn melds_have_their_names() {
        assert_eq!(meld_id("m", "m12"), Ok(MeldId(12)));
        for text in ["12", "m", "m-1", "m+1", "m65536", "M1", "m1 "] {
            assert_eq!(meld_id("m", text), Err(Problem::malformed(text, "a meld, such as m1").at("m")));
        }
    }
}
