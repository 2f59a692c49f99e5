//! A game as one viewer sees it.

use remik_rules::event::{DealEnded, Viewer};
use remik_rules::view::{SeatView, Stage, Standing, View};

use super::field::{game_id, hex, number, player_id, timestamp};
use super::game::{bot, result, spectators, visibility};
use super::{GameContext, Names, deal, lobby, ruleset, state};
use crate::proto::v1;

/// A game as its viewer may see it.
pub fn game_view(view: &View, context: &GameContext<'_>) -> v1::GameView {
    let own_seat = match view.viewer {
        Viewer::Seat(seat) => Some(seat),
        Viewer::Public => None,
    };
    let pause_until = match &view.stage {
        Stage::Between { last } => Some(timestamp(last.pause_until)),
        Stage::Waiting | Stage::Playing(_) | Stage::Over { .. } => None,
    };
    let (deal, last_deal, result) = match &view.stage {
        Stage::Waiting => (None, None, None),
        Stage::Playing(playing) => (Some(deal::encode(playing, view.rules.aces)), None, None),
        Stage::Between { last } => (None, Some(deal::result(last)), None),
        Stage::Over { last, cause, places } => {
            (None, last.as_deref().map(|last: &DealEnded| deal::result(last)), Some(result(*cause, places)))
        }
    };
    let before_deal = matches!(view.stage, Stage::Waiting | Stage::Between { .. });
    let seat = |(seat, index): (&SeatView, u32)| encode_seat(index, seat, before_deal, context.names);
    v1::GameView {
        game_id: context.game.to_string(),
        version: context.version,
        state: state(&view.stage).into(),
        visibility: visibility(context.public).into(),
        invite_code: if own_seat.is_some() { context.invite_code.to_owned() } else { String::new() },
        preset: context.preset.to_string(),
        rules: Some(ruleset(&view.rules)),
        rules_version: view.rules_version,
        your_seat: own_seat.map(number),
        seats: view.seats.iter().zip(0..).map(seat).collect(),
        deals: view.deals.into(),
        next_commitment: view.next_commitment.map_or_else(String::new, |c| hex(&c.0)),
        sheet: view.sheet.iter().map(|row| v1::SheetRow { points: row.clone() }).collect(),
        deal,
        last_deal,
        result,
        server_time: Some(timestamp(context.now)),
        pause_until,
        spectators: context.spectators.map(spectators),
        sandbox: view.sandbox,
        stop_reason: view.stopped.as_ref().map_or_else(String::new, |reason| reason.text().to_owned()),
        settings: context.settings.map(lobby::settings),
        host_seat: view.host().map(number),
        ready_until: view.lobby.ready_until.map(timestamp),
        kept_seats: view.lobby.offers.iter().map(|offer| lobby::kept_seat(offer, context.names)).collect(),
        rematch_game_id: view.rematch.map_or_else(String::new, game_id),
    }
}

fn encode_seat(index: u32, seat: &SeatView, before_deal: bool, names: &Names) -> v1::SeatView {
    let (standing, eliminated_in_deal, forfeit_order) = match seat.standing {
        Standing::In => (v1::Standing::In, 0, 0),
        Standing::Eliminated { deal } => (v1::Standing::Eliminated, deal.into(), 0),
        Standing::Forfeited { order } => (v1::Standing::Forfeited, 0, order.into()),
    };
    v1::SeatView {
        seat: index,
        player_id: seat.player.map_or_else(String::new, player_id),
        display_name: seat.player.and_then(|id| names.get(&id)).cloned().unwrap_or_default(),
        total: seat.total,
        // A bot keeps nobody waiting.
        ready: seat.ready || seat.bot.is_some() && before_deal,
        standing: standing.into(),
        eliminated_in_deal,
        forfeit_order,
        timeouts: seat.timeouts.into(),
        bot: bot(seat.bot).into(),
    }
}
