//! Arbitrary events for tests: any value that the types can hold, sensible or not.

use proptest::array::uniform32;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use remik_rules::card::{Card, Rank, Suit};
use remik_rules::chance::{ClientSeed, Commitment, Millis, Seed};
use remik_rules::command::MeldId;
use remik_rules::event::{Block, DealEnded, Dealt, Event, Forfeit, Full, GameOver, Outcome};
use remik_rules::meld::{Meld, Shape};
use remik_rules::pack::Pack;
use remik_rules::preset::Preset;
use remik_rules::reason::Reason;
use remik_rules::ruleset::{AbsentSeats, GameEnd, Ruleset};
use remik_rules::sandbox::{ArrangedDeal, Arrangement};
use remik_rules::seat::{GameRef, PlayerId, Seat};
use remik_rules::strength::Strength;

pub(super) fn events() -> impl Strategy<Value = Vec<Event<Full>>> {
    vec(event(), 0..6)
}

fn event() -> impl Strategy<Value = Event<Full>> {
    prop_oneof![turn_event(), seat_event(), deal_event()]
}

fn turn_event() -> BoxedStrategy<Event<Full>> {
    let melds = vec((any::<u16>().prop_map(MeldId), meld()), 0..4);
    prop_oneof![
        (seat(), card()).prop_map(|(seat, card)| Event::StockDrawn { seat, card }),
        (seat(), card()).prop_map(|(seat, card)| Event::DiscardTaken { seat, card }),
        (seat(), card()).prop_map(|(seat, card)| Event::Discarded { seat, card }),
        (seat(), any::<bool>(), option::of(any::<i64>().prop_map(Millis)))
            .prop_map(|(seat, drawn, deadline)| Event::TurnStarted { seat, drawn, deadline }),
        (seat(), any::<bool>(), melds, any::<u16>())
            .prop_map(|(seat, opening, melds, points)| Event::Melded { seat, opening, melds, points }),
        (seat(), any::<u16>(), vec(card(), 0..5), vec(card(), 0..5), any::<u16>()).prop_map(
            |(seat, meld, low, high, points)| Event::LaidOff { seat, meld: MeldId(meld), low, high, points }
        ),
        (seat(), any::<u16>(), card(), card(), any::<bool>(), any::<u16>()).prop_map(
            |(seat, meld, card, joker, pending, points)| Event::JokerSwapped {
                seat,
                meld: MeldId(meld),
                card,
                joker,
                pending,
                points
            }
        ),
        seat().prop_map(|seat| Event::PlaysUndone { seat }),
        (seat(), any::<u8>()).prop_map(|(seat, in_a_row)| Event::TimedOut { seat, in_a_row }),
        (seat(), any::<u32>()).prop_map(|(seat, left)| Event::TimeBankUsed { seat, left }),
        (seat(), any::<i64>()).prop_map(|(seat, until)| Event::ClockExtended { seat, until: Millis(until) }),
    ]
    .boxed()
}

fn seat_event() -> BoxedStrategy<Event<Full>> {
    let over = prop::sample::select(vec![
        GameOver::LimitReached,
        GameOver::AllButOneOut,
        GameOver::DealsPlayed,
        GameOver::Forfeited,
        GameOver::Abandoned,
        GameOver::Stopped,
        GameOver::Voided,
    ]);
    prop_oneof![
        (ruleset(), any::<u32>(), any::<u8>()).prop_map(|(rules, rules_version, seats)| {
            Event::GameCreated { rules: Box::new(rules), rules_version, seats }
        }),
        (seat(), any::<u128>()).prop_map(|(seat, id)| Event::SeatTaken { seat, player: PlayerId(id) }),
        seat().prop_map(|seat| Event::SeatLeft { seat }),
        (
            seat(),
            prop::sample::select(Strength::ALL.to_vec()),
            prop::sample::select(vec![None, Some(Forfeit::Left), Some(Forfeit::TimedOut)])
        )
            .prop_map(|(seat, strength, absent)| Event::BotSeated { seat, strength, absent }),
        seat().prop_map(|seat| Event::SeatResumed { seat }),
        lobby_event(),
        (seat(), client_seed()).prop_map(|(seat, client_seed)| Event::BecameReady { seat, client_seed }),
        (seat(), prop::sample::select(vec![Forfeit::Left, Forfeit::TimedOut]))
            .prop_map(|(seat, cause)| Event::SeatForfeited { seat, cause }),
        "[a-zł %\u{2003}]{1,200}".prop_map(|text| Event::GameStopped { reason: Reason::new(text).unwrap() }),
        (over, vec(any::<u8>(), 0..7)).prop_map(|(cause, places)| Event::GameEnded { cause, places }),
    ]
    .boxed()
}

