//! What one viewer sees of a table: a plain value that has no room for what is hidden from him.

mod fold;
mod imagine;
mod look;

use crate::card::Card;
use crate::chance::{ClientSeed, Commitment, Millis};
use crate::command::MeldId;
use crate::event::{DealEnded, GameOver, Viewer};
use crate::lobby::Lobby;
use crate::meld::Meld;
use crate::reason::Reason;
use crate::ruleset::Ruleset;
use crate::seat::{GameRef, PlayerId, Seat, Seats};
use crate::strength::Strength;

pub use fold::Observer;

/// A table as a viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Whose view it is.
    pub viewer: Viewer,
    /// The rules in full.
    pub rules: Box<Ruleset>,
    /// The version of the rules by which moves are judged.
    pub rules_version: u32,
    /// Somebody has chosen its decks: its shuffles prove nothing.
    pub sandbox: bool,
    /// The seats, in order.
    pub seats: Vec<SeatView>,
    /// How many deals have begun.
    pub deals: u16,
    /// The commitment to the seed of the next deal, if there will be one.
    pub next_commitment: Option<Commitment>,
    /// What each deal so far counted: by deal, then by seat.
    pub sheet: Vec<Vec<i32>>,
    /// Where the game stands.
    pub stage: Stage,
    /// Why an administrator has stopped the game, if one has.
    pub stopped: Option<Reason>,
    /// What is agreed before the first deal.
    pub lobby: Lobby,
    /// The game that follows this one with the same people.
    pub rematch: Option<GameRef>,
}

impl View {
    /// The host's seat, before the first deal.
    pub fn host(&self) -> Option<Seat> {
        let seats = Seat::first(self.seats.len() as u8);
        let first = || seats.into_iter().find(|seat| self.seats[seat.index()].player.is_some());
        if self.stage == Stage::Waiting { self.lobby.host.or_else(first) } else { None }
    }
}

/// A seat as everybody sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatView {
    /// Who sits there.
    pub player: Option<PlayerId>,
    /// The bot that plays: for itself, or for the player until he comes back.
    pub bot: Option<Strength>,
    /// Points of the finished deals.
    pub total: i32,
    /// Ready for the next deal.
    pub ready: bool,
    /// Still in the game.
    pub standing: Standing,
    /// Timeouts in a row.
    pub timeouts: u8,
}

/// Whether a seat plays on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    In,
    /// It is out by the limit since this deal (RULES 12).
    Eliminated {
        /// The deal after which it was out.
        deal: u16,
    },
    /// It was given up (RULES 16).
    Forfeited {
        /// How many seats had been given up before it.
        order: u8,
    },
}

/// Where a game stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Before the first deal.
    Waiting,
    /// A deal is being played.
    Playing(Box<DealView>),
    /// Between two deals (RULES 17).
    Between {
        /// How the last one ended.
        last: Box<DealEnded>,
    },
    /// The game is over.
    Over {
        /// How the last deal ended; `None` if there was none.
        last: Option<Box<DealEnded>>,
        /// Why the game is over.
        cause: GameOver,
        /// The place of each seat from 1, by seat; 0 for a seat nobody took.
        places: Vec<u8>,
    },
}

/// A running deal as a viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DealView {
    /// The deal, from 1.
    pub deal: u16,
    /// Who dealt.
    pub dealer: Seat,
    /// Who had the first turn.
    pub starter: Seat,
    /// The commitment to the server's seed.
    pub commitment: Commitment,
    /// Whose seeds counted in the shuffle.
    pub client_seeds: Vec<(Seat, ClientSeed)>,
    /// The viewer's own cards, sorted by their bytes; empty for the public.
    pub hand: Vec<Card>,
    /// The hands' sizes, by seat; 0 where nobody was dealt in.
    pub hand_counts: Vec<u8>,
    /// How many cards the stock has.
    pub stock_count: u8,
    /// The discard pile, its top last.
    pub pile: Vec<Card>,
    /// The melds on the table, in the order of laying.
    pub melds: Vec<TableMeld>,
    /// Who has laid melds of his own.
    pub opened: Seats,
    /// Points credited for melds so far in this deal, by seat; counted only with meld points.
    pub credited: Vec<u16>,
    /// How often the stock was used up.
    pub stock_uses: u8,
    /// Turns begun.
    pub turns: u16,
    /// What each seat may still overdraw in this deal, in milliseconds, by seat; empty without time banks. The turn's
    /// deadline includes the bank, which is drawn on last (RULES 15).
    pub time_banks: Vec<u32>,
    /// Whose turn it is, and where it stands.
    pub turn: TurnView,
}

/// A meld on the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableMeld {
    /// Its number.
    pub id: MeldId,
    /// Who laid it.
    pub owner: Seat,
    /// The cards.
    pub meld: Meld,
}

/// A turn as a viewer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnView {
    /// Whose turn.
    pub seat: Seat,
    /// A card has been drawn, or none needs to be: plays and the discard are next.
    pub drawn: bool,
    /// The card just drawn from the stock, if the viewer may see it and it is still in the hand.
    pub drawn_card: Option<Card>,
    /// The card taken from the pile this turn (RULES 7).
    pub taken: Option<Card>,
    /// It may go back: a card of its face has been laid.
    pub taken_laid: bool,
    /// The swapped joker that must be laid (RULES 5).
    pub pending: Option<Card>,
    /// There are plays to take back.
    pub can_undo: bool,
    /// Undos of this turn.
    pub undos: u8,
    /// Melds laid in this turn.
    pub melds_laid: u8,
    /// When the time is up.
    pub deadline: Option<Millis>,
}

impl TurnView {
    /// A turn in which nothing has happened yet.
    pub(crate) const fn new(seat: Seat, deadline: Option<Millis>) -> Self {
        Self {
            seat,
            drawn: false,
            drawn_card: None,
            taken: None,
            taken_laid: false,
            pending: None,
            can_undo: false,
            undos: 0,
            melds_laid: 0,
            deadline,
        }
    }
}
