//! What is sent and received: the rules' types as `remik.v1`, and its requests as commands.
//!
//! Nothing here takes a table or an `Event<Full>`: only what was made for one viewer is encoded. What a client
//! sends is read into types of the rules, or is a [`Fault`] that names the field.

mod command;
mod deal;
mod event;
mod fault;
mod field;
mod game;
mod house_rules;
mod legal;
mod meld;
mod request;
mod ruleset;
mod rulesets;
mod suggestion;
mod summary;
mod view;

use std::collections::HashMap;

use remik_rules::seat::PlayerId;

pub use command::{JoinByCode, MOST_CARDS, MOST_MELDS, MoveRequest};
pub use deal::hand;
pub use event::game_move;
pub use fault::{Fault, Problem};
pub use field::{display_name, uuid};
pub use game::{GameContext, state};
pub use house_rules::{options_in_full, ruleset_of};
pub use legal::legal_moves;
pub use request::{NewBot, NewGame, Query};
pub use ruleset::ruleset;
pub use rulesets::rulesets;
pub use suggestion::suggestions;
pub use summary::{SummaryContext, game_summary};
pub use view::game_view;

/// Players' names as others see them. Who isn't here has none any more.
pub type Names = HashMap<PlayerId, String>;

#[cfg(test)]
mod tests;
