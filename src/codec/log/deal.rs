//! Events that begin, renew and end a deal.

use remik_rules::card::Card;
use remik_rules::chance::{ClientSeed, Commitment, Millis, Seed};
use remik_rules::event::{Block, DealEnded, Dealt, Event, Full, Outcome};
use remik_rules::seat::Seat;

use super::DecodeError;
use super::field::{
    byte, bytes, card, card_of, cards, client_seed, narrow, number, required, seat, seats, thirty_two,
};
use crate::proto::log as proto;

/// No list of cards is longer than all cards that there are: two decks and six jokers.
pub(super) const PACK: usize = 110;

pub(super) fn encode_commitment(deal: u16, commitment: &Commitment, seed: &Seed) -> proto::SeedCommitted {
    proto::SeedCommitted { deal: deal.into(), commitment: commitment.0.to_vec(), seed: seed.0.to_vec() }
}

pub(super) fn decode_commitment(e: &proto::SeedCommitted) -> Result<Event<Full>, DecodeError> {
    Ok(Event::SeedCommitted {
        deal: narrow("SeedCommitted.deal", e.deal)?,
        commitment: Commitment(thirty_two("SeedCommitted.commitment", &e.commitment)?),
        seed: Seed(thirty_two("SeedCommitted.seed", &e.seed)?),
    })
}

pub(super) fn encode_dealer(dealer: Seat, cut: &[(Seat, Card)]) -> proto::DealerChosen {
    let cut_card =
        |&(seat, card): &(Seat, Card)| proto::CutCard { seat: number(seat), card: Some(byte(card)) };
    proto::DealerChosen { dealer: number(dealer), cut: cut.iter().map(cut_card).collect() }
}

pub(super) fn decode_dealer(e: proto::DealerChosen) -> Result<Event<Full>, DecodeError> {
    let cut_card = |c: proto::CutCard| Ok((seat("CutCard.seat", c.seat)?, card("CutCard.card", c.card)?));
    Ok(Event::DealerChosen {
        dealer: seat("DealerChosen.dealer", e.dealer)?,
        cut: e.cut.into_iter().map(cut_card).collect::<Result<_, DecodeError>>()?,
    })
}

pub(super) fn encode_dealt(dealt: &Dealt<Full>) -> proto::Dealt {
    let client_seed = |(seat, seed): &(Seat, ClientSeed)| proto::ClientSeed {
        seat: number(*seat),
        seed: seed.bytes().to_vec(),
    };
    proto::Dealt {
        deal: dealt.deal.into(),
        dealer: number(dealt.dealer),
        starter: number(dealt.starter),
        client_seeds: dealt.client_seeds.iter().map(client_seed).collect(),
        hands: encode_hands(&dealt.hands),
        upcard: dealt.upcard.map(byte),
        stock: bytes(&dealt.stock),
    }
}

pub(super) fn decode_dealt(e: proto::Dealt) -> Result<Dealt<Full>, DecodeError> {
    let seed = |c: proto::ClientSeed| {
        Ok((seat("ClientSeed.seat", c.seat)?, client_seed("ClientSeed.seed", c.seed)?))
    };
    let (stock, stock_count) = decode_stock("Dealt.stock", &e.stock)?;
    Ok(Dealt {
        deal: narrow("Dealt.deal", e.deal)?,
        dealer: seat("Dealt.dealer", e.dealer)?,
        starter: seat("Dealt.starter", e.starter)?,
        client_seeds: e.client_seeds.into_iter().map(seed).collect::<Result<_, DecodeError>>()?,
        hands: decode_hands(e.hands)?,
        upcard: e.upcard.map(|card| card_of("Dealt.upcard", card)).transpose()?,
        stock_count,
        stock,
    })
}

pub(super) fn decode_reuse(e: &proto::StockReused) -> Result<Event<Full>, DecodeError> {
    let (stock, count) = decode_stock("StockReused.stock", &e.stock)?;
    let kept = e.kept.map(|card| card_of("StockReused.kept", card)).transpose()?;
    Ok(Event::StockReused { kept, count, stock })
}

