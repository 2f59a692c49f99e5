//! The options of time.

use remik_rules::range::NumberOption;

use super::{Choice, Described, Kind, Section, text};

/// The clock, and the pause between deals.
pub(super) const TIME: Section = Section { title: text("Czas", "Time"), options: TIME_OPTIONS };

const TIME_OPTIONS: &[Described] = &[
    Described {
        name: "turn_seconds",
        label: text("Czas na turę w sekundach", "Seconds for a turn"),
        explanation: text(
            "Ile sekund ma gracz na turę. Gdy czas minie, za gracza dobiera się i odrzuca kartę \
             automatycznie. 0 wyłącza zegar.",
            "How many seconds a player has for a turn. When they are over, a card is drawn and discarded \
             for the player. 0 turns the clock off.",
        ),
        rules: &[15],
        implies: &[],
        kind: Kind::NumberOrOff(NumberOption::TurnSeconds),
    },
    Described {
        name: "time_bank_seconds",
        label: text("Zapas czasu na rozdanie w sekundach", "Time bank for a deal in seconds"),
        explanation: text(
            "O tyle sekund gracz może w sumie przekroczyć czas swoich tur w jednym rozdaniu. Gdy zapas się \
             skończy, zostaje czas na turę. 0 oznacza brak zapasu; zapas wymaga zegara.",
            "For so many seconds in all a player may overdraw the time of the turns of one deal. When the \
             bank is empty, the time for a turn is left. 0 means no bank; a bank takes a clock.",
        ),
        rules: &[15],
        implies: &[],
        kind: Kind::NumberOrOff(NumberOption::TimeBankSeconds),
    },
    Described {
        name: "timeouts_to_forfeit",
        label: text("Po ilu przekroczeniach czasu gracz jest nieobecny", "Timeouts to forfeit"),
        explanation: text(
            "Po tylu turach z rzędu, w których graczowi skończył się czas, oddaje on grę albo gra za niego \
             bot. Każdy własny ruch zaczyna liczenie od nowa.",
            "After this many timeouts in a row a player gives the game up, or a bot plays on. Any move of the \
             player's own starts the count again.",
        ),
        rules: &[15, 16],
        implies: &[],
        kind: Kind::Number(NumberOption::TimeoutsToForfeit),
    },
    Described {
        name: "absent_seats",
        label: text("Miejsce nieobecnego gracza", "Seat of a player who is away"),
        explanation: text(
            "Co się dzieje z miejscem gracza, który odszedł od trwającej gry albo zbyt często przekroczył czas.",
            "What becomes of the seat of a player who leaves a running game, or runs out of time too often.",
        ),
        rules: &[15, 16],
        implies: &[],
        kind: Kind::Choice(&[
            Choice {
                name: "ABSENT_SEATS_FORFEIT",
                label: text("Gra oddana", "Given up"),
                explanation: text(
                    "Gracz oddaje grę i jest ostatni; pozostali grają dalej.",
                    "The player gives the game up and is last; the others play on.",
                ),
            },
            Choice {
                name: "ABSENT_SEATS_EASY_BOT",
                label: text("Gra słaby bot", "An easy bot plays on"),
                explanation: text(
                    "Gra za niego bot na poziomie początkującego, dopóki gracz nie wróci.",
                    "A bot as good as a beginner plays until the player comes back.",
                ),
            },
            Choice {
                name: "ABSENT_SEATS_NORMAL_BOT",
                label: text("Gra dobry bot", "A normal bot plays on"),
                explanation: text(
                    "Gra za niego dobry bot, dopóki gracz nie wróci.",
                    "A good bot plays until the player comes back.",
                ),
            },
            Choice {
                name: "ABSENT_SEATS_HARD_BOT",
                label: text("Gra silny bot", "A hard bot plays on"),
                explanation: text(
                    "Gra za niego silny bot, dopóki gracz nie wróci.",
                    "A strong bot plays until the player comes back.",
                ),
            },
        ]),
    },
    Described {
        name: "pause_seconds",
        label: text("Przerwa między rozdaniami w sekundach", "Seconds between deals"),
        explanation: text(
            "Jak długo po rozdaniu widać ręce i punkty, zanim samo zacznie się następne. Gdy wszyscy są \
             gotowi, zaczyna się od razu. Przy 0 przerwy nie ma.",
            "How long hands and points are shown after a deal before the next one begins by itself. It \
             begins at once when everybody is ready. With 0 there is no pause.",
        ),
        rules: &[17],
        implies: &[],
        kind: Kind::Number(NumberOption::PauseSeconds),
    },
];
