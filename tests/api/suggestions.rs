//! Suggestions: right in every phase of a deal, for the own hand only, and accepted when sent as they are.

use remik::{
    codec::wire,
    fairness::Fairness,
    proto::v1::{
        DrawSource, MeldSuggestions, RunEnd, SuggestMeldsRequest, SuggestMeldsResponse,
        game_service_client::GameServiceClient,
    },
};
use remik_rules::{advice::advise, chance::Millis, seat::Seat};
use serde_json::Value as Json;
use tonic::{Code, Request};

use crate::{
    client::{Answer, Client, Command, Order, Via, from_json},
    log::Log,
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    without_a_deal_there_are_none
    each_player_is_told_of_the_own_hand
    suggestions_are_accepted_as_they_come
}

const VIAS: [Via; 2] = [Via::Grpc, Via::Rest];

/// Asks as a player; or the reason why there is no answer.
async fn ask(
    url: &str,
    via: Via,
    token: &str,
    game: &str,
    at_least: u32,
) -> Result<SuggestMeldsResponse, String> {
    match via {
        Via::Grpc => {
            let mut client = GameServiceClient::connect(url.to_owned()).await.unwrap();
            let asked = SuggestMeldsRequest { game_id: game.to_owned(), at_least_version: at_least };
            let mut request = Request::new(asked);
            request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
            client.suggest_melds(request).await.map(tonic::Response::into_inner).map_err(|status| {
                let refused = crate::client::Failure::from(status).refused();
                assert_ne!(refused.code, Code::Internal);
                refused.reason
            })
        }
        Via::Rest => {
            let url = format!("{url}/v1/games/{game}/suggestions?atLeastVersion={at_least}");
            let response = reqwest::Client::new().get(url).bearer_auth(token).send().await.unwrap();
            let good = response.status().is_success();
            let text = response.text().await.unwrap();
            if good {
                return Ok(from_json("SuggestMeldsResponse", &text));
            }
            let answer: Json = serde_json::from_str(&text).unwrap();
            Err(answer["error"]["details"][0]["reason"].as_str().unwrap().to_owned())
        }
    }
}

async fn without_a_deal_there_are_none(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let party = Party::seated(url, &Wish::seats(2)).await;
    let private = Party::seated(url, &Wish::seats(2).private()).await;
    let stranger = Client::guest(url, Via::Rest, "Obcy").await.unwrap();
    let (game, token) = (&party.game, &party.players[0].token);
    for via in VIAS {
        let reason =
            async |token: &str, game: &str, at_least| ask(url, via, token, game, at_least).await.unwrap_err();
        assert_eq!(reason(token, game, 0).await, "NO_DEAL_RUNNING");
        assert_eq!(reason(token, game, 99).await, "VERSION_AHEAD");
        assert_eq!(reason(&stranger.token, game, 0).await, "NOT_SEATED");
        assert_eq!(reason(&stranger.token, &private.game, 0).await, "GAME_NOT_FOUND");
        assert_eq!(reason(token, "no-id", 0).await, "MALFORMED_FIELD");
        assert_eq!(reason("nobody's", game, 0).await, "UNAUTHENTICATED");
    }
    get_ready(&party).await;
    assert!(ask(url, Via::Grpc, token, game, 0).await.is_ok());
    let leave = Order::new(game, 0, Command::Leave);
    party.players[1].send(&leave).await.unwrap();
    assert_eq!(ask(url, Via::Grpc, token, game, 0).await, Err("NO_DEAL_RUNNING".to_owned()), "it is over");
}

/// An instance that has seen the table before the deal looks again before it refuses.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deal_that_another_instance_began_is_found() {
    let database = fresh(Backend::Postgres).await;
    let service = Service::start(&database.url).await;
    let other = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2)).await;
    let token = &party.players[0].token;
    let seen = ask(&other.url, Via::Rest, token, &party.game, 0).await;
    assert_eq!(seen, Err("NO_DEAL_RUNNING".to_owned()));
    let version = get_ready(&party).await;
    let seen = ask(&other.url, Via::Rest, token, &party.game, 0).await;
    assert_eq!(seen.unwrap().version, version);
}

