//! The options of the table and of dealing.

use remik_rules::range::NumberOption;

use super::{Choice, Described, Kind, Section, text};

/// Who plays, and with which cards.
pub(super) const TABLE: Section =
    Section { title: text("Stół i karty", "Table and cards"), options: TABLE_OPTIONS };

const TABLE_OPTIONS: &[Described] = &[
    Described {
        name: "least_seats",
        label: text("Najmniej miejsc", "Fewest seats"),
        explanation: text(
            "Najmniejsza liczba miejsc, z jaką można założyć stół.",
            "The smallest number of seats that a table may be opened with.",
        ),
        rules: &[],
        implies: &[],
        kind: Kind::Number(NumberOption::LeastSeats),
    },
    Described {
        name: "most_seats",
        label: text("Najwięcej miejsc", "Most seats"),
        explanation: text(
            "Największa liczba miejsc przy stole, nie mniejsza niż najmniejsza. Dla tylu graczy musi \
             wystarczyć kart.",
            "The largest number of seats at a table, no smaller than the fewest. There must be cards \
             enough for so many players.",
        ),
        rules: &[],
        implies: &[],
        kind: Kind::Number(NumberOption::MostSeats),
    },
    Described {
        name: "decks",
        label: text("Komplety po 52 karty", "Decks of 52 cards"),
        explanation: text(
            "Z ilu kompletów kart się gra. Przy dwóch każda karta poza jokerami jest w grze podwójnie.",
            "How many decks the game is played with. With two, every card but the jokers is there twice.",
        ),
        rules: &[],
        implies: &[],
        kind: Kind::Number(NumberOption::Decks),
    },
    Described {
        name: "jokers",
        label: text("Jokery", "Jokers"),
        explanation: text(
            "Ile jokerów jest w grze. Joker zastępuje w układzie dowolną kartę; jokerów nie może być w \
             nim więcej niż pozostałych kart.",
            "How many jokers are in the pack. A joker stands for any card of a meld; a meld may not have \
             more jokers than other cards.",
        ),
        rules: &[],
        implies: &[],
        kind: Kind::Number(NumberOption::Jokers),
    },
];

/// How a deal begins.
pub(super) const DEALING: Section =
    Section { title: text("Rozdawanie", "Dealing"), options: DEALING_OPTIONS };

const DEALING_OPTIONS: &[Described] = &[
    Described {
        name: "cards_dealt",
        label: text("Karty na ręce", "Cards dealt"),
        explanation: text(
            "Ile kart dostaje każdy gracz, zależnie od tego, ilu graczom się rozdaje: dwóm, trzem, \
             czterem, pięciu lub sześciu.",
            "How many cards each player gets, by how many players are dealt in: two, three, four, five or \
             six.",
        ),
        rules: &[12],
        implies: &[],
        kind: Kind::NumbersBySeats(NumberOption::CardsDealt),
    },
    Described {
        name: "starter_gets_extra",
        label: text("Dodatkowa karta dla rozpoczynającego", "Extra card for the starter"),
        explanation: text(
            "Gracz, który rozpoczyna rozdanie, dostaje o jedną kartę więcej i w pierwszej turze nie \
             dobiera: od razu wykłada lub odrzuca kartę.",
            "The player who starts a deal gets one card more and does not draw in the first turn, which \
             begins with plays or the discard.",
        ),
        rules: &[14],
        implies: &[],
        kind: Kind::Flag,
    },
    Described {
        name: "upcard",
        label: text("Odkryta karta na początek stosu", "Card turned up at the start"),
        explanation: text(
            "Po rozdaniu odkrywa się jedną kartę, od której zaczyna się stos kart odrzuconych. Inaczej \
             zaczyna go pierwsza odrzucona karta.",
            "After dealing, one card is turned up to start the discard pile. Otherwise the first discard \
             starts it.",
        ),
        rules: &[],
        implies: &[],
        kind: Kind::Flag,
    },
    Described {
        name: "first_dealer",
        label: text("Pierwszy rozdający", "First dealer"),
        explanation: text(
            "Jak wybiera się gracza, który rozdaje jako pierwszy. Potem rozdaje się po kolei, a rozdanie \
             rozpoczyna sąsiad rozdającego.",
            "How the first dealer is found. After that the deal passes clockwise, and the player after \
             the dealer starts.",
        ),
        rules: &[19],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "FIRST_DEALER_RANDOM",
                label: text("Losowo", "At random"),
                explanation: text("Każde miejsce ma równe szanse.", "Every seat is equally likely."),
            },
            Choice {
                name: "FIRST_DEALER_CUT",
                label: text("Najwyższa karta", "Highest card"),
                explanation: text(
                    "Każdy ciągnie kartę z kompletu 52 kart bez jokerów i rozdaje ten, kto ma najwyższą. \
                     As jest najwyższy, a przy równych kartach piki są przed kierami, karami i treflami.",
                    "Everybody draws a card from 52 without jokers, and the highest deals. The ace is \
                     high; among equal ranks spades come before hearts, diamonds and clubs.",
                ),
            },
        ]),
    },
];
