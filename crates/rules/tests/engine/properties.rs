//! What holds in every game, tried over thousands of random ones of every preset and of random rulesets.
//!
//! A fault prints the number of its game; `game(number)` plays it again.

use std::sync::atomic::{AtomicU64, Ordering};

use remik_rules::card::{Card, Face, Rank, Suit};
use remik_rules::cards::Cards;
use remik_rules::chance::Seed;
use remik_rules::command::{Actor, Command, End, Source};
use remik_rules::decide::decide;
use remik_rules::event::{Event, Viewer};
use remik_rules::legal::{LayOffMove, LegalMove, LegalMoves, MeldShape, SwapMove, legal_moves};
use remik_rules::preset::Preset;
use remik_rules::ruleset::Ruleset;
use remik_rules::sandbox::{ArrangedDeal, Arrangement};
use remik_rules::seat::Seat;
use remik_rules::table::Table;
use remik_rules::view::{Observer, Stage};

use super::rulesets::random_ruleset;
use super::stop::{check_stopped, stop};
use super::support::{Dice, Game};

/// How many games the tests play.
const GAMES: u64 = 10_000;

/// Games are left after so many deals.
const MOST_DEALS: u16 = 12;

/// No game is longer: a bound on deals that never end, not a rule.
const MOST_STEPS: usize = 200_000;

#[test]
fn random_games_hold_every_property() {
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= GAMES {
                        break;
                    }
                    let played = std::panic::catch_unwind(|| game(number));
                    assert!(played.is_ok(), "game {number} shows a fault");
                }
            });
        }
    });
}

/// Plays one game; its number decides everything about it.
fn game(number: u64) {
    let mut dice = Dice(number.wrapping_mul(0x0005_DEEC_E66D));
    let rules = match Preset::ALL.get(dice.under(Preset::ALL.len() + 4)) {
        Some(preset) => preset.ruleset(),
        None => random_ruleset(&mut dice),
    };
    let (least, most) = rules.seats;
    let seats = least + dice.under(usize::from(most - least) + 1) as u8;
    // A few games are looked at closely in every step, the others now and then.
    let close = number.is_multiple_of(100);
    let mut game = if dice.under(4) == 0 {
        let arrangement = random_arrangement(&rules, seats, &mut dice);
        Game::sandbox(rules, seats, arrangement, number)
    } else {
        Game::new(rules, seats, number)
    };
    let mut watching = Watching::of(&game, close);
    for player in 1..=seats {
        game.join(u128::from(player)).unwrap();
    }
    let mut moves = LegalMoves::default();
    for step in 0.. {
        assert!(step < MOST_STEPS, "the game ends");
        // Deals that nobody wins and that count nothing may follow each other for ever under odd house rules.
        if game.table.is_over() || game.table.deals() > MOST_DEALS {
            break;
        }
        // Some are stopped from outside, somewhere.
        if number % 8 == 5 && dice.under(150) == 0 {
            let (before, void) = (game.table.clone(), dice.under(2) == 0);
            let events = game.act(Actor::Admin, &stop(void)).unwrap();
            check_stopped(&before, &game.table, void, &events);
            watching.look(&game);
            break;
        }
        let Some(seat) = game.table.turn() else {
            check_totals(&game);
            let seat = Seat::first(seats).find(|s| game.by(s.number(), ready()).is_ok());
            assert!(seat.is_some(), "somebody can get ready");
            watching.look(&game);
            continue;
        };
        remik_rules::legal::legal_moves_into(&game.table, seat, &mut moves);
        check_cards(&game.table);
        // Near the end of a hand the rules about the last cards decide.
        let last_cards = (3..=6).contains(&game.table.hand(seat).len()) && dice.under(4) == 0;
        if close || last_cards || dice.under(64) == 0 {
            check_exactness(&game, seat, &moves);
        }
        if close && dice.under(200) == 0 {
            check_hidden_cards_are_hidden(&game, &mut dice);
        }
        assert!(!moves.is_empty(), "a seat in its turn is never stuck");
        let chosen = moves.get(dice.under(moves.len())).unwrap();
        let command = moves.command(chosen).unwrap();
        play(&mut game, seat, chosen, &command);
        watching.look(&game);
    }
    assert_eq!(Table::replay(&game.log).as_ref(), Some(&game.table), "a log replays to the same table");
    watching.look_closely(&game);
    check_chosen_cards(&game);
}