fn lobby_event() -> BoxedStrategy<Event<Full>> {
    let until = || any::<i64>().prop_map(Millis);
    prop_oneof![
        seat().prop_map(|seat| Event::PlayerRemoved { seat }),
        seat().prop_map(|seat| Event::HostChanged { seat }),
        until().prop_map(|until| Event::ReadyAsked { until }),
        seat().prop_map(|seat| Event::ReadyMissed { seat }),
        Just(Event::SettingsChanged),
        (seat(), any::<u128>(), until()).prop_map(|(seat, player, until)| Event::SeatOffered {
            seat,
            player: PlayerId(player),
            until
        }),
        seat().prop_map(|seat| Event::OfferEnded { seat }),
        (seat(), any::<u128>()).prop_map(|(seat, game)| Event::RematchMade { seat, game: GameRef(game) }),
    ]
    .boxed()
}

fn deal_event() -> BoxedStrategy<Event<Full>> {
    let dealt = (
        (any::<u16>(), seat(), seat()),
        vec((seat(), client_seed()), 0..4),
        vec((seat(), vec(card(), 0..14)), 0..5),
        option::of(card()),
        vec(card(), 0..111),
    );
    let outcome = prop_oneof![
        (seat(), any::<bool>()).prop_map(|(seat, rummy)| Outcome::WentOut { seat, rummy }),
        prop::sample::select(vec![Block::StockUsedUp, Block::NothingToReuse, Block::TurnLimit])
            .prop_map(Outcome::Blocked),
        Just(Outcome::Abandoned),
    ];
    let arranged = (vec((seat(), vec(card(), 0..14)), 0..3), option::of(card()), vec(card(), 0..111))
        .prop_map(|(hands, upcard, stock)| ArrangedDeal { hands, upcard, stock });
    let arrangement = (uniform32(any::<u8>()), option::of(seat()), vec(arranged, 0..3));
    let ended = (
        outcome,
        vec((seat(), vec(card(), 0..14)), 0..5),
        vec((seat(), any::<i32>()), 0..5),
        vec(any::<i32>(), 0..7),
        vec(seat(), 0..4),
        (uniform32(any::<u8>()), any::<i64>()),
    );
    prop_oneof![
        (any::<u16>(), uniform32(any::<u8>()), uniform32(any::<u8>())).prop_map(
            |(deal, commitment, seed)| {
                Event::SeedCommitted { deal, commitment: Commitment(commitment), seed: Seed(seed) }
            }
        ),
        arrangement.prop_map(|(seed, first_dealer, deals)| Event::SandboxArranged {
            arrangement: Box::new(Arrangement { seed: Seed(seed), first_dealer, deals }),
        }),
        (seat(), vec((seat(), card()), 0..7)).prop_map(|(dealer, cut)| Event::DealerChosen { dealer, cut }),
        (option::of(card()), vec(card(), 0..111)).prop_map(|(kept, stock)| Event::StockReused {
            kept,
            count: stock.len() as u8,
            stock
        }),
        dealt.prop_map(|((deal, dealer, starter), client_seeds, hands, upcard, stock)| {
            let stock_count = stock.len() as u8;
            Event::Dealt(Box::new(Dealt {
                deal,
                dealer,
                starter,
                client_seeds,
                hands,
                upcard,
                stock_count,
                stock,
            }))
        }),
        ended.prop_map(|(outcome, hands, scores, totals, eliminated, (seed, at))| {
            let (seed, pause_until) = (Seed(seed), Millis(at));
            Event::DealEnded(Box::new(DealEnded {
                outcome,
                hands,
                scores,
                totals,
                eliminated,
                seed,
                pause_until,
            }))
        }),
    ]
    .boxed()
}

