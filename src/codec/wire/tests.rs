use proptest::prelude::*;
use prost::Message;
use remik_rules::card::{Card, Rank, Suit};
use remik_rules::chance::{ClientSeed, Commitment, Millis, Seed};
use remik_rules::command::{Command, End, MeldId, Source};
use remik_rules::event::{Block, DealEnded, Event, Full, GameOver, Outcome, Viewer};
use remik_rules::meld::{Meld, Named, Shape};
use remik_rules::preset::Preset;
use remik_rules::ruleset::Aces;
use remik_rules::seat::{Seat, Seats};
use remik_rules::view::{DealView, SeatView, Stage, Standing, TableMeld, TurnView, View};
use uuid::Uuid;

use super::*;
use crate::codec::arbitrary;
use crate::proto::v1;

const GAME: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const REQUEST: &str = "6fa459ea-ee8a-4ca4-894e-db77e160355e";

fn seat(number: u8) -> Seat {
    Seat::new(number).unwrap()
}

fn card(code: &str) -> Card {
    code.parse().unwrap()
}

fn cards<C: FromIterator<Card>>(codes: &str) -> C {
    codes.split_whitespace().map(card).collect()
}

fn strings(codes: &str) -> Vec<String> {
    codes.split_whitespace().map(str::to_owned).collect()
}

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

fn deal() -> DealView {
    let run = Meld { shape: Shape::Run { suit: Suit::Spades, low: 9 }, cards: cards("TS X1 QS") };
    let group = Meld { shape: Shape::Group { rank: Rank::Ace }, cards: cards("AC AH2 X2") };
    DealView {
        deal: 2,
        dealer: seat(1),
        starter: seat(0),
        commitment: Commitment([0xAB; 32]),
        client_seeds: vec![(seat(1), ClientSeed::new([1, 2]).unwrap()), (seat(0), ClientSeed::default())],
        hand: cards("QH2 X3"),
        hand_counts: vec![2, 9],
        stock_count: 60,
        pile: cards("2C 3D"),
        melds: vec![
            TableMeld { id: MeldId(1), owner: seat(1), meld: run },
            TableMeld { id: MeldId(2), owner: seat(0), meld: group },
        ],
        opened: Seats::from_iter([seat(0), seat(1)]),
        credited: vec![0, 30],
        stock_uses: 1,
        turns: 17,
        turn: TurnView {
            seat: seat(0),
            drawn: true,
            drawn_card: None,
            taken: Some(card("5S")),
            taken_laid: true,
            pending: Some(card("X3")),
            can_undo: true,
            undos: 2,
            melds_laid: 1,
            deadline: Some(Millis(1_800_000_000_250)),
        },
    }
}

fn view(viewer: Viewer, stage: Stage) -> View {
    let seat = |id: u128, standing| SeatView {
        player: Some(PlayerId(id)),
        total: -30,
        ready: false,
        standing,
        timeouts: 1,
    };
    View {
        viewer,
        rules: Box::new(Preset::Remik51.ruleset()),
        rules_version: 1,
        seats: vec![seat(7, Standing::In), seat(8, Standing::Eliminated { deal: 1 })],
        deals: 2,
        next_commitment: Some(Commitment([1; 32])),
        sheet: vec![vec![0, 25]],
        stage,
    }
}

fn shown(view: &View) -> v1::GameView {
    let names = Names::from([(PlayerId(7), "Ala".to_owned())]);
    let context = GameContext {
        game: Uuid::parse_str(GAME).unwrap(),
        version: 31,
        public: false,
        invite_code: "ABCD",
        preset: Preset::Remik51,
        names: &names,
        now: Millis(1_800_000_000_000),
    };
    game_view(view, &context)
}