/// Up to three deals, each with any number of cards in any places, anybody as the first dealer.
fn random_arrangement(rules: &Ruleset, seats: u8, dice: &mut Dice) -> Arrangement {
    let mut deal = || {
        let mut pack: Vec<Card> = rules.pack.cards().iter().collect();
        for place in (1..pack.len()).rev() {
            pack.swap(place, dice.under(place + 1));
        }
        let hand = usize::from(rules.cards_dealt_to(seats)) + usize::from(rules.starter_gets_extra);
        let mut take = |most: usize| {
            let count = dice.under(most + 1);
            pack.split_off(pack.len() - count)
        };
        let chosen = Seat::first(seats).filter(|seat| seat.number() % 3 != 2);
        let hands: Vec<_> = chosen.map(|seat| (seat, take(hand))).collect();
        let upcard = take(1).pop().filter(|_| rules.upcard);
        // All seats' hands come before the stock.
        let stock = take(rules.pack.size() - usize::from(seats) * hand - usize::from(rules.upcard));
        ArrangedDeal { hands, upcard, stock }
    };
    let deals = vec![deal(), deal(), deal()];
    let first_dealer = Seat::new(dice.under(2 * usize::from(seats)) as u8).filter(|s| s.number() < seats);
    Arrangement { seed: Seed([7; 32]), first_dealer, deals }
}

/// In a sandbox the chosen cards lie where they were wanted, as far as these places are there.
fn check_chosen_cards(game: &Game) {
    let Some(arrangement) = game.table.sandbox() else { return };
    let rules = game.table.rules();
    let dealt = game.log.iter().filter_map(|event| match event {
        Event::Dealt(dealt) => Some(dealt),
        _ => None,
    });
    for (dealt, chosen) in dealt.zip(&arrangement.deals) {
        if let (1, Some(dealer)) = (dealt.deal, arrangement.first_dealer) {
            assert_eq!(dealt.dealer, dealer);
        }
        let size = usize::from(rules.cards_dealt_to(dealt.hands.len() as u8));
        for (seat, hand) in &dealt.hands {
            let (_, wanted) =
                chosen.hands.iter().find(|(of, _)| of == seat).cloned().unwrap_or((*seat, vec![]));
            let extra = usize::from(rules.starter_gets_extra && *seat == dealt.starter);
            assert_eq!(hand.len(), size + extra);
            let fit = wanted.len().min(size);
            assert_eq!(hand[..fit], wanted[..fit]);
            if let (Some(card), 1) = (wanted.get(size), extra) {
                assert_eq!(hand.last(), Some(card));
            }
        }
        assert!(chosen.upcard.is_none() || dealt.upcard == chosen.upcard);
        let drawn: Vec<Card> = dealt.stock.iter().rev().copied().take(chosen.stock.len()).collect();
        assert_eq!(drawn, chosen.stock);
    }
}

fn ready() -> Command {
    Command::Ready { client_seed: remik_rules::chance::ClientSeed::default() }
}

/// Carries out a legal move; an undo restores exactly what was after the draw.
fn play(game: &mut Game, seat: Seat, chosen: LegalMove, command: &Command) {
    let events = game.act(Actor::Seat(seat), command).unwrap_or_else(|r| panic!("{command} is legal: {r}"));
    assert!(!events.is_empty());
    if chosen == LegalMove::Undo {
        let drawn = game.log.iter().rposition(|e| {
            matches!(e, Event::StockDrawn { .. } | Event::DiscardTaken { .. })
                || matches!(e, Event::TurnStarted { drawn: true, .. })
        });
        let then = Table::replay(&game.log[..=drawn.unwrap()]).unwrap();
        let (Stage::Playing(then), Stage::Playing(mut now)) =
            (then.view(Viewer::Seat(seat)).stage, game.table.view(Viewer::Seat(seat)).stage)
        else {
            panic!("the deal goes on")
        };
        assert!(now.turn.undos > 0);
        now.turn.undos = 0;
        assert_eq!(then, now, "an undo restores what was after the draw");
    }
}

/// Every card of the pack is in exactly one place.
fn check_cards(table: &Table) {
    let pack = table.rules().pack;
    let mut seen = Cards::EMPTY;
    let mut count = 0;
    let hands = Seat::first(table.seat_count()).flat_map(|seat| table.hand(seat).iter());
    let melds = table.melds().iter().flat_map(|m| m.meld.cards.iter().copied());
    let piles = table.stock().iter().chain(table.pile()).copied();
    for card in hands.chain(melds).chain(piles) {
        seen.insert(card);
        count += 1;
    }
    assert_eq!((seen, count), (pack.cards(), pack.size()));
    let dealt = usize::from(table.rules().cards_dealt_to(table.seat_count())).max(10) + 2;
    let longest = Seat::first(table.seat_count()).map(|seat| table.hand(seat).len()).max();
    // Case dr-07: no hand grows beyond a deal's cards and the one drawn.
    assert!(longest <= Some(dealt), "{longest:?}");
}

