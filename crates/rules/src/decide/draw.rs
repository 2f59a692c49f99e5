//! Drawing, and what an empty stock means.

use super::finish;
use crate::card::Card;
use crate::chance::{Chance, Millis, Purpose, Stream};
use crate::command::Source;
use crate::event::{Block, Event, Full, Outcome};
use crate::pack::sort_by_code;
use crate::refusal::Refusal;
use crate::ruleset::StockReuse;
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
            None => Ok(match renew(table, deal, &deal.pile, chance) {
                Ok((reused, next)) => vec![reused, Event::StockDrawn { seat, card: next }],
                Err(block) => {
                    finish::end_deal(table, &finish::standing(deal), Outcome::Blocked(block), now, chance)
                }
            }),
        },
    }
}

/// A used-up stock renewed from the pile, with the card to be drawn next; or why the deal is blocked
/// (RULES 8).
pub(super) fn renew(
    table: &Table,
    deal: &Deal,
    pile: &[Card],
    chance: &mut impl Chance,
) -> Result<(Event<Full>, Card), Block> {
    let rules = table.rules();
    let uses = deal.stock_uses.saturating_add(1);
    if uses >= rules.stock_uses {
        return Err(Block::StockUsedUp);
    }
    let (kept, rest) = match (rules.stock_reuse, pile) {
        (StockReuse::KeepTopShuffle, [rest @ .., top]) => (Some(*top), rest),
        (_, pile) => (None, pile),
    };
    let mut stock = rest.to_vec();
    if rules.stock_reuse != StockReuse::TurnOver {
        sort_by_code(&mut stock);
        let stream = Stream {
            seed: &deal.seed,
            client_seeds: &deal.client_seeds,
            deal: deal.number,
            purpose: Purpose::Reuse(uses),
        };
        chance.shuffle(stream, &mut stock);
    }
    // The first card comes first, so it lies last.
    stock.reverse();
    let next = *stock.last().ok_or(Block::NothingToReuse)?;
    Ok((Event::StockReused { kept, count: stock.len() as u8, stock }, next))
}
