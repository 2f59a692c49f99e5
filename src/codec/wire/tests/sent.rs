use proptest::prelude::*;
use prost::Message;
use remik_rules::card::{Card, Rank, Suit};
use remik_rules::chance::{ClientSeed, Commitment, Millis, Seed};
use remik_rules::command::MeldId;
use remik_rules::event::{Block, DealEnded, Event, Full, GameOver, Outcome, Viewer};
use remik_rules::lobby::Lobby;
use remik_rules::meld::{Meld, Shape};
use remik_rules::preset::Preset;
use remik_rules::reason::Reason;
use remik_rules::ruleset::Aces;
use remik_rules::seat::{GameRef, PlayerId, Seats};
use remik_rules::strength::Strength;
use remik_rules::view::{DealView, SeatView, Stage, Standing, TableMeld, TurnView, View};
use uuid::Uuid;

use super::{GAME, card, seat, strings};
use crate::codec::arbitrary;
use crate::codec::summary::Spectators;
use crate::codec::wire::{GameContext, Names, game_move, game_view, ruleset};
use crate::proto::v1;

fn cards<C: FromIterator<Card>>(codes: &str) -> C {
    codes.split_whitespace().map(card).collect()
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
        time_banks: vec![60_000, 1_250],
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
        bot: (id == 8).then_some(Strength::Hard),
        total: -30,
        ready: false,
        standing,
        timeouts: 1,
    };
    View {
        viewer,
        rules: Box::new(Preset::Remik51.ruleset()),
        rules_version: 1,
        sandbox: true,
        seats: vec![seat(7, Standing::In), seat(8, Standing::Eliminated { deal: 1 })],
        deals: 2,
        next_commitment: Some(Commitment([1; 32])),
        sheet: vec![vec![0, 25]],
        stage,
        stopped: None,
        lobby: Lobby::default(),
        rematch: Some(GameRef(9)),
    }
}

fn shown(view: &View) -> v1::GameView {
    let names = Names::from([(PlayerId(7), "Ala".to_owned())]);
    let context = GameContext {
        game: Uuid::parse_str(GAME).unwrap(),
        version: 31,
        public: false,
        spectators: Some(Spectators::Anybody { delay_seconds: 30 }),
        settings: None,
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
    let allowed = v1::Spectators::Anyone.into();
    assert_eq!(game.spectators, Some(v1::SpectatorPolicy { allowed, delay_seconds: 30 }));
    assert!(game.sandbox);
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
    let bank = |seconds, nanos| prost_types::Duration { seconds, nanos };
    assert_eq!(deal.time_banks, [bank(60, 0), bank(1, 250_000_000)]);
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
        pause_until: Millis(15_000),
    });
    let between = shown(&view(Viewer::Public, Stage::Between { last: last.clone() }));
    assert_eq!((between.state(), &between.result), (v1::GameState::BetweenDeals, &None));
    assert_eq!(between.pause_until.map(|until| until.seconds), Some(15));
    let stage = Stage::Over { last: Some(last), cause: GameOver::LimitReached, places: vec![2, 1] };
    let over = shown(&view(Viewer::Public, stage));
    assert_eq!((over.state(), over.pause_until), (v1::GameState::Over, None));
    assert_eq!(over.last_deal, between.last_deal);
    let result = over.result.unwrap();
    assert_eq!((result.cause(), result.places), (v1::GameOverCause::LimitReached, vec![2, 1]));
    assert_eq!(over.stop_reason, "");
    let stage = Stage::Over { last: None, cause: GameOver::Voided, places: vec![0, 0] };
    let stopped = Reason::new("two accounts of one person");
    let void = shown(&View { stopped, ..view(Viewer::Public, stage) });
    assert_eq!(void.result.unwrap().cause(), v1::GameOverCause::Voided);
    assert_eq!(void.stop_reason, "two accounts of one person");
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
    let other = |card: &Card| {
        if *card == Card::from_byte(0).unwrap() { super::card("KS2") } else { super::card("AC") }
    };
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
        Event::SandboxArranged { mut arrangement } => {
            arrangement.seed = Seed(arrangement.seed.0.map(|byte| !byte));
            arrangement.deals.clear();
            Event::SandboxArranged { arrangement }
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
