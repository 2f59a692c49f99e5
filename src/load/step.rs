use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::proto::v1::{self, DrawSource, LegalMoves, NewMeld, RunEnd, play_request::Kind};

/// What a player does next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Ready(String),
    Draw(DrawSource),
    Meld(Vec<String>),
    LayOff { meld: String, card: String, end: RunEnd },
    SwapJoker { meld: String, card: String, joker: String },
    Discard(String),
    Undo,
}

impl Step {
    /// One of those that are legal, and most often one that goes on; `None` if there is none.
    pub(super) fn among(legal: &LegalMoves, rng: &mut StdRng) -> Option<Self> {
        if legal.can_get_ready {
            return Some(Self::ready(rng));
        }
        if let Some(source) = legal.draws.choose(rng) {
            return DrawSource::try_from(*source).ok().map(Self::Draw);
        }
        let melds = legal.melds.iter().map(|meld| Self::Meld(meld.cards.clone()));
        let offs = legal.lay_offs.iter().map(|off| Self::LayOff {
            meld: off.meld_id.clone(),
            card: off.card.clone(),
            end: off.end(),
        });
        let swaps = legal.swaps.iter().map(|swap| Self::SwapJoker {
            meld: swap.meld_id.clone(),
            card: swap.card.clone(),
            joker: swap.joker.clone(),
        });
        let mut plays: Vec<Self> = melds.chain(offs).chain(swaps).collect();
        let discard = legal.discards.choose(rng).cloned().map(Self::Discard);
        if !plays.is_empty() && (discard.is_none() || rng.random_bool(0.9)) {
            return Some(plays.swap_remove(rng.random_range(0..plays.len())));
        }
        discard.or_else(|| legal.can_undo.then_some(Self::Undo))
    }

    /// Readiness, with a seed of the player's.
    pub(super) fn ready(rng: &mut StdRng) -> Self {
        Self::Ready(format!("{:016x}", rng.random::<u64>()))
    }

    /// What reports call it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Ready(_) => "ready",
            Self::Draw(_) => "draw",
            Self::Meld(_) => "meld",
            Self::LayOff { .. } => "lay_off",
            Self::SwapJoker { .. } => "swap_joker",
            Self::Discard(_) => "discard",
            Self::Undo => "undo",
        }
    }

    /// The command for a game.
    pub(super) fn request(&self, game_id: &str, request_id: String, known_version: u32) -> Kind {
        let game_id = game_id.to_owned();
        macro_rules! command {
            ($kind:ident, $request:ident { $($field:ident: $value:expr),* }) => {
                Kind::$kind(v1::$request { game_id, request_id, known_version, $($field: $value),* })
            };
        }
        match self.clone() {
            Self::Ready(client_seed) => command!(Ready, ReadyRequest { client_seed: client_seed }),
            Self::Draw(source) => command!(Draw, DrawRequest { source: source.into() }),
            Self::Meld(cards) => command!(Meld, MeldRequest { melds: vec![NewMeld { cards }] }),
            Self::LayOff { meld, card, end } => {
                command!(LayOff, LayOffRequest { meld_id: meld, cards: vec![card], end: end.into() })
            }
            Self::SwapJoker { meld, card, joker } => {
                command!(SwapJoker, SwapJokerRequest { meld_id: meld, card: card, joker: joker })
            }
            Self::Discard(card) => command!(Discard, DiscardRequest { card: card }),
            Self::Undo => command!(Undo, UndoRequest {}),
        }
    }
}
