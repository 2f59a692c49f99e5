//! A case as it is written.

use std::collections::BTreeMap;

use remik_rules::seat::Seat;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::notation::{Action, Mention};
use super::unclear::{self, Unclear};

/// A line of a file of cases. What else it holds (reasons, sources, notes) is for readers.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) preset: String,
    pub(super) situation: Map<String, Value>,
    pub(super) expect: Value,
    /// Prose, which only people can judge.
    #[serde(default)]
    pub(super) people: bool,
    /// What the melds of the action are worth.
    #[serde(default)]
    pub(super) points: Option<u16>,
}

/// A situation: what isn't said doesn't matter.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Scene {
    /// Overrides of the preset.
    pub(super) rules: Map<String, Value>,
    pub(super) players: Option<OneOrMany<u8>>,
    pub(super) dealer: Option<Letter>,
    /// A seat's letter, or `starter`.
    pub(super) turn: Option<String>,
    pub(super) phase: Option<Phase>,
    /// The first turn of a fresh deal.
    pub(super) first_turn: bool,
    /// The number of the deal, or what it counted.
    pub(super) deal: Option<DealSpec>,
    pub(super) opened: Option<BTreeMap<Letter, bool>>,
    /// Seats that have laid nothing.
    pub(super) never_opened: Vec<Letter>,
    pub(super) hand: Option<HandSpec>,
    pub(super) hands: BTreeMap<Letter, Holding>,
    pub(super) others: BTreeMap<Letter, Holding>,
    /// What the hands are worth.
    pub(super) hands_points: BTreeMap<Letter, i32>,
    pub(super) table: Vec<TableSpec>,
    /// A meld of its own, to be valued.
    pub(super) table_meld: Option<Vec<Text>>,
    pub(super) taken_from_discard: Option<Text>,
    /// Cards, the next to be drawn first, or how many.
    pub(super) stock: Option<Holding>,
    /// The pile, its top last.
    #[serde(alias = "discard_bottom_to_top")]
    pub(super) discard: Option<Vec<Text>>,
    /// How often the stock was used up.
    pub(super) exhaustions_so_far: u8,
    pub(super) action: Option<String>,
    pub(super) actions: Vec<String>,
    /// What the next player does: `declines the discard`.
    pub(super) next_player: Option<String>,
    /// Who goes out.
    pub(super) winner: Option<Letter>,
    /// Whether the winner had laid anything before the turn: no only if it says `false`.
    pub(super) winner_laid_anything_before: Option<Value>,
    /// The total that ends the game or puts a player out, or `single` for one deal.
    pub(super) limit: Option<Limit>,
    /// After how many deals, all of which are played, the game ends.
    pub(super) rounds: Option<u16>,
    pub(super) totals: Option<BTreeMap<Letter, i32>>,
    pub(super) totals_before: Option<BTreeMap<Letter, i32>>,
    pub(super) last_deal: BTreeMap<Letter, i32>,
}

/// A seat by its letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Letter(pub(super) Seat);

impl TryFrom<String> for Letter {
    type Error = Unclear;

    fn try_from(text: String) -> Result<Self, Unclear> {
        unclear::seat(&text).map(Self)
    }
}

/// A card as it is written.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Text(pub(super) Mention);

impl TryFrom<String> for Text {
    type Error = Unclear;

