//! The best that a seat can do with its hand.

use remik_rules::advice::Advice;
use remik_rules::meld::Meld;
use remik_rules::ruleset::Aces;
use remik_rules::suggest::{LayOffSuggestion, Missing};

use super::field::{named_code, number};
use crate::proto::v1;

/// Advice for a seat.
pub fn suggestions(advice: &Advice) -> v1::MeldSuggestions {
    let melds = &advice.melds;
    v1::MeldSuggestions {
        seat: number(advice.seat),
        melds: melds.melds.iter().map(|melded| meld(melded, advice.aces)).collect(),
        points: melds.points.into(),
        jokers_used: count(melds.jokers_used),
        cards_used: count(melds.cards_used),
        pure_run: melds.pure_run,
        opened: advice.opened,
        is_opening: advice.is_opening(),
        playable: advice.melds_playable,
        missing: melds.missing.map(gap),
        lay_offs: advice.lay_offs.iter().map(lay_off).collect(),
    }
}

fn meld(meld: &Meld, aces: Aces) -> v1::SuggestedMeld {
    let kind = if meld.is_run() { v1::MeldKind::Run } else { v1::MeldKind::Group };
    v1::SuggestedMeld {
        meld: Some(v1::NewMeld { cards: meld.named().iter().map(named_code).collect() }),
        kind: kind.into(),
        points: meld.points(aces).into(),
    }
}

fn gap(missing: Missing) -> v1::OpeningGap {
    v1::OpeningGap {
        have: missing.have.into(),
        need: missing.need.into(),
        pure_run_missing: missing.pure_run,
        cards_left_over: count(missing.cards_left_over),
    }
}

fn lay_off((suggested, playable): &(LayOffSuggestion, bool)) -> v1::SuggestedLayOff {
    v1::SuggestedLayOff {
        meld_id: suggested.meld.to_string(),
        cards: suggested.cards.iter().map(named_code).collect(),
        end: suggested.end.map_or(v1::RunEnd::Unspecified, v1::RunEnd::from).into(),
        points: suggested.points.into(),
        jokers_used: count(suggested.jokers_used),
        playable: *playable,
    }
}

/// A count of cards: a pack has 114 at most.
fn count(cards: usize) -> u32 {
    cards as u32
}
