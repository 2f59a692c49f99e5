//! Melds on the table.

use remik_rules::command::MeldId;
use remik_rules::meld::Meld;
use remik_rules::ruleset::Aces;
use remik_rules::seat::Seat;

use super::field::number;
use crate::proto::v1;

pub(super) fn encode(id: MeldId, owner: Seat, meld: &Meld, aces: Aces) -> v1::Meld {
    let card = |(index, card): (usize, &remik_rules::card::Card)| v1::MeldCard {
        card: card.to_string(),
        stands_for: meld
            .face_at(index)
            .filter(|_| card.is_joker())
            .map_or_else(String::new, |face| face.to_string()),
    };
    let kind = if meld.is_run() { v1::MeldKind::Run } else { v1::MeldKind::Group };
    v1::Meld {
        meld_id: id.to_string(),
        owner_seat: number(owner),
        kind: kind.into(),
        cards: meld.cards.iter().enumerate().map(card).collect(),
        points: meld.points(aces).into(),
    }
}
