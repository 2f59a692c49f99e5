//! The options of the stock and the pile.

use remik_rules::range::NumberOption;

use super::{Choice, Described, Kind, Section, text};

/// How long a deal goes on.
pub(super) const STOCK: Section =
    Section { title: text("Talia i stos", "Stock and discard pile"), options: STOCK_OPTIONS };

const STOCK_OPTIONS: &[Described] = &[
    Described {
        name: "stock_end",
        label: text("Kiedy talia się kończy", "When the stock is used up"),
        explanation: text(
            "Od kiedy pusta talia liczy się jako wyczerpana: wtedy odnawia się ją ze stosu albo rozdanie \
             kończy się bez zwycięzcy.",
            "When an empty stock counts as used up: it is then renewed from the discard pile, or the deal \
             is blocked.",
        ),
        rules: &[8],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "STOCK_END_AT_TURN_END",
                label: text("Po turze z ostatnią kartą", "At the end of the turn"),
                explanation: text(
                    "Gdy skończy się tura, w której zabrano ostatnią kartę talii.",
                    "As soon as the turn that took the last stock card ends.",
                ),
            },
            Choice {
                name: "STOCK_END_WHEN_ASKED",
                label: text("Gdy ktoś chce dobrać", "When a card is asked for"),
                explanation: text(
                    "Dopiero gdy następny gracz nie chce karty ze stosu i prosi o kartę z pustej talii.",
                    "Only when the next player refuses the discard and asks for a card of the empty \
                     stock.",
                ),
            },
        ]),
    },
    Described {
        name: "stock_reuse",
        label: text("Odnawianie talii", "Renewing the stock"),
        explanation: text(
            "Jak ze stosu kart odrzuconych powstaje nowa talia.",
            "How the discard pile becomes the new stock.",
        ),
        rules: &[8],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "STOCK_REUSE_KEEP_TOP_SHUFFLE",
                label: text("Tasowanie bez wierzchniej karty", "Shuffle all but the top"),
                explanation: text(
                    "Wierzchnia karta zostaje na stosie, resztę się tasuje.",
                    "The top card stays on the pile, the rest is shuffled.",
                ),
            },
            Choice {
                name: "STOCK_REUSE_TURN_OVER",
                label: text("Odwrócenie stosu", "Turn the pile over"),
                explanation: text(
                    "Cały stos odwraca się bez tasowania: najpierw dobiera się kartę odrzuconą \
                     najdawniej.",
                    "The whole pile is turned over unshuffled: the oldest discard is drawn first.",
                ),
            },
            Choice {
                name: "STOCK_REUSE_SHUFFLE_ALL",
                label: text("Tasowanie całego stosu", "Shuffle the whole pile"),
                explanation: text(
                    "Tasuje się cały stos, z wierzchnią kartą.",
                    "The whole pile is shuffled, its top card too.",
                ),
            },
        ]),
    },
    Described {
        name: "stock_uses",
        label: text("Ile wyczerpań talii kończy rozdanie", "How often the stock may run out"),
        explanation: text(
            "Gdy talia wyczerpie się tyle razy, rozdanie kończy się bez zwycięzcy. Przy 1 talii się nie \
             odnawia, przy 3 odnawia się ją dwa razy.",
            "The deal is blocked when the stock has run out this many times. With 1 it is never renewed, \
             with 3 it is renewed twice.",
        ),
        rules: &[8],
        implies: &[],
        kind: Kind::Number(NumberOption::StockUses),
    },
    Described {
        name: "turns_per_seat",
        label: text("Najwięcej tur na gracza", "Most turns for each player"),
        explanation: text(
            "Po tylu turach na każdego gracza rozdanie kończy się bez zwycięzcy, żeby nie trwało bez \
             końca.",
            "After this many turns for each player the deal is blocked, so that it does not go on for \
             ever.",
        ),
        rules: &[9],
        implies: &[],
        kind: Kind::Number(NumberOption::TurnsPerSeat),
    },
];
