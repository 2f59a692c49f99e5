//! The options of melds, jokers and going out.

use remik_rules::range::NumberOption;

use super::{Choice, Described, Kind, Section, text};

/// What a meld is, and what becomes of its jokers.
pub(super) const MELDS: Section =
    Section { title: text("Układy i jokery", "Melds and jokers"), options: MELDS_OPTIONS };

const MELDS_OPTIONS: &[Described] = &[
    Described {
        name: "aces",
        label: text("As w sekwensie", "Aces in runs"),
        explanation: text(
            "Gdzie w sekwensie może stać as. Jeśli w tej odmianie as stoi tylko przed dwójką, a pozwoli \
             mu się stać po królu, as na ręce liczy 15.",
            "Where an ace may stand in a run. Where this variant has aces low and they may be high, an \
             ace left in hand counts 15.",
        ),
        rules: &[1, 4, 19],
        implies: &["ace_in_hand"],
        kind: Kind::Choice(&[
            Choice {
                name: "ACES_LOW",
                label: text("Tylko przed dwójką", "Low only"),
                explanation: text(
                    "As stoi w sekwensie tylko przed dwójką (A-2-3) i w każdym układzie liczy 1.",
                    "In a run the ace stands only below the two (A-2-3), and counts 1 in every meld.",
                ),
            },
            Choice {
                name: "ACES_HIGH_OR_LOW",
                label: text("Przed dwójką lub po królu", "Low or high"),
                explanation: text(
                    "As stoi przed dwójką (A-2-3), gdzie liczy 1, albo po królu (D-K-A), gdzie liczy 11. \
                     W grupie liczy 11.",
                    "The ace stands below the two (A-2-3), counting 1, or above the king (Q-K-A), \
                     counting 11. In a group it counts 11.",
                ),
            },
            Choice {
                name: "ACES_ROUND_THE_CORNER",
                label: text("Także w środku", "Round the corner"),
                explanation: text(
                    "Sekwens może przechodzić przez asa: K-A-2. As liczy 1 jako pierwsza karta sekwensu, \
                     w każdym innym miejscu i w grupie 11.",
                    "A run may go on through the ace: K-A-2. An ace counts 1 as the first card of its \
                     run, and 11 anywhere else and in a group.",
                ),
            },
        ]),
    },
    Described {
        name: "adjacent_jokers",
        label: text("Jokery obok siebie", "Jokers side by side"),
        explanation: text(
            "W sekwensie dwa jokery mogą leżeć obok siebie.",
            "Two jokers may lie side by side in a run.",
        ),
        rules: &[4],
        implies: &[],
        kind: Kind::Flag,
    },
    Described {
        name: "joker_swap",
        label: text("Wymiana jokera", "Joker swap"),
        explanation: text(
            "Kiedy gracz może położyć na miejsce jokera leżącego na stole kartę, którą joker zastępuje, i \
             wziąć jokera.",
            "When a player may put the card that a joker on the table stands for in its place, and take \
             the joker.",
        ),
        rules: &[2, 4, 5],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "JOKER_SWAP_NEVER",
                label: text("Nie ma", "Never"),
                explanation: text("Jokery zostają tam, gdzie leżą.", "Jokers stay where they lie."),
            },
            Choice {
                name: "JOKER_SWAP_AFTER_OPENING",
                label: text("Po pierwszym wyłożeniu", "After the opening"),
                explanation: text(
                    "Jokera może wymienić gracz, który w tym rozdaniu wyłożył już własny układ.",
                    "A player who has laid a meld in this deal may swap jokers.",
                ),
            },
            Choice {
                name: "JOKER_SWAP_ANY_TURN",
                label: text("W każdej swojej turze", "In any own turn"),
                explanation: text(
                    "Jokera można wymienić w każdej swojej turze, także przed pierwszym wyłożeniem.",
                    "Jokers may be swapped in any turn of one's own, also before the opening.",
                ),
            },
        ]),
    },
    Described {
        name: "swapped_joker",
        label: text("Wymieniony joker", "Swapped joker"),
        explanation: text(
            "Co musi się stać w tej samej turze z jokerem zabranym ze stołu. Wymiana, po której nie \
             dałoby się tego spełnić, nie jest możliwa.",
            "What must become of a joker taken from the table in the same turn. A swap after which that \
             could not be done is refused.",
        ),
        rules: &[5],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "SWAPPED_JOKER_MUST_BE_LAID",
                label: text("Trzeba wyłożyć", "Must be laid"),
                explanation: text(
                    "W tej samej turze trzeba go użyć w nowym układzie albo dołożyć do układu na stole.",
                    "It must be laid in the same turn, in a new meld or onto one on the table.",
                ),
            },
            Choice {
                name: "SWAPPED_JOKER_MUST_BE_MELDED",
                label: text("Trzeba użyć w nowym układzie", "Must be melded"),
                explanation: text(
                    "W tej samej turze trzeba go użyć w nowym układzie; dołożyć nie wystarczy.",
                    "It must be laid in the same turn, in a new meld; laying it off is not enough.",
                ),
            },
            Choice {
                name: "SWAPPED_JOKER_KEPT",
                label: text("Zostaje na ręce", "Joins the hand"),
                explanation: text("Gracz może go zatrzymać.", "The player is free to keep it."),
            },
        ]),
    },
];

