//! What can be said without a keyboard, and across languages.

use crate::rulesets::Text;

/// A phrase that each reads in his own language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuickPhrase {
    /// Its key, which is what is stored: it keeps its meaning for ever.
    pub key: &'static str,
    /// What players read.
    pub text: Text,
}

const fn phrase(key: &'static str, pl: &'static str, en: &'static str) -> QuickPhrase {
    QuickPhrase { key, text: Text { pl, en } }
}

/// All phrases, in the order in which they are best shown. New ones are added; `chat_service.proto` lists the keys too.
pub const PHRASES: [QuickPhrase; 16] = [
    phrase("hello", "Cześć!", "Hello!"),
    phrase("good-luck", "Powodzenia!", "Good luck!"),
    phrase("well-played", "Dobrze zagrane!", "Well played!"),
    phrase("nice-meld", "Ładny układ!", "Nice meld!"),
    phrase("oops", "Ojej!", "Oops!"),
    phrase("so-close", "Było blisko!", "So close!"),
    phrase("thinking", "Chwileczkę, myślę…", "One moment, I'm thinking…"),
    phrase("your-turn", "Twoja kolej.", "It's your turn."),
    phrase("hurry-up", "Szybciej, proszę.", "A bit faster, please."),
    phrase("sorry", "Przepraszam.", "Sorry."),
    phrase("thanks", "Dziękuję!", "Thank you!"),
    phrase("yes", "Tak.", "Yes."),
    phrase("no", "Nie.", "No."),
    phrase("one-more", "Jeszcze jedna gra?", "One more game?"),
    phrase("good-game", "Dobra gra!", "Good game!"),
    phrase("bye", "Do zobaczenia!", "See you!"),
];

impl QuickPhrase {
    /// The phrase of a key.
    pub fn of(key: &str) -> Option<&'static Self> {
        PHRASES.iter().find(|phrase| phrase.key == key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn phrases_differ_and_the_api_knows_their_keys() {
        let api = include_str!("../../proto/remik/v1/chat_service.proto");
        let told = |phrase: &QuickPhrase| [phrase.key, phrase.text.pl, phrase.text.en];
        let texts: BTreeSet<&str> = PHRASES.iter().flat_map(told).collect();
        assert_eq!(texts.len(), 3 * PHRASES.len());
        for phrase in &PHRASES {
            assert!(api.contains(&format!("\"{}\"", phrase.key)), "{}", phrase.key);
            assert_eq!(QuickPhrase::of(phrase.key), Some(phrase));
        }
    }
}
