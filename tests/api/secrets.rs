//! Hidden cards and seeds stay hidden: all that anybody was sent is compared with what he could know then.

use std::collections::BTreeSet;

use remik::proto::v1::{
    GameMove, GameView, GetLegalMovesResponse, WatchGameResponse, watch_game_response::Item,
};
use remik_rules::{
    card::Card,
    event::{Event, Viewer},
    seat::Seat,
};
use serde_json::Value as Json;
use tokio::sync::Mutex;

use crate::{
    bot::Bot,
    client::{Client, Via, Watch, to_json},
    log::Log,
    on_each_backend,
    party::{Party, Wish, any_seed},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    nobody_is_sent_what_he_may_not_know
}

/// Case sv-03 of the rules is a part of it: a spectator sees no hidden card in any message.
async fn nobody_is_sent_what_he_may_not_know(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(4).easy()).await;
    let spectators = [
        Spectator::enter(&service.url, Via::Grpc, &party.game).await,
        Spectator::enter(&service.url, Via::Rest, &party.game).await,
    ];
    let offers = Mutex::new(Vec::new());
    let play = party.play_with(any_seed(), async |client, order| {
        let offer = client.legal_moves(&party.game, order.known_version).await.unwrap();
        offers.lock().await.push(offer);
        client.send(order).await
    });
    let [one, other] = spectators.map(|spectator| spectator.watch(&party.game));
    let (bots, one, other) = tokio::join!(play, one, other);
    service.stop().await;

    let log = Log::read(&database.url, &party.game).await;
    let offers = offers.into_inner();
    for bot in &bots {
        let knowledge = Knowledge::of(&log, Viewer::Seat(Seat::new(bot.seat as u8).unwrap()));
        knowledge.check_bot(bot);
        let own = |offer: &&GetLegalMovesResponse| offer.moves.as_ref().unwrap().seat == bot.seat;
        for offer in offers.iter().filter(own) {
            knowledge.check(offer.version, &to_json("GetLegalMovesResponse", offer));
        }
    }
    let public = Knowledge::of(&log, Viewer::Public);
    for spectator in [&one, &other] {
        assert_eq!(spectator.moves.len(), log.moves.len());
        spectator.moves.iter().for_each(|made| public.check_move(made));
        assert!(spectator.views.len() > log.moves.len() / 2, "they were looked at");
        for view in &spectator.views {
            let deal = view.deal.clone().unwrap_or_default();
            assert!(deal.hand.is_empty() && deal.turn.unwrap_or_default().drawn_card.is_empty());
            assert_eq!((view.your_seat, view.invite_code.as_str()), (None, ""));
            public.check(view.version, &to_json("GameView", view));
        }
    }
    // The check itself sees what it should: a player's own messages aren't for others.
    let dealt = bots[0].seen.iter().find(|made| to_json("GameMove", *made).to_string().contains("\"dealt\""));
    let mine = to_json("GameMove", dealt.unwrap());
    assert!(!public.forbidden(dealt.unwrap().version, &mine).is_empty());
}

/// Somebody without a seat, who looks at all he can get.
struct Spectator {
    client: Client,
    stream: Watch,
    moves: Vec<GameMove>,
    views: Vec<GameView>,
}

impl Spectator {
    async fn enter(url: &str, via: Via, game: &str) -> Self {
        let client = Client::guest(url, via, "Widz").await.unwrap();
        let stream = client.watch(game, Some(0)).await.unwrap();
        Self { client, stream, moves: Vec::new(), views: Vec::new() }
    }

    async fn watch(mut self, game: &str) -> Self {
        loop {
            let WatchGameResponse { item, .. } = self.stream.next().await.unwrap().unwrap();
            let Some(Item::Move(made)) = item else { continue };
            let over = to_json("GameMove", &made).to_string().contains("\"gameEnded\"");
            self.moves.push(made);
            self.views.push(self.client.look(game).await.unwrap());
            if over {
                // A late comer sees no more than he.
                let mut late = self.client.watch(game, None).await.unwrap();
                let Some(Item::Snapshot(view)) = late.next().await.unwrap().unwrap().item else {
                    panic!("no snapshot")
                };
                self.views.push(view);
                return self;
            }
        }
    }
}

