//! What has happened at a table. Events carry outcomes, so that applying one never needs a rule.
//!
//! An event is generic over what is known of it. `Event<Full>` is what happened and what a log stores;
//! [`observed_by`](Event::observed_by) makes an `Event<Seen>`, which cannot hold what its viewer may not see.

mod shown;

use std::fmt::Debug;

use crate::card::Card;
use crate::chance::{ClientSeed, Commitment, Millis, Seed};
use crate::command::MeldId;
use crate::meld::Meld;
use crate::reason::Reason;
use crate::ruleset::Ruleset;
use crate::sandbox::Arrangement;
use crate::seat::{GameRef, PlayerId, Seat};
use crate::strength::Strength;

/// How much an event tells.
pub trait Knowledge: Debug + Clone + PartialEq + Eq {
    /// A card that others may not see.
    type Card: Debug + Clone + Copy + PartialEq + Eq;
    /// What nobody may see while the deal runs.
    type Secret<T: Debug + Clone + PartialEq + Eq>: Debug + Clone + PartialEq + Eq;
}

/// Everything is known: the server's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {}

impl Knowledge for Full {
    type Card = Card;
    type Secret<T: Debug + Clone + PartialEq + Eq> = T;
}

/// Only what one viewer may see: a card may be hidden, and there are no secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {}

impl Knowledge for Seen {
    type Card = Option<Card>;
    type Secret<T: Debug + Clone + PartialEq + Eq> = ();
}

/// Who looks at a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// The player of a seat.
    Seat(Seat),
    /// Anybody else.
    Public,
}

impl Viewer {
    /// Whether the viewer sees the hand of a seat.
    pub fn sees(self, seat: Seat) -> bool {
        self == Self::Seat(seat)
    }
}

/// Something that has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<K: Knowledge = Full> {
    /// The table was opened: the first event of every game.
    GameCreated {
        /// The rules in full.
        rules: Box<Ruleset>,
        /// The version of the rules by which its moves are judged.
        rules_version: u32,
        /// How many seats it has.
        seats: u8,
    },
    /// Somebody has chosen decks of this game: it is a sandbox. Comes right behind the creation, or never.
    SandboxArranged {
        /// What was chosen.
        arrangement: K::Secret<Box<Arrangement>>,
    },
    /// The server bound itself to a seed before players add theirs.
    SeedCommitted {
        /// The deal it is for, from 1.
        deal: u16,
        /// What is published.
        commitment: Commitment,
        /// The seed itself.
        seed: K::Secret<Seed>,
    },
    /// A player sat down.
    SeatTaken {
        /// Where.
        seat: Seat,
        /// Who.
        player: PlayerId,
    },
    /// A player or a bot got up before the first deal.
    SeatLeft {
        /// From where.
        seat: Seat,
    },
    /// A bot plays a seat from now on.
    BotSeated {
        /// Which.
        seat: Seat,
        /// How well it plays.
        strength: Strength,
        /// Why its player is away (RULES 15, 16); `None` where nobody sat.
        absent: Option<Forfeit>,
    },
    /// A player is back and plays the seat that a bot held (RULES 15).
    SeatResumed {
        /// Which.
        seat: Seat,
    },
    /// The host has removed a player before the first deal; he doesn't sit down here again.
    PlayerRemoved {
        /// From where.
        seat: Seat,
    },
    /// Another player is the host.
    HostChanged {
        /// Who.
        seat: Seat,
    },
    /// The host has asked everybody to be ready by a time; or the clock has put the time off, since the service was
    /// down.
    ReadyAsked {
        /// When seats are lost whose players aren't.
        until: Millis,
    },
    /// A player wasn't ready in time and has lost the seat.
    ReadyMissed {
        /// Which.
        seat: Seat,
    },
    /// The host has changed what the rules know nothing of: the table's name, its language, who may sit.
    SettingsChanged,
    /// A free seat is kept for a player.
    SeatOffered {
        /// Which.
        seat: Seat,
        /// For whom.
        player: PlayerId,
        /// Until when.
        until: Millis,
    },
    /// A seat isn't kept any more: the player has declined, or the time is up.
    OfferEnded {
        /// Which.
        seat: Seat,
    },
    /// The same people are asked to another game, after this one.
    RematchMade {
        /// By whom.
        seat: Seat,
        /// The other game.
        game: GameRef,
    },
    /// A player is ready for the next deal.
    BecameReady {
        /// Who.
        seat: Seat,
        /// The player's part in the shuffle; empty if none was given.
        client_seed: ClientSeed,
    },
    /// The first dealer was found.
    DealerChosen {
        /// Who deals.
        dealer: Seat,
        /// The cards that were cut, by seat; empty where chance alone decided.
        cut: Vec<(Seat, Card)>,
    },
    /// The cards were dealt.
    Dealt(Box<Dealt<K>>),
    /// A turn began.
    TurnStarted {
        /// Whose.
        seat: Seat,
        /// It begins with plays: the starter of a deal with an extra card doesn't draw (RULES 14).
        drawn: bool,
        /// When the time is up, if there is a clock.
        deadline: Option<Millis>,
    },
    /// A card was drawn from the stock.
    StockDrawn {
        /// By whom.
        seat: Seat,
        /// Which.
        card: K::Card,
    },
    /// The top card of the pile was taken.
    DiscardTaken {
        /// By whom.
        seat: Seat,
        /// Which.
        card: Card,
    },
    /// Melds were laid.
    Melded {
        /// By whom.
        seat: Seat,
        /// They are the player's opening.
        opening: bool,
        /// The melds as they were read, with their numbers.
        melds: Vec<(MeldId, Meld)>,
        /// What they are worth on the table.
        points: u16,
    },
    /// Cards were added to a meld.
    LaidOff {
        /// By whom.
        seat: Seat,
        /// To which.
        meld: MeldId,
        /// Cards put before the meld's first, in their order from low to high.
        low: Vec<Card>,
        /// Cards put behind its last, in their order.
        high: Vec<Card>,
        /// What they are worth there.
        points: u16,
    },
    /// A joker on the table was swapped for the card it stood for.
    JokerSwapped {
        /// By whom.
        seat: Seat,
        /// In which meld.
        meld: MeldId,
        /// The card that took the place.
        card: Card,
        /// The joker that joined the hand.
        joker: Card,
        /// It must be laid in this turn (RULES 5).
        pending: bool,
        /// What the card is worth there.
        points: u16,
    },
    /// All plays of the turn were taken back (RULES 18).
    PlaysUndone {
        /// By whom.
        seat: Seat,
    },
    /// A card was discarded.
    Discarded {
        /// By whom.
        seat: Seat,
        /// Which.
        card: Card,
    },
    /// The stock was used up and renewed from the pile (RULES 8).
    StockReused {
        /// The card that stays on the pile.
        kept: Option<Card>,
        /// How many cards the new stock has.
        count: u8,
        /// The new stock, the card to be drawn next last.
        stock: K::Secret<Vec<Card>>,
    },
    /// A player's time ran out (RULES 15).
    TimedOut {
        /// Whose.
        seat: Seat,
        /// For which time in a row.
        in_a_row: u8,
    },
    /// A turn took more than its own time, and the rest of the time bank is less (RULES 15).
    TimeBankUsed {
        /// Whose.
        seat: Seat,
        /// What is left of it in this deal, in milliseconds.
        left: u32,
    },
    /// The turn's deadline was moved, since the service was down (RULES 15).
    ClockExtended {
        /// Whose turn it is.
        seat: Seat,
        /// When the time is up now.
        until: Millis,
    },
    /// A seat was given up: its hand is put aside, its melds stay (RULES 16).
    SeatForfeited {
        /// Which.
        seat: Seat,
        /// Why.
        cause: Forfeit,
    },
    /// An administrator stops the game: the deal is broken off and the game is over (RULES 21).
    GameStopped {
        /// Why.
        reason: Reason,
    },
    /// The deal is over and scored.
    DealEnded(Box<DealEnded>),
    /// The game is over.
    GameEnded {
        /// Why.
        cause: GameOver,
        /// The place of each seat from 1, shared where equal; by seat, 0 for a seat nobody took. All 0 where there is
        /// no result.
        places: Vec<u8>,
    },
}

