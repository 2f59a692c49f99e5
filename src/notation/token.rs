//! One command as a word without spaces.

use std::fmt::{self, Display};
use std::time::Duration;

use remik_rules::card::{Card, Face};
use remik_rules::chance::ClientSeed;
use remik_rules::command::{Actor, Command, End, MeldId, Source};
use remik_rules::event::Event;
use remik_rules::meld::Named;
use remik_rules::reason::Reason;
use remik_rules::seat::{GameRef, PlayerId, Seat};
use remik_rules::table::Table;
use remik_rules::verify::Step;
use uuid::Uuid;

use super::phrase::{phrase, word};
use super::who::Who;

/// A command with who gives it, and the card that it drew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) actor: Actor,
    pub(super) command: Command,
    /// The command has brought the player back to a seat that a bot held.
    pub(super) back: bool,
    /// What was drawn: it follows from the rules, and is there for who reads along.
    pub(super) drawn: Option<Card>,
}

impl Token {
    /// The word of a step, from the events of its move.
    pub(super) fn of(step: Step, events: &[Event]) -> Self {
        Self::made(step.actor, step.command, &events[step.events])
    }

    /// The word of a command, from the events that it has made.
    pub(super) fn made(actor: Actor, command: Command, events: &[Event]) -> Self {
        let drawn = events.iter().find_map(|event| match event {
            Event::StockDrawn { card, .. } | Event::DiscardTaken { card, .. } => Some(*card),
            _ => None,
        });
        let drawn = drawn.filter(|_| matches!(command, Command::Draw(_)));
        let back = matches!(events.first(), Some(Event::SeatResumed { .. })) && command != Command::Resume;
        Self { actor, command, back, drawn }
    }

    /// Reads a command at a table.
    pub(super) fn read(table: &Table, who: Who, word: &str) -> Option<Self> {
        let of_nobody = |actor, command| Some(Self { actor, command, back: false, drawn: None });
        let seat = match who {
            Who::Seat(seat) => seat,
            Who::Clock => return of_nobody(Actor::Clock, clock(word)?),
            Who::Admin => return of_nobody(Actor::Admin, admin(word)?),
        };
        let visitor = match word.split_once(':') {
            Some(("join", player)) => Some((player, Command::Join { seat: Some(seat) })),
            Some(("decline", player)) => Some((player, Command::Decline)),
            _ => None,
        };
        if let Some((player, command)) = visitor {
            let actor = Actor::Player(PlayerId(read_id(player)?));
            return Some(Self { actor, command, back: false, drawn: None });
        }
        let back = word.strip_prefix("back:");
        let (command, drawn) = of_a_seat(back.unwrap_or(word))?;
        // Where a bot plays, the player says that he is back, or leaves no doubt.
        let player =
            back.is_some() || matches!(command, Command::Resume | Command::Leave | Command::Rematch { .. });
        let bot = table.bot(seat).is_some() && !player;
        let actor = if bot { Actor::Bot(seat) } else { Actor::Seat(seat) };
        Some(Self { actor, command, back: back.is_some(), drawn })
    }
}

impl Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.back {
            f.write_str("back:")?;
        }
        match &self.command {
            Command::Join { .. } => match self.actor {
                Actor::Player(player) => write!(f, "join:{}", id(player.0)),
                Actor::Seat(_) | Actor::Bot(_) | Actor::Clock | Actor::Admin => f.write_str("join"),
            },
            Command::Leave => f.write_str("leave"),
            Command::AddBot { seat: Some(seat), strength } => write!(f, "bot:{strength}@{seat}"),
            Command::AddBot { seat: None, strength } => write!(f, "bot:{strength}"),
            Command::RemoveBot { seat } => write!(f, "unbot@{seat}"),
            Command::Remove { player } => write!(f, "remove:{}", id(player.0)),
            Command::HandOver { player } => write!(f, "host:{}", id(player.0)),
            Command::AskReady { within } => write!(f, "check:{}", within.as_millis()),
            Command::ChangeSettings => f.write_str("settings"),
            Command::Offer { seat, player, within } => {
                write!(f, "offer:{}@{seat}:{}", id(player.0), within.as_millis())
            }
            Command::Decline => match self.actor {
                Actor::Player(player) => write!(f, "decline:{}", id(player.0)),
                Actor::Seat(_) | Actor::Bot(_) | Actor::Clock | Actor::Admin => f.write_str("decline"),
            },
            Command::Rematch { game } => write!(f, "rematch:{}", id(game.0)),
            Command::EndReadyCheck => f.write_str("missed"),
            Command::EndOffers => f.write_str("lapsed"),
            Command::Close => f.write_str("close"),
            Command::Resume => f.write_str("back"),
            Command::Ready { client_seed } if client_seed.bytes().is_empty() => f.write_str("ready"),
            Command::Ready { client_seed } => write!(f, "ready:{}", hex::encode(client_seed.bytes())),
            Command::Draw(source) => {
                f.write_str(if *source == Source::Stock { "*" } else { "^" })?;
                self.drawn.map_or(Ok(()), |card| card.fmt(f))
            }
            Command::Meld(melds) => melds.iter().try_for_each(|cards| write!(f, "[{}]", list(cards))),
            Command::LayOff { meld, cards, end } => {
                write!(f, "{}>{meld}", list(cards))?;
                match end {
                    Some(End::Low) => f.write_str(".low"),
                    Some(End::High) => f.write_str(".high"),
                    None => Ok(()),
                }
            }
            Command::SwapJoker { meld, card, joker } => {
                write!(f, "{card}~")?;
                joker.map_or(Ok(()), |joker| joker.fmt(f))?;
                write!(f, "@{meld}")
            }
            Command::Discard(card) => write!(f, "/{card}"),
            Command::Undo => f.write_str("undo"),
            Command::TimeOut => f.write_str("timeout"),
            Command::EndPause => f.write_str("resume"),
            Command::ExtendClock { by } => write!(f, "extend:{}", by.as_millis()),
            Command::Stop { void: false, reason } => write!(f, "end:{}", word(reason.text())),
            Command::Stop { void: true, reason } => write!(f, "void:{}", word(reason.text())),
        }
    }
}

