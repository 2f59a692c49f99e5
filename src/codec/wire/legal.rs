//! The steps that a seat may take.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::command::Command;
use remik_rules::legal::{LegalMove, LegalMoves};
use remik_rules::seat::Seat;

use super::field::{named_code, number};
use crate::proto::v1;

/// The legal steps of a seat with this hand, each with cards that can be sent as they are.
pub fn legal_moves(seat: Seat, moves: &LegalMoves, hand: Cards, opening_exists: bool) -> v1::LegalMoves {
    let mut encoded = v1::LegalMoves {
        seat: number(seat),
        opening_exists,
        can_get_ready: moves.may_get_ready(),
        can_leave: moves.may_leave(),
        ..Default::default()
    };
    for step in moves.iter() {
        // Every listed step is one of the hand that the list was made for.
        let Some(command) = moves.command(step) else { continue };
        match (step, command) {
            (LegalMove::Discard(face), _) => {
                encoded.discards.extend(hand.of_face(face).iter().map(|card| card.to_string()));
            }
            (_, Command::Draw(source)) => encoded.draws.push(v1::DrawSource::from(source).into()),
            (_, Command::Meld(melds)) => {
                let melds =
                    melds.iter().map(|cards| v1::NewMeld { cards: cards.iter().map(named_code).collect() });
                encoded.melds.extend(melds);
            }
            (_, Command::LayOff { meld, cards, end }) => encoded.lay_offs.push(v1::LegalLayOff {
                meld_id: meld.to_string(),
                card: cards.first().map_or_else(String::new, named_code),
                end: end.map_or(v1::RunEnd::Unspecified, v1::RunEnd::from).into(),
            }),
            (_, Command::SwapJoker { meld, card, joker }) => encoded.swaps.push(v1::LegalSwap {
                meld_id: meld.to_string(),
                card: card.to_string(),
                joker: joker.as_ref().map_or_else(String::new, Card::to_string),
            }),
            (_, Command::Undo) => encoded.can_undo = true,
            // No other command is a single step of a turn.
            _ => {}
        }
    }
    encoded
}
