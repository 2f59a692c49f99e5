//! Tickets of matchmaking: made, joined, listed, watched and cancelled.

use std::time::Duration;

use futures::future::join_all;
use remik::{
    proto::v1::{
        TicketState, WatchTicketRequest, matchmaking_service_client::MatchmakingServiceClient,
        watch_ticket_response::Item,
    },
    store::{Millis, Store, StoreOptions},
};
use serde_json::{Value as Json, json};
use tokio::time::timeout;
use tonic::{Request, Streaming, transport::Endpoint};
use uuid::Uuid;

use crate::{
    call::{Caller, Credentials, reason, until},
    client::{Client, Failure, Via, fresh_id},
    on_each_backend,
    service::Service,
    support::database::{Backend, fresh},
};

on_each_backend! {
    a_player_has_one_open_ticket
    requests_can_be_repeated
    parties_gather_by_their_code
    backends_make_tickets_for_their_players
    who_blocks_somebody_is_not_matched_with_him
    tickets_are_listed_by_pages
    tickets_end_with_their_stream
    tickets_expire
}

/// How long anything may take.
pub(crate) const BOUND: Duration = Duration::from_secs(30);

/// The service with settings of matchmaking by the environment.
pub(crate) async fn start(database_url: &str, settings: &[(&str, &str)]) -> Service {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_remik"));
    program.args(Service::arguments(database_url));
    program.envs(settings.iter().map(|(name, value)| (format!("REMIK_MATCHMAKING_{name}"), value)));
    Service::start_by(program).await
}

/// Where tickets are asked for.
pub(crate) struct Desk {
    caller: Caller,
    url: String,
}

impl Desk {
    pub(crate) fn new(url: &str) -> Self {
        Self { caller: Caller::new(url), url: url.to_owned() }
    }

    pub(crate) async fn guest(&self, name: &str) -> Client {
        Client::guest(&self.url, Via::Grpc, name).await.unwrap()
    }

    /// A call of the service, over REST.
    pub(crate) async fn call(&self, method: &str, asked: Json, token: &str) -> Result<Json, Failure> {
        self.via(Via::Rest, method, asked, token).await
    }

    async fn via(&self, via: Via, method: &str, asked: Json, token: &str) -> Result<Json, Failure> {
        let method = format!("remik.v1.MatchmakingService/{method}");
        self.caller.call(via, &method, &asked, &Credentials::token(token)).await
    }

    /// A new ticket of somebody, who wants this.
    pub(crate) async fn create(&self, token: &str, wanted: Json) -> Result<Json, Failure> {
        let mut asked = json!({"requestId": fresh_id().to_string()});
        asked.as_object_mut().unwrap().extend(wanted.as_object().unwrap().clone());
        Ok(self.call("CreateTicket", asked, token).await?["ticket"].take())
    }

    /// A ticket as it is.
    pub(crate) async fn ticket(&self, token: &str, id: &Json) -> Json {
        self.call("GetTicket", json!({"ticketId": id}), token).await.unwrap()["ticket"].take()
    }

    async fn cancel(&self, token: &str, id: &Json) -> Result<Json, Failure> {
        Ok(self.call("CancelTicket", json!({"ticketId": id}), token).await?["ticket"].take())
    }

    async fn join(&self, token: &str, code: &Json) -> Result<Json, Failure> {
        Ok(self.call("JoinTicket", json!({"partyCode": code}), token).await?["ticket"].take())
    }

    /// Waits until a ticket is in a state, and shows it.
    pub(crate) async fn until(&self, token: &str, id: &Json, state: &str) -> Json {
        let is = async || self.ticket(token, id).await["state"] == state;
        until(BOUND, state, is).await;
        self.ticket(token, id).await
    }

    /// The stream of a ticket over gRPC.
    pub(crate) async fn watch(&self, token: &str, id: &Json, after_version: Option<u32>) -> TicketWatch {
        let channel = Endpoint::from_shared(self.url.clone()).unwrap().connect_lazy();
        let ticket_id = id.as_str().unwrap().to_owned();
        let mut request = Request::new(WatchTicketRequest { ticket_id, after_version });
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        let stream = MatchmakingServiceClient::new(channel).watch_ticket(request).await.unwrap();
        TicketWatch(stream.into_inner())
    }
}