/// When and how much may be laid.
pub(super) const LAYING: Section =
    Section { title: text("Wykładanie i kończenie", "Laying and going out"), options: LAYING_OPTIONS };

const LAYING_OPTIONS: &[Described] = &[
    Described {
        name: "opening_points",
        label: text("Punkty na pierwsze wyłożenie", "Points to open"),
        explanation: text(
            "Ile punktów muszą mieć razem układy pierwszego wyłożenia w rozdaniu. Przy 0 nie ma takiego \
             progu.",
            "How many points the melds of a player's opening must be worth together. With 0 there is no \
             minimum.",
        ),
        rules: &[3],
        implies: &[],
        kind: Kind::Number(NumberOption::OpeningPoints),
    },
    Described {
        name: "opening_pure_run",
        label: text("Czysty sekwens na pierwsze wyłożenie", "Pure run to open"),
        explanation: text(
            "Wśród układów pierwszego wyłożenia musi być sekwens bez jokera.",
            "Among the melds of the opening there must be a run without a joker.",
        ),
        rules: &[3],
        implies: &[],
        kind: Kind::Flag,
    },
    Described {
        name: "several_melds",
        label: text("Kilka układów w turze", "Several melds in a turn"),
        explanation: text(
            "W jednej turze można wyłożyć więcej niż jeden układ.",
            "More than one meld may be laid in a turn.",
        ),
        rules: &[],
        implies: &[],
        kind: Kind::Flag,
    },
    Described {
        name: "lay_off_needs_own_meld",
        label: text("Dokładanie dopiero po własnym układzie", "Laying off only after an own meld"),
        explanation: text(
            "Dokładać karty do układów na stole może tylko gracz, który w tym rozdaniu wyłożył już własny \
             układ.",
            "Only a player who has laid a meld in this deal may add cards to melds on the table.",
        ),
        rules: &[3, 4],
        implies: &[],
        kind: Kind::Flag,
    },
    Described {
        name: "whole_hand_from_deal",
        label: text("Cała ręka naraz od rozdania", "Whole hand at once from deal"),
        explanation: text(
            "Od tego rozdania nie wolno niczego wyłożyć, dopóki nie da się wyłożyć naraz układów, po \
             których zostanie na ręce najwyżej jedna karta; do tego czasu nie wolno też dokładać ani \
             wymieniać jokerów. 0 wyłącza tę zasadę.",
            "From this deal on nothing may be laid until one play of melds leaves at most one card in the \
             hand; nor may cards be laid off or jokers swapped before. 0 turns the rule off.",
        ),
        rules: &[14],
        implies: &[],
        kind: Kind::NumberOrOff(NumberOption::WholeHandFromDeal),
    },
    Described {
        name: "final_discard",
        label: text("Ostatnia karta na stos", "Final discard"),
        explanation: text(
            "Żeby skończyć rozdanie, trzeba odrzucić ostatnią kartę. Wykładanie i dokładanie musi więc \
             zostawić kartę na ręce.",
            "Going out takes a last card to discard, so plays have to leave one in the hand.",
        ),
        rules: &[6],
        implies: &[],
        kind: Kind::Flag,
    },
    Described {
        name: "going_rummy",
        label: text("Premia za remika", "Going rummy"),
        explanation: text(
            "Ile jest wart remik: zakończenie rozdania w jednej turze, gdy wcześniej w tym rozdaniu \
             niczego się nie wyłożyło.",
            "What going rummy is worth: going out in one turn with nothing laid before it in the deal.",
        ),
        rules: &[10],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "GOING_RUMMY_PLAIN",
                label: text("Bez premii", "No bonus"),
                explanation: text(
                    "Remik liczy się jak każde inne wygrane rozdanie.",
                    "It counts like any other deal.",
                ),
            },
            Choice {
                name: "GOING_RUMMY_DOUBLE",
                label: text("Podwójnie", "Double"),
                explanation: text(
                    "To, co liczy lub płaci każdy z przegranych, podwaja się.",
                    "What each loser counts or pays is doubled.",
                ),
            },
            Choice {
                name: "GOING_RUMMY_PLUS_TEN",
                label: text("10 punktów więcej", "Ten points more"),
                explanation: text(
                    "Zwycięzca dostaje 10 punktów więcej, a tam, gdzie liczą lub płacą przegrani, każdemu \
                     z nich dolicza się 10.",
                    "The winner gets ten points more; where the losers count or pay, ten are added for \
                     each of them.",
                ),
            },
        ]),
    },
];
