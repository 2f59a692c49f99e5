//! Games seen again.

use remik_rules::card::Card;
use remik_rules::chance::Millis;
use remik_rules::event::{DealEnded, Event, Seen};
use remik_rules::preset::Preset;
use remik_rules::ruleset::Aces;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::view::View;

use super::fault::{Fault, Problem};
use super::field::millis;
use super::request::preset;
use super::{GameContext, deal, game_move, game_view, page_size, uuid};
use crate::proto::v1;

/// A game after one of its moves.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Whose move it is; `None` for the clock's.
    pub seat: Option<Seat>,
    /// What happened.
    pub events: &'a [Event<Seen>],
    /// The table after it.
    pub view: &'a View,
    /// The hands after it, with the cards that may be seen.
    pub hands: &'a [(Seat, Vec<Option<Card>>)],
}

/// A game after one of its moves, which was made at the time of the context.
pub fn replay_position(moment: &Moment<'_>, aces: Aces, context: &GameContext<'_>) -> v1::ReplayPosition {
    let hand = |(seat, cards): &(Seat, Vec<Option<Card>>)| deal::hand(*seat, cards.iter().copied());
    v1::ReplayPosition {
        r#move: Some(game_move(context.version, context.now, moment.seat, aces, moment.events)),
        view: Some(game_view(moment.view, context)),
        hands: moment.hands.iter().map(hand).collect(),
    }
}

/// A deal of a game: the moves that dealt and ended it, and how it ended if it did.
pub fn replay_deal(number: u16, first: u32, end: Option<(u32, &DealEnded)>) -> v1::ReplayDeal {
    v1::ReplayDeal {
        number: number.into(),
        first_version: first,
        last_version: end.map_or(0, |(last, _)| last),
        result: end.map(|(_, ended)| deal::result(ended)),
    }
}

/// Which finished games to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaySearch {
    /// Only games of this player.
    pub player: Option<PlayerId>,
    /// Only games of this preset.
    pub preset: Option<Preset>,
    /// Opened then or later.
    pub made_from: Millis,
    /// Opened before.
    pub made_before: Millis,
    /// Only games that the player has won, or hasn't.
    pub won: Option<bool>,
    /// How many at most: 1 to 100.
    pub page_size: u32,
    /// Where the page before ended, as its answer said; empty for the first.
    pub page_token: String,
}

impl ReplaySearch {
    /// What a request asks for; `caller` is who `me` is.
    ///
    /// # Errors
    /// A field that can't be read, or a result without a player.
    pub fn read(r: v1::SearchReplaysRequest, caller: Option<PlayerId>) -> Result<Self, Fault> {
        let player = match (r.player_id.as_str(), caller) {
            ("", _) => None,
            ("me", Some(player)) => Some(player),
            (id, _) => Some(PlayerId(uuid("player_id", id)?.as_u128())),
        };
        let won = match v1::ReplayResult::try_from(r.result) {
            Ok(v1::ReplayResult::Unspecified) => None,
            Ok(v1::ReplayResult::Won) => Some(true),
            Ok(v1::ReplayResult::NotWon) => Some(false),
            Err(_) => return Err(Problem::UnknownChoice(r.result).at("result")),
        };
        if won.is_some() && player.is_none() {
            return Err(Problem::Missing.at("player_id"));
        }
        Ok(Self {
            player,
            preset: if r.preset.is_empty() { None } else { Some(preset(&r.preset)?) },
            made_from: r.created_from.map_or(Millis(i64::MIN), millis),
            made_before: r.created_before.map_or(Millis(i64::MAX), millis),
            won,
            page_size: page_size(r.page_size)?,
            page_token: r.page_token,
        })
    }
}

/// Who may see a game again; `None` for what such games usually have.
///
/// # Errors
/// The number is none of the choices.
pub fn replay_access(number: i32) -> Result<Option<v1::ReplayAccess>, Fault> {
    match v1::ReplayAccess::try_from(number) {
        Ok(v1::ReplayAccess::Unspecified) => Ok(None),
        Ok(access) => Ok(Some(access)),
        Err(_) => Err(Problem::UnknownChoice(number).at("access")),
    }
}
