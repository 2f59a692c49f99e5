//! Tickets that play together.

use remik_rules::preset::Preset;
use remik_rules::strength::Strength;

use crate::TicketId;

/// A game that is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What is played.
    pub preset: Preset,
    /// How many seats the table has.
    pub seats: u8,
    /// The tickets, the one that has waited longest first.
    pub tickets: Vec<TicketId>,
    /// The seats that bots take, and how well they play: as the ticket that has waited longest says.
    pub bots: Option<(u8, Strength)>,
    /// How far the ratings of its tickets lie apart, in points.
    pub gap: u32,
}
