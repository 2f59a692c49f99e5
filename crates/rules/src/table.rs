//! A table: the whole state of a game. Only [`evolve`](crate::evolve) changes it.

use crate::card::Card;
use crate::cards::Cards;
use crate::chance::{ClientSeed, Commitment, Millis, Seed};
use crate::command::{Command, MeldId};
use crate::event::{DealEnded, Event, Full, GameOver};
use crate::lobby::Lobby;
use crate::reason::Reason;
use crate::ruleset::{MAX_SEATS, Ruleset};
use crate::sandbox::Arrangement;
use crate::seat::{GameRef, PlayerId, Seat, Seats};
use crate::strength::Strength;
use crate::view::{Standing, TableMeld};

/// The most undos in a turn (RULES 18).
pub const MOST_UNDOS: u8 = 8;

/// The state of a game, all cards known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub(crate) rules: Box<Ruleset>,
    pub(crate) rules_version: u32,
    /// What was chosen for the game, if it is a sandbox.
    pub(crate) sandbox: Option<Box<Arrangement>>,
    pub(crate) seats: Vec<SeatState>,
    /// Deals begun.
    pub(crate) deals: u16,
    pub(crate) last_dealer: Option<Seat>,
    /// The seed of the next deal.
    pub(crate) next_seed: Option<(Seed, Commitment)>,
    /// What each deal counted, by deal and seat.
    pub(crate) sheet: Vec<Vec<i32>>,
    pub(crate) phase: Phase,
    /// Why an administrator has stopped the game.
    pub(crate) stopped: Option<Reason>,
    pub(crate) lobby: Lobby,
    /// The game that follows this one with the same people.
    pub(crate) rematch: Option<GameRef>,
}

/// A seat through the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SeatState {
    pub(crate) player: Option<PlayerId>,
    /// The bot that plays, for itself where there is no player.
    pub(crate) bot: Option<Strength>,
    pub(crate) total: i32,
    /// The player's part in the next shuffle; given with readiness.
    pub(crate) ready: Option<ClientSeed>,
    pub(crate) standing: Standing,
    /// Timeouts in a row.
    pub(crate) timeouts: u8,
}

/// Where the game stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    Waiting,
    Playing(Box<Deal>),
    Between(Box<DealEnded>),
    Over { last: Option<Box<DealEnded>>, cause: GameOver, places: Vec<u8> },
}

/// A running deal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deal {
    pub(crate) number: u16,
    pub(crate) dealer: Seat,
    pub(crate) starter: Seat,
    pub(crate) seed: Seed,
    pub(crate) commitment: Commitment,
    pub(crate) client_seeds: Vec<(Seat, ClientSeed)>,
    pub(crate) dealt_in: Seats,
    /// Dealt in and not given up.
    pub(crate) active: Seats,
    pub(crate) hands: [Cards; MAX_SEATS],
    /// The card to be drawn next last.
    pub(crate) stock: Vec<Card>,
    /// The top last.
    pub(crate) pile: Vec<Card>,
    pub(crate) melds: Vec<TableMeld>,
    /// Who has laid melds of his own.
    pub(crate) opened: Seats,
    /// Who has laid anything: melds, lay-offs, swaps.
    pub(crate) laid: Seats,
    pub(crate) credited: [u16; MAX_SEATS],
    /// How often the stock was used up.
    pub(crate) stock_uses: u8,
    pub(crate) turns: u16,
    /// What each seat may still overdraw, in milliseconds; 0 without time banks (RULES 15).
    pub(crate) time_banks: [u32; MAX_SEATS],
    pub(crate) turn: Turn,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) seat: Seat,
    pub(crate) deadline: Option<Millis>,
    pub(crate) part: Part,
}

/// A turn's parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Draw,
    Play(Play),
}

