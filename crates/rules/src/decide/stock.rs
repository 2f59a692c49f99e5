//! What a used-up stock means.

use crate::card::Card;
use crate::chance::{Chance, Purpose, Stream};
use crate::event::{Block, Event, Full};
use crate::pack::sort_by_code;
use crate::ruleset::StockReuse;
use crate::table::{Deal, Table};

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
