//! The texts in Polish.

use super::{Metadata, Reason, is_joker, told};

pub(super) fn template(reason: Reason, metadata: &Metadata) -> &'static str {
    match reason {
        Reason::Unspecified => "Coś poszło nie tak.",

        Reason::GameOver => "Ta gra jest już skończona.",
        Reason::NotSeated => "To może zrobić tylko ktoś, kto siedzi przy tym stole.",
        Reason::OutOfGame => "Miejsce {seat} nie bierze już udziału w tej grze.",
        Reason::ClockOnly => "To robi tylko zegar gry.",
        Reason::AdminOnly => "To robi tylko administrator.",
        Reason::AlreadyStarted => "Gra już się zaczęła i nie można się do niej dosiąść.",
        Reason::AlreadySeated => "Siedzisz już przy tym stole, na miejscu {seat}.",
        Reason::TableFull => {
            "Nie ma wolnych miejsc: przy tym stole {#seats|jest|są|jest} {seats|miejsce|miejsca|miejsc} \
             i każde jest zajęte."
        }
        Reason::SeatTaken => "Miejsce {seat} jest już zajęte.",
        Reason::NoSuchSeat => {
            "Nie ma miejsca {seat}: przy tym stole {#seats|jest|są|jest} {seats|miejsce|miejsca|miejsc}."
        }
        Reason::AlreadyReady => "Twoja gotowość (miejsce {seat}) jest już zgłoszona.",
        Reason::DealRunning => "To można zrobić tylko między rozdaniami.",
        Reason::NoDealRunning => "To można zrobić tylko w trakcie rozdania.",
        Reason::NotYourTurn => "To nie Twoja kolej: teraz gra miejsce {turn}.",
        Reason::DrawFirst => "Najpierw dobierz kartę.",
        Reason::AlreadyDrawn => "W tej turze karta jest już dobrana.",
        Reason::PileEmpty => "Stos kart odrzuconych jest pusty.",
        Reason::NoCards => "Nie wybrano żadnej karty.",
        Reason::CardNamedTwice if is_joker(metadata, "card") => "Ten sam joker jest wybrany dwa razy.",
        Reason::CardNamedTwice => "Ta sama karta {card} jest wybrana dwa razy.",
        Reason::CardNotInHand if is_joker(metadata, "card") => "Nie masz na ręce tego jokera.",
        Reason::CardNotInHand => "Nie masz na ręce tej karty: {card}.",
        Reason::NotAMeld => no_meld(told(metadata, "fault")),
        Reason::OneMeldPerTurn => "Przy tym stole w jednej turze wykłada się tylko jeden układ.",
        Reason::OpeningBelowMinimum if told(metadata, "pureRunMissing") == "true" => {
            "Pierwsze wyłożenie jest warte {have} z \
             {need|potrzebnego punktu|potrzebnych punktów|potrzebnych punktów} i brakuje w nim czystego \
             sekwensu (bez jokera)."
        }
        Reason::OpeningBelowMinimum => {
            "Pierwsze wyłożenie jest warte {have} z \
             {need|potrzebnego punktu|potrzebnych punktów|potrzebnych punktów}."
        }
        Reason::OpeningWithoutPureRun => {
            "Pierwsze wyłożenie ma dość punktów ({have}), ale brakuje w nim czystego sekwensu (bez jokera)."
        }
        Reason::OpenFirst => "Najpierw wyłóż w tym rozdaniu własny układ.",
        Reason::WholeHandAtOnce => {
            "W tym rozdaniu wykłada się wszystko naraz: może zostać najwyżej {most|karta|karty|kart}, \
             a {#left|zostałaby|zostałyby|zostałoby} {left|karta|karty|kart}."
        }
        Reason::NoSuchMeld => "Na stole nie ma takiego układu.",
        Reason::DoesNotFit => no_fit(told(metadata, "fault")),
        Reason::NoCardLeftToDiscard => "Musi Ci zostać co najmniej jedna karta do odrzucenia.",
        Reason::NoJokerSwap => "Przy tym stole nie wymienia się jokerów.",
        Reason::NoSuchJoker => "W tym układzie nie ma takiego jokera.",
        Reason::NotTheJokersPlace if is_joker(metadata, "card") => "Jokera nie wymienia się na jokera.",
        Reason::NotTheJokersPlace => "Żaden joker w tym układzie nie zastępuje karty {card}.",
        Reason::JokerPending => "Najpierw wyłóż jokera, którego masz z wymiany.",
        Reason::JokerHasNoPlace => "Po tym ruchu joker z wymiany nie miałby już w tej turze gdzie trafić.",
        Reason::JokerMustBeMelded => "Przy tym stole joker z wymiany musi trafić do nowego układu.",
        Reason::TakenDiscard if is_joker(metadata, "card") => {
            "W tej turze nie można odrzucić jokera: joker został w niej wzięty ze stosu."
        }
        Reason::TakenDiscard => {
            "W tej turze nie można odrzucić karty {card}: taka karta została w niej wzięta ze stosu."
        }
        Reason::NotHost => "Może to zrobić tylko gospodarz (miejsce {host}).",
        Reason::RemovedFromTable => "Gospodarz usunął Cię od tego stołu.",
        Reason::NoOtherPlayer => "Przy stole nie siedzi inny taki gracz.",
        Reason::SeatsFree => {
            "O gotowość można zapytać, gdy stół jest pełny: {#free|zostało|zostały|zostało} jeszcze \
             {free|wolne miejsce|wolne miejsca|wolnych miejsc}."
        }
        Reason::ReadyAsked => "Pytanie o gotowość już padło.",
        Reason::SeatKept => "Miejsce {seat} czeka na innego gracza.",
        Reason::NoSeatKept => "Przy tym stole nie czeka na Ciebie żadne miejsce.",
        Reason::RematchMade => "Następna gra w tym samym składzie już jest.",
        Reason::RatingOutOfRange => {
            "Przy tym stole mogą usiąść gracze z rankingiem od {least} do {most}; Twój wynosi {points}."
        }
        Reason::InvitationNeeded => "Przy tym stole mogą usiąść tylko zaproszeni.",
        Reason::KeptApart => "Nie możesz usiąść z graczami przy tym stole.",
        Reason::TooManyInvitations => "Stół może mieć najwyżej {most|zaproszenie|zaproszenia|zaproszeń}.",
        Reason::NoBot => "Na miejscu {seat} nie gra bot.",
        Reason::BotPlays => "Na miejscu {seat} gra bot.",
        Reason::NothingToUndo => "Nie ma czego cofnąć.",
        Reason::TooManyUndos => "W jednej turze można cofać najwyżej {most|raz|razy|razy}.",
        Reason::NoClock => "Przy tym stole gra się bez zegara.",
        Reason::NotTimeYet => "Czas jeszcze nie minął.",

        Reason::RulesetOutOfRange => "Opcja „{option}” ma wartość {value}, a może mieć od {least} do {most}.",
        Reason::RulesetPackTooSmall => {
            "W talii jest za mało kart: dla {seats|gracza|graczy|graczy} potrzeba {needed|karty|kart|kart}, \
             a {#pack|jest|są|jest} {pack|karta|karty|kart}."
        }
        Reason::RulesetInconsistent => "Te zasady nie pasują do siebie: {one}; {other}.",

        Reason::MissingField if told(metadata, "field") == "display_name" => "Podaj nazwę gracza.",
        Reason::MissingField => "W zapytaniu brakuje pola {field}.",
        Reason::MalformedField => match told(metadata, "field") {
            "display_name" => "Nazwa gracza zawiera niedozwolone znaki.",
            "invite_code" => "To nie jest kod zaproszenia: „{value}”.",
            _ if metadata.contains_key("value") => "Pole {field} nie może mieć wartości „{value}”.",
            _ => "Pole {field} ma nieprawidłową wartość.",
        },
        Reason::FieldOutOfRange if told(metadata, "field") == "display_name" => {
            "Nazwa gracza może mieć od {least} do {most|znaku|znaków|znaków}, a ma {length}."
        }
        Reason::FieldOutOfRange if metadata.contains_key("length") => {
            "Pole {field} ma długość {length}, a może mieć od {least} do {most}."
        }
        Reason::FieldOutOfRange if metadata.contains_key("least") => {
            "Pole {field} ma wartość {value}, a może mieć od {least} do {most}."
        }
        Reason::FieldOutOfRange => "Pole {field} nie może mieć wartości {value}.",
        Reason::UnknownPreset => "Nie ma odmiany gry o nazwie „{value}”.",
        Reason::RequestIdReused => "Ten identyfikator zapytania był już użyty do innego polecenia.",
        Reason::VersionAhead => {
            "W tej grze {#version|jest|są|jest} dopiero {version|ruch|ruchy|ruchów}, nie {named}."
        }
        Reason::MalformedRequest => "Zapytanie jest nieprawidłowe.",
        Reason::BodyTooLarge => "Zapytanie jest za duże.",
        Reason::UnsupportedMediaType => "Treść zapytania musi być w formacie JSON.",
        Reason::NoSuchRoute => "Pod tym adresem nic nie ma.",
        Reason::MethodNotAllowed => "Ten adres nie przyjmuje takiej metody HTTP.",
        Reason::NoSuchMethod => "Nie ma takiej metody.",

        Reason::GameNotFound => "Nie ma takiej gry albo nie możesz jej zobaczyć.",
        Reason::InviteNotFound => "Do żadnego stołu nie można się dosiąść z tym kodem zaproszenia.",
        Reason::PlayerNotFound => "Nie ma takiego gracza.",
        Reason::Unauthenticated => "Zaloguj się ponownie.",
        Reason::PermissionDenied => "Nie masz do tego uprawnień.",
        Reason::TokenExpired => "Twoje logowanie wygasło. Zaloguj się ponownie.",
        Reason::ScopeMissing => "Program nie ma do tego uprawnienia: `{scope}`.",
        Reason::PlayerRequired => "Program nie podał, którego gracza to dotyczy.",
        Reason::AccountTaken => "To konto należy już do innego gracza.",
        Reason::AlreadyLinked => "Masz już inne konto.",
        Reason::AccountTokenInvalid => "Nie udało się potwierdzić konta. Zaloguj się do niego ponownie.",
        Reason::AccountsNotConfigured => "Na tym serwerze nie można używać kont.",
        Reason::IdentityUnavailable => "Nie można teraz sprawdzić logowania. Spróbuj za chwilę.",
        Reason::KeyNotFound => "Nie ma takiego klucza.",
        Reason::NoSpectators => "Gra już się zaczęła, a ten stół nie wpuszcza widzów.",
        Reason::SandboxImpossible if metadata.contains_key("card") => {
            "Wybranych kart nie da się tak rozdać: chodzi o kartę {card}."
        }
        Reason::SandboxImpossible => "Wybranych kart nie da się tak rozdać.",
        Reason::GameNotOver => "Gra jeszcze się nie skończyła.",
        Reason::ReplayClosed => "Nie możesz zobaczyć kart tej gry.",
        Reason::NotOpener => "Może to zrobić tylko osoba, która założyła stół.",
        Reason::NotOnLeaderboard => "Tego gracza nie ma w tym rankingu.",
        Reason::DocumentChanged => "To nie jest wyeksportowana gra: plik został zmieniony.",
        Reason::GameUntrue => "Ta gra nie jest prawdziwa: coś jest nie tak z ruchem {move}.",
        Reason::TicketNotFound => "Nie ma takiego wyszukiwania gry.",
        Reason::AlreadyQueued => "Ta osoba już szuka gry.",
        Reason::TicketClosed => match told(metadata, "state") {
            "MATCHED" => "Gra jest już znaleziona.",
            "EXPIRED" => "Wyszukiwanie się skończyło: nikogo nie udało się znaleźć na czas.",
            _ => "To wyszukiwanie gry jest już zakończone.",
        },
        Reason::PartyNotFound => "Tym kodem nie można dołączyć do żadnej drużyny.",
        Reason::PartyFull => "Drużyna jest już pełna: ma {size|osobę|osoby|osób}.",
        Reason::PartyApart => "Te osoby nie chcą siedzieć przy jednym stole.",
        Reason::TooManyTickets => {
            "Program może szukać naraz najwyżej {most|gry|gier|gier}. Spróbuj za chwilę."
        }

        Reason::PlayerBanned if metadata.contains_key("until") => "Masz zakaz gry do {until}.",
        Reason::PlayerBanned => "Masz zakaz gry.",

        Reason::ChatOff => "Czat jest tu wyłączony.",
        Reason::PhrasesOnly => "Tu można mówić tylko gotowymi zwrotami.",
        Reason::ChatClosed => {
            "Ta gra skończyła się już jakiś czas temu: nie można w niej nic więcej napisać."
        }
        Reason::MessageNotFound => "Nie ma takiej wiadomości.",
        Reason::TooManyMessages => "Nie tak szybko. Za chwilę znów możesz pisać.",
        Reason::ChatPositionAhead => "Ten czat ma {position|wiadomość|wiadomości|wiadomości}, a nie {named}.",
        Reason::NotYourself => "Nie możesz tego zrobić samemu sobie.",
        Reason::PlayerListFull => "Twoja lista jest pełna: mieści się na niej {most|gracz|graczy|graczy}.",
        Reason::ConfirmationWrong => "Aby wszystko usunąć, potwierdź to własnym identyfikatorem gracza.",
        Reason::PlayerErased => "Ten gracz został usunięty.",
        Reason::WebhookNotFound => "Nie ma takiego webhooka.",
        Reason::WebhookUrlRefused => "Pod ten adres nie można wysyłać zdarzeń ({why}).",
        Reason::TooManyWebhooks => "Nie może być więcej niż {most|webhook|webhooki|webhooków}.",
        Reason::CursorOutdated => "To miejsce w strumieniu zdarzeń jest już nieznane. Zacznij od nowa.",

        Reason::VersionConflict => "Ktoś był szybszy. Spójrz na stół i spróbuj jeszcze raz.",
        Reason::RateLimited => "Za dużo zapytań w krótkim czasie. Spróbuj za chwilę.",
        Reason::TooManyStreams => "Masz już tyle otwartych połączeń, ile możesz. Zamknij któreś z nich.",
        Reason::Overloaded => "Serwer jest przeciążony. Spróbuj za chwilę.",
        Reason::Draining => "Serwer jest właśnie wyłączany. Spróbuj jeszcze raz.",
        Reason::StorageUnavailable => "Serwer nie może teraz zapisać gry. Spróbuj za chwilę.",
        Reason::TimedOut => "To trwało za długo. Spróbuj jeszcze raz.",
        Reason::LogUnreadable => "Nie można odczytać zapisu tej gry.",
        Reason::Internal => "Błąd serwera.",
    }
}