/// A stream of a ticket.
pub(crate) struct TicketWatch(Streaming<remik::proto::v1::WatchTicketResponse>);

impl TicketWatch {
    /// The next item; `None` at the good end.
    pub(crate) async fn next(&mut self) -> Option<(u32, Item)> {
        let next = timeout(BOUND, self.0.message()).await.expect("there is something on the stream");
        next.unwrap().map(|response| (response.version, response.item.unwrap()))
    }

    /// The next state of the ticket, whatever comes before it.
    pub(crate) async fn state(&mut self) -> Option<TicketState> {
        loop {
            match self.next().await? {
                (version, Item::Ticket(ticket)) => {
                    assert_eq!(version, ticket.version);
                    return Some(ticket.state());
                }
                (_, Item::CaughtUp(_) | Item::Progress(_)) => {}
            }
        }
    }
}

/// Blocks one player for another.
pub(crate) async fn block(database_url: &str, one: &str, other: &str) {
    let store = Store::open_beside(database_url, StoreOptions::default()).await.unwrap();
    store.block(one.parse().unwrap(), other.parse().unwrap(), Millis(1)).await.unwrap();
    store.close().await;
}

async fn a_player_has_one_open_ticket(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let desk = Desk::new(&service.url);
    let (ala, ola) = (desk.guest("Ala").await, desk.guest("Ola").await);
    let ticket = desk.create(&ala.token, json!({"presets": ["remi-30", "rummy-200"], "seats": [4]})).await.unwrap();
    assert_eq!((&ticket["state"], &ticket["holderId"]), (&json!("TICKET_STATE_QUEUED"), &json!(ala.id)));
    assert_eq!((&ticket["presets"], &ticket["windowPoints"]), (&json!(["remi-30", "rummy-200"]), &json!(100)));
    assert_eq!(ticket["players"], json!([{"playerId": ala.id, "displayName": "Ala"}]));
    let refused = desk.create(&ala.token, json!({})).await.unwrap_err().refused();
    assert_eq!(refused.reason, "ALREADY_QUEUED");
    assert_eq!(refused.metadata["player"], ala.id);
    assert_eq!(refused.metadata["ticket"], ticket["ticketId"].as_str().unwrap());

    let id = &ticket["ticketId"];
    for method in ["GetTicket", "CancelTicket", "WatchTicket"] {
        for via in [Via::Grpc, Via::Rest] {
            let told = desk.via(via, method, json!({"ticketId": id}), &ola.token).await;
            assert_eq!(reason(told), "TICKET_NOT_FOUND", "{method} over {via:?}");
        }
    }
    let cancelled = desk.cancel(&ala.token, id).await.unwrap();
    assert_eq!((&cancelled["state"], &cancelled["version"]), (&json!("TICKET_STATE_CANCELLED"), &json!(2)));
    assert_eq!(desk.cancel(&ala.token, id).await.unwrap(), cancelled, "a second time nothing changes");
    desk.create(&ala.token, json!({"seats": [4]})).await.unwrap();

    for (wanted, told) in [
        (json!({"presets": ["remik-51"], "seats": [5, 6]}), "RULESET_OUT_OF_RANGE"),
        (json!({"seats": [2], "partySize": 3}), "RULESET_OUT_OF_RANGE"),
        (json!({"playerIds": [ala.id]}), "SCOPE_MISSING"),
        (json!({"presets": ["canasta"]}), "UNKNOWN_PRESET"),
    ] {
        assert_eq!(reason(desk.create(&ola.token, wanted.clone()).await), told, "{wanted}");
    }
}

async fn requests_can_be_repeated(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let desk = Desk::new(&service.url);
    let ala = desk.guest("Ala").await;
    let asked = json!({"requestId": fresh_id().to_string(), "seats": [3]});
    // The same command many times at once, and by both ways.
    let calls = (0..12).map(async |turn| {
        let via = if turn % 2 == 0 { Via::Grpc } else { Via::Rest };
        desk.via(via, "CreateTicket", asked.clone(), &ala.token).await.unwrap()["ticket"]["ticketId"].take()
    });
    let made = join_all(calls).await;
    assert!(made.iter().all(|id| *id == made[0] && id.is_string()), "{made:?}");
    let mut other = asked.clone();
    other["seats"] = json!([2]);
    assert_eq!(reason(desk.call("CreateTicket", other, &ala.token).await), "REQUEST_ID_REUSED");
    // Also when the ticket is over.
    desk.cancel(&ala.token, &made[0]).await.unwrap();
    let again = desk.call("CreateTicket", asked, &ala.token).await.unwrap();
    assert_eq!((&again["ticket"]["ticketId"], &again["ticket"]["state"]), (&made[0], &json!("TICKET_STATE_CANCELLED")));
}