pub(super) fn ruleset() -> impl Strategy<Value = Ruleset> {
    let end = prop_oneof![
        any::<u16>().prop_map(GameEnd::Total),
        any::<u16>().prop_map(GameEnd::Elimination),
        any::<u16>().prop_map(GameEnd::Deals),
    ];
    let numbers = (any::<[u8; 9]>(), any::<[u16; 4]>(), any::<u32>(), any::<[bool; 8]>());
    let options = (option::of(any::<u16>()), option::of(any::<u32>()), end, option::of(any::<u32>()));
    // The enums of two presets, mixed.
    let presets = (prop::sample::select(Preset::ALL.to_vec()), prop::sample::select(Preset::ALL.to_vec()));
    (presets, numbers, options).prop_map(|((one, other), (bytes, words, pause, flags), options)| {
        let (one, other) = (one.ruleset(), other.ruleset());
        Ruleset {
            seats: (bytes[0], bytes[1]),
            pack: Pack { decks: bytes[2], jokers: bytes[3] },
            cards_dealt: [bytes[4], bytes[5], bytes[6], 0, u8::MAX],
            starter_gets_extra: flags[0],
            upcard: flags[1],
            adjacent_jokers: flags[2],
            opening_points: words[0],
            opening_pure_run: flags[3],
            several_melds: flags[4],
            lay_off_needs_own_meld: flags[5],
            final_discard: flags[6],
            tie_by_last_deal: flags[7],
            stock_uses: bytes[7],
            turns_per_seat: words[1],
            whole_hand_from_deal: options.0,
            ace_in_hand: words[2],
            joker_in_hand: words[3],
            end: options.2,
            turn_seconds: options.1,
            time_bank_seconds: options.3,
            timeouts_to_forfeit: bytes[8],
            absent_seats: [
                AbsentSeats::Forfeit,
                AbsentSeats::EasyBot,
                AbsentSeats::NormalBot,
                AbsentSeats::HardBot,
            ][usize::from(bytes[8] % 4)],
            pause_seconds: pause,
            scoring: other.scoring,
            winner: other.winner,
            stock_end: other.stock_end,
            ..one
        }
    })
}

pub(super) fn seat() -> impl Strategy<Value = Seat> {
    (0..6u8).prop_filter_map("seats", Seat::new)
}

pub(super) fn card() -> impl Strategy<Value = Card> {
    prop::sample::select((0..=u8::MAX).filter_map(Card::from_byte).collect::<Vec<_>>())
}

fn client_seed() -> impl Strategy<Value = ClientSeed> {
    vec(any::<u8>(), 0..=ClientSeed::LONGEST).prop_filter_map("seeds", ClientSeed::new)
}

fn meld() -> impl Strategy<Value = Meld> {
    let shape = prop_oneof![
        (prop::sample::select(Suit::ALL.to_vec()), 0..13u8).prop_map(|(suit, low)| Shape::Run { suit, low }),
        prop::sample::select(Rank::ALL.to_vec()).prop_map(|rank| Shape::Group { rank }),
    ];
    (shape, vec(card(), 0..14)).prop_map(|(shape, cards)| Meld { shape, cards: cards.into_iter().collect() })
}
