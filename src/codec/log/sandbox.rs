//! What somebody has chosen for a sandbox game.

use remik_rules::chance::Seed;
use remik_rules::sandbox::{ArrangedDeal, Arrangement};

use super::DecodeError;
use super::deal::{PACK, decode_hands, encode_hands};
use super::field::{byte, bytes, card_of, cards, number, seat, thirty_two};
use crate::proto::log as proto;

pub(super) fn encode(arrangement: &Arrangement) -> proto::SandboxArranged {
    let deal = |deal: &ArrangedDeal| proto::ArrangedDeal {
        hands: encode_hands(&deal.hands),
        upcard: deal.upcard.map(byte),
        stock: bytes(&deal.stock),
    };
    proto::SandboxArranged {
        seed: arrangement.seed.0.to_vec(),
        first_dealer: arrangement.first_dealer.and_then(number),
        deals: arrangement.deals.iter().map(deal).collect(),
    }
}

pub(super) fn decode(e: proto::SandboxArranged) -> Result<Arrangement, DecodeError> {
    let deal = |deal: proto::ArrangedDeal| {
        Ok(ArrangedDeal {
            hands: decode_hands(deal.hands)?,
            upcard: deal.upcard.map(|card| card_of("ArrangedDeal.upcard", card)).transpose()?,
            stock: cards("ArrangedDeal.stock", &deal.stock, PACK)?,
        })
    };
    let dealer = |number| seat("SandboxArranged.first_dealer", Some(number));
    Ok(Arrangement {
        seed: Seed(thirty_two("SandboxArranged.seed", &e.seed)?),
        first_dealer: e.first_dealer.map(dealer).transpose()?,
        deals: e.deals.into_iter().map(deal).collect::<Result<_, DecodeError>>()?,
    })
}
