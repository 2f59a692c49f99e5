//! What lists say about a game, written with the moves that change it.

use remik_rules::event::{Event, Viewer};
use remik_rules::seat::Seat;
use remik_rules::table::Table;
use uuid::Uuid;

use super::Meta;
use crate::codec::settings::Settings;
use crate::codec::summary::{Detail, Spectators};
use crate::codec::wire;
use crate::store::{Millis, Summary};

/// Whether a move changes what lists say.
pub(super) fn changes(events: &[Event]) -> bool {
    events.iter().any(|event| {
        matches!(
            event,
            Event::GameCreated { .. }
                | Event::SeatTaken { .. }
                | Event::SeatLeft { .. }
                | Event::PlayerRemoved { .. }
                | Event::ReadyMissed { .. }
                | Event::SettingsChanged
                | Event::SeatOffered { .. }
                | Event::OfferEnded { .. }
                | Event::Dealt(_)
                | Event::SeatForfeited { .. }
                | Event::BotSeated { .. }
                | Event::SeatResumed { .. }
                | Event::DealEnded(_)
                | Event::GameEnded { .. }
        )
    })
}

/// Whether a move changes what the lobby says of a game.
pub(super) fn stirs_lobby(events: &[Event]) -> bool {
    let later = |event: &Event| match event {
        Event::Dealt(dealt) => dealt.deal > 1,
        Event::DealEnded(_)
        | Event::SeatForfeited { .. }
        | Event::SeatResumed { .. }
        | Event::BotSeated { absent: Some(_), .. } => true,
        _ => false,
    };
    changes(events) && !events.iter().any(later)
}

/// The summary of a game after a move.
pub(super) fn of(meta: &Meta, settings: &Settings, table: &Table, version: u32, now: Millis) -> Summary {
    let view = table.view(Viewer::Public);
    let (allowed, delay) = match meta.spectators {
        Spectators::Nobody => (false, 0),
        Spectators::Anybody { delay_seconds } => (true, i64::from(delay_seconds) * 1000),
    };
    // What happens before the first deal is for everybody at once.
    let begun = table.deals() > 0;
    let players = Seat::first(table.seat_count()).filter_map(|seat| table.player(seat));
    Summary {
        game: meta.game,
        version,
        // The numbers of the API's states never change.
        status: wire::state(&view.stage) as i16,
        preset: meta.preset.to_string(),
        public: meta.public,
        listed: meta.public && (allowed || !begun),
        settles_at: (begun && delay > 0).then(|| Millis(now.0.saturating_add(delay))),
        invite_code: meta.invite_code.clone(),
        players: players.map(|player| Uuid::from_u128(player.0)).collect(),
        made_at: meta.made_at,
        changed_at: now,
        detail: Detail::of(&view, meta.preset, meta.spectators, settings).encode(),
    }
}