/// Totals are the sums of the sheet.
fn check_totals(game: &Game) {
    let view = game.table.view(Viewer::Public);
    for (index, seat) in view.seats.iter().enumerate() {
        assert_eq!(seat.total, view.sheet.iter().map(|row| row[index]).sum::<i32>());
    }
}

/// `decide` accepts exactly the single steps that are listed.
fn check_exactness(game: &Game, seat: Seat, moves: &LegalMoves) {
    let table = &game.table;
    let hand = table.hand(seat);
    let accepts = |command: &Command| {
        decide(table, Actor::Seat(seat), command, game.now, &mut game.dice.clone()).is_ok()
    };
    let agree = |step: LegalMove, command: &Command| {
        let listed = moves.iter().any(|m| m == step);
        assert_eq!(listed, accepts(command), "{command} with {hand:?} at {:?}", table.melds());
    };
    for source in [Source::Stock, Source::Discard] {
        agree(LegalMove::Draw(source), &Command::Draw(source));
    }
    agree(LegalMove::Undo, &Command::Undo);
    for card in hand.iter() {
        agree(LegalMove::Discard(card.face()), &Command::Discard(card));
    }
    for shape in shapes(hand) {
        // The listed way: the pending joker goes before others.
        let command = moves.command(LegalMove::Meld(shape)).unwrap();
        agree(LegalMove::Meld(shape), &command);
    }
    let mut faces: Vec<Face> = hand.iter().map(Card::face).collect();
    faces.dedup();
    for on_table in table.melds() {
        let ends: &[Option<End>] =
            if on_table.meld.is_run() { &[Some(End::Low), Some(End::High)] } else { &[None] };
        for &face in &faces {
            for &end in ends {
                let step = LegalMove::LayOff(LayOffMove { meld: on_table.id, face, end });
                match moves.command(step) {
                    Some(command) => agree(step, &command),
                    None => assert!(!moves.iter().any(|m| m == step)),
                }
            }
            for joker in on_table.meld.cards.iter().copied().filter(|c| c.is_joker()) {
                let step = LegalMove::Swap(SwapMove { meld: on_table.id, face, joker });
                if !face.is_joker() {
                    agree(step, &moves.command(step).unwrap());
                }
            }
        }
    }
    // Nobody else may do anything.
    for other in Seat::first(table.seat_count()).filter(|other| *other != seat) {
        assert!(legal_moves(table, other).is_empty());
        let draw = Command::Draw(Source::Stock);
        assert!(decide(table, Actor::Seat(other), &draw, game.now, &mut game.dice.clone()).is_err());
    }
}

/// Every run and group that a hand's cards could be named as, legal or not; made without the engine's help.
fn shapes(hand: Cards) -> Vec<MeldShape> {
    let mut shapes = Vec::new();
    let jokers = hand.jokers().len() as u32;
    for suit in Suit::ALL {
        let held = |position: u8| {
            let rank = Rank::ALL[usize::from(position % 13)];
            hand.count(Face::new(rank, suit)) > 0
        };
        for low in 0..13u8 {
            for len in 3..=13u8 {
                let gaps = (0..len).filter(|i| !held(low + i)).fold(0u16, |set, i| set | 1 << i);
                if gaps.count_ones() > jokers {
                    continue;
                }
                let free = !gaps & ((1 << len) - 1);
                // All supersets of the gaps that the jokers suffice for.
                let mut more = free;
                loop {
                    let places = gaps | more;
                    if places.count_ones() <= jokers {
                        shapes.push(MeldShape::Run { suit, low, len, jokers: places });
                    }
                    if more == 0 {
                        break;
                    }
                    more = (more - 1) & free;
                }
            }
        }
    }
    for rank in Rank::ALL {
        let held = Suit::ALL
            .into_iter()
            .filter(|suit| hand.count(Face::new(rank, *suit)) > 0)
            .fold(0u8, |set, suit| set | 1 << suit as u8);
        for suits in (1..16u8).filter(|suits| suits & !held == 0) {
            for jokers in 0..=jokers.min(4) as u8 {
                if suits.count_ones() + u32::from(jokers) >= 3 {
                    shapes.push(MeldShape::Group { rank, suits, jokers });
                }
            }
        }
    }
    shapes
}

