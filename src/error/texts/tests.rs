use super::super::Language::{English, Polish};
use super::*;

#[test]
fn numbers_have_their_forms() {
    let points = "punkt|punkty|punktów";
    for (count, expected) in [
        (0, "punktów"),
        (1, "punkt"),
        (2, "punkty"),
        (4, "punkty"),
        (5, "punktów"),
        (11, "punktów"),
        (12, "punktów"),
        (14, "punktów"),
        (21, "punktów"),
        (22, "punkty"),
        (25, "punktów"),
        (51, "punktów"),
        (52, "punkty"),
        (101, "punktów"),
        (104, "punkty"),
        (112, "punktów"),
        (122, "punkty"),
    ] {
        assert_eq!(form(Polish, count, points), expected, "{count}");
    }
    for (count, expected) in [(0, "cards"), (1, "card"), (2, "cards"), (21, "cards")] {
        assert_eq!(form(English, count, "card|cards"), expected, "{count}");
    }
}

#[test]
fn cards_are_named_as_they_are_printed() {
    for (code, english, polish) in [
        ("7H", "7♥", "7♥"),
        ("TS", "10♠", "10♠"),
        ("JC2", "J♣", "W♣"),
        ("QD", "Q♦", "D♦"),
        ("KH", "K♥", "K♥"),
        ("AS2", "A♠", "A♠"),
        ("X4", "joker", "joker"),
        ("", "", ""),
        ("Q", "Q", "Q"),
        ("Q?", "Q?", "Q?"),
    ] {
        assert_eq!((card(English, code).as_str(), card(Polish, code).as_str()), (english, polish), "{code}");
    }
}

#[test]
fn templates_are_read_in_pieces() {
    let read: Vec<_> = pieces("a {b} {c|d|e}{#c|f|g}.").filter(|piece| *piece != Piece::Plain("")).collect();
    assert_eq!(
        read,
        [
            Piece::Plain("a "),
            Piece::Value("b"),
            Piece::Plain(" "),
            Piece::Form { key: "c", forms: "d|e", shown: true },
            Piece::Form { key: "c", forms: "f|g", shown: false },
            Piece::Plain("."),
        ]
    );
}

/// By hand, since no test reads Polish.
#[test]
fn texts_hold_their_numbers_and_cards() {
    type Pairs = &'static [(&'static str, &'static str)];
    let cases: [(Reason, Pairs, &str, &str); 9] = [
        (
            Reason::OpeningBelowMinimum,
            &[("have", "47"), ("need", "51"), ("pureRunMissing", "false")],
            "The opening is worth 47 of 51 points.",
            "Pierwsze wyłożenie jest warte 47 z 51 potrzebnych punktów.",
        ),
        (
            Reason::OpeningBelowMinimum,
            &[("have", "0"), ("need", "1"), ("pureRunMissing", "true")],
            "The opening is worth 0 of 1 point, and has no pure run (without a joker).",
            "Pierwsze wyłożenie jest warte 0 z 1 potrzebnego punktu i brakuje w nim czystego sekwensu (bez \
             jokera).",
        ),
        (
            Reason::WholeHandAtOnce,
            &[("left", "5"), ("most", "1")],
            "In this deal everything is laid at once: at most 1 card may be left, not 5.",
            "W tym rozdaniu wykłada się wszystko naraz: może zostać najwyżej 1 karta, a zostałoby 5 kart.",
        ),
        (
            Reason::NotAMeld,
            &[("cards", "TH X1 X2 KH2"), ("fault", "ADJACENT_JOKERS"), ("meld", "0")],
            "10♥ joker joker K♥ is no meld: two jokers would lie side by side.",
            "10♥ joker joker K♥ to nie układ: dwa jokery leżałyby obok siebie.",
        ),
        (
            Reason::NotAMeld,
            &[("cards", "AS X1 X2"), ("fault", "TOO_MANY_JOKERS"), ("jokers", "2"), ("naturals", "1")],
            "A♠ joker joker is no meld: there can't be more jokers than natural cards, and here are 2 jokers \
             with 1 natural card.",
            "A♠ joker joker to nie układ: jokerów nie może być więcej niż zwykłych kart, a tu są 2 jokery i 1 \
             zwykła karta.",
        ),
        (
            Reason::NotAMeld,
            &[("cards", "X1 QH 9H"), ("fault", "WRONG_BINDING"), ("card", "X1"), ("face", "JS")],
            "Joker Q♥ 9♥ is no meld: a joker can't stand for J♠ in it.",
            "Joker D♥ 9♥ to nie układ: joker nie może w nim oznaczać karty W♠.",
        ),
        // A fault that the texts don't know yet.
        (Reason::NotAMeld, &[("cards", "JS"), ("fault", "NEW")], "J♠ is no meld.", "W♠ to nie układ."),
        (
            Reason::NotYourTurn,
            &[("turn", "0")],
            "It isn't your turn: seat 1 is playing.",
            "To nie Twoja kolej: teraz gra miejsce 1.",
        ),
        // A status made elsewhere, without its metadata.
        (
            Reason::NotYourTurn,
            &[],
            "It isn't your turn: seat ? is playing.",
            "To nie Twoja kolej: teraz gra miejsce ?.",
        ),
    ];
    for (reason, metadata, english, polish) in cases {
        let metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        assert_eq!(text(English, reason, &metadata), english);
        assert_eq!(text(Polish, reason, &metadata), polish);
    }
}
