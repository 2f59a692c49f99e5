//! The options of a game. Each row of the rules' preset table is one field here; a preset is a value.

use crate::pack::Pack;
use crate::range::NumberOption;
use crate::strength::Strength;

/// The number of the rules that this build decides by; a log says which its moves were judged by.
pub const RULES_VERSION: u32 = 1;

/// The most seats that any game has.
pub const MAX_SEATS: usize = 6;

/// Every rule that can differ between games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruleset {
    /// Fewest and most seats, within 2 to 6.
    pub seats: (u8, u8),
    /// Decks and jokers.
    pub pack: Pack,
    /// Cards dealt to a seat when 2, 3, 4, 5 or 6 are dealt in.
    pub cards_dealt: [u8; 5],
    /// The starter of a deal gets one card more and doesn't draw in the first turn (RULES 14).
    pub starter_gets_extra: bool,
    /// A card is turned up to start the discard pile.
    pub upcard: bool,
    /// How the first dealer is found.
    pub first_dealer: FirstDealer,
    /// Where aces stand in runs.
    pub aces: Aces,
    /// Two jokers may lie side by side in a run.
    pub adjacent_jokers: bool,
    /// Points that the melds of the opening must be worth (RULES 3).
    pub opening_points: u16,
    /// The opening must hold a run without a joker (RULES 3).
    pub opening_pure_run: bool,
    /// More than one meld may be laid in a turn.
    pub several_melds: bool,
    /// Cards may be laid off only after a meld of one's own in this deal.
    pub lay_off_needs_own_meld: bool,
    /// When a joker on the table may be swapped for the card it stands for.
    pub joker_swap: JokerSwap,
    /// What must become of a swapped joker in the same turn (RULES 5).
    pub swapped_joker: SwappedJoker,
    /// Going out needs a card left to discard (RULES 6).
    pub final_discard: bool,
    /// What going rummy is worth (RULES 10).
    pub going_rummy: GoingRummy,
    /// When a used-up stock is renewed or ends the deal (RULES 8).
    pub stock_end: StockEnd,
    /// How the pile becomes the new stock (RULES 8).
    pub stock_reuse: StockReuse,
    /// The deal is blocked when the stock is used up for this time: 1 and more.
    pub stock_uses: u8,
    /// A deal is blocked after this many turns for each seat dealt in (RULES 9).
    pub turns_per_seat: u16,
    /// From this deal on nothing may be laid until one command of melds leaves at most one card (RULES 14).
    pub whole_hand_from_deal: Option<u16>,
    /// How a deal counts.
    pub scoring: Scoring,
    /// What a blocked deal counts.
    pub blocked: Blocked,
    /// Points of an ace left in hand: 1 to 50.
    pub ace_in_hand: u16,
    /// Points of a joker left in hand: 0 to 100.
    pub joker_in_hand: u16,
    /// When the game is over; looked at after a deal (RULES 12).
    pub end: GameEnd,
    /// Whose total wins.
    pub winner: Winner,
    /// Equal totals are told apart by the points of the last deal before a place is shared.
    pub tie_by_last_deal: bool,
    /// Seconds a player has for a turn, at most 30 days; `None` for no clock (RULES 15).
    pub turn_seconds: Option<u32>,
    /// Seconds that a seat may overdraw over all its turns of a deal, at most 30 days; `None` for none (RULES 15).
    pub time_bank_seconds: Option<u32>,
    /// Timeouts in a row after which a seat is given up: 1 to 100 (RULES 15).
    pub timeouts_to_forfeit: u8,
    /// Seconds between two deals, at most 30 days (RULES 17).
    pub pause_seconds: u32,
    /// What becomes of the seat of a player who leaves or sleeps (RULES 15, 16).
    pub absent_seats: AbsentSeats,
}

/// What becomes of the seat of a player who leaves a running game, or runs out of time too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbsentSeats {
    /// It is given up.
    Forfeit,
    /// A bot plays on until the player comes back.
    EasyBot,
    /// The same, with a better one.
    NormalBot,
    /// The same, with a strong one.
    HardBot,
}

impl AbsentSeats {
    /// The bot that plays on, if one does.
    pub const fn bot(self) -> Option<Strength> {
        match self {
            Self::Forfeit => None,
            Self::EasyBot => Some(Strength::Easy),
            Self::NormalBot => Some(Strength::Normal),
            Self::HardBot => Some(Strength::Hard),
        }
    }
}

/// How the first dealer is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstDealer {
    /// By chance.
    Random,
    /// Every seat draws a card of a 52-card pack; the highest deals: aces high, then spades, hearts,
    /// diamonds, clubs (RULES 19).
    Cut,
}

/// Where aces stand in runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aces {
    /// Only below the two.
    Low,
    /// Below the two or above the king.
    HighOrLow,
    /// Also in the middle: K-A-2.
    RoundTheCorner,
}