/// After the draw: plays, then the discard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Play {
    /// The card drawn from the stock.
    pub(crate) drawn: Option<Card>,
    /// The card taken from the pile.
    pub(crate) taken: Option<Card>,
    /// A card of the taken card's face has been laid since (RULES 7).
    pub(crate) taken_laid: bool,
    /// The swapped joker that must be laid (RULES 5).
    pub(crate) pending: Option<Card>,
    pub(crate) melds_laid: u8,
    /// Nothing of the player was laid before this turn (RULES 10).
    pub(crate) fresh: bool,
    pub(crate) undos: u8,
    /// The player's side as it was after the draw; there once anything is laid (RULES 18).
    pub(crate) before: Option<Box<Before>>,
}

/// What an undo restores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Before {
    pub(crate) hand: Cards,
    pub(crate) melds: Vec<TableMeld>,
    pub(crate) opened: bool,
    pub(crate) credited: u16,
}

impl Play {
    pub(crate) const fn new(drawn: Option<Card>, taken: Option<Card>, fresh: bool) -> Self {
        Self { drawn, taken, taken_laid: false, pending: None, melds_laid: 0, fresh, undos: 0, before: None }
    }
}

impl Table {
    /// A table as its first event makes it; `None` if the event isn't [`Event::GameCreated`].
    pub fn open(event: &Event<Full>) -> Option<Self> {
        let Event::GameCreated { rules, rules_version, seats } = event else { return None };
        let seat =
            SeatState { player: None, bot: None, total: 0, ready: None, standing: Standing::In, timeouts: 0 };
        Some(Self {
            rules: rules.clone(),
            rules_version: *rules_version,
            sandbox: None,
            seats: vec![seat; usize::from(*seats).min(MAX_SEATS)],
            deals: 0,
            last_dealer: None,
            next_seed: None,
            sheet: Vec::new(),
            phase: Phase::Waiting,
            stopped: None,
            lobby: Lobby::default(),
            rematch: None,
        })
    }

    /// Its rules.
    pub fn rules(&self) -> &Ruleset {
        &self.rules
    }

    /// What was chosen for the game, if it is a sandbox: nobody at the table may see it.
    pub fn sandbox(&self) -> Option<&Arrangement> {
        self.sandbox.as_deref()
    }

    /// How many seats it has.
    pub fn seat_count(&self) -> u8 {
        self.seats.len() as u8
    }