async fn parties_gather_by_their_code(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let desk = Desk::new(&service.url);
    let [ala, ola, ela] = [desk.guest("Ala").await, desk.guest("Ola").await, desk.guest("Ela").await];
    let ticket = desk.create(&ala.token, json!({"partySize": 2, "seats": [4]})).await.unwrap();
    assert_eq!(ticket["state"], "TICKET_STATE_GATHERING");
    assert!(ticket["queuedAt"].is_null());
    let (id, code) = (&ticket["ticketId"], &ticket["partyCode"]);
    let mut stream = desk.watch(&ala.token, id, None).await;
    assert_eq!(stream.state().await, Some(TicketState::Gathering));

    assert_eq!(reason(desk.join(&ola.token, &json!("ABCD2345")).await), "PARTY_NOT_FOUND");
    let written = code.as_str().unwrap().to_lowercase();
    let joined = desk.join(&ola.token, &json!(format!("{}-{}", &written[..4], &written[4..]))).await.unwrap();
    assert_eq!((&joined["state"], joined["players"].as_array().unwrap().len()), (&json!("TICKET_STATE_QUEUED"), 2));
    assert_eq!(desk.join(&ola.token, code).await.unwrap()["version"], joined["version"], "joined already");
    assert_eq!(stream.state().await, Some(TicketState::Queued));
    assert_eq!(reason(desk.create(&ola.token, json!({})).await), "ALREADY_QUEUED");
    let refused = desk.join(&ela.token, code).await.unwrap_err().refused();
    assert_eq!((refused.reason.as_str(), refused.metadata["size"].as_str()), ("PARTY_FULL", "2"));

    // Who leaves isn't in it any more, and another takes the place.
    let left = desk.cancel(&ola.token, id).await.unwrap();
    assert_eq!((&left["state"], left["players"].as_array().unwrap().len()), (&json!("TICKET_STATE_GATHERING"), 1));
    assert_eq!(reason(desk.call("GetTicket", json!({"ticketId": id}), &ola.token).await), "TICKET_NOT_FOUND");
    assert_eq!(stream.state().await, Some(TicketState::Gathering));
    desk.join(&ela.token, code).await.unwrap();
    desk.create(&ola.token, json!({"seats": [2]})).await.unwrap();
    assert_eq!(reason(desk.join(&ola.token, code).await), "PARTY_FULL");
    // The holder's end is everybody's.
    desk.cancel(&ala.token, id).await.unwrap();
    assert_eq!(desk.ticket(&ela.token, id).await["state"], "TICKET_STATE_CANCELLED");
    assert_eq!(reason(desk.join(&desk.guest("Ula").await.token, code).await), "PARTY_NOT_FOUND");
    let open = desk.create(&ela.token, json!({"partySize": 2, "seats": [3]})).await.unwrap();
    assert_eq!(reason(desk.join(&ola.token, &open["partyCode"]).await), "ALREADY_QUEUED");
    assert_eq!(stream.state().await, Some(TicketState::Queued));
    assert_eq!(stream.state().await, Some(TicketState::Cancelled));
    assert_eq!(stream.next().await, None, "the stream ends with the ticket");
}

