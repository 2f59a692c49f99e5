//! Webhooks and what they are told.

use prost::Message;
use remik_rules::chance::Millis;
use remik_rules::event::Event;
use remik_rules::seat::Seat;
use uuid::Uuid;

use super::fault::{Fault, Problem};
use super::field::{display_name, given, number, player_id, timestamp, uuid};
use super::{deal, feed_seats, game, stored_time};
use crate::feed::{FeedEntry, FeedSeat};
use crate::proto::v1;
use crate::proto::v1::webhook_event::Detail;
use crate::store::{self, Delivery, DeliveryState, Webhook};

/// The most dead letters that are named at once.
const MOST_DELIVERIES: usize = 100;

/// A set of kinds of events: the bit `1 << n` for the kind `n`, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookKinds(pub i64);

impl WebhookKinds {
    /// Whether a kind is among them.
    pub fn has(self, kind: v1::WebhookKind) -> bool {
        self.0 & 1 << i32::from(kind) != 0
    }

    /// What a request asks for; `None` for nothing.
    fn read(numbers: &[i32]) -> Result<Option<Self>, Fault> {
        let bit = |(index, &number): (usize, &i32)| match v1::WebhookKind::try_from(number) {
            Ok(v1::WebhookKind::Unspecified) | Err(_) => {
                Err(Problem::UnknownChoice(number).at(format_args!("kinds[{index}]")))
            }
            Ok(kind) => Ok(1 << i32::from(kind)),
        };
        let bits: Vec<i64> = numbers.iter().enumerate().map(bit).collect::<Result<_, _>>()?;
        let all = bits.into_iter().fold(0, |all, bit| all | bit);
        Ok((all != 0).then_some(Self(all)))
    }

    fn told(self) -> Vec<i32> {
        (1..i32::from(u8::MAX))
            .map_while(|number| v1::WebhookKind::try_from(number).ok())
            .filter(|kind| self.has(*kind))
            .map(i32::from)
            .collect()
    }
}

/// A webhook to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// The id of the request.
    pub request_id: Uuid,
    /// What to call it.
    pub name: String,
    /// Where to post; not looked at yet.
    pub url: String,
    /// What it is told of.
    pub kinds: WebhookKinds,
}

impl TryFrom<v1::CreateWebhookRequest> for NewWebhook {
    type Error = Fault;

    fn try_from(r: v1::CreateWebhookRequest) -> Result<Self, Fault> {
        Ok(Self {
            request_id: uuid("request_id", &r.request_id)?,
            name: display_name("name", &r.name)?,
            url: given("url", &r.url)?.to_owned(),
            kinds: WebhookKinds::read(&r.kinds)?.ok_or_else(|| Fault::missing("kinds"))?,
        })
    }
}

/// What is to be changed of a webhook; `None` for what stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookChange {
    /// What to call it.
    pub name: Option<String>,
    /// Where to post; not looked at yet.
    pub url: Option<String>,
    /// What it is told of.
    pub kinds: Option<WebhookKinds>,
    /// Whether nothing is sent.
    pub paused: Option<bool>,
}

impl TryFrom<v1::UpdateWebhookRequest> for WebhookChange {
    type Error = Fault;

    fn try_from(r: v1::UpdateWebhookRequest) -> Result<Self, Fault> {
        Ok(Self {
            name: r.name.map(|name| display_name("name", &name)).transpose()?,
            url: r.url.map(|url| given("url", &url).map(str::to_owned)).transpose()?,
            kinds: WebhookKinds::read(&r.kinds)?,
            paused: r.paused,
        })
    }
}

/// The dead letters that a request names.
///
/// # Errors
/// There are too many, or one isn't an id.
pub fn delivery_ids(ids: &[String]) -> Result<Vec<Uuid>, Fault> {
    let length = ids.len();
    if length > MOST_DELIVERIES {
        let problem = Problem::BadLength { length, of: "ids", least: 0, most: MOST_DELIVERIES };
        return Err(problem.at("delivery_ids"));
    }
    let id = |(index, id): (usize, &String)| uuid(&format!("delivery_ids[{index}]"), id);
    ids.iter().enumerate().map(id).collect()
}

