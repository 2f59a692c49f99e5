use proptest::prelude::*;
use remik_rules::chance::{ClientSeed, Seed};
use remik_rules::command::{Command, End, MeldId, Source};
use remik_rules::meld::Named;
use remik_rules::preset::Preset;
use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::{GAME, card, seat, strings};
use crate::codec::arbitrary;
use crate::codec::summary::Spectators;
use crate::codec::wire::{Fault, JoinByCode, MoveRequest, NewGame, NewSandbox, Problem, Query, display_name};
use crate::proto::v1;

const REQUEST: &str = "6fa459ea-ee8a-4ca4-894e-db77e160355e";

fn ids() -> (String, String) {
    (GAME.to_owned(), REQUEST.to_owned())
}

fn meld_request(melds: &[&str]) -> v1::MeldRequest {
    let (game_id, request_id) = ids();
    let melds = melds.iter().map(|codes| v1::NewMeld { cards: strings(codes) }).collect();
    v1::MeldRequest { game_id, request_id, known_version: 7, melds }
}

fn fault<R: TryInto<T, Error = Fault>, T: std::fmt::Debug>(request: R) -> String {
    request.try_into().unwrap_err().to_string()
}

#[test]
fn requests_are_read_as_commands() {
    let named = |code: &str| match code.split_once('=') {
        Some((joker, face)) => Named { card: card(joker), stands_for: Some(face.parse().unwrap()) },
        None => Named::from(card(code)),
    };
    let read = MoveRequest::try_from(meld_request(&["7H 8H X1=9H", "KC KD2 KS"])).unwrap();
    assert_eq!(read.game, Uuid::parse_str(GAME).unwrap());
    assert_eq!(read.request_id, Uuid::parse_str(REQUEST).unwrap());
    assert_eq!(read.known_version, 7);
    let melds = [["7H", "8H", "X1=9H"], ["KC", "KD2", "KS"]];
    assert_eq!(read.command, Command::Meld(melds.map(|meld| meld.map(named).to_vec()).to_vec()));

    let command = |request: Result<MoveRequest, Fault>| request.unwrap().command;
    let (game_id, request_id) = ids();
    let lay_off = v1::LayOffRequest {
        game_id,
        request_id,
        known_version: 0,
        meld_id: "m2".to_owned(),
        cards: strings("X6"),
        end: v1::RunEnd::High.into(),
    };
    let (meld, cards) = (MeldId(2), vec![named("X6")]);
    assert_eq!(command(lay_off.try_into()), Command::LayOff { meld, cards, end: Some(End::High) });

    let (game_id, request_id) = ids();
    let swap = v1::SwapJokerRequest {
        game_id,
        request_id,
        known_version: 0,
        meld_id: "m1".to_owned(),
        card: "AS".to_owned(),
        joker: String::new(),
    };
    assert_eq!(
        command(swap.try_into()),
        Command::SwapJoker { meld: MeldId(1), card: card("AS"), joker: None }
    );

    let (game_id, request_id) = ids();
    let source = v1::DrawSource::Discard.into();
    let draw = v1::DrawRequest { game_id, request_id, known_version: 0, source };
    assert_eq!(command(draw.try_into()), Command::Draw(Source::Discard));

    let (game_id, request_id) = ids();
    let client_seed = "00fF".to_owned();
    let ready = v1::ReadyRequest { game_id, request_id, known_version: 0, client_seed };
    let client_seed = ClientSeed::new([0, 255]).unwrap();
    assert_eq!(command(ready.try_into()), Command::Ready { client_seed });

    let (game_id, request_id) = ids();
    let join = v1::JoinGameRequest { game_id, request_id, seat: Some(0) };
    assert_eq!(command(join.try_into()), Command::Join { seat: Some(seat(0)) });

    let request_id = REQUEST.to_owned();
    let join = v1::JoinGameByCodeRequest { invite_code: "abcd-ef12".to_owned(), request_id, seat: None };
    assert_eq!(JoinByCode::try_from(join).unwrap().invite_code, "ABCDEF12");
}

