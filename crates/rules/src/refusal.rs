//! Why a command is refused: typed, with the cards and numbers that say by how much.

use crate::card::{Card, Face};
use crate::chance::Millis;
use crate::command::MeldId;
use crate::meld::MeldFault;
use crate::seat::{GameRef, Seat};

/// A refused command. The table is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// Who asks has no seat in this game.
    #[error("only who sits at the table may do that")]
    NotSeated,
    /// The seat plays no more: it is out or was given up.
    #[error("seat {0} is out of the game")]
    OutOfGame(Seat),
    /// Only the service's clock does that.
    #[error("only the clock may do that")]
    ClockOnly,
    /// Only an administrator does that (RULES 21).
    #[error("only an administrator may do that")]
    AdminOnly,
    /// The game has begun: nobody can sit down any more.
    #[error("the game has begun")]
    AlreadyStarted,
    /// The player has a seat.
    #[error("the player has seat {0}")]
    AlreadySeated(Seat),
    /// Every seat is taken.
    #[error("all {0} seats are taken")]
    TableFull(u8),
    /// Somebody else has the seat.
    #[error("seat {0} is taken")]
    SeatTaken(Seat),
    /// The table has no such seat.
    #[error("there is no seat {seat}: the table has {seats}")]
    NoSuchSeat {
        /// The seat asked for.
        seat: Seat,
        /// How many there are.
        seats: u8,
    },
    /// The player has said so already.
    #[error("seat {0} is ready already")]
    AlreadyReady(Seat),
    /// Readiness is asked for between deals only.
    #[error("a deal is being played")]
    DealRunning,
    /// No deal is being played.
    #[error("no deal is being played")]
    NoDealRunning,
    /// Another seat's turn.
    #[error("it is the turn of seat {0}")]
    NotYourTurn(Seat),
    /// A turn begins with a draw.
    #[error("draw a card first")]
    DrawFirst,
    /// One draw a turn.
    #[error("a card has been drawn in this turn")]
    AlreadyDrawn,
    /// There is nothing on the discard pile.
    #[error("the discard pile is empty")]
    PileEmpty,
    /// A command that names no card.
    #[error("no card is named")]
    NoCards,
    /// A card is named twice.
    #[error("{0} is named twice")]
    NamedTwice(Card),
    /// The player doesn't hold the card.
    #[error("{0} is not in the hand")]
    NotInHand(Card),
    /// A list of cards is no meld.
    #[error("meld {} is none: {fault}", .index + 1)]
    NotAMeld {
        /// Which meld of the command, from 0.
        index: usize,
        /// Why.
        fault: MeldFault,
        /// Its cards.
        cards: Vec<Card>,
    },
    /// The table's rules allow one meld a turn.
    #[error("only one meld may be laid in a turn")]
    OneMeldPerTurn,
    /// The melds of the opening are worth too little (RULES 3).
    #[error("the opening is worth {have} of {need} points")]
    OpeningBelowMinimum {
        /// What they are worth.
        have: u16,
        /// What is needed.
        need: u16,
        /// A pure run is missing as well.
        pure_run_missing: bool,
    },
    /// No meld of the opening is a run without a joker (RULES 3).
    #[error("the opening has no pure run")]
    OpeningWithoutPureRun {
        /// What the melds are worth, which is enough.
        points: u16,
    },
    /// Not before a meld of one's own in this deal (RULES 3, 4, 5).
    #[error("that needs a meld of one's own first")]
    OpenFirst,
    /// In this deal the whole hand must be laid at once (RULES 14).
    #[error("in this deal a command of melds must leave at most one card, not {left}")]
    WholeHandAtOnce {
        /// How many would be left.
        left: usize,
    },
    /// No such meld on the table.
    #[error("there is no meld {0}")]
    NoSuchMeld(MeldId),
    /// The cards can't be laid off there (RULES 4).
    #[error("the cards don't fit meld {meld}: {fault}")]
    DoesNotFit {
        /// The meld.
        meld: MeldId,
        /// Why.
        fault: LayOffFault,
        /// The cards.
        cards: Vec<Card>,
    },
    /// This would leave no card for the discard (RULES 6).
    #[error("one card must be left to discard")]
    NoCardLeftToDiscard,
    /// The rules of this table know no joker swap.
    #[error("jokers are not swapped at this table")]
    NoJokerSwap,
    /// The meld doesn't have this joker.
    #[error("{joker} is no joker of meld {meld}")]
    NoSuchJoker {
        /// The card named as the joker.
        joker: Card,
        /// The meld.
        meld: MeldId,
    },
    /// The card is not what a joker of the meld stands for (RULES 5).
    #[error("{card} takes no joker's place in meld {meld}")]
    NotTheJokersPlace {
        /// The card.
        card: Card,
        /// The meld.
        meld: MeldId,
    },
    /// A swapped joker must be laid first (RULES 5).
    #[error("{0} must be laid first")]
    JokerPending(Card),
    /// After this a swapped joker could no longer be laid (RULES 5).
    #[error("{0} could not be laid any more in this turn")]
    JokerHasNoPlace(Card),
    /// At this table a swapped joker goes into a new meld (RULES 5).
    #[error("{0} must go into a new meld")]
    JokerMustBeMelded(Card),
    /// A card taken from the pile doesn't go back in the same turn (RULES 7).
    #[error("{card} may not be discarded: {taken} was taken from the pile in this turn")]
    TakenDiscard {
        /// The card.
        card: Card,
        /// The card that was taken.
        taken: Card,
    },
    /// Only the host may ask bots to the table.
    #[error("only seat {0}, the host's, may do that")]
    NotHost(Seat),
    /// A host has removed the player from this table.
    #[error("the host has removed this player from the table")]
    Removed,
    /// The player named has no seat at the table, or is the host himself.
    #[error("no other player of that id sits at the table")]
    NoOtherPlayer,
    /// Everybody can be asked to be ready only while no seat is free.
    #[error("{0} seats are free")]
    SeatsFree(u8),
    /// Everybody has been asked to be ready.
    #[error("everybody has been asked to be ready by {}", .0.0)]
    ReadyAsked(Millis),
    /// The seat is kept for somebody else.
    #[error("seat {0} is kept for another player")]
    SeatKept(Seat),
    /// No seat is kept for the player.
    #[error("no seat is kept for this player")]
    NoOffer,
    /// The game isn't over.
    #[error("the game is not over")]
    NotOver,
    /// There is another game with the same people.
    #[error("the rematch is game {0}")]
    RematchMade(GameRef),
    /// No bot plays the seat.
    #[error("no bot plays seat {0}")]
    NoBot(Seat),
    /// A bot plays the seat, for its player too: he may come back, but not leave once more.
    #[error("a bot plays seat {0}")]
    BotPlays(Seat),
    /// There are no plays in this turn (RULES 18).
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// A turn has a bounded number of undos.
    #[error("a turn has at most {0} undos")]
    TooManyUndos(u8),
    /// The table has no clock.
    #[error("the table has no clock")]
    NoClock,
    /// The clock is early.
    #[error("the time is not up before {}", .0.0)]
    NotTimeYet(Millis),
}

