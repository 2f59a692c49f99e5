//! What players are told about the presets.

use remik_rules::preset::Preset;

use super::{PresetText, text};

/// The texts of a preset.
pub fn describe(preset: Preset) -> PresetText {
    match preset {
        Preset::Remik51 => PresetText {
            title: text("Remik 51", "Remik 51"),
            description: text(
                "Klasyczny polski remik: dwa komplety kart z czterema jokerami, po 13 kart na ręce. \
                 Pierwsze wyłożenie musi mieć co najmniej 51 punktów i czysty sekwens. Rozdanie kończy \
                 odrzucenie ostatniej karty. Przegrani liczą punkty karne za karty na ręce, a remik je \
                 podwaja. Gra się, aż ktoś zbierze 100 punktów; wygrywa najniższa suma.",
                "The classic Polish remik: two decks with four jokers, 13 cards each. The opening must be \
                 worth at least 51 points and hold a pure run. A deal ends with the discard of a last \
                 card. The losers count penalty points for the cards in hand, doubled if somebody goes \
                 rummy. The game goes on until somebody has 100 points; the lowest total wins.",
            ),
        },
        Preset::RemikPoints => PresetText {
            title: text("Remik na punkty", "Remik for points"),
            description: text(
                "Remik, w którym liczą się karty wyłożone, a nie te, które zostały na ręce. Pierwsze \
                 wyłożenie ma co najmniej 51 punktów i czysty sekwens, a wymienionego jokera trzeba od \
                 razu użyć w nowym układzie. Pierwszy rozdaje gracz, który wyciągnął najwyższą kartę. Gra \
                 się do 500 punktów; wygrywa najwyższa suma.",
                "Remik that counts the cards laid, not those left in hand. The opening must be worth at \
                 least 51 points and hold a pure run, and a swapped joker goes into a new meld at once. \
                 Whoever draws the highest card deals first. The game is played to 500 points; the highest \
                 total wins.",
            ),
        },
        Preset::Remi30 => PresetText {
            title: text("Remi 30", "Remi 30"),
            description: text(
                "Szybsza odmiana z sześcioma jokerami. Na pierwsze wyłożenie wystarczy 30 punktów bez \
                 czystego sekwensu, wymieniony joker zostaje na ręce, a rozdanie można skończyć bez \
                 odrzucania karty. Kto ma więcej niż 50 punktów karnych, odpada; wygrywa ten, kto \
                 zostanie ostatni.",
                "A faster variant with six jokers. An opening takes 30 points and no pure run, a swapped \
                 joker joins the hand, and going out needs no discard. Whoever has more than 50 penalty \
                 points is out; the last one in wins.",
            ),
        },
        Preset::Rummy200 => PresetText {
            title: text("Remik do 200", "Rummy to 200"),
            description: text(
                "Prosty remik jednym kompletem kart bez jokerów, po 7 kart na ręce. Wykładać można od \
                 razu, bez progu punktów; dokładać po własnym układzie. As stoi tylko przed dwójką. \
                 Zwycięzca rozdania dostaje punkty za ręce pozostałych, a grę wygrywa najwyższa suma, gdy \
                 ktoś dojdzie do 200 punktów.",
                "Plain rummy with one deck and no jokers, 7 cards each. Melds may be laid at once, with \
                 no minimum, and cards laid off after a meld of one's own. Aces are low. The winner of a \
                 deal gets the points of the other hands; the highest total wins when somebody has \
                 reached 200 points.",
            ),
        },
        Preset::BasicRummy => PresetText {
            title: text("Remik podstawowy", "Basic rummy"),
            description: text(
                "Dla dwóch do sześciu graczy, jednym kompletem kart bez jokerów. Przy dwóch graczach \
                 po 10 kart, przy trzech lub czterech po 7, przy większej liczbie po 6. W turze wolno wyłożyć jeden układ, a \
                 dokładać można zawsze. Zwycięzca rozdania dostaje punkty za ręce pozostałych. Gra się do \
                 100 punktów; wygrywa najwyższa suma.",
                "For two to six players, with one deck and no jokers: 10 cards each for two players, 7 \
                 for three or four, 6 for more. One meld may be laid in a turn, and cards laid off at any \
                 time. The winner of a deal gets the points of the other hands. The game is played to 100 \
                 points; the highest total wins.",
            ),
        },
        Preset::BlockRummy => PresetText {
            title: text("Remik bez odnawiania talii", "Block rummy"),
            description: text(
                "Jak remik podstawowy, ale talii nie odnawia się ze stosu. Gdy się skończy, a następny \
                 gracz nie chce karty ze stosu, rozdanie się kończy i najniższa ręka bierze różnice do \
                 pozostałych.",
                "As basic rummy, but the discard pile never becomes a new stock. When the stock is used \
                 up and the next player refuses the discard, the deal ends, and the lowest hand takes the \
                 differences to the others.",
            ),
        },
        Preset::WrothamRummy => PresetText {
            title: text("Remik wrothamski", "Wrotham rummy"),
            description: text(
                "Sześć rozdań jednym kompletem kart z trzema jokerami. Rozpoczynający dostaje 8 kart \
                 zamiast 7 i w pierwszej turze nie dobiera. Jokera wolno wymienić w każdej swojej turze i \
                 zatrzymać. W rozdaniach od czwartego do szóstego całą rękę, najwyżej bez jednej karty, \
                 trzeba wyłożyć naraz. Wygrywa najwyższa suma.",
                "Six deals with one deck and three jokers. The starter gets 8 cards instead of 7 and does \
                 not draw in the first turn. A joker may be swapped in any own turn and kept. In deals \
                 four to six the whole hand, but for one card at most, must be laid at once. The highest \
                 total wins.",
            ),
        },
        Preset::Romme40 => PresetText {
            title: text("Rommé 40", "Rommé 40"),
            description: text(
                "Niemieckie rommé: dwa komplety kart z sześcioma jokerami, po 13 kart na ręce. Pierwsze \
                 wyłożenie musi mieć co najmniej 40 punktów, bez wymogu czystego sekwensu. Rozdanie \
                 kończy odrzucenie ostatniej karty. Przegrani liczą punkty karne, a remik je podwaja. Gra \
                 się do 300 punktów; wygrywa najniższa suma.",
                "German rommé: two decks with six jokers, 13 cards each. The opening must be worth at \
                 least 40 points, with no pure run needed. A deal ends with the discard of a last card. \
                 The losers count penalty points, doubled if somebody goes rummy. The game is played to \
                 300 points; the lowest total wins.",
            ),
        },
    }
}