/// When a joker on the table may be swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JokerSwap {
    /// Never.
    Never,
    /// After the own opening.
    AfterOpening,
    /// In any turn of one's own.
    AnyTurn,
}

/// What must become of a swapped joker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwappedJoker {
    /// It must be laid in the same turn, in a new meld or onto one.
    MustBeLaid,
    /// It must be laid in the same turn, in a new meld.
    MustBeMelded,
    /// It joins the hand.
    Kept,
}

/// What going rummy is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoingRummy {
    /// Nothing more.
    Plain,
    /// What each loser counts or pays is doubled.
    Double,
    /// Ten points to the winner, or against each loser where losers count.
    PlusTen,
}

/// When a used-up stock is renewed or ends the deal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StockEnd {
    /// As soon as the turn that took its last card ends.
    AtTurnEnd,
    /// When a player asks for a stock card, having refused the discard.
    WhenAsked,
}

/// How the pile becomes the new stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StockReuse {
    /// The top card stays on the pile, the rest is shuffled.
    KeepTopShuffle,
    /// The whole pile is turned over: its oldest card comes first.
    TurnOver,
    /// The whole pile is shuffled.
    ShuffleAll,
}

/// How a deal counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// Each loser gets the points of his hand against him.
    Penalty,
    /// Each card laid counts for who lays it (RULES 11).
    MeldPoints,
    /// The winner gets the points of all hands.
    WinnerTakesSum,
    /// Each loser pays the winner the points of his hand.
    Payment,
}

/// What a deal counts that nobody won.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// Everybody counts his hand against him.
    EverybodyCounts,
    /// Everybody keeps the points credited for melds.
    CreditsStay,
    /// Nobody scores.
    NobodyScores,
    /// The lowest hand gets the differences to the others (RULES 13); in payment scoring they pay them.
    LowestTakesDifferences,
}

/// When the game is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameEnd {
    /// When a total reaches this many points: 1 and more.
    Total(u16),
    /// Who has more than this many points is out; the last one in wins (RULES 12).
    Elimination(u16),
    /// After this many deals: 1 and more.
    Deals(u16),
}

/// Whose total wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winner {
    /// The lowest.
    Lowest,
    /// The highest.
    Highest,
}

/// Why a ruleset is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesetFault {
    /// An option is outside its range.
    #[error("{option} is {value}, but must be from {least} to {most}")]
    OutOfRange {
        /// The option.
        option: NumberOption,
        /// What was asked for.
        value: u32,
        /// The least that is allowed.
        least: u32,
        /// The most that is allowed.
        most: u32,
    },
    /// A table can't have so many seats.
    #[error("seats is {seats}, but must be from {least} to {most}")]
    SeatsOutOfRange {
        /// The seats asked for.
        seats: u8,
        /// The fewest that the rules allow.
        least: u8,
        /// The most that they allow.
        most: u8,
    },
    /// The pack has too few cards for the most seats.
    #[error("{seats} hands need {needed} cards, but the pack has {pack}")]
    PackTooSmall {
        /// Seats dealt in.
        seats: u8,
        /// Cards needed, with an upcard and two cards of stock.
        needed: usize,
        /// Cards of the pack.
        pack: usize,
    },
    /// Two options don't go together.
    #[error("these don't go together: {0}; {1}")]
    Inconsistent(&'static str, &'static str),
}