/// Why cards can't be laid off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LayOffFault {
    /// Another suit than the run's.
    #[error("{0} is not of its suit")]
    OtherSuit(Card),
    /// Another rank than the group's.
    #[error("{0} is not of its rank")]
    OtherRank(Card),
    /// The group has that suit, or two of the cards share it.
    #[error("it would have {0} twice")]
    FaceTwice(Face),
    /// The group would have more than four cards.
    #[error("a group has at most four cards")]
    GroupFull,
    /// The cards don't continue the run at that end, or go past an ace.
    #[error("{0} does not continue the run there")]
    NotNext(Card),
    /// The run would have more than thirteen cards.
    #[error("a run has at most thirteen cards")]
    RunFull,
    /// It would have more jokers than natural cards.
    #[error("it would have {jokers} jokers and {naturals} natural cards")]
    TooManyJokers {
        /// Jokers it would have.
        jokers: usize,
        /// Natural cards it would have.
        naturals: usize,
    },
    /// Two jokers would lie side by side.
    #[error("two jokers would lie side by side")]
    AdjacentJokers,
    /// The card belongs where a joker lies: that is a swap (RULES 4).
    #[error("{card} stands where {joker} lies: swap it")]
    JokersPlace {
        /// The card.
        card: Card,
        /// The joker in its place.
        joker: Card,
    },
    /// A card or joker is bound to a face that it can't have there.
    #[error("{0} can't stand for {1} there")]
    WrongBinding(Card, Face),
}