    fn try_from(text: String) -> Result<Self, Unclear> {
        Ok(Self(Mention::read(&text)?))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    Draw,
    Play,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

/// Cards, or how many.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Value")]
pub(super) enum Holding {
    Count(usize),
    Cards(Vec<Text>),
}

/// Hands by seat, or the hand of the seat whose turn it is.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Value")]
pub(super) enum HandSpec {
    OfTurn(Holding),
    BySeat(BTreeMap<Letter, Holding>),
}

impl TryFrom<Value> for Holding {
    type Error = Unclear;

    fn try_from(value: Value) -> Result<Self, Unclear> {
        let card = |card: &Value| {
            let code = card.as_str().ok_or_else(|| Unclear::Holding(card.to_string()))?;
            Ok(Text(Mention::read(code)?))
        };
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
        match (&value, count) {
            (Value::Array(cards), _) => cards.iter().map(card).collect::<Result<_, _>>().map(Self::Cards),
            (_, Some(count)) => Ok(Self::Count(count)),
            _ => Err(Unclear::Holding(value.to_string())),
        }
    }
}

impl TryFrom<Value> for HandSpec {
    type Error = Unclear;

    fn try_from(value: Value) -> Result<Self, Unclear> {
        let Value::Object(hands) = value else { return value.try_into().map(Self::OfTurn) };
        let hand = |(seat, hand): (String, Value)| Ok((Letter(unclear::seat(&seat)?), hand.try_into()?));
        hands.into_iter().map(hand).collect::<Result<_, _>>().map(Self::BySeat)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableSpec {
    pub(super) id: String,
    pub(super) owner: Letter,
    pub(super) cards: Vec<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum DealSpec {
    Number(u16),
    Counted(Counted),
}

/// What a deal counted: nothing for its winner, if it has one.
#[derive(Debug, Deserialize)]
pub(super) struct Counted {
    pub(super) winner: Option<Letter>,
    #[serde(flatten)]
    pub(super) scores: BTreeMap<Letter, i32>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum Limit {
    Points(u16),
    Word(SingleDeal),
}

#[derive(Debug, Clone, Deserialize)]
pub(super) enum SingleDeal {
    #[serde(rename = "single")]
    Single,
}

impl Case {
    /// The situation. `B_never_opened` says for a seat what `never_opened` says for several.
    pub(super) fn scene(&self) -> Result<Scene, Unclear> {
        let mut fields = self.situation.clone();
        let mut never_opened = Vec::new();
        fields.retain(|name, value| match name.strip_suffix("_never_opened") {
            Some(seat) => {
                never_opened.extend((*value == true).then(|| Value::from(seat)));
                false
            }
            None => true,
        });
        if !never_opened.is_empty() {
            fields.insert("never_opened".to_owned(), never_opened.into());
        }
        serde_json::from_value(fields.into()).map_err(Unclear::Scene)
    }
}

impl Scene {
    /// Its actions in order.
    pub(super) fn read_actions(&self) -> Result<Vec<Action>, Unclear> {
        let mut actions = Vec::new();
        for text in self.action.iter().chain(&self.actions) {
            actions.extend(Action::read_all(text)?);
        }
        Ok(actions)
    }

    /// What is said of a seat's hand.
    pub(super) fn holding(&self, seat: Seat, turn: Seat) -> Option<&Holding> {
        let by_letter = |hands: &BTreeMap<Letter, Holding>| hands.contains_key(&Letter(seat));
        match &self.hand {
            Some(HandSpec::OfTurn(holding)) if seat == turn => return Some(holding),
            Some(HandSpec::BySeat(hands)) if by_letter(hands) => return hands.get(&Letter(seat)),
            _ => {}
        }
        self.hands.get(&Letter(seat)).or_else(|| self.others.get(&Letter(seat)))
    }

    /// All hands that are given card by card.
    pub(super) fn holdings(&self) -> impl Iterator<Item = &Holding> {
        let (of_turn, by_seat) = match &self.hand {
            Some(HandSpec::OfTurn(holding)) => (Some(holding), None),
            Some(HandSpec::BySeat(hands)) => (None, Some(hands.values())),
            None => (None, None),
        };
        let others = self.hands.values().chain(self.others.values());
        of_turn.into_iter().chain(by_seat.into_iter().flatten()).chain(others)
    }

    /// Every seat that it names, but for actions.
    pub(super) fn letters(&self) -> impl Iterator<Item = Seat> {
        let by_seat = match &self.hand {
            Some(HandSpec::BySeat(hands)) => Some(hands.keys()),
            _ => None,
        };
        let points = [&self.hands_points, &self.last_deal].into_iter();
        let points = points.chain(&self.totals).chain(&self.totals_before).flat_map(BTreeMap::keys);
        let turn = self.turn.iter().filter_map(|turn| unclear::seat(turn).ok()).map(Letter);
        by_seat
            .into_iter()
            .flatten()
            .chain(self.hands.keys())
            .chain(self.others.keys())
            .chain(self.opened.iter().flat_map(BTreeMap::keys))
            .chain(&self.never_opened)
            .chain(&self.dealer)
            .chain(&self.winner)
            .chain(points)
            .copied()
            .chain(self.table.iter().map(|meld| meld.owner))
            .chain(turn)
            .map(|letter| letter.0)
    }
}
