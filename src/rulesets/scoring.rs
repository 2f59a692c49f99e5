//! The options of scoring and of the game's end.

use remik_rules::range::NumberOption;

use super::{Alternative, Choice, Described, Kind, Section, text};

/// What a deal counts.
pub(super) const SCORING: Section = Section { title: text("Punktacja", "Scoring"), options: SCORING_OPTIONS };

const SCORING_OPTIONS: &[Described] = &[
    Described {
        name: "scoring",
        label: text("Liczenie punktów", "How points count"),
        explanation: text(
            "Kto i za co dostaje punkty po rozdaniu. Inny sposób liczenia niż w tej odmianie zmienia też \
             rozliczenie rozdania bez zwycięzcy i to, czyja suma wygrywa, a w razie potrzeby również \
             premię za remika i koniec gry.",
            "Who gets points for what after a deal. Counting in another way than this variant also \
             changes what a blocked deal counts and whose total wins, and where need be the bonus for \
             going rummy and the end of the game.",
        ),
        rules: &[11, 13, 19],
        implies: &["going_rummy", "blocked", "end", "winner"],
        kind: Kind::Choice(&[
            Choice {
                name: "SCORING_PENALTY",
                label: text("Punkty karne", "Penalty points"),
                explanation: text(
                    "Każdy z przegranych zapisuje sobie jako karę punkty za karty, które zostały mu na \
                     ręce.",
                    "Each loser gets the points of the cards left in hand as a penalty.",
                ),
            },
            Choice {
                name: "SCORING_MELD_POINTS",
                label: text("Punkty za wyłożone karty", "Points for cards laid"),
                explanation: text(
                    "Każda wyłożona, dołożona lub wymieniona na jokera karta liczy się temu, kto ją \
                     położył, po tyle, ile jest warta na swoim miejscu.",
                    "Each card counts for the player who lays it, in a meld, a lay-off or a joker swap, \
                     at its value there.",
                ),
            },
            Choice {
                name: "SCORING_WINNER_TAKES_SUM",
                label: text("Zwycięzca bierze wszystko", "Winner takes all"),
                explanation: text(
                    "Zwycięzca rozdania dostaje punkty za karty na rękach wszystkich pozostałych.",
                    "The winner of the deal gets the points of all the other hands.",
                ),
            },
            Choice {
                name: "SCORING_PAYMENT",
                label: text("Wypłata", "Payment"),
                explanation: text(
                    "Każdy z przegranych płaci zwycięzcy rozdania punkty za swoją rękę.",
                    "Each loser pays the winner of the deal the points of the hand.",
                ),
            },
        ]),
    },
    Described {
        name: "blocked",
        label: text("Rozdanie bez zwycięzcy", "Blocked deal"),
        explanation: text(
            "Jak rozlicza się rozdanie, którego nikt nie skończył.",
            "What a deal counts in which nobody went out.",
        ),
        rules: &[13, 19],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "BLOCKED_SCORING_EVERYBODY_COUNTS",
                label: text("Wszyscy liczą karę", "Everybody counts"),
                explanation: text(
                    "Każdy zapisuje sobie jako karę punkty za swoją rękę.",
                    "Everybody gets the points of the hand as a penalty.",
                ),
            },
            Choice {
                name: "BLOCKED_SCORING_CREDITS_STAY",
                label: text("Punkty zostają", "Credits stay"),
                explanation: text(
                    "Każdy zachowuje punkty za karty, które wyłożył.",
                    "Everybody keeps the points for the cards laid.",
                ),
            },
            Choice {
                name: "BLOCKED_SCORING_NOBODY_SCORES",
                label: text("Bez punktów", "Nobody scores"),
                explanation: text("Nikt nie dostaje punktów.", "Nobody gets any points."),
            },
            Choice {
                name: "BLOCKED_SCORING_LOWEST_TAKES_DIFFERENCES",
                label: text("Różnice dla najniższej ręki", "Lowest hand takes the differences"),
                explanation: text(
                    "Gracz z najniższą ręką dostaje sumę różnic między rękami pozostałych a swoją; przy \
                     wypłacie pozostali mu je płacą. Równe najniższe ręce dzielą się po równo, a reszta z \
                     dzielenia przypada siedzącemu najbliżej rozpoczynającego.",
                    "The lowest hand gets the sum of the differences to the others; in payment scoring \
                     the others pay them. Equal lowest hands share evenly; odd points go to the seat \
                     nearest the starter.",
                ),
            },
        ]),
    },
    Described {
        name: "ace_in_hand",
        label: text("As na ręce", "Ace in hand"),
        explanation: text(
            "Ile punktów liczy as, który został na ręce.",
            "How many points an ace left in hand counts.",
        ),
        rules: &[1, 19],
        implies: &[],
        kind: Kind::Number(NumberOption::AceInHand),
    },
    Described {
        name: "joker_in_hand",
        label: text("Joker na ręce", "Joker in hand"),
        explanation: text(
            "Ile punktów liczy joker, który został na ręce.",
            "How many points a joker left in hand counts.",
        ),
        rules: &[],
        implies: &[],
        kind: Kind::Number(NumberOption::JokerInHand),
    },
];

