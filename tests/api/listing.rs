//! Lists of games: pages, filters, and who finds what.

use std::collections::BTreeSet;

use remik::proto::v1::{
    GameState, ListGamesRequest, ListGamesResponse, game_service_client::GameServiceClient,
};
use tonic::{Request, transport::Endpoint};

use crate::{
    client::{Client, Command, Failure, Order, Refused, Via, from_json, rest::refusal},
    on_each_backend,
    party::{Party, Wish, get_ready},
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    lists_are_cut_into_pages_and_filtered
    lists_that_cannot_be
}

async fn list(
    url: &str,
    client: &Client,
    via: Via,
    asked: &ListGamesRequest,
) -> Result<ListGamesResponse, Failure> {
    match via {
        Via::Grpc => {
            let channel = Endpoint::from_shared(url.to_owned()).unwrap().connect_lazy();
            let mut request = Request::new(asked.clone());
            let bearer = format!("Bearer {}", client.token).parse().unwrap();
            request.metadata_mut().insert("authorization", bearer);
            Ok(GameServiceClient::new(channel).list_games(request).await?.into_inner())
        }
        Via::Rest => {
            let mut query = format!("pageSize={}&pageToken={}", asked.page_size, asked.page_token);
            query.push_str(&format!("&preset={}&mine={}", asked.preset, asked.mine));
            asked.states.iter().for_each(|state| query.push_str(&format!("&states={state}")));
            let request = reqwest::Client::new().get(format!("{url}/v1/games?{query}"));
            let response = request.bearer_auth(&client.token).send().await.unwrap();
            if response.status().is_success() {
                Ok(from_json("ListGamesResponse", &response.text().await.unwrap()))
            } else {
                Err(refusal(response).await)
            }
        }
    }
}

/// All pages of a list: the ids of its games.
async fn pages(url: &str, client: &Client, mut asked: ListGamesRequest) -> Vec<String> {
    let mut games = Vec::new();
    for via in [Via::Grpc, Via::Rest].into_iter().cycle() {
        let page = list(url, client, via, &asked).await.unwrap();
        assert!(page.games.len() <= 2);
        games.extend(page.games.into_iter().map(|game| game.game_id));
        if page.next_page_token.is_empty() {
            break;
        }
        asked.page_token = page.next_page_token;
    }
    assert_eq!(games.iter().collect::<BTreeSet<_>>().len(), games.len(), "none twice");
    games
}

async fn lists_are_cut_into_pages_and_filtered(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let url = &service.url;
    let playing = Party::seated(url, &Wish::seats(2)).await;
    get_ready(&playing).await;
    let (ala, ola) = (&playing.players[0], &playing.players[1]);
    let over = Party::seated(url, &Wish { preset: "block-rummy", ..Wish::seats(2) }).await;
    let version = get_ready(&over).await;
    over.players[0].send(&Order::new(&over.game, version, Command::Leave)).await.unwrap();
    let mut mine = Vec::new();
    for wish in [Wish::seats(2), Wish::seats(4), Wish::seats(2).private(), Wish::seats(3).easy()] {
        mine.push(ala.create(wish.request()).await.unwrap().view.unwrap());
    }
    let id = |view: &remik::proto::v1::GameView| view.game_id.clone();
    let stranger = Client::guest(url, Via::Rest, "Obcy").await.unwrap();

    let all = ListGamesRequest { page_size: 2, ..ListGamesRequest::default() };
    let public = [&id(&mine[3]), &id(&mine[1]), &id(&mine[0]), &over.game, &playing.game];
    assert_eq!(pages(url, &stranger, all.clone()).await.iter().collect::<Vec<_>>(), public);
    assert_eq!(pages(url, ola, all.clone()).await.iter().collect::<Vec<_>>(), public);
    let own = [&id(&mine[3]), &id(&mine[2]), &id(&mine[1]), &id(&mine[0]), &over.game, &playing.game];
    assert_eq!(pages(url, ala, all.clone()).await.iter().collect::<Vec<_>>(), own);

    let only = |states: &[GameState]| ListGamesRequest {
        states: states.iter().map(|state| i32::from(*state)).collect(),
        ..all.clone()
    };
    let started = pages(url, &stranger, only(&[GameState::Over, GameState::Playing])).await;
    assert_eq!(started, [over.game.clone(), playing.game.clone()]);
    assert_eq!(pages(url, &stranger, only(&[GameState::Waiting])).await.len(), 3);
    let block = ListGamesRequest { preset: "block-rummy".to_owned(), ..all.clone() };
    assert_eq!(pages(url, &stranger, block).await, [over.game.as_str()]);
    let hers = ListGamesRequest { mine: true, ..all.clone() };
    assert_eq!(pages(url, ola, hers.clone()).await, [playing.game.as_str()]);
    assert_eq!(pages(url, ala, hers.clone()).await.len(), 5);
    assert!(pages(url, &stranger, hers).await.is_empty());

    // What a line says.
    let page = list(url, &stranger, Via::Rest, &only(&[GameState::Over])).await.unwrap();
    let line = &page.games[0];
    assert_eq!(
        (line.preset.as_str(), line.house_rules, line.state()),
        ("block-rummy", false, GameState::Over)
    );
    assert_eq!(line.seats.iter().map(|seat| seat.place).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(line.seats[0].player_id, over.players[0].id);
    assert_eq!((line.seats[1].display_name.as_str(), line.version), ("Rest", version + 1));
    let page = list(url, &stranger, Via::Grpc, &only(&[GameState::Waiting])).await.unwrap();
    assert!(page.games[0].house_rules && !page.games[1].house_rules);

    // A page goes on where the one before ended, also if there are new games since.
    let first = list(url, ala, Via::Rest, &all).await.unwrap();
    ala.create(Wish::seats(2).request()).await.unwrap();
    let rest = ListGamesRequest { page_token: first.next_page_token, ..all };
    assert_eq!(list(url, ala, Via::Grpc, &rest).await.unwrap().games[0].game_id, id(&mine[1]));
}

async fn lists_that_cannot_be(backend: Backend) {
    let database = fresh(backend).await;
    let service = Service::start(&database.url).await;
    let client = Client::guest(&service.url, Via::Rest, "Ala").await.unwrap();
    let usual = ListGamesRequest::default();
    for (asked, reason, field) in [
        (ListGamesRequest { page_size: 101, ..usual.clone() }, "FIELD_OUT_OF_RANGE", "page_size"),
        (ListGamesRequest { page_token: "zzz".to_owned(), ..usual.clone() }, "MALFORMED_FIELD", "page_token"),
        (ListGamesRequest { preset: "canasta".to_owned(), ..usual.clone() }, "UNKNOWN_PRESET", "preset"),
        (ListGamesRequest { states: vec![1, 0], ..usual.clone() }, "FIELD_OUT_OF_RANGE", "states[1]"),
        (ListGamesRequest { states: vec![9], ..usual.clone() }, "FIELD_OUT_OF_RANGE", "states[0]"),
    ] {
        for via in [Via::Grpc, Via::Rest] {
            let refused: Refused = list(&service.url, &client, via, &asked).await.unwrap_err().refused();
            assert_eq!(
                (refused.reason.as_str(), &*refused.fields),
                (reason, &[field.to_owned()][..]),
                "{asked:?}"
            );
        }
    }
    let nobody = Client::nobody(&service.url, Via::Grpc);
    let refused = list(&service.url, &nobody, Via::Rest, &usual).await.unwrap_err().refused();
    assert_eq!(refused.reason, "UNAUTHENTICATED");
}
