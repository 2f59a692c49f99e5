//! Every cell of the table of who may call what on what: each method with each kind of credentials, over gRPC and over
//! REST.

use remik::authorization::{Method, On, Who};
use remik::identity::Scope;
use serde_json::{Value as Json, json};
use tonic::Code;

use crate::{
    accounts::{Files, make_key},
    call::{Caller, Credentials, start_with},
    client::{Client, Failure, Refused, Via, fresh_id},
    jwt::{AUDIENCE, ISSUER, RSA_ONE, RSA_TWO, Signer, claims, jwks, now, with},
    on_each_backend,
    party::Wish,
    support::database::{Backend, fresh},
};

on_each_backend! {
    every_cell_of_the_table_holds
}

const SECRET: &[u8] = b"a secret of the integrator's, long enough";

/// What a call is made about.
struct Place {
    /// Who owns the game.
    player: String,
    game: String,
    code: String,
    /// Of the owner, for calls that take a token in the request.
    refresh: String,
    /// A key that may be revoked.
    key: String,
    /// The owner's ticket, and the code of its party.
    ticket: String,
    party: String,
}

/// A request that is refused for nothing but who sends it, or for the rules of play. A new method says here what its
/// request is.
fn request(method: Method, place: &Place) -> Json {
    let game = json!({"gameId": place.game});
    let and = |mut request: Json, more: Json| {
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let command = |more: Json| and(and(game.clone(), json!({"requestId": fresh_id().to_string()})), more);
    match method {
        Method::CreateGame | Method::CreatePracticeGame => json!({"requestId": fresh_id().to_string()}),
        Method::GetGame | Method::WatchGame | Method::CreateWatchTicket => game,
        Method::GetLegalMoves | Method::SuggestMelds => game,
        Method::ListGames | Method::ListRulesets | Method::ListKeys => json!({}),
        Method::ListTables | Method::WatchLobby | Method::ListOwnInvitations => json!({}),
        Method::ChangeTable => command(json!({"settings": {"title": "Piątek"}})),
        Method::HandOverHost | Method::RemovePlayer => command(json!({"playerId": place.player})),
        Method::AskReady | Method::DeclineSeat => command(json!({})),
        Method::InvitePlayers => and(game, json!({"playerIds": [place.player]})),
        Method::WithdrawInvitation => and(game, json!({"playerId": place.player})),
        Method::ListInvitations | Method::Rematch => game,
        Method::ReadFeed | Method::WatchFeed | Method::ListWebhooks => json!({}),
        // A host that is never there.
        Method::CreateWebhook => {
            let id = fresh_id().to_string();
            let url = "https://no-such-host.invalid/";
            json!({"requestId": id, "name": "Haczyk", "url": url, "kinds": ["WEBHOOK_KIND_GAME_OVER"]})
        }
        Method::GetWebhook
        | Method::UpdateWebhook
        | Method::DeleteWebhook
        | Method::ListWebhookDeliveries
        | Method::ReplayWebhookDeliveries => json!({"webhookId": place.key}),
        Method::RotateWebhookSecret => {
            json!({"webhookId": place.key, "requestId": fresh_id().to_string()})
        }
        Method::JoinGame | Method::LeaveGame | Method::Ready | Method::Undo => command(json!({})),
        Method::ResumeSeat => command(json!({})),
        Method::AddBot => command(json!({"strength": "BOT_STRENGTH_EASY"})),
        Method::RemoveBot => command(json!({"seat": 1})),
        Method::GetGameByCode => json!({"inviteCode": place.code}),
        Method::CreateSandboxGame => {
            json!({"requestId": fresh_id().to_string(), "playerIds": [place.player]})
        }
        Method::JoinGameByCode => json!({"inviteCode": place.code, "requestId": fresh_id().to_string()}),
        Method::CreateTicket => json!({"requestId": fresh_id().to_string(), "playerIds": [place.player]}),
        Method::JoinTicket => json!({"partyCode": place.party}),
        Method::GetTicket | Method::WatchTicket | Method::CancelTicket => json!({"ticketId": place.ticket}),
        Method::ListTickets => json!({}),
        Method::Draw => command(json!({"source": "DRAW_SOURCE_STOCK"})),
        Method::Meld => command(json!({"melds": [{"cards": ["7H", "8H", "9H"]}]})),
        Method::LayOff => command(json!({"meldId": "m1", "cards": ["7H"]})),
        Method::SwapJoker => command(json!({"meldId": "m1", "card": "7H", "joker": "X1"})),
        Method::Discard => command(json!({"card": "7H"})),
        Method::CreateGuest => json!({"displayName": "Ala"}),
        Method::CreatePlayer => json!({"externalId": "user-x", "displayName": "Ala"}),
        Method::GetPlayer | Method::IssueToken | Method::RevokePlayerTokens => {
            json!({"playerId": place.player})
        }
        Method::LinkAccount => json!({"accountToken": "a.b.c"}),
        Method::RefreshToken => json!({"refreshToken": place.refresh}),
        Method::RevokeToken => json!({"token": place.refresh}),
        Method::CreateKey => json!({"name": "Klucz", "scopes": ["games"]}),
        Method::RevokeKey => json!({"keyId": place.key}),
        Method::Play => json!({"unsubscribe": game}),
        Method::GetReplay | Method::ListReplayPositions | Method::ExportReplay => game,
        Method::SetReplayAccess => and(game, json!({"access": "REPLAY_ACCESS_LINK"})),
        Method::GetRatings | Method::ListRatingChanges | Method::GetStatistics => {
            json!({"playerId": place.player})
        }
        Method::GetGameRatings => game,
        Method::ListLeaderboard => json!({}),
        Method::SearchReplays | Method::GetSigningKey => json!({}),
        Method::ImportReplay => json!({"document": "{}"}),
        Method::FindGames | Method::FindPlayers | Method::ListAuditEntries => json!({}),
        Method::InspectGame | Method::InspectMoves => game,
        Method::EndGame | Method::VoidGame => command(json!({"reason": "It was called off"})),
        Method::BanPlayer | Method::LiftBan | Method::SignOutPlayer => json!({
            "playerId": place.player, "requestId": fresh_id().to_string(), "reason": "Insults",
        }),
        Method::SendMessage => command(json!({"content": {"phrase": "hello"}})),
        Method::ListMessages | Method::WatchChat | Method::SetChatMode => game,
        Method::DeleteMessage => and(game, json!({"position": 1})),
        Method::UpdatePlayer => json!({"playerId": place.player, "locale": "pl"}),
        Method::ExportPlayer => json!({"playerId": place.player}),
        Method::ErasePlayer => json!({"playerId": place.player, "confirmPlayerId": place.player}),
        Method::BlockPlayer | Method::UnblockPlayer | Method::MutePlayer | Method::UnmutePlayer => {
            json!({"playerId": place.player})
        }
        Method::ListBlocks | Method::ListMutes | Method::ListQuickPhrases => json!({}),
    }
}

/// What comes of a cell.
#[derive(Debug, Clone, PartialEq)]
enum Told {
    /// He may: whatever else the call comes to.
    May,
    /// He may not, for this reason.
    Refused(&'static str),
    /// He may not, for want of a scope.
    ScopeMissing(Scope),
}

/// The reasons that are about who calls.
const ABOUT_THE_CALLER: [&str; 11] = [
    "UNAUTHENTICATED",
    "TOKEN_EXPIRED",
    "SCOPE_MISSING",
    "PLAYER_REQUIRED",
    "PERMISSION_DENIED",
    "NOT_SEATED",
    "NOT_HOST",
    "NOT_OPENER",
    "GAME_NOT_FOUND",
    "TICKET_NOT_FOUND",
    "PLAYER_NOT_FOUND",
];

fn check(outcome: Result<Json, Failure>, told: &Told, cell: &str) {
    let refused = match outcome {
        Ok(_) => {
            assert_eq!(told, &Told::May, "{cell} was answered");
            return;
        }
        Err(failure) => failure.refused(),
    };
    let Refused { code, reason, metadata, .. } = &refused;
    match told {
        Told::May => assert!(!ABOUT_THE_CALLER.contains(&reason.as_str()), "{cell}: {refused:?}"),
        Told::ScopeMissing(scope) => {
            let of_scope = metadata.get("scope").map(String::as_str);
            let is = (*code, reason.as_str(), of_scope);
            assert_eq!(is, (Code::PermissionDenied, "SCOPE_MISSING", Some(scope.name())), "{cell}");
        }
        Told::Refused(wanted) => {
            let wanted_code = match *wanted {
                "UNAUTHENTICATED" | "TOKEN_EXPIRED" => Code::Unauthenticated,
                "GAME_NOT_FOUND" | "TICKET_NOT_FOUND" => Code::NotFound,
                "PLAYER_REQUIRED" => Code::InvalidArgument,
                _ => Code::PermissionDenied,
            };
            assert_eq!((*code, reason.as_str()), (wanted_code, *wanted), "{cell}: {refused:?}");
            // A forger learns nothing of why.
            assert!(*wanted != "UNAUTHENTICATED" || metadata.is_empty(), "{cell}: {refused:?}");
        }
    }
}

/// Credentials that nobody has, and what is told of them.
async fn strangers(caller: &Caller, admin: &str) -> Vec<(&'static str, Credentials, &'static str)> {
    let signer = Signer::secret(SECRET);
    let good = signer.sign(&claims("user-9"));
    let [header, payload, signature] = good.split('.').collect::<Vec<_>>()[..] else { panic!() };
    let other = signer.sign(&claims("somebody-else"));
    let other_payload = other.split('.').nth(1).unwrap();
    // {"alg":"none","typ":"JWT"}
    let none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
    let rsa = Signer::rsa(RSA_ONE, "rsa");
    let modulus = rsa.jwk()["n"].as_str().unwrap().to_owned();
    let document = rsa.jwk().to_string();
    let unsigned = "UNAUTHENTICATED";

    let revoked_token = {
        let made = guest(caller).await;
        let token = made["token"].as_str().unwrap().to_owned();
        let asked = json!({"token": token});
        caller
            .call(Via::Rest, "remik.v1.PlayerService/RevokeToken", &asked, &Credentials::default())
            .await
            .unwrap();
        token
    };
    let revoked_key = {
        let scopes: Vec<&str> = Scope::ALL.iter().map(|scope| scope.name()).collect();
        let asked = json!({"name": "x", "scopes": scopes});
        let admin = Credentials::token(admin);
        let made = caller.call(Via::Rest, "remik.v1.KeyService/CreateKey", &asked, &admin).await.unwrap();
        let asked = json!({"keyId": made["key"]["keyId"]});
        caller.call(Via::Rest, "remik.v1.KeyService/RevokeKey", &asked, &admin).await.unwrap();
        made["secret"].as_str().unwrap().to_owned()
    };
    let expired_guest = format!("remik_player_{:012x}{}", now() * 1000 - 1, "0".repeat(64));
    let tokens = [
        ("no token", String::new(), unsigned),
        ("garbage", "garbage".to_owned(), unsigned),
        ("an empty JWT", "..".to_owned(), unsigned),
        ("a made-up token", format!("remik_player_{:012x}{}", now() * 2000, "0".repeat(64)), unsigned),
        ("a made-up key", format!("remik_key_{}", "0".repeat(64)), unsigned),
        ("a revoked token", revoked_token, unsigned),
        ("a revoked key", revoked_key, unsigned),
        ("an expired token", expired_guest, "TOKEN_EXPIRED"),
        ("an expired JWT", signer.sign(&with(claims("user-9"), "exp", json!(now() - 60))), "TOKEN_EXPIRED"),
        ("a JWT with alg none", format!("{none}.{payload}."), unsigned),
        ("a JWT with alg none and a signature", format!("{none}.{payload}.{signature}"), unsigned),
        ("a JWT without a signature", format!("{header}.{payload}."), unsigned),
        ("a JWT with another's payload", format!("{header}.{other_payload}.{signature}"), unsigned),
        ("a JWT by another secret", Signer::secret(&[7; 32]).sign(&claims("user-9")), unsigned),
        (
            "a public key as a secret: its modulus",
            Signer::secret(modulus.as_bytes()).named("rsa").sign(&claims("user-9")),
            unsigned,
        ),
        (
            "a public key as a secret: its document",
            Signer::secret(document.as_bytes()).named("rsa").sign(&claims("user-9")),
            unsigned,
        ),
        ("a JWT by another RSA key", Signer::rsa(RSA_TWO, "rsa").sign(&claims("user-9")), unsigned),
        ("a JWT by a key of another kind", Signer::ed25519("rsa").sign(&claims("user-9")), unsigned),
        (
            "an expired forgery",
            Signer::secret(&[7; 32]).sign(&with(claims("user-9"), "exp", json!(1))),
            unsigned,
        ),
        (
            "a JWT of another issuer",
            signer.sign(&with(claims("user-9"), "iss", json!("https://evil.example.com"))),
            unsigned,
        ),
        ("a JWT without an issuer", signer.sign(&with(claims("user-9"), "iss", Json::Null)), unsigned),
        ("a JWT for another service", rsa.sign(&with(claims("user-9"), "aud", json!("chess"))), unsigned),
        ("a JWT for nobody", rsa.sign(&with(claims("user-9"), "aud", Json::Null)), unsigned),
        (
            "a JWT that isn't valid yet",
            signer.sign(&with(claims("user-9"), "nbf", json!(now() + 600))),
            unsigned,
        ),
        ("a JWT without an end", signer.sign(&with(claims("user-9"), "exp", Json::Null)), unsigned),
    ];
    tokens.into_iter().map(|(name, token, told)| (name, Credentials::token(&token), told)).collect()
}

async fn every_cell_of_the_table_holds(backend: Backend) {
    let database = fresh(backend).await;
    let files = Files::new(SECRET, &jwks(&[&Signer::rsa(RSA_ONE, "rsa")]));
    let folder = tempfile::tempdir().unwrap();
    let own_folder = ["--data-dir", folder.path().to_str().unwrap()];
    let arguments = [&files.secret()[..], &files.keys()[..], &own_folder[..]].concat();
    assert!(arguments.contains(&ISSUER) && arguments.contains(&AUDIENCE));
    let (admin, _) = make_key(&database.url, "admin").await;
    let service = start_with(&database.url, &arguments).await;
    let url = &service.url;
    let caller = Caller::new(url);
    let world = World { url, caller: &caller, admin: &admin };
    let strangers = strangers(&caller, &admin).await;
    let theirs = world.place(true).await;
    let public = world.place(false).await;
    let stranger = Client::guest(url, Via::Grpc, "Obcy").await.unwrap();
    let mut keys = Vec::new();
    for scope in Scope::ALL {
        keys.push((*scope, world.key(&[*scope]).await));
    }
    let mut cells = 0;
    for &method in Method::ALL {
        // A stream of the client's has no form in REST.
        let ways = if method == Method::Play { &[Via::Grpc][..] } else { &[Via::Grpc, Via::Rest] };
        for &via in ways {
            let mut cell = async |who: &str, place: &Place, credentials: &Credentials, told: Told| {
                let name = format!("{method} over {via:?} by {who}");
                let outcome =
                    caller.call(via, method.full_name(), &request(method, place), credentials).await;
                check(outcome, &told, &name);
                cells += 1;
            };
            let anyone = method.who() == Who::Anyone;
            for (who, credentials, told) in &strangers {
                let told = match (method.who(), method.on()) {
                    (Who::Anyone, _) => Told::May,
                    (Who::AnyoneOrPlayer, On::ShownGame) if *who == "no token" => {
                        Told::Refused("GAME_NOT_FOUND")
                    }
                    (Who::AnyoneOrPlayer, _) if *who == "no token" => Told::May,
                    _ => Told::Refused(told),
                };
                let place = if anyone { &world.place(true).await } else { &theirs };
                cell(who, place, credentials, told).await;
            }
            // The owner himself, by each of his ways.
            for way in ["his own token", "his JWT by the secret", "his JWT by the key"] {
                let (place, token) = world.owned(way).await;
                let told = match method.who() {
                    Who::Backend(scope) => Told::ScopeMissing(scope),
                    _ => Told::May,
                };
                cell(way, &place, &Credentials::token(&token), told).await;
            }
            // Another player, about the owner's things.
            let own = Credentials::token(&stranger.token);
            for (who, place, hidden) in [("a stranger to it", &theirs, true), ("a stranger", &public, false)]
            {
                let told = match (method.who(), method.on()) {
                    (Who::Backend(scope), _) => Told::ScopeMissing(scope),
                    (Who::PlayerOrBackend(scope), On::OwnOrAnyPlayer) => Told::ScopeMissing(scope),
                    (_, On::OwnOrAnyTicket) => Told::Refused("TICKET_NOT_FOUND"),
                    (Who::Anyone, _) => continue,
                    (_, On::KnownGame | On::OwnSeat | On::HostSeat | On::KeptSeat)
                    | (_, On::ShownGame | On::OwnTable)
                        if hidden =>
                    {
                        Told::Refused("GAME_NOT_FOUND")
                    }
                    (_, On::OwnSeat | On::HostSeat) => Told::Refused("NOT_SEATED"),
                    (_, On::OwnTable) => Told::Refused("NOT_OPENER"),
                    // It would take a seat.
                    (_, On::InvitedGame | On::InvitedParty) => continue,
                    _ if method == Method::JoinGame => continue,
                    _ => Told::May,
                };
                cell(who, place, &own, told.clone()).await;
                if matches!(method.who(), Who::Player | Who::AnyoneOrPlayer) {
                    let games = &keys.iter().find(|(scope, _)| *scope == Scope::Games).unwrap().1;
                    let acting = Credentials::acting(games, &stranger.id);
                    cell("a backend for a stranger", place, &acting, told).await;
                }
            }
            // A player who says that he is another.
            if !anyone {
                let other = Credentials { player: theirs.player.clone(), ..own.clone() };
                cell("a player for another", &theirs, &other, Told::Refused("PERMISSION_DENIED")).await;
            }
            // Backends with each scope, for nobody and for the owner.
            for (scope, key) in &keys {
                let place = world.place(true).await;
                let (alone, acting) = match method.who() {
                    Who::Anyone => (Told::May, Told::May),
                    Who::Player | Who::AnyoneOrPlayer if *scope == Scope::Games => {
                        (Told::Refused("PLAYER_REQUIRED"), Told::May)
                    }
                    Who::Player | Who::AnyoneOrPlayer => {
                        (Told::ScopeMissing(Scope::Games), Told::ScopeMissing(Scope::Games))
                    }
                    // To act for somebody takes the scope for it, whatever is done.
                    Who::PlayerOrBackend(needed) | Who::Backend(needed) => {
                        let told = if needed == *scope { Told::May } else { Told::ScopeMissing(needed) };
                        let acts = *scope == Scope::Games;
                        (told.clone(), if acts { told } else { Told::ScopeMissing(Scope::Games) })
                    }
                };
                cell(&format!("a key for {scope}"), &place, &Credentials::token(key), alone).await;
                let place = world.place(true).await;
                let credentials = Credentials::acting(key, &place.player);
                cell(&format!("a key for {scope} for the owner"), &place, &credentials, acting).await;
            }
        }
    }
    println!("{cells} cells");
    assert!(cells > 75 * Method::ALL.len(), "{cells}");
}

async fn guest(caller: &Caller) -> Json {
    let asked = json!({"displayName": "Ala"});
    let nobody = Credentials::default();
    caller.call(Via::Rest, "remik.v1.PlayerService/CreateGuest", &asked, &nobody).await.unwrap()
}

struct World<'a> {
    url: &'a str,
    caller: &'a Caller,
    admin: &'a str,
}

impl World<'_> {
    /// A game of a new player's.
    async fn place(&self, private: bool) -> Place {
        let made = guest(self.caller).await;
        self.place_of(made, private).await
    }

    /// A private game of a new player's, and credentials of his.
    async fn owned(&self, way: &str) -> (Place, String) {
        let made = guest(self.caller).await;
        let own = made["token"].as_str().unwrap().to_owned();
        let account = format!("user-{}", fresh_id());
        let signer = match way {
            "his own token" => return (self.place_of(made, true).await, own),
            "his JWT by the secret" => Signer::secret(SECRET),
            _ => Signer::rsa(RSA_ONE, "rsa"),
        };
        let token = signer.sign(&claims(&account));
        let asked = json!({"accountToken": token});
        let method = "remik.v1.PlayerService/LinkAccount";
        self.caller.call(Via::Rest, method, &asked, &Credentials::token(&own)).await.unwrap();
        (self.place_of(made, true).await, token)
    }

    async fn place_of(&self, guest: Json, private: bool) -> Place {
        let text = |value: &Json| value.as_str().unwrap().to_owned();
        let mut client = Client::nobody(self.url, Via::Grpc);
        client.token = text(&guest["token"]);
        let wish = if private { Wish::seats(2).private() } else { Wish::seats(2) };
        let view = client.at(self.url, Via::Grpc).create(wish.request()).await.unwrap().view.unwrap();
        // It waits for another of its party, and so for ever.
        let asked = json!({"requestId": fresh_id().to_string(), "partySize": 2});
        let own = Credentials::token(&client.token);
        let method = "remik.v1.MatchmakingService/CreateTicket";
        let ticket = self.caller.call(Via::Rest, method, &asked, &own).await.unwrap()["ticket"].take();
        Place {
            ticket: text(&ticket["ticketId"]),
            party: text(&ticket["partyCode"]),
            player: text(&guest["player"]["playerId"]),
            game: view.game_id,
            code: view.invite_code,
            refresh: text(&guest["refreshToken"]),
            key: "01912345-0000-7000-8000-000000000000".to_owned(),
        }
    }

    async fn key(&self, scopes: &[Scope]) -> String {
        let scopes: Vec<&str> = scopes.iter().map(|scope| scope.name()).collect();
        let asked = json!({"name": "Klucz", "scopes": scopes});
        let admin = Credentials::token(self.admin);
        let made =
            self.caller.call(Via::Rest, "remik.v1.KeyService/CreateKey", &asked, &admin).await.unwrap();
        made["secret"].as_str().unwrap().to_owned()
    }
}
