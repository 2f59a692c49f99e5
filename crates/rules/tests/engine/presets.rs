//! The rules' table of presets, row by row; the columns are in the order of `Preset::ALL`.

use std::fmt::Debug;

use remik_rules::preset::Preset;
use remik_rules::ruleset::{GameEnd, Ruleset, SwappedJoker};

#[track_caller]
fn row<T: PartialEq + Debug>(option: impl Fn(&Ruleset) -> T, expected: [T; 8]) {
    assert_eq!(Preset::ALL.map(|preset| option(&preset.ruleset())), expected);
}

#[test]
fn presets_are_as_the_table_says() {
    use GameEnd::{Deals, Elimination, Total};
    use SwappedJoker::{Kept, MustBeLaid, MustBeMelded};
    row(|r| r.seats, [(2, 4), (2, 4), (2, 4), (2, 4), (2, 6), (2, 6), (2, 6), (2, 4)]);
    row(|r| (r.pack.decks, r.pack.jokers), [(2, 4), (2, 4), (2, 6), (1, 0), (1, 0), (1, 0), (1, 3), (2, 6)]);
    row(|r| r.cards_dealt_to(2), [13, 13, 13, 7, 10, 10, 7, 13]);
    row(|r| r.cards_dealt_to(4), [13, 13, 13, 7, 7, 7, 7, 13]);
    row(|r| r.cards_dealt[4], [13, 13, 13, 7, 6, 6, 7, 13]);
    row(|r| r.opening_points, [51, 51, 30, 0, 0, 0, 0, 40]);
    row(|r| r.opening_pure_run, [true, true, false, false, false, false, false, false]);
    row(|r| r.several_melds, [true, true, true, true, false, false, true, true]);
    row(|r| r.lay_off_needs_own_meld, [true, true, true, true, false, false, false, true]);
    row(|r| r.adjacent_jokers, [false, false, true, false, false, false, true, false]);
    row(
        |r| (r.pack.jokers > 0).then_some(r.swapped_joker),
        [Some(MustBeLaid), Some(MustBeMelded), Some(Kept), None, None, None, Some(Kept), Some(MustBeLaid)],
    );
    row(|r| r.final_discard, [true, true, false, false, false, false, false, true]);
    row(|r| r.stock_uses, [3, 3, 3, 2, 3, 1, 3, 3]);
    row(|r| r.ace_in_hand, [11, 11, 15, 1, 1, 1, 1, 11]);
    row(
        |r| r.end,
        [Total(100), Total(500), Elimination(50), Total(200), Total(100), Total(100), Deals(6), Total(300)],
    );
    row(|r| r.tie_by_last_deal, [true, false, false, false, false, false, false, true]);
}