async fn backends_make_tickets_for_their_players(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[("TICKETS_OF_KEY", "2")]).await;
    let desk = Desk::new(&service.url);
    let key = &service.console_key;
    let [ala, ola, ela, ula] =
        [desk.guest("Ala").await, desk.guest("Ola").await, desk.guest("Ela").await, desk.guest("Ula").await];
    assert_eq!(reason(desk.create(key, json!({})).await), "PLAYER_REQUIRED");
    let stranger = json!([ala.id, Uuid::now_v7().to_string()]);
    assert_eq!(reason(desk.create(key, json!({"playerIds": stranger})).await), "PLAYER_NOT_FOUND");
    let party = desk.create(key, json!({"playerIds": [ala.id, ola.id], "seats": [3]})).await.unwrap();
    assert_eq!((&party["state"], &party["partySize"]), (&json!("TICKET_STATE_QUEUED"), &json!(2)));
    assert_eq!(desk.ticket(&ola.token, &party["ticketId"]).await["players"].as_array().unwrap().len(), 2);
    let third = desk.create(key, json!({"playerIds": [ela.id], "seats": [3]})).await.unwrap();
    let game = &desk.until(key, &third["ticketId"], "TICKET_STATE_MATCHED").await["gameId"];
    assert_eq!(*game, desk.until(&ala.token, &party["ticketId"], "TICKET_STATE_MATCHED").await["gameId"]);
    let view = ola.at(&service.url, Via::Rest).look(game.as_str().unwrap()).await.unwrap();
    let seated: Vec<&str> = view.seats.iter().map(|seat| seat.player_id.as_str()).collect();
    assert_eq!(seated, [&ala.id, &ola.id, &ela.id], "in the order in which they have waited");

    // Whoever was put into a party may still say no.
    let party = desk.create(key, json!({"playerIds": [ala.id, ola.id], "seats": [4]})).await.unwrap();
    let cancelled = desk.cancel(&ola.token, &party["ticketId"]).await.unwrap();
    assert_eq!(cancelled["state"], "TICKET_STATE_CANCELLED");
    for player in [&ala, &ela] {
        desk.create(key, json!({"playerIds": [player.id], "seats": [4]})).await.unwrap();
    }
    let refused = desk.create(key, json!({"playerIds": [ula.id], "seats": [4]})).await.unwrap_err().refused();
    assert_eq!((refused.reason.as_str(), refused.metadata["most"].as_str()), ("TOO_MANY_TICKETS", "2"));
    assert!(refused.retry_after.is_some());
    desk.create(&ula.token, json!({"seats": [4]})).await.unwrap();
    let listed = desk.call("ListTickets", json!({"openOnly": true}), key).await.unwrap();
    assert_eq!(listed["tickets"].as_array().unwrap().len(), 3, "those that players make count as theirs");
    let listed = desk.call("ListTickets", json!({"playerId": ala.id}), key).await.unwrap();
    assert_eq!(listed["tickets"].as_array().unwrap().len(), 3);
    let of_other = desk.call("ListTickets", json!({"playerId": ala.id}), &ula.token).await;
    assert_eq!(reason(of_other), "SCOPE_MISSING");
}

async fn who_blocks_somebody_is_not_matched_with_him(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let desk = Desk::new(&service.url);
    let [ala, ola, ela] = [desk.guest("Ala").await, desk.guest("Ola").await, desk.guest("Ela").await];
    block(&database.url, &ola.id, &ala.id).await;
    let party = json!({"playerIds": [ala.id, ola.id]});
    assert_eq!(reason(desk.create(&service.console_key, party).await), "PARTY_APART");
    let gathering = desk.create(&ala.token, json!({"partySize": 2})).await.unwrap();
    assert_eq!(reason(desk.join(&ola.token, &gathering["partyCode"]).await), "PARTY_NOT_FOUND");
    desk.cancel(&ala.token, &gathering["ticketId"]).await.unwrap();

    let wanted = json!({"seats": [2]});
    let [first, second] = [
        desk.create(&ala.token, wanted.clone()).await.unwrap(),
        desk.create(&ola.token, wanted.clone()).await.unwrap(),
    ];
    let third = desk.create(&ela.token, wanted).await.unwrap();
    let game = &desk.until(&ela.token, &third["ticketId"], "TICKET_STATE_MATCHED").await["gameId"];
    assert_eq!(desk.ticket(&ala.token, &first["ticketId"]).await["gameId"], *game, "who has waited longest");
    assert_eq!(desk.ticket(&ola.token, &second["ticketId"]).await["state"], "TICKET_STATE_QUEUED");
}