/// The state that a list is asked for; `None` for all.
///
/// # Errors
/// The number is none of the choices.
pub fn delivery_state(number: i32) -> Result<Option<DeliveryState>, Fault> {
    match v1::WebhookDeliveryState::try_from(number) {
        Ok(v1::WebhookDeliveryState::Unspecified) => Ok(None),
        Ok(v1::WebhookDeliveryState::Waiting) => Ok(Some(DeliveryState::Waiting)),
        Ok(v1::WebhookDeliveryState::Delivered) => Ok(Some(DeliveryState::Delivered)),
        Ok(v1::WebhookDeliveryState::Dead) => Ok(Some(DeliveryState::Dead)),
        Err(_) => Err(Problem::UnknownChoice(number).at("state")),
    }
}

/// A webhook, without its secret.
pub fn webhook(webhook: &Webhook, now: store::Millis) -> v1::Webhook {
    v1::Webhook {
        webhook_id: webhook.id.to_string(),
        name: webhook.name.clone(),
        url: webhook.url.clone(),
        kinds: WebhookKinds(webhook.kinds).told(),
        paused: webhook.paused,
        created_at: Some(stored_time(webhook.made_at)),
        old_secret_until: webhook.old_until.filter(|until| *until > now).map(stored_time),
    }
}

/// A delivery with its event.
///
/// # Errors
/// The stored event can't be read.
pub fn webhook_delivery(delivery: &Delivery) -> Result<v1::WebhookDelivery, prost::DecodeError> {
    let state = match delivery.state {
        DeliveryState::Waiting => v1::WebhookDeliveryState::Waiting,
        DeliveryState::Delivered => v1::WebhookDeliveryState::Delivered,
        DeliveryState::Dead => v1::WebhookDeliveryState::Dead,
    };
    Ok(v1::WebhookDelivery {
        delivery_id: delivery.id.to_string(),
        state: state.into(),
        attempts: delivery.attempts,
        attempted_at: delivery.attempted_at.map(stored_time),
        failure: delivery.failure.into(),
        status: delivery.status.unsigned_abs().into(),
        event: Some(v1::WebhookEvent::decode(&delivery.event[..])?),
    })
}

/// What webhooks are told of a move, in order. The deliveries' ids are still to be set.
pub fn webhook_events(entry: &FeedEntry) -> Vec<v1::WebhookEvent> {
    let event = |(kind, detail): (v1::WebhookKind, Option<Detail>)| v1::WebhookEvent {
        delivery_id: String::new(),
        kind: kind.into(),
        occurred_at: Some(stored_time(entry.made_at)),
        game_id: entry.game.to_string(),
        version: entry.number,
        cursor: entry.cursor.to_string(),
        preset: entry.preset.clone(),
        seats: feed_seats(&entry.seats),
        detail,
    };
    let seated = entry.seats.iter().filter(|seat| seat.player.is_some()).count();
    // Others than who opens a table are seated with its first move only if it is opened for them.
    let matched = (entry.number == 1 && seated > 1).then_some((v1::WebhookKind::MatchFound, None));
    let told = entry.events.iter().filter_map(|event| match event {
        Event::Dealt(dealt) if dealt.deal == 1 => Some((v1::WebhookKind::GameStarted, None)),
        Event::TurnStarted { seat, deadline, .. } => your_turn(&entry.seats, *seat, *deadline),
        Event::DealEnded(ended) => {
            Some((v1::WebhookKind::DealOver, Some(Detail::DealOver(deal::result(ended)))))
        }
        Event::GameEnded { cause, places } => {
            Some((v1::WebhookKind::GameOver, Some(Detail::GameOver(game::result(*cause, places)))))
        }
        _ => None,
    });
    matched.into_iter().chain(told).map(event).collect()
}

fn your_turn(
    seats: &[FeedSeat],
    seat: Seat,
    deadline: Option<Millis>,
) -> Option<(v1::WebhookKind, Option<Detail>)> {
    let FeedSeat { player: Some(player), bot: false } = *seats.get(usize::from(seat.number()))? else {
        return None;
    };
    let turn =
        v1::YourTurn { seat: number(seat), player_id: player_id(player), deadline: deadline.map(timestamp) };
    Some((v1::WebhookKind::YourTurn, Some(Detail::YourTurn(turn))))
}
