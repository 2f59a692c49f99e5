//! Requests for sandbox games.

use remik_rules::card::Card;
use remik_rules::chance::Seed;
use remik_rules::preset::Preset;
use remik_rules::range::NumberOption;
use remik_rules::ruleset::Ruleset;
use remik_rules::sandbox::{ArrangedDeal, Arrangement, MOST_DEALS};
use remik_rules::seat::{PlayerId, Seat};
use uuid::Uuid;

use super::fault::{Fault, Problem};
use super::field::{card, code, codes, hex, narrow, number, player_ids, seat, unhex, uuid};
use super::house_rules;
use super::request::preset;
use crate::proto::v1;

/// No list of cards is longer than all cards that there are.
const PACK: usize = 110;

/// A sandbox game to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSandbox {
    /// The client's own id of the command.
    pub request_id: Uuid,
    /// Where the rules come from.
    pub preset: Preset,
    /// The rules, house rules among them. They may be inconsistent still.
    pub rules: Ruleset,
    /// How many seats.
    pub seats: u8,
    /// Who sits there from the start, each once and not more than there are seats; may be empty.
    pub players: Vec<PlayerId>,
    /// What is chosen for it. It may be impossible still.
    pub arrangement: Arrangement,
}

/// What a request chooses for a sandbox.
///
/// # Errors
/// A field can't be read.
pub fn arrangement(r: &v1::CreateSandboxGameRequest) -> Result<Arrangement, Fault> {
    if r.deals.len() > MOST_DEALS {
        let length = r.deals.len();
        return Err(Problem::BadLength { length, of: "deals", least: 0, most: MOST_DEALS }.at("deals"));
    }
    let deals = r.deals.iter().enumerate().map(|(index, deal)| arranged(index, deal));
    Ok(Arrangement {
        seed: seed(&r.seed)?,
        first_dealer: r.first_dealer_seat.map(|number| seat("first_dealer_seat", number)).transpose()?,
        deals: deals.collect::<Result<_, _>>()?,
    })
}

/// A request that chooses this, with nothing else in it.
pub fn arrangement_in_full(arrangement: &Arrangement) -> v1::CreateSandboxGameRequest {
    let hand =
        |(seat, cards): &(Seat, Vec<Card>)| v1::SandboxHand { seat: number(*seat), cards: codes(cards) };
    let deal = |deal: &ArrangedDeal| v1::SandboxDeal {
        hands: deal.hands.iter().map(hand).collect(),
        upcard: code(deal.upcard),
        stock: codes(&deal.stock),
    };
    v1::CreateSandboxGameRequest {
        first_dealer_seat: arrangement.first_dealer.map(number),
        deals: arrangement.deals.iter().map(deal).collect(),
        seed: hex(&arrangement.seed.0),
        ..Default::default()
    }
}

impl TryFrom<v1::CreateSandboxGameRequest> for NewSandbox {
    type Error = Fault;

    fn try_from(r: v1::CreateSandboxGameRequest) -> Result<Self, Fault> {
        let request_id = uuid("request_id", &r.request_id)?;
        let arrangement = arrangement(&r)?;
        let preset = if r.preset.is_empty() { Preset::default() } else { preset(&r.preset)? };
        let mut rules = house_rules::apply(preset.ruleset(), &r.overrides.unwrap_or_default())?;
        if r.without_clock {
            (rules.turn_seconds, rules.time_bank_seconds) = (None, None);
            (_, rules.pause_seconds) = NumberOption::PauseSeconds.range();
        }
        let seats = if r.seats == 0 { rules.seats.1 } else { narrow("seats", r.seats)? };
        Ok(Self {
            request_id,
            preset,
            rules,
            seats,
            players: player_ids(&r.player_ids, seats.into())?,
            arrangement,
        })
    }
}

/// The seed of fewer bytes is filled with zeros.
fn seed(text: &str) -> Result<Seed, Fault> {
    let bytes =
        unhex(text).ok_or_else(|| Problem::malformed(text, "pairs of hexadecimal digits").at("seed"))?;
    let mut seed = [0; 32];
    match seed.get_mut(..bytes.len()) {
        Some(first) => first.copy_from_slice(&bytes),
        None => {
            let (length, most) = (bytes.len(), seed.len());
            return Err(Problem::BadLength { length, of: "bytes", least: 0, most }.at("seed"));
        }
    }
    Ok(Seed(seed))
}

fn arranged(index: usize, deal: &v1::SandboxDeal) -> Result<ArrangedDeal, Fault> {
    let hand = |(place, hand): (usize, &v1::SandboxHand)| {
        let path = format!("deals[{index}].hands[{place}]");
        Ok((seat(&format!("{path}.seat"), hand.seat)?, cards(&format!("{path}.cards"), &hand.cards)?))
    };
    let upcard = match deal.upcard.as_str() {
        "" => None,
        code => Some(card(&format!("deals[{index}].upcard"), code)?),
    };
    if deal.hands.len() > remik_rules::ruleset::MAX_SEATS {
        let (length, most) = (deal.hands.len(), remik_rules::ruleset::MAX_SEATS);
        let field = format!("deals[{index}].hands");
        return Err(Problem::BadLength { length, of: "hands", least: 0, most }.at(field));
    }
    let hands = deal.hands.iter().enumerate().map(hand).collect::<Result<Vec<(Seat, _)>, Fault>>()?;
    Ok(ArrangedDeal { hands, upcard, stock: cards(&format!("deals[{index}].stock"), &deal.stock)? })
}

fn cards(field: &str, codes: &[String]) -> Result<Vec<Card>, Fault> {
    if codes.len() > PACK {
        let length = codes.len();
        return Err(Problem::BadLength { length, of: "cards", least: 0, most: PACK }.at(field));
    }
    codes.iter().enumerate().map(|(index, code)| card(&format!("{field}[{index}]"), code)).collect()
}
