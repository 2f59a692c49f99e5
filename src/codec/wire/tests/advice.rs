use remik_rules::advice::advise;
use remik_rules::cards::Cards;
use remik_rules::chance::Millis;
use remik_rules::meld::Meld;
use remik_rules::preset::Preset;
use remik_rules::seat::Seats;
use remik_rules::situation::Situation;

use super::{card, seat, strings};
use crate::codec::wire::suggestions;
use crate::fairness::Fairness;
use crate::proto::v1;
use crate::store::GameId;

fn sent(opened: bool, hand: &str) -> v1::MeldSuggestions {
    let rules = Preset::Remik51.ruleset();
    let run: Vec<_> = ["TC", "JC", "QC"].map(|code| card(code).into()).into();
    let hand: Cards = hand.split_whitespace().map(card).collect();
    let situation = Situation {
        hands: vec![Some(hand)],
        melds: vec![(seat(1), Meld::read(&run, &rules).unwrap())],
        opened: if opened { Seats::from_iter([seat(0)]) } else { Seats::EMPTY },
        ..Situation::new(rules, 2)
    };
    let mut chance = Fairness::of(GameId(uuid::Uuid::nil()));
    suggestions(&advise(&situation.table().unwrap(), seat(0), Millis(0), &mut chance).unwrap())
}

fn meld(kind: v1::MeldKind, points: u32, cards: &str) -> v1::SuggestedMeld {
    let meld = v1::NewMeld { cards: strings(cards) };
    v1::SuggestedMeld { meld: Some(meld), kind: kind.into(), points }
}

#[test]
fn melds_come_ready_to_be_sent() {
    let sent = sent(true, "7H X1 9H 5C 5D 5S KC 2S 4D");
    let melds = [meld(v1::MeldKind::Run, 24, "7H X1=8H 9H"), meld(v1::MeldKind::Group, 15, "5C 5D 5S")];
    assert_eq!(sent.melds, melds);
    assert_eq!((sent.seat, sent.points, sent.jokers_used, sent.cards_used), (0, 39, 1, 6));
    assert!(sent.opened && sent.playable && !sent.pure_run && !sent.is_opening);
    assert_eq!(sent.missing, None);
    let lay_off = |cards: &str, end: v1::RunEnd, points, jokers_used| v1::SuggestedLayOff {
        meld_id: "m1".to_owned(),
        cards: strings(cards),
        end: end.into(),
        points,
        jokers_used,
        playable: true,
    };
    assert_eq!(sent.lay_offs[0], lay_off("KC X1=AC", v1::RunEnd::High, 21, 1));
    assert!(sent.lay_offs.contains(&lay_off("KC", v1::RunEnd::High, 10, 0)));
}

#[test]
fn what_is_missing_comes_in_numbers() {
    let sent = sent(false, "7H X1 9H 5C 5D 5S KC 2S 4D");
    assert!(!sent.opened && !sent.playable && !sent.is_opening);
    let missing = v1::OpeningGap { have: 39, need: 51, pure_run_missing: true, cards_left_over: 0 };
    assert_eq!((sent.points, sent.missing), (39, Some(missing)));
    assert!(!sent.lay_offs.is_empty() && sent.lay_offs.iter().all(|lay_off| !lay_off.playable));
}

#[test]
fn an_opening_is_called_one() {
    let sent = sent(false, "7H 8H 9H KS KD KH 2S 4D");
    assert!(sent.is_opening && sent.playable && sent.pure_run && !sent.opened);
    assert_eq!((sent.points, sent.missing), (54, None));
}
