//! Running deals, and how they end.

use remik_rules::card::Card;
use remik_rules::chance::ClientSeed;
use remik_rules::event::{Block, DealEnded, Outcome};
use remik_rules::ruleset::Aces;
use remik_rules::seat::Seat;
use remik_rules::view::{DealView, TurnView};

use super::field::{code, codes, duration, hex, number, timestamp};
use super::meld;
use crate::proto::v1;

pub(super) fn encode(deal: &DealView, aces: Aces) -> v1::Deal {
    v1::Deal {
        number: deal.deal.into(),
        dealer_seat: number(deal.dealer),
        starter_seat: number(deal.starter),
        commitment: hex(&deal.commitment.0),
        client_seeds: client_seeds(&deal.client_seeds),
        hand: codes(&deal.hand),
        hand_counts: deal.hand_counts.iter().map(|&n| n.into()).collect(),
        stock_count: deal.stock_count.into(),
        pile: codes(&deal.pile),
        melds: deal.melds.iter().map(|m| meld::encode(m.id, m.owner, &m.meld, aces)).collect(),
        opened_seats: deal.opened.iter().map(number).collect(),
        credited: deal.credited.iter().map(|&n| n.into()).collect(),
        stock_uses: deal.stock_uses.into(),
        turns: deal.turns.into(),
        turn: Some(turn(&deal.turn)),
        time_banks: deal.time_banks.iter().copied().map(duration).collect(),
    }
}

fn turn(turn: &TurnView) -> v1::Turn {
    v1::Turn {
        seat: number(turn.seat),
        phase: phase(turn.drawn).into(),
        drawn_card: code(turn.drawn_card),
        taken_card: code(turn.taken),
        taken_laid: turn.taken_laid,
        pending_joker: code(turn.pending),
        can_undo: turn.can_undo,
        undos: turn.undos.into(),
        melds_laid: turn.melds_laid.into(),
        deadline: turn.deadline.map(timestamp),
    }
}

pub(super) const fn phase(drawn: bool) -> v1::TurnPhase {
    if drawn { v1::TurnPhase::Play } else { v1::TurnPhase::Draw }
}

pub(super) fn client_seeds(seeds: &[(Seat, ClientSeed)]) -> Vec<v1::ClientSeed> {
    seeds.iter().map(|(seat, seed)| v1::ClientSeed { seat: number(*seat), seed: hex(seed.bytes()) }).collect()
}

/// A hand of cards that may be hidden; it counts them all.
pub(super) fn hand(seat: Seat, cards: impl ExactSizeIterator<Item = Option<Card>>) -> v1::Hand {
    // No hand has more than a pack's cards.
    let count = cards.len() as u32;
    v1::Hand { seat: number(seat), cards: cards.flatten().map(|card| card.to_string()).collect(), count }
}

pub(super) fn result(ended: &DealEnded) -> v1::DealResult {
    let (outcome, winner_seat, going_rummy) = match ended.outcome {
        Outcome::WentOut { seat, rummy } => (v1::DealOutcome::WentOut, Some(number(seat)), rummy),
        Outcome::Blocked(Block::StockUsedUp) => (v1::DealOutcome::StockUsedUp, None, false),
        Outcome::Blocked(Block::NothingToReuse) => (v1::DealOutcome::NothingToReuse, None, false),
        Outcome::Blocked(Block::TurnLimit) => (v1::DealOutcome::TurnLimit, None, false),
        Outcome::Abandoned => (v1::DealOutcome::Abandoned, None, false),
    };
    let score = |&(seat, points): &(Seat, i32)| v1::SeatScore { seat: number(seat), points };
    v1::DealResult {
        outcome: outcome.into(),
        winner_seat,
        going_rummy,
        hands: ended.hands.iter().map(|(seat, cards)| hand(*seat, cards.iter().copied().map(Some))).collect(),
        scores: ended.scores.iter().map(score).collect(),
        totals: ended.totals.clone(),
        eliminated_seats: ended.eliminated.iter().copied().map(number).collect(),
        server_seed: hex(&ended.seed.0),
        pause_until: Some(timestamp(ended.pause_until)),
    }
}
