//! Who plays with whom: tickets in, groups out.
//!
//! Pure: no I/O, no clock and no chance. The same tickets at the same time always make the same groups, so the
//! service, the simulation and the tests run the very same code. It knows nothing of games, sockets or how tickets
//! are kept.
//!
//! [`find`] looks for groups in which everybody gets what he asked for: each ticket offers presets and numbers of
//! seats, sets conditions on the attributes of the others, and accepts a gap of ratings up to its window, which
//! [`Curve`] widens with the time it has waited.

mod apart;
mod attribute;
mod curve;
mod group;
mod matcher;
mod pool;
mod search;
mod seat_counts;
pub mod simulate;
mod ticket;

pub use apart::Apart;
pub use attribute::{Attributes, Condition, Test, Value};
pub use curve::{Curve, CurveFault};
pub use group::Group;
pub use matcher::find;
pub use seat_counts::SeatCounts;
pub use ticket::{Bots, Offer, Ticket, TicketId};