/// What one viewer can't know, at each point of the game.
pub(crate) struct Knowledge {
    /// By move, then by event.
    hidden: Vec<Vec<BTreeSet<String>>>,
}

impl Knowledge {
    pub(crate) fn of(log: &Log, viewer: Viewer) -> Self {
        let mut hidden = BTreeSet::new();
        let mut step = |event: &Event| {
            follow(&mut hidden, event, viewer);
            hidden.clone()
        };
        Self { hidden: log.events.iter().map(|events| events.iter().map(&mut step).collect()).collect() }
    }

    pub(crate) fn check_bot(&self, bot: &Bot) {
        for made in &bot.seen {
            self.check_move(made);
        }
        for (_, answer) in &bot.answered {
            self.check_move(&answer.made);
            self.check(answer.version, &to_json("GameView", &answer.view));
        }
    }

    fn check_move(&self, made: &GameMove) {
        let hidden = &self.hidden[made.version as usize - 1];
        assert_eq!(made.events.len(), hidden.len());
        for (event, hidden) in made.events.iter().zip(hidden) {
            let json = to_json("Event", event);
            assert_eq!(told(&json, hidden), Vec::<&str>::new(), "{json}");
        }
    }

    fn check(&self, version: u32, json: &Json) {
        assert_eq!(self.forbidden(version, json), Vec::<&str>::new(), "{version}: {json}");
    }

    /// What a message made after a move has that the viewer may not know.
    fn forbidden<'a>(&self, version: u32, json: &'a Json) -> Vec<&'a str> {
        told(json, self.hidden[version as usize - 1].last().unwrap())
    }
}

fn follow(hidden: &mut BTreeSet<String>, event: &Event, viewer: Viewer) {
    let codes = |cards: &[Card]| cards.iter().map(Card::to_string).collect::<Vec<_>>();
    match event {
        Event::SeedCommitted { seed, .. } => {
            hidden.insert(hex(&seed.0));
        }
        Event::Dealt(dealt) => {
            hidden.extend(codes(&dealt.stock));
            for (seat, cards) in &dealt.hands {
                if !viewer.sees(*seat) {
                    hidden.extend(codes(cards));
                }
            }
        }
        Event::StockReused { stock, .. } => hidden.extend(codes(stock)),
        Event::StockDrawn { seat, card } if viewer.sees(*seat) => {
            hidden.remove(&card.to_string());
        }
        Event::Discarded { card, .. } => {
            hidden.remove(&card.to_string());
        }
        Event::JokerSwapped { card, .. } => {
            hidden.remove(&card.to_string());
        }
        Event::Melded { melds, .. } => {
            for (_, meld) in melds {
                hidden.retain(|text| !codes(&meld.cards).contains(text));
            }
        }
        Event::LaidOff { low, high, .. } => {
            hidden.retain(|text| !codes(low).contains(text) && !codes(high).contains(text));
        }
        Event::DealEnded(ended) => {
            hidden.retain(|text| text.len() > 8);
            hidden.remove(&hex(&ended.seed.0));
        }
        _ => {}
    }
}

/// The words in all texts of a message, names and codes alike, that are in a set. What a joker stands for is a face
/// and no card.
fn told<'a>(json: &'a Json, hidden: &BTreeSet<String>) -> Vec<&'a str> {
    match json {
        Json::String(text) => {
            let card = text.split_once('=').map_or(text.as_str(), |(card, _face)| card);
            card.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| hidden.contains(*word)).collect()
        }
        Json::Array(items) => items.iter().flat_map(|item| told(item, hidden)).collect(),
        Json::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| *name != "standsFor");
            fields.flat_map(|(_, value)| told(value, hidden)).collect()
        }
        _ => Vec::new(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
