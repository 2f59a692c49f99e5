//! Drawing a card.

use super::{finish, stock};
use crate::chance::{Chance, Millis};
use crate::command::Source;
use crate::event::{Event, Full, Outcome};
use crate::refusal::Refusal;
use crate::table::{Deal, Part, Table};

pub(super) fn draw(
    table: &Table,
    deal: &Deal,
    source: Source,
    now: Millis,
    chance: &mut impl Chance,
) -> Result<Vec<Event<Full>>, Refusal> {
    if matches!(deal.turn.part, Part::Play(_)) {
        return Err(Refusal::AlreadyDrawn);
    }
    let seat = deal.turn.seat;
    match source {
        Source::Discard => {
            let card = *deal.pile.last().ok_or(Refusal::PileEmpty)?;
            Ok(vec![Event::DiscardTaken { seat, card }])
        }
        Source::Stock => match deal.stock.last() {
            Some(card) => Ok(vec![Event::StockDrawn { seat, card: *card }]),
            // RULES 8: having refused the discard, the player asks for a card that isn't there.
            None => Ok(match stock::renew(table, deal, &deal.pile, chance) {
                Ok((reused, next)) => vec![reused, Event::StockDrawn { seat, card: next }],
                Err(block) => {
                    finish::end_deal(table, &finish::standing(deal), Outcome::Blocked(block), now, chance)
                }
            }),
        },
    }
}