fn no_meld(fault: &str) -> &'static str {
    match fault {
        "TOO_SHORT" => {
            "{cards} to nie układ: układ ma co najmniej 3 karty, a tu {#have|jest|są|jest} \
             {have|karta|karty|kart}."
        }
        "TOO_LONG" => {
            "{cards} to nie układ: sekwens ma najwyżej 13 kart, a tu {#have|jest|są|jest} \
             {have|karta|karty|kart}."
        }
        "TOO_MANY_JOKERS" => {
            "{cards} to nie układ: jokerów nie może być więcej niż zwykłych kart, a tu \
             {#jokers|jest|są|jest} {jokers|joker|jokery|jokerów} i \
             {naturals|zwykła karta|zwykłe karty|zwykłych kart}."
        }
        "MIXED" => "{cards} to nie układ: karty nie są ani jednego koloru, ani jednej wartości.",
        "FACE_TWICE" => "{cards} to nie układ: karta {face} byłaby w nim dwa razy.",
        "GROUP_TOO_LARGE" => {
            "{cards} to nie układ: grupa ma najwyżej 4 karty, a tu {#have|jest|są|jest} \
             {have|karta|karty|kart}."
        }
        "NOT_CONSECUTIVE" => "{cards} to nie układ: to nie są kolejne karty jednego koloru.",
        "ADJACENT_JOKERS" => "{cards} to nie układ: dwa jokery leżałyby obok siebie.",
        "WRONG_BINDING" => "{cards} to nie układ: {card} nie może w nim oznaczać karty {face}.",
        _ => "{cards} to nie układ.",
    }
}

