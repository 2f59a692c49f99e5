use remik_rules::event::{Event, Seen};
use remik_rules::ruleset::Aces;

use super::FeedSeat;
use crate::store::{Cursor, GameId, Millis};

/// A move of any game with what everybody at the table may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEntry {
    /// The place behind it.
    pub cursor: Cursor,
    /// The game.
    pub game: GameId,
    /// The move's number.
    pub number: u32,
    /// When it was made.
    pub made_at: Millis,
    /// Whose move it is; `None` for the clock's.
    pub seat: Option<u8>,
    /// What it brings, each once.
    pub kinds: Vec<Kind>,
    /// What happened.
    pub events: Vec<Event<Seen>>,
    /// The seats before the move, in order.
    pub seats_before: Vec<FeedSeat>,
    /// The seats after it.
    pub seats: Vec<FeedSeat>,
    /// The name of the game's preset.
    pub preset: String,
    /// The game's option, by which melds are worth their points.
    pub aces: Aces,
}

/// What a move brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The table was opened.
    GameOpened,
    /// Who plays which seat has changed.
    SeatsChanged,
    /// A player is ready.
    PlayerReady,
    /// The first deal was dealt.
    GameStarted,
    /// A deal was dealt.
    DealStarted,
    /// A turn began.
    TurnStarted,
    /// Cards were drawn, laid, swapped, taken back or discarded.
    Played,
    /// A deadline passed or was moved.
    Clock,
    /// A deal ended.
    DealEnded,
    /// The game ended.
    GameEnded,
    /// The host, what he says of the table, or for whom seats are kept has changed; or the same people are asked to another game.
    TableChanged,
}

impl Kind {
    /// What the events of a move bring, each once and in the order of the kinds.
    pub fn of_move(events: &[Event]) -> Vec<Self> {
        let mut kinds: Vec<Self> = events.iter().filter_map(Self::of).collect();
        let first = |event: &Event| matches!(event, Event::Dealt(dealt) if dealt.deal == 1);
        kinds.extend(events.iter().any(first).then_some(Self::GameStarted));
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    fn of(event: &Event) -> Option<Self> {
        match event {
            Event::GameCreated { .. } => Some(Self::GameOpened),
            Event::SeatTaken { .. }
            | Event::SeatLeft { .. }
            | Event::BotSeated { .. }
            | Event::SeatResumed { .. }
            | Event::PlayerRemoved { .. }
            | Event::ReadyMissed { .. }
            | Event::SeatForfeited { .. } => Some(Self::SeatsChanged),
            Event::HostChanged { .. }
            | Event::ReadyAsked { .. }
            | Event::SettingsChanged
            | Event::SeatOffered { .. }
            | Event::OfferEnded { .. }
            | Event::RematchMade { .. } => Some(Self::TableChanged),
            Event::BecameReady { .. } => Some(Self::PlayerReady),
            Event::Dealt(_) => Some(Self::DealStarted),
            Event::TurnStarted { .. } => Some(Self::TurnStarted),
            Event::StockDrawn { .. }
            | Event::DiscardTaken { .. }
            | Event::Melded { .. }
            | Event::LaidOff { .. }
            | Event::JokerSwapped { .. }
            | Event::PlaysUndone { .. }
            | Event::Discarded { .. } => Some(Self::Played),
            Event::TimedOut { .. } | Event::TimeBankUsed { .. } | Event::ClockExtended { .. } => {
                Some(Self::Clock)
            }
            Event::DealEnded(_) => Some(Self::DealEnded),
            Event::GameEnded { .. } => Some(Self::GameEnded),
            _ => None,
        }
    }
}