/// Everybody who can look at a game, folding what he sees.
struct Watching {
    observers: Vec<(Viewer, Observer)>,
    seen: usize,
    close: bool,
}

impl Watching {
    fn of(game: &Game, close: bool) -> Self {
        let seats = Seat::first(game.table.seat_count()).map(Viewer::Seat);
        let observer = |viewer| {
            let first = game.log[0].observed_by(viewer);
            (viewer, Observer::open(&first, viewer).unwrap())
        };
        let observers = seats.chain([Viewer::Public]).map(observer).collect();
        Self { observers, seen: 1, close }
    }

    fn look(&mut self, game: &Game) {
        if self.close {
            self.look_closely(game);
        }
    }

    /// The view folded from seen events equals the view that the server makes.
    fn look_closely(&mut self, game: &Game) {
        for (viewer, observer) in &mut self.observers {
            for event in &game.log[self.seen..] {
                observer.see(&event.observed_by(*viewer));
            }
            assert_eq!(*observer.view(), game.table.view(*viewer));
        }
        self.seen = game.log.len();
    }
}

/// A game with other cards in all places that a viewer hasn't seen looks the same to him.
fn check_hidden_cards_are_hidden(game: &Game, dice: &mut Dice) {
    let seats = Seat::first(game.table.seat_count()).map(Viewer::Seat);
    for viewer in seats.chain([Viewer::Public]) {
        let other = disguise(game, viewer, dice);
        for (one, other) in game.log.iter().zip(&other) {
            assert_eq!(one.observed_by(viewer), other.observed_by(viewer));
        }
        let table = Table::replay(&other).unwrap();
        assert_eq!(table.view(viewer), game.table.view(viewer));
    }
}

/// The log with the cards of the running deal that the viewer hasn't seen exchanged for each other, and
/// another seed.
fn disguise(game: &Game, viewer: Viewer, dice: &mut Dice) -> Vec<Event> {
    let mut log = game.log.clone();
    let begin = log.iter().rposition(|e| matches!(e, Event::Dealt(_))).unwrap();
    let mut seen = Cards::EMPTY;
    for event in &log[begin..] {
        seen = seen.union(cards_seen(event, viewer));
    }
    let hidden: Vec<Card> = game.table.rules().pack.cards().without(seen).iter().collect();
    let mut mixed = hidden.clone();
    for place in (1..mixed.len()).rev() {
        mixed.swap(place, dice.under(place + 1));
    }
    let exchange = |card: &mut Card| {
        if let Some(index) = hidden.iter().position(|h| h == card) {
            *card = mixed[index];
        }
    };
    for event in &mut log[begin..] {
        match event {
            Event::Dealt(dealt) => {
                dealt.hands.iter_mut().flat_map(|(_, hand)| hand).for_each(exchange);
                dealt.stock.iter_mut().for_each(exchange);
            }
            Event::StockDrawn { card, .. } => exchange(card),
            Event::StockReused { stock, .. } => stock.iter_mut().for_each(exchange),
            _ => {}
        }
    }
    if let Some(Event::SandboxArranged { arrangement }) = log.get_mut(1) {
        arrangement.deals.clear();
        arrangement.seed.0[31] ^= 1;
    }
    let committed = log[..begin].iter_mut().rfind(|e| matches!(e, Event::SeedCommitted { .. }));
    let Some(Event::SeedCommitted { seed, .. }) = committed else { panic!("a seed was committed") };
    seed.0[31] ^= 1;
    log
}

/// The cards that an event shows to a viewer.
fn cards_seen(event: &Event, viewer: Viewer) -> Cards {
    let mut cards = Cards::EMPTY;
    let mut see = |card: Card| {
        cards.insert(card);
    };
    match event {
        Event::Dealt(dealt) => {
            let own = dealt.hands.iter().filter(|(seat, _)| viewer.sees(*seat));
            own.flat_map(|(_, hand)| hand).chain(&dealt.upcard).for_each(|card| see(*card));
        }
        Event::StockDrawn { seat, card } if viewer.sees(*seat) => see(*card),
        Event::DiscardTaken { card, .. } | Event::Discarded { card, .. } => see(*card),
        Event::Melded { melds, .. } => {
            melds.iter().flat_map(|(_, meld)| &meld.cards).for_each(|card| see(*card));
        }
        Event::LaidOff { low, high, .. } => low.iter().chain(high).for_each(|card| see(*card)),
        Event::JokerSwapped { card, joker, .. } => {
            see(*card);
            see(*joker);
        }
        _ => {}
    }
    cards
}
