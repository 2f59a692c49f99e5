use std::collections::BTreeSet;

use prost_reflect::DescriptorPool;
use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::*;
use crate::identity::{Backend, Scopes};
use crate::proto::DESCRIPTORS;

#[test]
fn every_method_has_its_row() {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let methods = pool.services().flat_map(|service| service.methods().collect::<Vec<_>>());
    let there: BTreeSet<String> =
        methods.map(|m| format!("{}/{}", m.parent_service().full_name(), m.name())).collect();
    let rows: BTreeSet<String> = Method::ALL.iter().map(Method::to_string).collect();
    assert_eq!(rows, there);
}

#[test]
fn principals_are_told_what_they_lack() {
    let backend = |scopes: &[Scope], player| {
        let scopes: Scopes = scopes.iter().copied().collect();
        Principal::Backend(Backend { key: Uuid::nil(), scopes, player })
    };
    let player = Some(PlayerId(7));
    let missing = |scope| Err(Denied::ScopeMissing(scope));
    for (method, principal, told) in [
        (Method::CreateGuest, Principal::Player(PlayerId(7)), Ok(())),
        (Method::Draw, Principal::Player(PlayerId(7)), Ok(())),
        (Method::Draw, backend(&[Scope::Games], player), Ok(())),
        (Method::Draw, backend(&[Scope::Games], None), Err(Denied::PlayerRequired)),
        (Method::Draw, backend(&[Scope::Players], player), missing(Scope::Games)),
        (Method::Draw, backend(&[], None), missing(Scope::Games)),
        (Method::GetPlayer, Principal::Player(PlayerId(7)), Ok(())),
        (Method::GetPlayer, backend(&[Scope::Players], None), Ok(())),
        (Method::GetPlayer, backend(&[Scope::Games], player), missing(Scope::Players)),
    ] {
        assert_eq!(method.admits(&principal), told, "{method} {principal:?}");
    }
}

/// `docs/authorization.md`, as the table makes it.
fn document() -> String {
    let mut text = "\
# Who may call what

Made from the table in `src/authorization.rs`, which the services ask and whose every cell is tried by
`tests/api/authorization.rs`. After a change to it: `DOCS=write cargo test -p remik --lib authorization`.

## Scopes of API keys

| scope | what it allows |
| --- | --- |
"
    .to_owned();
    for scope in Scope::ALL {
        text.push_str(&format!("| `{scope}` | {} |\n", scope.meaning()));
    }
    text.push_str(
        "\nNo scope includes another.\n\n## Methods\n\n| method | who | on what |\n| --- | --- | --- |\n",
    );
    for method in Method::ALL {
        let name = method.full_name().trim_start_matches("remik.v1.").replace('/', ".");
        text.push_str(&format!("| `{name}` | {} | {} |\n", told_who(method.who()), told_on(method.on())));
    }
    text.push_str(
        "
Where a player is asked for, a backend with the scope `games` may act for one: the header (or gRPC metadata)
`remik-player` has his id. Without it the call is refused with `PLAYER_REQUIRED`.

| refusal | when |
| --- | --- |
| `UNAUTHENTICATED` | no credentials, or they are nobody's: forged, revoked or garbage, which isn't told apart |
| `TOKEN_EXPIRED` | the time that the token names is over; refresh it |
| `SCOPE_MISSING` | it takes an API key with the scope that `scope` in the metadata names |
| `PLAYER_REQUIRED` | a backend doesn't say for whom it calls |
| `PERMISSION_DENIED` | a player names another one in `remik-player` |
| `GAME_NOT_FOUND` | there is no such game, or it is private and the player has neither a seat, nor its invite code, nor an invitation |
| `TICKET_NOT_FOUND` | there is no such ticket, or it is another's |
| `NOT_SEATED` | the game is public, and the player has no seat |
| `NOT_HOST` | the player has a seat, but another player is the host |
| `NOT_OPENER` | the game is public, and somebody else has opened its table |
| `NO_SPECTATORS` | the game has begun and allows no spectators, and the player has no seat |
",
    );
    text
}

fn told_who(who: Who) -> String {
    match who {
        Who::Anyone => "anyone, without credentials".to_owned(),
        Who::AnyoneOrPlayer => "anyone; credentials that are sent must be a player's".to_owned(),
        Who::Player => "a player".to_owned(),
        Who::PlayerOrBackend(scope) => format!("a player, or a backend with `{scope}`"),
        Who::Backend(scope) => format!("a backend with `{scope}`"),
    }
}

fn told_on(on: On) -> &'static str {
    match on {
        On::Nothing => "–",
        On::KnownGame => {
            "a public game, one in which the player has a seat, or is kept one, or that he has opened, one to which the host \
             has invited him, or one whose invite code he sends; else `GAME_NOT_FOUND`"
        }
        On::ShownGame => {
            "a game that he may see again: as its access says, or one that he may look at; else `GAME_NOT_FOUND`"
        }
        On::OwnTable => {
            "a game whose table he has opened, or that he has imported; of another that he may look at `NOT_OPENER`"
        }
        On::OwnSeat => "his own seat in such a game; else `NOT_SEATED`",
        On::HostSeat => "the host's seat in such a game, if it is his; else `NOT_HOST`, or `NOT_SEATED`",
        On::KeptSeat => "a seat that is kept for him; else `NO_SEAT_KEPT`, or `GAME_NOT_FOUND`",
        On::InvitedGame => "the game whose invite code is sent",
        On::OwnOrAnyTicket => {
            "a player: his own ticket, or that of a party that he is in, else `TICKET_NOT_FOUND`; a backend: any ticket"
        }
        On::InvitedParty => "the party whose code is sent",
        On::SentToken => "the token that is sent in the request",
        On::OwnPlayer => "the player himself",
        On::OwnOrAnyPlayer => "a player: himself; a backend: any player",
        On::AnyPlayer => "any player",
        On::AnyKey => "any API key",
        On::AnyGame => "any game",
        On::AnyMessage => "anything that was said at any table",
        On::OwnWebhook => "a webhook of the API key itself; else `WEBHOOK_NOT_FOUND`",
    }
}

#[test]
fn the_document_is_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/authorization.md");
    if std::env::var_os("DOCS").is_some_and(|how| how == "write") {
        std::fs::write(path, document()).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == document(), "docs/authorization.md isn't what the table makes: DOCS=write renews it");
}