fn no_fit(fault: &str) -> &'static str {
    match fault {
        "OTHER_SUIT" => "Tu nie można dołożyć {cards}: {card} jest innego koloru niż ten sekwens.",
        "OTHER_RANK" => "Tu nie można dołożyć {cards}: {card} ma inną wartość niż ta grupa.",
        "FACE_TWICE" => "Tu nie można dołożyć {cards}: karta {face} byłaby w układzie dwa razy.",
        "GROUP_FULL" => "Tu nie można dołożyć {cards}: grupa ma najwyżej 4 karty.",
        "NOT_NEXT" => "Tu nie można dołożyć {cards}: {card} nie przedłuża sekwensu z tej strony.",
        "RUN_FULL" => "Tu nie można dołożyć {cards}: sekwens ma najwyżej 13 kart.",
        "TOO_MANY_JOKERS" => {
            "Tu nie można dołożyć {cards}: jokerów nie może być więcej niż zwykłych kart, a \
             {#jokers|byłby|byłyby|byłoby} {jokers|joker|jokery|jokerów} i \
             {naturals|zwykła karta|zwykłe karty|zwykłych kart}."
        }
        "ADJACENT_JOKERS" => "Tu nie można dołożyć {cards}: dwa jokery leżałyby obok siebie.",
        "JOKERS_PLACE" => "Na miejscu karty {card} leży joker: wymień go, zamiast ją dokładać.",
        "WRONG_BINDING" => "Tu nie można dołożyć {cards}: {card} nie może tu oznaczać karty {face}.",
        _ => "Tu nie można dołożyć {cards}.",
    }
}