    /// The seat of a player, given up or not.
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        Seat::first(self.seat_count()).find(|seat| self.seats[seat.index()].player == Some(player))
    }

    /// The player of a seat.
    pub fn player(&self, seat: Seat) -> Option<PlayerId> {
        self.seats.get(seat.index())?.player
    }

    /// The bot that plays a seat: for itself, or for the player until he comes back.
    pub fn bot(&self, seat: Seat) -> Option<Strength> {
        self.seats.get(seat.index())?.bot
    }

    /// Whose turn it is and how well it plays, if a bot has to act.
    pub fn bot_to_move(&self) -> Option<(Seat, Strength)> {
        let seat = self.turn()?;
        Some((seat, self.bot(seat)?))
    }

    /// The player who may ask bots to the table and others to go: whom the host before has named, or whoever has the first
    /// of the players' seats.
    pub fn host(&self) -> Option<Seat> {
        let first = || Seat::first(self.seat_count()).find(|seat| self.player(*seat).is_some());
        self.lobby.host.or_else(first)
    }

    /// What is agreed before the first deal.
    pub fn lobby(&self) -> &Lobby {
        &self.lobby
    }

    /// The game that follows this one with the same people.
    pub fn rematch(&self) -> Option<GameRef> {
        self.rematch
    }

    /// A seat's points of the finished deals; 0 for a seat that the table hasn't.
    pub fn total(&self, seat: Seat) -> i32 {
        self.seats.get(seat.index()).map_or(0, |s| s.total)
    }

    /// How many deals have begun.
    pub fn deals(&self) -> u16 {
        self.deals
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over { .. })
    }

    /// Why the game is over, if it is.
    pub fn over(&self) -> Option<GameOver> {
        match &self.phase {
            Phase::Over { cause, .. } => Some(*cause),
            Phase::Waiting | Phase::Playing(_) | Phase::Between(_) => None,
        }
    }

    /// Whether the first deal is still to come.
    pub fn is_waiting(&self) -> bool {
        matches!(self.phase, Phase::Waiting)
    }

    /// Whose turn it is, while a deal is being played.
    pub fn turn(&self) -> Option<Seat> {
        self.deal().map(|deal| deal.turn.seat)
    }

    /// A seat's cards in the running deal.
    pub fn hand(&self, seat: Seat) -> Cards {
        self.deal().map_or(Cards::EMPTY, |deal| deal.hands[seat.index()])
    }

    /// The stock, the card to be drawn next last. Nobody at the table may see it.
    pub fn stock(&self) -> &[Card] {
        self.deal().map_or(&[], |deal| &deal.stock)
    }

    /// The discard pile, its top last.
    pub fn pile(&self) -> &[Card] {
        self.deal().map_or(&[], |deal| &deal.pile)
    }

    /// The melds on the table.
    pub fn melds(&self) -> &[TableMeld] {
        self.deal().map_or(&[], |deal| &deal.melds)
    }

    /// When the clock has to act next if nobody else does, and what it has to do (RULES 15, 17).
    pub fn alarm(&self) -> Option<(Millis, Command)> {
        match &self.phase {
            Phase::Playing(deal) => Some((deal.turn.deadline?, Command::TimeOut)),
            Phase::Between(last) => Some((last.pause_until, Command::EndPause)),
            Phase::Waiting => {
                let at = self.lobby.alarm()?;
                let check = self.lobby.ready_until == Some(at);
                Some((at, if check { Command::EndReadyCheck } else { Command::EndOffers }))
            }
            Phase::Over { .. } => None,
        }
    }

    pub(crate) fn deal(&self) -> Option<&Deal> {
        match &self.phase {
            Phase::Playing(deal) => Some(deal),
            _ => None,
        }
    }

    /// The seats where nobody sits.
    pub(crate) fn free_seats(&self) -> Seats {
        Seat::first(self.seat_count()).filter(|seat| !self.seats[seat.index()].is_taken()).collect()
    }

    /// The seats that are still in the game.
    pub(crate) fn seats_in(&self) -> Seats {
        Seat::first(self.seat_count())
            .filter(|seat| {
                let state = &self.seats[seat.index()];
                state.is_taken() && state.standing == Standing::In
            })
            .collect()
    }

    /// Those of them that their players play themselves.
    pub(crate) fn people(&self) -> Seats {
        self.seats_in().iter().filter(|seat| self.bot(*seat).is_none()).collect()
    }

    /// Whether nobody is left whom the game waits for before it deals: bots are always ready.
    pub(crate) fn all_ready(&self) -> bool {
        let all_here = !self.is_waiting() || self.seats_in().len() == self.seat_count();
        all_here && self.people().iter().all(|seat| self.seats[seat.index()].ready.is_some())
    }
}

impl SeatState {
    /// Whether somebody sits there: a player or a bot.
    pub(crate) const fn is_taken(&self) -> bool {
        self.player.is_some() || self.bot.is_some()
    }
}

impl Deal {
    pub(crate) fn meld(&self, id: MeldId) -> Option<&TableMeld> {
        // Numbers are given in order from 1.
        self.melds.get(usize::from(id.0).checked_sub(1)?)
    }

    /// What the seat whose turn it is has left of its time bank: the deadline includes the bank, which is drawn
    /// on last (RULES 15). In milliseconds.
    pub(crate) fn time_bank_left(&self, now: Millis) -> u32 {
        let bank = self.time_banks[self.turn.seat.index()];
        let left = self.turn.deadline.map_or(i64::MAX, |deadline| deadline.0.saturating_sub(now.0).max(0));
        u32::try_from(left).map_or(bank, |left| left.min(bank))
    }
}