#[test]
fn faults_name_the_field_and_the_value() {
    let meld = |melds: &[&str]| fault::<_, MoveRequest>(meld_request(melds));
    assert_eq!(meld(&["7H 8H ZZ"]), "melds[0].cards[2]: \"ZZ\" is not a card, such as QH, QH2 or X1");
    assert_eq!(
        meld(&["7H 8H 9H", "X1=1S"]),
        "melds[1].cards[0]: \"X1=1S\" is not a card bound to a face, such as X1=JS"
    );
    assert_eq!(meld(&[]), "melds: is required");
    assert_eq!(meld(&["7H 8H 9H", ""]), "melds[1].cards: is required");
    assert_eq!(meld(&["7H"; 15]), "melds: has 15 melds, not 1 to 14");
    let eleven = "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC";
    assert_eq!(meld(&[eleven, eleven, eleven]), "melds[2].cards: has 33 cards, not 1 to 32");

    let (game_id, request_id) = ids();
    let undo = |game_id: &str, request_id: &str| {
        let (game_id, request_id) = (game_id.to_owned(), request_id.to_owned());
        fault::<_, MoveRequest>(v1::UndoRequest { game_id, request_id, known_version: 0 })
    };
    assert_eq!(undo("", &request_id), "game_id: is required");
    assert_eq!(undo(&game_id, "7"), "request_id: \"7\" is not a UUID");
    let long = "é".repeat(500);
    let kept = "é".repeat(40);
    assert_eq!(undo(&long, &request_id), format!("game_id: {kept:?} is not a UUID"));

    let draw = |source| {
        let (game_id, request_id) = ids();
        fault::<_, MoveRequest>(v1::DrawRequest { game_id, request_id, known_version: 0, source })
    };
    assert_eq!(draw(0), "source: is required");
    assert_eq!(draw(3), "source: 3 is not one of the choices");

    let ready = |client_seed: String| {
        fault::<_, MoveRequest>(v1::ReadyRequest {
            game_id: game_id.clone(),
            request_id: request_id.clone(),
            known_version: 0,
            client_seed,
        })
    };
    assert_eq!(ready("00".repeat(65)), "client_seed: has 65 bytes, not 0 to 64");
    assert_eq!(ready("0".to_owned()), "client_seed: \"0\" is not pairs of hexadecimal digits");

    let join =
        v1::JoinGameRequest { game_id: game_id.clone(), request_id: request_id.clone(), seat: Some(6) };
    assert_eq!(fault::<_, MoveRequest>(join), "seat: 6 is not from 0 to 5");
    let join = |code: &str| {
        let (invite_code, request_id) = (code.to_owned(), request_id.clone());
        fault::<_, JoinByCode>(v1::JoinGameByCodeRequest { invite_code, request_id, seat: None })
    };
    assert_eq!(join("ab"), "invite_code: \"ab\" is not an invite code");
    assert_eq!(join("ąbcdefg"), "invite_code: \"ąbcdefg\" is not an invite code");
}

#[test]
fn a_game_is_read_from_its_request() {
    let request = v1::CreateGameRequest { request_id: REQUEST.to_owned(), ..Default::default() };
    let game = NewGame::try_from(request.clone()).unwrap();
    assert_eq!((game.preset, game.seats, game.public), (Preset::Remik51, 4, true));
    assert_eq!(game.rules, Preset::Remik51.ruleset());

    let request = v1::CreateGameRequest {
        preset: "remi-30".to_owned(),
        overrides: Some(v1::RulesetOverrides { opening_points: Some(40), ..Default::default() }),
        seats: 2,
        visibility: v1::Visibility::Private.into(),
        ..request
    };
    let game = NewGame::try_from(request.clone()).unwrap();
    assert_eq!((game.preset, game.seats, game.public), (Preset::Remi30, 2, false));
    assert_eq!(game.rules.opening_points, 40);

    let unknown = v1::CreateGameRequest { preset: "whist".to_owned(), ..request };
    assert_eq!(fault::<_, NewGame>(unknown), "preset: no preset is called \"whist\"");
}

#[test]
fn spectators_are_let_in_as_the_request_says() {
    use v1::Spectators::{Anyone, None as Nobody, Unspecified};
    let read = |visibility: v1::Visibility, policy: Option<(v1::Spectators, u32)>| {
        let spectators = policy
            .map(|(allowed, delay_seconds)| v1::SpectatorPolicy { allowed: allowed.into(), delay_seconds });
        let request_id = REQUEST.to_owned();
        let visibility = visibility.into();
        let request = v1::CreateGameRequest { request_id, visibility, spectators, ..Default::default() };
        NewGame::try_from(request).map(|game| game.spectators)
    };
    let (public, private) = (v1::Visibility::Public, v1::Visibility::Private);
    let anybody = |delay_seconds| Ok(Spectators::Anybody { delay_seconds });
    assert_eq!(read(public, None), anybody(0));
    assert_eq!(read(private, None), Ok(Spectators::Nobody));
    assert_eq!(read(public, Some((Unspecified, 30))), anybody(30));
    assert_eq!(read(private, Some((Anyone, 86_400))), anybody(86_400));
    assert_eq!(read(public, Some((Nobody, 0))), Ok(Spectators::Nobody));
    for (visibility, policy, most) in
        [(public, (Anyone, 86_401), 86_400), (public, (Nobody, 1), 0), (private, (Unspecified, 1), 0)]
    {
        let problem = Problem::OutOfRange { value: policy.1, least: 0, most };
        let fault = Fault { field: "spectators.delay_seconds".to_owned(), problem };
        assert_eq!(read(visibility, Some(policy)), Err(fault));
    }
}