/// The cards of a deal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dealt<K: Knowledge = Full> {
    /// The deal, from 1.
    pub deal: u16,
    /// Who deals.
    pub dealer: Seat,
    /// Who has the first turn.
    pub starter: Seat,
    /// Whose seeds count in this deal's shuffles, in this order.
    pub client_seeds: Vec<(Seat, ClientSeed)>,
    /// The hands, by the seats dealt in.
    pub hands: Vec<(Seat, Vec<K::Card>)>,
    /// The card that starts the discard pile.
    pub upcard: Option<Card>,
    /// How many cards the stock has.
    pub stock_count: u8,
    /// The stock, the card to be drawn first last.
    pub stock: K::Secret<Vec<Card>>,
}

/// How a deal ended and what it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DealEnded {
    /// How it ended.
    pub outcome: Outcome,
    /// All hands as they were, by the seats dealt in.
    pub hands: Vec<(Seat, Vec<Card>)>,
    /// What each seat dealt in gets, in points of the game's scoring; empty for a deal that doesn't count.
    pub scores: Vec<(Seat, i32)>,
    /// The totals after it, by seat.
    pub totals: Vec<i32>,
    /// Who is out from here on (RULES 12).
    pub eliminated: Vec<Seat>,
    /// The server's seed, for everybody to check the deck.
    pub seed: Seed,
    /// When the next deal begins at the latest (RULES 17).
    pub pause_until: Millis,
}

/// How a deal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Somebody went out.
    WentOut {
        /// Who.
        seat: Seat,
        /// In one turn with nothing laid before it (RULES 10).
        rummy: bool,
    },
    /// Nobody did.
    Blocked(Block),
    /// Too few players are left, or the game was stopped; it doesn't count.
    Abandoned,
}

/// Why a deal is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// The stock was used up for the last time (RULES 8).
    StockUsedUp,
    /// There was no pile to make a stock from (RULES 8).
    NothingToReuse,
    /// The most turns were played (RULES 9).
    TurnLimit,
}

/// Why a seat was given up, or given to a bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forfeit {
    /// The player left.
    Left,
    /// The player's time ran out too often in a row.
    TimedOut,
}

/// Why a game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameOver {
    /// A total has reached the limit.
    LimitReached,
    /// Only one is left in, or none.
    AllButOneOut,
    /// The agreed deals are played.
    DealsPlayed,
    /// All others gave up.
    Forfeited,
    /// Everybody has left, or only bots still play.
    Abandoned,
    /// An administrator has ended it: the places are those after the last finished deal (RULES 21).
    Stopped,
    /// An administrator has voided it: it has no result (RULES 21).
    Voided,
}
