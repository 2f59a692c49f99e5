//! Who is out, whether the game is over, who has won: RULES 12 and 16, and the ties of the presets.

use remik_rules::command::{Command, Source};
use remik_rules::event::{Block, Event, GameOver, Outcome};
use remik_rules::preset::Preset;
use remik_rules::ranking::{Record, after_deal, places};
use remik_rules::ruleset::{GameEnd, Ruleset};
use remik_rules::situation::Situation;
use remik_rules::view::Standing;

use super::support::{Game, card, cards, seat};

fn record(total: i32, last: i32, standing: Standing) -> Option<Record> {
    Some(Record { total, last, standing })
}

fn playing(totals: &[(i32, i32)]) -> Vec<Option<Record>> {
    totals.iter().map(|(total, last)| record(*total, *last, Standing::In)).collect()
}

#[test]
fn totals_rank_and_ties_are_broken_as_the_preset_says() {
    for (preset, totals, expected) in [
        (Preset::Remik51, &[(80, 20), (80, 5), (110, 30)][..], &[2, 1, 3][..]),
        (Preset::Remik51, &[(80, 5), (80, 5), (110, 30)], &[1, 1, 3]),
        (Preset::Romme40, &[(40, 10), (90, 30), (40, 10)], &[1, 3, 1]),
        (Preset::RemikPoints, &[(500, 5), (500, 40), (90, 0)], &[1, 1, 3]),
        (Preset::BasicRummy, &[(100, 3), (20, 40), (20, 0), (-5, 0)], &[1, 2, 2, 4]),
        (Preset::BasicRummy, &[(i32::MIN, 0), (i32::MAX, 0), (0, i32::MIN)], &[3, 1, 2]),
        (Preset::Remik51, &[(i32::MIN, 0), (i32::MAX, 0), (0, i32::MIN)], &[1, 3, 2]),
    ] {
        assert_eq!(places(&playing(totals), &preset.ruleset()), expected, "{preset} {totals:?}");
    }
}

/// RULES 12: out later is better, then the lower total; RULES 16: given up ranks last, later is better.
#[test]
fn who_is_out_ranks_behind_who_is_in() {
    let rules = Preset::Remi30.ruleset();
    let records = [
        record(200, 0, Standing::Forfeited { order: 0 }),
        record(70, 0, Standing::Eliminated { deal: 3 }),
        record(49, 0, Standing::In),
        record(60, 0, Standing::Eliminated { deal: 3 }),
        record(52, 0, Standing::Eliminated { deal: 2 }),
        record(0, 0, Standing::Forfeited { order: 1 }),
    ];
    assert_eq!(places(&records, &rules), [6, 3, 1, 2, 4, 5]);
    let shared = [
        record(60, 0, Standing::Eliminated { deal: 3 }),
        None,
        record(60, 10, Standing::Eliminated { deal: 3 }),
    ];
    assert_eq!(places(&shared, &rules), [1, 0, 1]);
}

#[test]
fn elimination_needs_more_than_the_limit() {
    let rules = Preset::Remi30.ruleset();
    for (totals, out, over) in [
        (&[(50, 0), (12, 0)][..], vec![], None),
        (&[(51, 0), (12, 0)], vec![seat(0)], Some(GameOver::AllButOneOut)),
        (&[(51, 0), (12, 0), (50, 0)], vec![seat(0)], None),
        (&[(51, 0), (52, 0)], vec![seat(0), seat(1)], Some(GameOver::AllButOneOut)),
    ] {
        let mut records = playing(totals);
        let after = after_deal(&mut records, 7, &rules);
        assert_eq!((&after.eliminated, after.over), (&out, over), "{totals:?}");
        for seat in out {
            assert_eq!(records[seat.index()].unwrap().standing, Standing::Eliminated { deal: 7 });
        }
    }
}

#[test]
fn a_limit_is_reached_by_a_seat_that_plays_on() {
    let rules = Preset::Remik51.ruleset();
    let over = |records: &mut [Option<Record>], rules: &Ruleset| after_deal(records, 2, rules).over;
    assert_eq!(over(&mut playing(&[(100, 0), (3, 0)]), &rules), Some(GameOver::LimitReached));
    assert_eq!(over(&mut playing(&[(99, 0), (3, 0)]), &rules), None);
    let mut given_up =
        [playing(&[(3, 0), (4, 0)]), vec![record(300, 0, Standing::Forfeited { order: 0 })]].concat();
    assert_eq!(over(&mut given_up, &rules), None);
    for (deals, ended) in [(2, Some(GameOver::DealsPlayed)), (3, None)] {
        let rules = Ruleset { end: GameEnd::Deals(deals), ..rules.clone() };
        assert_eq!(over(&mut playing(&[(300, 0), (3, 0)]), &rules), ended);
    }
}

/// A situation may be as odd as it likes: nothing overflows.
#[test]
fn the_largest_numbers_do_no_harm() {
    let mut situation = Situation::new(Preset::BasicRummy.ruleset(), 2);
    situation.rules.stock_uses = 100;
    situation.rules.end = GameEnd::Total(10_000);
    situation.deal = u16::MAX;
    situation.turns = u16::MAX - 1;
    situation.stock_uses = u8::MAX;
    situation.totals = vec![i32::MAX, i32::MIN];
    situation.drawn = false;
    situation.hands = vec![Some(cards("4C AH")), Some(cards("5D 6S"))];
    situation.stock = Some(Vec::new());
    situation.pile = vec![card("2S")];
    let mut game = Game::arranged(situation);
    let events = game.by(0, Command::Draw(Source::Stock)).unwrap();
    let Event::DealEnded(ended) = &events[0] else { panic!("{events:?}") };
    assert_eq!(ended.outcome, Outcome::Blocked(Block::StockUsedUp));
    assert_eq!(ended.totals, [i32::MAX, i32::MIN]);
    assert!(matches!(events[1], Event::GameEnded { .. }));
}

/// The same where the game goes on: the number of the next deal stays the greatest there is.
#[test]
fn there_is_no_deal_after_the_last_number() {
    let mut situation = Situation::new(Preset::BasicRummy.ruleset(), 2);
    situation.deal = u16::MAX;
    situation.hands = vec![Some(cards("4C")), Some(cards("5D"))];
    let mut game = Game::arranged(situation);
    let events = game.by(0, Command::Discard(card("4C"))).unwrap();
    assert!(matches!(events[2], Event::SeedCommitted { deal: u16::MAX, .. }), "{events:?}");
    game.all_ready();
    assert_eq!(game.table.deals(), u16::MAX);
}