#[test]
fn a_player_is_shown_the_game() {
    let game = shown(&view(Viewer::Seat(seat(0)), Stage::Playing(Box::new(deal()))));
    assert_eq!((game.game_id.as_str(), game.version, game.preset.as_str()), (GAME, 31, "remik-51"));
    assert_eq!((game.state(), game.visibility()), (v1::GameState::Playing, v1::Visibility::Private));
    assert_eq!((game.your_seat, game.invite_code.as_str()), (Some(0), "ABCD"));
    assert_eq!(game.rules.as_ref().unwrap().opening_points, 51);
    assert_eq!(game.next_commitment, "01".repeat(32));
    assert_eq!(game.sheet, [v1::SheetRow { points: vec![0, 25] }]);
    assert_eq!(game.seats[0].player_id, "00000000-0000-0000-0000-000000000007");
    assert_eq!((game.seats[0].display_name.as_str(), game.seats[1].display_name.as_str()), ("Ala", ""));
    assert_eq!((game.seats[1].standing(), game.seats[1].eliminated_in_deal), (v1::Standing::Eliminated, 1));
    assert_eq!((game.last_deal, game.result), (None, None));

    let deal = game.deal.unwrap();
    assert_eq!((deal.number, deal.dealer_seat, deal.starter_seat), (2, 1, 0));
    assert_eq!(deal.commitment, "ab".repeat(32));
    let seed = |seat, seed: &str| v1::ClientSeed { seat, seed: seed.to_owned() };
    assert_eq!(deal.client_seeds, [seed(1, "0102"), seed(0, "")]);
    assert_eq!((deal.hand, deal.pile), (strings("QH2 X3"), strings("2C 3D")));
    assert_eq!((deal.hand_counts, deal.opened_seats), (vec![2, 9], vec![0, 1]));
    let meld_card = |card: &str, stands_for: &str| v1::MeldCard {
        card: card.to_owned(),
        stands_for: stands_for.to_owned(),
    };
    assert_eq!(
        deal.melds,
        [
            v1::Meld {
                meld_id: "m1".to_owned(),
                owner_seat: 1,
                kind: v1::MeldKind::Run.into(),
                cards: vec![meld_card("TS", ""), meld_card("X1", "JS"), meld_card("QS", "")],
                points: 30,
            },
            v1::Meld {
                meld_id: "m2".to_owned(),
                owner_seat: 0,
                kind: v1::MeldKind::Group.into(),
                cards: vec![meld_card("AC", ""), meld_card("AH2", ""), meld_card("X2", "")],
                points: 33,
            },
        ]
    );
    let turn = deal.turn.unwrap();
    assert_eq!((turn.phase(), turn.drawn_card.as_str()), (v1::TurnPhase::Play, ""));
    assert_eq!((turn.taken_card.as_str(), turn.pending_joker.as_str()), ("5S", "X3"));
    let deadline = turn.deadline.unwrap();
    assert_eq!((deadline.seconds, deadline.nanos), (1_800_000_000, 250_000_000));
}

#[test]
fn the_public_is_shown_no_invitation() {
    let game = shown(&view(Viewer::Public, Stage::Waiting));
    assert_eq!((game.your_seat, game.invite_code.as_str()), (None, ""));
    assert_eq!((game.state(), game.deal), (v1::GameState::Waiting, None));
}

#[test]
fn the_end_is_shown() {
    let last = Box::new(DealEnded {
        outcome: Outcome::Blocked(Block::TurnLimit),
        hands: vec![(seat(0), cards("AH KC 7D X1"))],
        scores: vec![(seat(0), 53)],
        totals: vec![104, 0],
        eliminated: vec![seat(1)],
        seed: Seed([9; 32]),
        pause_until: Millis(0),
    });
    let between = shown(&view(Viewer::Public, Stage::Between { last: last.clone() }));
    assert_eq!((between.state(), &between.result), (v1::GameState::BetweenDeals, &None));
    let stage = Stage::Over { last: Some(last), cause: GameOver::LimitReached, places: vec![2, 1] };
    let over = shown(&view(Viewer::Public, stage));
    assert_eq!(over.state(), v1::GameState::Over);
    assert_eq!(over.last_deal, between.last_deal);
    let result = over.result.unwrap();
    assert_eq!((result.cause(), result.places), (v1::GameOverCause::LimitReached, vec![2, 1]));
    let deal = over.last_deal.unwrap();
    assert_eq!((deal.outcome(), deal.winner_seat), (v1::DealOutcome::TurnLimit, None));
    assert_eq!(deal.hands, [v1::Hand { seat: 0, cards: strings("AH KC 7D X1"), count: 4 }]);
    assert_eq!(deal.scores, [v1::SeatScore { seat: 0, points: 53 }]);
    assert_eq!((deal.totals, deal.eliminated_seats), (vec![104, 0], vec![1]));
    assert_eq!(deal.server_seed, "09".repeat(32));
}