/// What the rules say in English about options that don't go together.
pub(super) fn phrase(english: &str) -> Option<&'static str> {
    Some(match english {
        "a joker swap in any turn, with a duty to lay the joker" => {
            "wymiana jokera w każdej turze z obowiązkiem wyłożenia go"
        }
        "an opening that must have so many points or a pure run" => {
            "pierwsze wyłożenie za określoną liczbę punktów lub z czystym sekwensem"
        }
        "a joker swap" => "wymiana jokerów",
        "a pack without jokers" => "talia bez jokerów",
        "laying the whole hand at once" => "wykładanie całej ręki naraz",
        "one meld a turn" => "jeden układ w turze",
        "penalty scoring" => "punkty karne",
        "the highest total winning" => "wygrana najwyższej sumy",
        "points that are won" => "punkty, które się zdobywa",
        "the lowest total winning" => "wygrana najniższej sumy",
        "elimination" => "odpadanie graczy",
        "payment scoring" => "wypłaty",
        "an end by points" => "koniec gry po osiągnięciu sumy punktów",
        "a blocked deal that counts every hand" => "rozdanie bez zwycięzcy, w którym liczy się każdą rękę",
        "a blocked deal won by the lowest hand" => "rozdanie bez zwycięzcy wygrywane najniższą ręką",
        "scoring in which the winner takes no hands" => {
            "punktacja, w której zwycięzca nie dostaje cudzych punktów"
        }
        "credits that stay in a blocked deal" => "punkty, które zostają po rozdaniu bez zwycięzcy",
        "scoring without credits" => "punktacja bez punktów za wyłożone karty",
        "a bonus for going rummy" => "premia za remika",
        "meld points, where nothing is lost by the others" => {
            "punkty za wyłożone karty, przy których inni nic nie tracą"
        }
        "a time bank" => "zapas czasu",
        "turns without a clock" => "tury bez zegara",
        _ => return None,
    })
}
