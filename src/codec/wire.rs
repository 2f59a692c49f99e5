//! What is sent and received: the rules' types as `remik.v1`, and its requests as commands.
//!
//! Nothing here takes a table or an `Event<Full>`: only what was made for one viewer is encoded. What a client
//! sends is read into types of the rules, or is a [`Fault`] that names the field.

mod admin;
mod chat;
mod command;
mod deal;
mod event;
mod fault;
mod feed;
mod field;
mod game;
mod house_rules;
mod legal;
mod lobby;
mod meld;
mod play;
mod player;
mod profile;
mod replay;
mod request;
mod ruleset;
mod rulesets;
mod sandbox;
mod standings;
mod suggestion;
mod summary;
mod ticket;
mod view;
mod webhook;

use std::collections::HashMap;

use remik_rules::seat::PlayerId;

pub use admin::{
    AdminOrder, AuditSearch, GameSearch, PlayerSearch, admin_game, admin_player, audit_entry, ban_end,
    reason, seat_to_see,
};
pub use chat::{NewMessage, chat_message, chat_mode, chat_page_token, quick_phrases, wanted_chat_mode};
pub use command::{JoinByCode, MOST_CARDS, MOST_MELDS, MoveRequest, invite_code};
pub use event::game_move;
pub use fault::{Fault, Problem};
pub use feed::{FeedQuery, FeedStart, feed_entry, feed_seats};
pub use field::{cleaned_name, display_name, given, timestamp, uuid};
pub use game::{GameContext, state};
pub use house_rules::{options_in_full, ruleset_of};
pub use legal::legal_moves;
pub use lobby::{
    Invitees, TableFilter, invitation, invitation_page, invitation_token, own_invitation, rematch,
    settings_of,
};
pub use play::{PlayCommand, PlayMessage};
pub use player::{
    NewPlayer, PlayerChange, anonymous, api_key, is_account_id, is_locale, player, stored_time,
};
pub use profile::exported;
pub use replay::{Moment, ReplaySearch, replay_access, replay_deal, replay_position};
pub use request::{NewBot, NewGame, Query, optional_invite, page_size};
pub use ruleset::ruleset;
pub use rulesets::rulesets;
pub use sandbox::{NewSandbox, arrangement, arrangement_in_full};
pub use standings::{
    figure, game_counting, leader, optional_preset, period, player_rating, rating_change, statistics,
};
pub use suggestion::suggestions;
pub use summary::{SummaryContext, game_summary};
pub use ticket::{NewTicket, TicketQuery, ticket, ticket_progress};
pub use view::game_view;
pub use webhook::{
    NewWebhook, WebhookChange, WebhookKinds, delivery_ids, delivery_state, webhook, webhook_delivery,
    webhook_events,
};

/// Players' names as others see them. Who isn't here has none any more.
pub type Names = HashMap<PlayerId, String>;

#[cfg(test)]
mod tests;