fn decode_stock(field: &'static str, bytes: &[u8]) -> Result<(Vec<Card>, u8), DecodeError> {
    let stock: Vec<Card> = cards(field, bytes, PACK)?;
    let count =
        u8::try_from(stock.len()).map_err(|_| DecodeError::BadLength { field, length: stock.len() })?;
    Ok((stock, count))
}

pub(super) fn encode_hands(hands: &[(Seat, Vec<Card>)]) -> Vec<proto::Hand> {
    hands.iter().map(|(seat, cards)| proto::Hand { seat: number(*seat), cards: bytes(cards) }).collect()
}

pub(super) fn decode_hands(hands: Vec<proto::Hand>) -> Result<Vec<(Seat, Vec<Card>)>, DecodeError> {
    let hand = |h: proto::Hand| Ok((seat("Hand.seat", h.seat)?, cards("Hand.cards", &h.cards, PACK)?));
    hands.into_iter().map(hand).collect()
}

pub(super) fn encode_ended(ended: &DealEnded) -> proto::DealEnded {
    let (outcome, winner, rummy) = match ended.outcome {
        Outcome::WentOut { seat, rummy } => (proto::DealOutcome::WentOut, number(seat), rummy),
        Outcome::Blocked(Block::StockUsedUp) => (proto::DealOutcome::StockUsedUp, None, false),
        Outcome::Blocked(Block::NothingToReuse) => (proto::DealOutcome::NothingToReuse, None, false),
        Outcome::Blocked(Block::TurnLimit) => (proto::DealOutcome::TurnLimit, None, false),
        Outcome::Abandoned => (proto::DealOutcome::Abandoned, None, false),
    };
    let score = |&(seat, points): &(Seat, i32)| proto::SeatScore { seat: number(seat), points };
    proto::DealEnded {
        outcome: outcome.into(),
        winner,
        rummy,
        hands: encode_hands(&ended.hands),
        scores: ended.scores.iter().map(score).collect(),
        totals: ended.totals.clone(),
        eliminated: ended.eliminated.iter().map(|seat| seat.number().into()).collect(),
        seed: ended.seed.0.to_vec(),
        pause_until: Some(ended.pause_until.0),
    }
}

pub(super) fn decode_ended(e: proto::DealEnded) -> Result<DealEnded, DecodeError> {
    let unknown = DecodeError::Meaningless { field: "DealEnded.outcome", value: e.outcome.into() };
    let outcome = match proto::DealOutcome::try_from(e.outcome) {
        Ok(proto::DealOutcome::WentOut) => {
            Outcome::WentOut { seat: seat("DealEnded.winner", e.winner)?, rummy: e.rummy }
        }
        Ok(proto::DealOutcome::StockUsedUp) => Outcome::Blocked(Block::StockUsedUp),
        Ok(proto::DealOutcome::NothingToReuse) => Outcome::Blocked(Block::NothingToReuse),
        Ok(proto::DealOutcome::TurnLimit) => Outcome::Blocked(Block::TurnLimit),
        Ok(proto::DealOutcome::Abandoned) => Outcome::Abandoned,
        Ok(proto::DealOutcome::Unspecified) | Err(_) => return Err(unknown),
    };
    let score = |s: proto::SeatScore| Ok((seat("SeatScore.seat", s.seat)?, s.points));
    Ok(DealEnded {
        outcome,
        hands: decode_hands(e.hands)?,
        scores: e.scores.into_iter().map(score).collect::<Result<_, DecodeError>>()?,
        totals: e.totals,
        eliminated: seats("DealEnded.eliminated", e.eliminated)?,
        seed: Seed(thirty_two("DealEnded.seed", &e.seed)?),
        pause_until: Millis(required("DealEnded.pause_until", e.pause_until)?),
    })
}