fn list(cards: &[Named]) -> String {
    let name = |named: &Named| match named.stands_for {
        Some(face) => format!("{}={face}", named.card),
        None => named.card.to_string(),
    };
    cards.iter().map(name).collect::<Vec<_>>().join(",")
}

fn clock(word: &str) -> Option<Command> {
    match word {
        "timeout" => Some(Command::TimeOut),
        "resume" => Some(Command::EndPause),
        "missed" => Some(Command::EndReadyCheck),
        "lapsed" => Some(Command::EndOffers),
        "close" => Some(Command::Close),
        _ => Some(Command::ExtendClock { by: millis(word.strip_prefix("extend:")?)? }),
    }
}

fn admin(word: &str) -> Option<Command> {
    let (how, reason) = word.split_once(':')?;
    let void = match how {
        "end" => false,
        "void" => true,
        _ => return None,
    };
    Some(Command::Stop { void, reason: Reason::new(phrase(reason)?)? })
}

fn of_a_seat(word: &str) -> Option<(Command, Option<Card>)> {
    let command = match word {
        "leave" => Command::Leave,
        "back" => Command::Resume,
        "undo" => Command::Undo,
        "settings" => Command::ChangeSettings,
        "ready" => Command::Ready { client_seed: ClientSeed::default() },
        "*" => Command::Draw(Source::Stock),
        _ => return longer(word),
    };
    Some((command, None))
}

fn longer(word: &str) -> Option<(Command, Option<Card>)> {
    if let Some(command) = of_a_host(word) {
        return Some((command, None));
    }
    if let Some(bot) = word.strip_prefix("bot:") {
        let (strength, seat) = match bot.split_once('@') {
            Some((strength, seat)) => (strength, Some(numbered(seat)?)),
            None => (bot, None),
        };
        return Some((Command::AddBot { seat, strength: strength.parse().ok()? }, None));
    }
    if let Some(seat) = word.strip_prefix("unbot@") {
        return Some((Command::RemoveBot { seat: numbered(seat)? }, None));
    }
    if let Some(seed) = word.strip_prefix("ready:") {
        let client_seed = ClientSeed::new(hex::decode(seed).ok()?)?;
        return Some((Command::Ready { client_seed }, None));
    }
    if let Some(card) = word.strip_prefix('*') {
        return Some((Command::Draw(Source::Stock), Some(card.parse().ok()?)));
    }
    if let Some(card) = word.strip_prefix('^') {
        return Some((Command::Draw(Source::Discard), Some(card.parse().ok()?)));
    }
    if let Some(card) = word.strip_prefix('/') {
        return Some((Command::Discard(card.parse().ok()?), None));
    }
    if let Some(melds) = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
        let melds: Option<Vec<_>> = melds.split("][").map(names).collect();
        return Some((Command::Meld(melds?), None));
    }
    if let Some((cards, place)) = word.split_once('>') {
        let (meld, end) = match place.split_once('.') {
            Some((meld, "low")) => (meld, Some(End::Low)),
            Some((meld, "high")) => (meld, Some(End::High)),
            Some(_) => return None,
            None => (place, None),
        };
        return Some((Command::LayOff { meld: meld_id(meld)?, cards: names(cards)?, end }, None));
    }
    let (card, place) = word.split_once('~')?;
    let (joker, meld) = place.split_once('@')?;
    let joker = if joker.is_empty() { None } else { Some(joker.parse().ok()?) };
    Some((Command::SwapJoker { meld: meld_id(meld)?, card: card.parse().ok()?, joker }, None))
}

fn of_a_host(word: &str) -> Option<Command> {
    let (what, rest) = word.split_once(':')?;
    Some(match what {
        "remove" => Command::Remove { player: PlayerId(read_id(rest)?) },
        "host" => Command::HandOver { player: PlayerId(read_id(rest)?) },
        "check" => Command::AskReady { within: millis(rest)? },
        "rematch" => Command::Rematch { game: GameRef(read_id(rest)?) },
        "offer" => {
            let (player, rest) = rest.split_once('@')?;
            let (seat, within) = rest.split_once(':')?;
            let player = PlayerId(read_id(player)?);
            Command::Offer { seat: numbered(seat)?, player, within: millis(within)? }
        }
        _ => return None,
    })
}

fn id(id: u128) -> Uuid {
    Uuid::from_u128(id)
}

fn read_id(text: &str) -> Option<u128> {
    Uuid::try_parse(text).ok().map(|id| id.as_u128())
}

fn millis(text: &str) -> Option<Duration> {
    text.parse().ok().map(Duration::from_millis)
}

fn numbered(seat: &str) -> Option<Seat> {
    seat.parse().ok().and_then(Seat::new)
}

fn meld_id(text: &str) -> Option<MeldId> {
    text.strip_prefix('m')?.parse().ok().map(MeldId)
}

fn names(text: &str) -> Option<Vec<Named>> {
    let name = |text: &str| {
        let (card, face) = match text.split_once('=') {
            Some((card, face)) => (card, Some(face.parse::<Face>().ok()?)),
            None => (text, None),
        };
        Some(Named { card: card.parse().ok()?, stands_for: face })
    };
    text.split(',').map(name).collect()
}