/// How a game ends.
pub(super) const GAME_END: Section =
    Section { title: text("Koniec gry", "End of the game"), options: GAME_END_OPTIONS };

const GAME_END_OPTIONS: &[Described] = &[
    Described {
        name: "end",
        label: text("Koniec gry", "End of the game"),
        explanation: text(
            "Kiedy gra się kończy. Sprawdza się to po rozdaniu, nigdy w jego trakcie.",
            "When the game is over. It is looked at after a deal, never during one.",
        ),
        rules: &[12, 19],
        implies: &[],
        kind: Kind::Alternative(&[
            Alternative {
                name: "total",
                label: text("Do sumy punktów", "At a total"),
                explanation: text(
                    "Gra kończy się po rozdaniu, w którym czyjaś suma osiągnie ten limit punktów.",
                    "The game ends after a deal in which a total reaches this many points.",
                ),
                number: NumberOption::Total,
            },
            Alternative {
                name: "elimination",
                label: text("Odpadanie", "Elimination"),
                explanation: text(
                    "Kto po rozdaniu ma więcej punktów, niż wynosi limit, odpada. Wygrywa ten, kto \
                     zostanie ostatni.",
                    "Whoever has more than this many points after a deal is out. The last one in wins.",
                ),
                number: NumberOption::Elimination,
            },
            Alternative {
                name: "deals",
                label: text("Po liczbie rozdań", "After some deals"),
                explanation: text(
                    "Gra kończy się po tylu rozdaniach.",
                    "The game ends after this many deals.",
                ),
                number: NumberOption::Deals,
            },
        ]),
    },
    Described {
        name: "winner",
        label: text("Zwycięska suma", "Winning total"),
        explanation: text(
            "Czyja suma punktów wygrywa grę. Przy punktach karnych najniższa, w pozostałych sposobach \
             liczenia najwyższa.",
            "Whose total wins the game: with penalty points the lowest, in all other ways of counting the \
             highest.",
        ),
        rules: &[19],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "WINNING_TOTAL_LOWEST",
                label: text("Najniższa", "The lowest"),
                explanation: text(
                    "Wygrywa gracz z najmniejszą liczbą punktów.",
                    "The player with the fewest points wins.",
                ),
            },
            Choice {
                name: "WINNING_TOTAL_HIGHEST",
                label: text("Najwyższa", "The highest"),
                explanation: text(
                    "Wygrywa gracz z największą liczbą punktów.",
                    "The player with the most points wins.",
                ),
            },
        ]),
    },
    Described {
        name: "tie_by_last_deal",
        label: text("Remis rozstrzyga ostatnie rozdanie", "Last deal breaks ties"),
        explanation: text(
            "O kolejności graczy z równymi sumami decydują punkty z ostatniego rozdania. Dopiero gdy i \
             one są równe, miejsce jest wspólne.",
            "Players with equal totals are placed by their points of the last deal; only if these are \
             equal too is the place shared.",
        ),
        rules: &[],
        implies: &[],
        kind: Kind::Flag,
    },
];