async fn tickets_are_listed_by_pages(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[]).await;
    let desk = Desk::new(&service.url);
    let (ala, ola) = (desk.guest("Ala").await, desk.guest("Ola").await);
    desk.create(&ola.token, json!({"seats": [4]})).await.unwrap();
    let mut made = Vec::new();
    for turn in 0..5 {
        let ticket = desk.create(&ala.token, json!({"seats": [4]})).await.unwrap();
        if turn < 4 {
            desk.cancel(&ala.token, &ticket["ticketId"]).await.unwrap();
        }
        made.push(ticket["ticketId"].clone());
    }
    made.reverse();
    let (mut listed, mut token) = (Vec::new(), json!(""));
    loop {
        let asked = json!({"pageSize": 2, "pageToken": token});
        let page = desk.call("ListTickets", asked, &ala.token).await.unwrap();
        listed.extend(page["tickets"].as_array().unwrap().iter().map(|ticket| ticket["ticketId"].clone()));
        token = page["nextPageToken"].clone();
        if token.as_str().is_none_or(str::is_empty) {
            break;
        }
    }
    assert_eq!(listed, made);
    let open = desk.call("ListTickets", json!({"openOnly": true}), &ala.token).await.unwrap();
    assert_eq!(open["tickets"].as_array().unwrap().len(), 1);
    let bad = desk.call("ListTickets", json!({"pageToken": "x"}), &ala.token).await;
    assert_eq!(reason(bad), "MALFORMED_FIELD");
}

async fn tickets_end_with_their_stream(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[("GRACE_SECONDS", "1")]).await;
    let desk = Desk::new(&service.url);
    let [ala, ola, ela] = [desk.guest("Ala").await, desk.guest("Ola").await, desk.guest("Ela").await];
    let wanted = json!({"seats": [4], "endsWithStream": true});
    let unwatched = desk.create(&ola.token, wanted.clone()).await.unwrap();
    let ticket = desk.create(&ala.token, wanted).await.unwrap();
    let id = &ticket["ticketId"];
    let lasting = desk.create(&ela.token, json!({"seats": [4]})).await.unwrap();
    let mut stream = desk.watch(&ala.token, id, None).await;
    assert_eq!(stream.state().await, Some(TicketState::Queued));
    assert!(matches!(stream.next().await, Some((1, Item::CaughtUp(_)))));
    // Several times the grace later.
    let Some((1, Item::Progress(progress))) = stream.next().await else { panic!() };
    assert!(progress.waited.unwrap().seconds >= 4 && progress.window_points > 100, "{progress:?}");
    assert_eq!(desk.ticket(&ala.token, id).await["state"], "TICKET_STATE_QUEUED");
    assert_eq!(desk.ticket(&ola.token, &unwatched["ticketId"]).await["state"], "TICKET_STATE_CANCELLED");
    drop(stream);
    desk.until(&ala.token, id, "TICKET_STATE_CANCELLED").await;
    assert_eq!(desk.ticket(&ela.token, &lasting["ticketId"]).await["state"], "TICKET_STATE_QUEUED");
    desk.create(&ala.token, json!({"seats": [4]})).await.unwrap();

    // Also if the instance dies that the stream was at.
    let ticket = desk.create(&ola.token, json!({"seats": [4], "endsWithStream": true})).await.unwrap();
    let mut stream = desk.watch(&ola.token, &ticket["ticketId"], None).await;
    assert_eq!(stream.state().await, Some(TicketState::Queued));
    service.kill();
    let service = start(&database.url, &[("GRACE_SECONDS", "1")]).await;
    let desk = Desk::new(&service.url);
    desk.until(&ola.token, &ticket["ticketId"], "TICKET_STATE_CANCELLED").await;
}

async fn tickets_expire(backend: Backend) {
    let database = fresh(backend).await;
    let service = start(&database.url, &[("TICKET_SECONDS", "1")]).await;
    let desk = Desk::new(&service.url);
    let ala = desk.guest("Ala").await;
    let ticket = desk.create(&ala.token, json!({"seats": [4]})).await.unwrap();
    let mut stream = desk.watch(&ala.token, &ticket["ticketId"], Some(1)).await;
    assert_eq!(stream.state().await, Some(TicketState::Expired));
    assert_eq!(stream.next().await, None);
    let refused = desk.cancel(&ala.token, &ticket["ticketId"]).await.unwrap_err().refused();
    assert_eq!((refused.reason.as_str(), refused.metadata["state"].as_str()), ("TICKET_CLOSED", "EXPIRED"));
    desk.create(&ala.token, json!({"seats": [4]})).await.unwrap();
}