impl Ruleset {
    /// Checks every option's range and that they go together.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), RulesetFault> {
        let (least, most) = self.seats;
        NumberOption::LeastSeats.check(least)?;
        NumberOption::MostSeats.check(most)?;
        NumberOption::MostSeats.within(most.into(), least.into(), MAX_SEATS as u32)?;
        NumberOption::Decks.check(self.pack.decks)?;
        NumberOption::Jokers.check(self.pack.jokers)?;
        NumberOption::StockUses.check(self.stock_uses)?;
        NumberOption::TurnsPerSeat.check(self.turns_per_seat)?;
        NumberOption::OpeningPoints.check(self.opening_points)?;
        NumberOption::AceInHand.check(self.ace_in_hand)?;
        NumberOption::JokerInHand.check(self.joker_in_hand)?;
        NumberOption::TimeoutsToForfeit.check(self.timeouts_to_forfeit)?;
        NumberOption::PauseSeconds.check(self.pause_seconds)?;
        if let Some(seconds) = self.turn_seconds {
            NumberOption::TurnSeconds.check(seconds)?;
        }
        if let Some(seconds) = self.time_bank_seconds {
            NumberOption::TimeBankSeconds.check(seconds)?;
        }
        if let Some(deal) = self.whole_hand_from_deal {
            NumberOption::WholeHandFromDeal.check(deal)?;
        }
        match self.end {
            GameEnd::Total(n) => NumberOption::Total.check(n)?,
            GameEnd::Elimination(n) => NumberOption::Elimination.check(n)?,
            GameEnd::Deals(n) => NumberOption::Deals.check(n)?,
        }
        for hand in self.cards_dealt {
            NumberOption::CardsDealt.check(hand)?;
        }
        for seats in self.seats.0..=self.seats.1 {
            let hand = self.cards_dealt_to(seats);
            let needed = usize::from(seats) * usize::from(hand)
                + usize::from(self.starter_gets_extra)
                + usize::from(self.upcard)
                + 2;
            if needed > self.pack.size() {
                return Err(RulesetFault::PackTooSmall { seats, needed, pack: self.pack.size() });
            }
        }
        self.check_consistency()
    }

    fn check_consistency(&self) -> Result<(), RulesetFault> {
        let found = self.contradictions().find(|(found, ..)| *found);
        found.map_or(Ok(()), |(_, one, other)| Err(RulesetFault::Inconsistent(one, other)))
    }

    /// Every two things that options may ask for and that don't go together, each with whether these rules do.
    pub fn contradictions(&self) -> impl Iterator<Item = (bool, &'static str, &'static str)> + use<> {
        [
            (
                self.joker_swap == JokerSwap::AnyTurn
                    && self.has_opening_minimum()
                    && self.swapped_joker != SwappedJoker::Kept,
                "a joker swap in any turn, with a duty to lay the joker",
                "an opening that must have so many points or a pure run",
            ),
            (
                self.joker_swap != JokerSwap::Never && self.pack.jokers == 0,
                "a joker swap",
                "a pack without jokers",
            ),
            (
                self.whole_hand_from_deal.is_some() && !self.several_melds,
                "laying the whole hand at once",
                "one meld a turn",
            ),
            (
                self.scoring == Scoring::Penalty && self.winner == Winner::Highest,
                "penalty scoring",
                "the highest total winning",
            ),
            (
                self.scoring != Scoring::Penalty && self.winner == Winner::Lowest,
                "points that are won",
                "the lowest total winning",
            ),
            (
                matches!(self.end, GameEnd::Elimination(_)) && self.scoring != Scoring::Penalty,
                "elimination",
                "points that are won",
            ),
            (
                self.scoring == Scoring::Payment && !matches!(self.end, GameEnd::Deals(_)),
                "payment scoring",
                "an end by points",
            ),
            (
                self.blocked == Blocked::EverybodyCounts && self.scoring != Scoring::Penalty,
                "a blocked deal that counts every hand",
                "points that are won",
            ),
            (
                self.blocked == Blocked::LowestTakesDifferences
                    && matches!(self.scoring, Scoring::Penalty | Scoring::MeldPoints),
                "a blocked deal won by the lowest hand",
                "scoring in which the winner takes no hands",
            ),
            (
                self.blocked == Blocked::CreditsStay && self.scoring != Scoring::MeldPoints,
                "credits that stay in a blocked deal",
                "scoring without credits",
            ),
            (
                self.scoring == Scoring::MeldPoints && self.going_rummy != GoingRummy::Plain,
                "a bonus for going rummy",
                "meld points, where nothing is lost by the others",
            ),
            (
                self.time_bank_seconds.is_some() && self.turn_seconds.is_none(),
                "a time bank",
                "turns without a clock",
            ),
        ]
        .into_iter()
    }

    /// Cards dealt to each seat when so many are dealt in.
    pub fn cards_dealt_to(&self, seats: u8) -> u8 {
        self.cards_dealt[usize::from(seats.clamp(2, MAX_SEATS as u8)) - 2]
    }

    /// The time bank of a seat in a deal, in milliseconds; 0 without one (RULES 15).
    pub fn time_bank_millis(&self) -> u32 {
        self.time_bank_seconds.unwrap_or(0).saturating_mul(1000)
    }

    /// Whether the first melds have to meet a condition (RULES 3).
    pub const fn has_opening_minimum(&self) -> bool {
        self.opening_points > 0 || self.opening_pure_run
    }

    /// Whether a swapped joker must be laid in the same turn (RULES 5).
    pub const fn joker_must_be_laid(&self) -> bool {
        !matches!(self.swapped_joker, SwappedJoker::Kept)
    }

    /// Whether laying off onto a meld fulfils that duty.
    pub const fn joker_may_be_laid_off(&self) -> bool {
        matches!(self.swapped_joker, SwappedJoker::MustBeLaid)
    }

    /// Whether the whole hand has to be laid at once in this deal (RULES 14).
    pub fn whole_hand_at_once(&self, deal: u16) -> bool {
        self.whole_hand_from_deal.is_some_and(|from| deal >= from)
    }

    /// Whether hands are counted at all: not with meld points.
    pub const fn hands_count(&self) -> bool {
        !matches!(self.scoring, Scoring::MeldPoints)
    }
}