#[test]
fn a_sandbox_is_read_from_its_request() {
    let hand = |seat, codes: &str| v1::SandboxHand { seat, cards: strings(codes) };
    let deal = v1::SandboxDeal {
        hands: vec![hand(1, "7H 8H"), hand(0, "X1")],
        upcard: "QD".to_owned(),
        stock: strings("AS 3D"),
    };
    let player = "01912345-0000-7000-8000-00000000000a";
    let request = v1::CreateSandboxGameRequest {
        request_id: REQUEST.to_owned(),
        overrides: Some(v1::RulesetOverrides { turn_seconds: Some(5), ..Default::default() }),
        seats: 2,
        player_ids: vec![player.to_owned()],
        first_dealer_seat: Some(1),
        deals: vec![v1::SandboxDeal::default(), deal],
        seed: "0a0B".to_owned(),
        ..Default::default()
    };
    let read = NewSandbox::try_from(request.clone()).unwrap();
    assert_eq!((read.seats, read.rules.turn_seconds), (2, Some(5)));
    assert_eq!(read.players, [PlayerId(Uuid::parse_str(player).unwrap().as_u128())]);
    let mut seed = [0; 32];
    seed[..2].copy_from_slice(&[10, 11]);
    assert_eq!((read.arrangement.seed, read.arrangement.first_dealer), (Seed(seed), Some(seat(1))));
    let cards = |codes: &str| codes.split(' ').map(card).collect::<Vec<_>>();
    let deal = &read.arrangement.deals[1];
    assert_eq!(deal.hands, [(seat(1), cards("7H 8H")), (seat(0), cards("X1"))]);
    assert_eq!((deal.upcard, &deal.stock), (Some(card("QD")), &cards("AS 3D")));

    let without = v1::CreateSandboxGameRequest { without_clock: true, ..request.clone() };
    let rules = NewSandbox::try_from(without).unwrap().rules;
    assert_eq!((rules.turn_seconds, rules.pause_seconds, rules.validate()), (None, 2_592_000, Ok(())));

    let fault = |change: &dyn Fn(&mut v1::CreateSandboxGameRequest)| {
        let mut request = request.clone();
        change(&mut request);
        NewSandbox::try_from(request).unwrap_err().field
    };
    assert_eq!(fault(&|r| r.deals[1].hands[1].cards[0] = "ZZ".to_owned()), "deals[1].hands[1].cards[0]");
    assert_eq!(fault(&|r| r.deals[1].hands[0].seat = 9), "deals[1].hands[0].seat");
    assert_eq!(fault(&|r| r.deals[0].stock = vec!["AS".to_owned(); 111]), "deals[0].stock");
    assert_eq!(fault(&|r| r.deals[0].hands = vec![hand(0, "AS"); 7]), "deals[0].hands");
    assert_eq!(fault(&|r| r.deals[1].upcard = "q".to_owned()), "deals[1].upcard");
    assert_eq!(fault(&|r| r.deals = vec![v1::SandboxDeal::default(); 101]), "deals");
    assert_eq!(fault(&|r| r.player_ids.push(player.to_owned())), "player_ids[1]");
    assert_eq!(fault(&|r| r.player_ids = vec![player.to_owned(); 3]), "player_ids");
    assert_eq!(fault(&|r| r.seed = "00".repeat(33)), "seed");
    assert_eq!(fault(&|r| r.seed = "0".to_owned()), "seed");
}

#[test]
fn a_list_is_asked_for_within_bounds() {
    let query = Query::try_from(v1::ListGamesRequest::default()).unwrap();
    assert_eq!((query.page_size, query.states, query.preset), (20, vec![], None));
    let states = [v1::GameState::Over, v1::GameState::Waiting, v1::GameState::Over];
    let request = v1::ListGamesRequest {
        page_size: 100,
        states: states.map(i32::from).to_vec(),
        preset: "rummy-200".to_owned(),
        mine: true,
        ..Default::default()
    };
    let query = Query::try_from(request.clone()).unwrap();
    assert_eq!(query.states, [v1::GameState::Waiting, v1::GameState::Over]);
    assert_eq!((query.page_size, query.preset, query.mine), (100, Some(Preset::Rummy200), true));
    let request = v1::ListGamesRequest { page_size: 101, ..request };
    assert_eq!(fault::<_, Query>(request), "page_size: 101 is not from 1 to 100");
    let request = v1::ListGamesRequest { states: vec![1, 0], ..Default::default() };
    assert_eq!(fault::<_, Query>(request), "states[1]: 0 is not one of the choices");
}

proptest! {
    #[test]
    fn a_card_is_sent_as_a_code_that_is_read_back(card in arbitrary::card()) {
        let (game_id, request_id) = ids();
        let request = v1::DiscardRequest { game_id, request_id, known_version: 0, card: card.to_string() };
        prop_assert_eq!(MoveRequest::try_from(request).map(|r| r.command), Ok(Command::Discard(card)));
    }
}

/// What isn't seen could make two players look alike, or turn the text around a name.
#[test]
fn names_hold_nothing_that_is_not_shown() {
    assert_eq!(display_name("display_name", " Zażółć 👨‍👩‍👧 "), Ok("Zażółć 👨‍👩‍👧".to_owned()));
    for name in ["a\u{200B}b", "\u{202E}b", "a\0b", "a\u{2066}", "\u{FEFF}a", "a\u{7}"] {
        let fault = display_name("display_name", name).unwrap_err();
        assert!(matches!(fault.problem, Problem::Malformed { .. }), "{name:?} {fault}");
    }
    assert!(display_name("display_name", &"ż".repeat(33)).is_err());
    assert!(display_name("display_name", " \t ").is_err());
}