async fn each_player_is_told_of_the_own_hand(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(3)).await;
    let dealt = get_ready(&party).await;
    let turn = party.players[0].look(&party.game).await.unwrap().deal.unwrap().turn.unwrap().seat;
    let draw = Order::new(&party.game, dealt, Command::Draw(DrawSource::Stock));
    let mut told = Vec::new();
    for version in [dealt, dealt + 1] {
        for player in &party.players {
            let [one, other] = VIAS.map(|via| ask(&service.url, via, &player.token, &party.game, version));
            let (one, other) = (one.await.unwrap(), other.await.unwrap());
            assert_eq!(one, other);
            assert_eq!(one.version, version);
            told.push((version, one.suggestions.unwrap()));
        }
        if version == dealt {
            party.players[turn as usize].send(&draw).await.unwrap();
        }
    }
    service.stop().await;

    let log = Log::read(&database.url, &party.game).await;
    let mut chance = Fairness::of(party.game.parse().unwrap());
    for ((version, suggestions), number) in told.iter().zip([0, 1, 2].into_iter().cycle()) {
        assert_eq!(suggestions.seat, u32::from(number));
        let advice =
            advise(&log.table(*version), Seat::new(number).unwrap(), Millis(0), &mut chance).unwrap();
        assert_eq!(*suggestions, wire::suggestions(&advice));
        assert!(suggestions.is_opening || suggestions.missing.as_ref().unwrap().need == 51);
        assert!(!suggestions.playable || turn == suggestions.seat && *version > dealt);
    }
}

/// What a player sends who follows a suggestion.
fn advised(suggestions: MeldSuggestions) -> Option<Command> {
    if suggestions.playable {
        let melds = suggestions.melds.into_iter().map(|melded| melded.meld.unwrap().cards);
        return Some(Command::Meld(melds.collect()));
    }
    let lay_off = suggestions.lay_offs.into_iter().find(|lay_off| lay_off.playable)?;
    let end = RunEnd::try_from(lay_off.end).unwrap();
    Some(Command::LayOff { meld: lay_off.meld_id, cards: lay_off.cards, end })
}

async fn suggestions_are_accepted_as_they_come(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let party = Party::seated(&service.url, &Wish::seats(2).easy()).await;
    let mut version = get_ready(&party).await;
    let game = &party.game;
    let mut turn = party.players[0].look(game).await.unwrap().deal.unwrap().turn.unwrap().seat as usize;
    let mut followed = 0;
    // Enough turns for anybody to lay something, and no more than a stock of this pack has cards.
    for _ in 0..40 {
        let player = &party.players[turn];
        let send = async |version, command| {
            let Answer { version, view, .. } =
                player.send(&Order::new(game, version, command)).await.unwrap();
            (version, view.deal)
        };
        (version, _) = send(version, Command::Draw(DrawSource::Stock)).await;
        loop {
            let via = VIAS[followed % 2];
            let answer = ask(&service.url, via, &player.token, game, version).await.unwrap();
            let Some(command) = advised(answer.suggestions.unwrap()) else { break };
            followed += 1;
            (version, _) = send(version, command).await;
        }
        let legal = player.legal_moves(game, version).await.unwrap().moves.unwrap();
        let deal;
        (version, deal) = send(version, Command::Discard(legal.discards[0].clone())).await;
        let Some(deal) = deal else { break };
        turn = deal.turn.unwrap().seat as usize;
    }
    assert!(followed > 2, "{followed}");
    let view = party.players[0].look(game).await.unwrap();
    if view.deal.is_none() {
        let answer = ask(&service.url, Via::Rest, &party.players[0].token, game, version).await;
        assert_eq!(answer, Err("NO_DEAL_RUNNING".to_owned()));
    }
    service.stop().await;
}