/// The same event with every hidden card another one, and every secret another one, but for what the viewer
/// holds.
fn with_other_secrets(event: &Event<Full>, viewer: Viewer) -> Event<Full> {
    let other =
        |card: &Card| if *card == Card::from_byte(0).unwrap() { self::card("KS2") } else { self::card("AC") };
    match event.clone() {
        Event::SeedCommitted { deal, commitment, seed: Seed(seed) } => {
            Event::SeedCommitted { deal, commitment, seed: Seed(seed.map(|byte| !byte)) }
        }
        Event::StockDrawn { seat, card } if !viewer.sees(seat) => {
            Event::StockDrawn { seat, card: other(&card) }
        }
        Event::StockReused { kept, count, stock } => {
            Event::StockReused { kept, count, stock: stock.iter().map(other).collect() }
        }
        Event::Dealt(mut dealt) => {
            dealt.stock = dealt.stock.iter().map(other).collect();
            for (seat, cards) in &mut dealt.hands {
                if !viewer.sees(*seat) {
                    *cards = cards.iter().map(other).collect();
                }
            }
            Event::Dealt(dealt)
        }
        event => event,
    }
}

proptest! {
    #[test]
    fn moves_that_differ_in_secrets_are_the_same_bytes(
        events in arbitrary::events(), own in prop::option::of(arbitrary::seat()),
    ) {
        let viewer = own.map_or(Viewer::Public, Viewer::Seat);
        let sent = |events: &[Event<Full>]| {
            let seen: Vec<_> = events.iter().map(|event| event.observed_by(viewer)).collect();
            game_move(5, Millis(0), own, Aces::HighOrLow, &seen).encode_to_vec()
        };
        let others: Vec<_> = events.iter().map(|event| with_other_secrets(event, viewer)).collect();
        prop_assert_eq!(sent(&events), sent(&others));
    }

    #[test]
    fn a_card_is_sent_as_a_code_that_is_read_back(card in arbitrary::card()) {
        let (game_id, request_id) = ids();
        let request = v1::DiscardRequest { game_id, request_id, known_version: 0, card: card.to_string() };
        prop_assert_eq!(MoveRequest::try_from(request).map(|r| r.command), Ok(Command::Discard(card)));
    }

    #[test]
    fn every_ruleset_is_sent(rules in arbitrary::ruleset()) {
        let sent = ruleset(&rules);
        prop_assert_eq!(sent.turn_seconds, rules.turn_seconds);
        prop_assert_eq!(Option::<remik_rules::ruleset::Scoring>::from(sent.scoring()), Some(rules.scoring));
    }
}

#[test]
fn a_move_tells_what_its_viewer_may_see() {
    let own = Viewer::Seat(seat(0));
    let events = [
        Event::StockDrawn { seat: seat(0), card: card("QH2") },
        Event::StockDrawn { seat: seat(1), card: card("3C") },
    ];
    let seen = events.map(|event| event.observed_by(own));
    let sent = game_move(9, Millis(1_000), Some(seat(1)), Aces::Low, &seen);
    assert_eq!((sent.version, sent.seat), (9, Some(1)));
    assert_eq!(sent.made_at.map(|at| at.seconds), Some(1));
    let drawn = |seat, card: &str| v1::Event {
        kind: Some(v1::event::Kind::StockDrawn(v1::StockDrawn { seat, card: card.to_owned() })),
    };
    assert_eq!(sent.events, [drawn(0, "QH2"), drawn(1, "")]);
}
