//! What can be asked of a table.

use std::fmt;
use std::time::Duration;

use crate::card::Card;
use crate::chance::ClientSeed;
use crate::meld::Named;
use crate::reason::Reason;
use crate::seat::{GameRef, PlayerId, Seat};
use crate::strength::Strength;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A player who has no seat (yet).
    Player(PlayerId),
    /// Whoever holds the seat.
    Seat(Seat),
    /// The bot that plays the seat.
    Bot(Seat),
    /// The service's clock.
    Clock,
    /// Whoever runs the service.
    Admin,
}

/// Where a card is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The face-down stock.
    Stock,
    /// The top of the discard pile.
    Discard,
}

/// An end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// Below its first card.
    Low,
    /// Above its last card.
    High,
}

/// A meld of the deal on the table, numbered from 1 in the order of laying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeldId(pub u16);

impl fmt::Display for MeldId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", self.0)
    }
}

/// A command: what somebody wants done, judged by [`decide`](crate::decide::decide).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Take a seat, the first free one unless named, before the first deal.
    Join {
        /// The seat wanted.
        seat: Option<Seat>,
    },
    /// Give the seat back before the first deal; afterwards give the game up (RULES 16).
    Leave,
    /// Say that the next deal may begin, and add to its shuffle (RULES 17).
    Ready {
        /// The player's part in the shuffle.
        client_seed: ClientSeed,
    },
    /// Draw a card, at the beginning of a turn.
    Draw(Source),
    /// Lay one or more melds, judged together where they are the opening (RULES 3).
    Meld(Vec<Vec<Named>>),
    /// Add cards to a meld on the table, all or none (RULES 4).
    LayOff {
        /// The meld.
        meld: MeldId,
        /// The cards, in any order that works.
        cards: Vec<Named>,
        /// The end of the run that they go to; the dearer way if not given.
        end: Option<End>,
    },
    /// Put the real card in a joker's place and take the joker (RULES 5).
    SwapJoker {
        /// The meld.
        meld: MeldId,
        /// The card from the hand.
        card: Card,
        /// The joker; the one whose place the card fits if not given.
        joker: Option<Card>,
    },
    /// Discard a card, which ends the turn (RULES 7).
    Discard(Card),
    /// Take back all plays of this turn (RULES 18).
    Undo,
    /// The host: let a bot have a seat before the first deal (RULES 16).
    AddBot {
        /// The seat; the first free one if not given.
        seat: Option<Seat>,
        /// How well it plays.
        strength: Strength,
    },
    /// The host: take a bot's seat back before the first deal.
    RemoveBot {
        /// Which.
        seat: Seat,
    },
    /// The host: take a player's seat from him before the first deal, for good.
    Remove {
        /// Whom.
        player: PlayerId,
    },
    /// The host: let another player be the host.
    HandOver {
        /// Whom.
        player: PlayerId,
    },
    /// The host: who isn't ready within a time loses the seat. Only while no seat is free.
    AskReady {
        /// The time, to the millisecond.
        within: Duration,
    },
    /// The host: change what the rules know nothing of, before the first deal.
    ChangeSettings,
    /// The host: keep a free seat for a player for a time.
    Offer {
        /// Which.
        seat: Seat,
        /// For whom.
        player: PlayerId,
        /// The time, to the millisecond.
        within: Duration,
    },
    /// A player: not take the seat that is kept for him.
    Decline,
    /// Ask the same people to another game, after this one.
    Rematch {
        /// The other game.
        game: GameRef,
    },
    /// Play the own seat again, which a bot has held (RULES 15).
    Resume,
    /// The clock: the time of the seat whose turn it is has run out (RULES 15).
    TimeOut,
    /// The clock: the time by which everybody had to be ready is over.
    EndReadyCheck,
    /// The clock: the time for which seats were kept is over.
    EndOffers,
    /// The clock: nobody comes to a table that waits for its first deal.
    Close,
    /// The clock: the pause between two deals is over (RULES 17).
    EndPause,
    /// The clock: the player whose turn it is couldn't play for so long, since the service was down (RULES 15); or nobody
    /// could say that he is ready.
    ExtendClock {
        /// The time lost, to the millisecond.
        by: Duration,
    },
    /// The administrator: the game is over here and now, whatever it waits for (RULES 21).
    Stop {
        /// It has no result; otherwise its result is that of the finished deals.
        void: bool,
        /// Why, for everybody to read.
        reason: Reason,
    },
}

/// The command in the notation of the rules' test cases, one line.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Join { seat: Some(seat) } => write!(f, "join {seat}"),
            Self::Join { seat: None } => f.write_str("join"),
            Self::Leave => f.write_str("leave"),
            Self::AddBot { seat: Some(seat), strength } => write!(f, "add bot {strength} {seat}"),
            Self::AddBot { seat: None, strength } => write!(f, "add bot {strength}"),
            Self::RemoveBot { seat } => write!(f, "remove bot {seat}"),
            Self::Remove { player } => write!(f, "remove {player}"),
            Self::HandOver { player } => write!(f, "hand over {player}"),
            Self::AskReady { within } => write!(f, "ask ready {}", within.as_millis()),
            Self::ChangeSettings => f.write_str("change settings"),
            Self::Offer { seat, player, within } => {
                write!(f, "offer {seat} {player} {}", within.as_millis())
            }
            Self::Decline => f.write_str("decline"),
            Self::Rematch { game } => write!(f, "rematch {game}"),
            Self::EndReadyCheck => f.write_str("end ready check"),
            Self::EndOffers => f.write_str("end offers"),
            Self::Close => f.write_str("close"),
            Self::Resume => f.write_str("resume"),
            Self::Ready { client_seed } => {
                f.write_str("ready")?;
                client_seed.bytes().iter().enumerate().try_for_each(|(index, byte)| {
                    write!(f, "{}{byte:02x}", if index == 0 { " " } else { "" })
                })
            }
            Self::Draw(Source::Stock) => f.write_str("draw stock"),
            Self::Draw(Source::Discard) => f.write_str("draw discard"),
            Self::Meld(melds) => {
                f.write_str("meld")?;
                melds.iter().try_for_each(|cards| {
                    f.write_str(" [")?;
                    list(f, cards)?;
                    f.write_str("]")
                })
            }
            Self::LayOff { meld, cards, end } => {
                f.write_str("layoff ")?;
                list(f, cards)?;
                write!(f, " -> {meld}")?;
                match end {
                    Some(End::Low) => f.write_str(" low"),
                    Some(End::High) => f.write_str(" high"),
                    None => Ok(()),
                }
            }
            Self::SwapJoker { meld, card, joker: Some(joker) } => {
                write!(f, "swap {card} <-> {joker} in {meld}")
            }
            Self::SwapJoker { meld, card, joker: None } => write!(f, "swap {card} in {meld}"),
            Self::Discard(card) => write!(f, "discard {card}"),
            Self::Undo => f.write_str("undo"),
            Self::TimeOut => f.write_str("time out"),
            Self::EndPause => f.write_str("end pause"),
            Self::ExtendClock { by } => write!(f, "extend clock {}", by.as_millis()),
            Self::Stop { void: false, reason } => write!(f, "end game: {reason}"),
            Self::Stop { void: true, reason } => write!(f, "void game: {reason}"),
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, cards: &[Named]) -> fmt::Result {
    cards.iter().enumerate().try_for_each(|(index, named)| {
        let space = if index == 0 { "" } else { " " };
        match named.stands_for {
            Some(face) => write!(f, "{space}{}={face}", named.card),
            None => write!(f, "{space}{}", named.card),
        }
    })
}
