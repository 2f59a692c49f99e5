//! From what a case says to a whole table: what it leaves open is filled with cards that it doesn't name.

use remik_rules::card::{Card, Face};
use remik_rules::cards::Cards;
use remik_rules::command::Source;
use remik_rules::meld::{Meld, Named};
use remik_rules::ruleset::{MAX_SEATS, Ruleset};
use remik_rules::score::hand_points;
use remik_rules::seat::{Seat, Seats};
use remik_rules::situation::{Situation, SituationFault};

use super::case::{DealSpec, Holding, Letter, OneOrMany, Phase, Scene, Text};
use super::notation::{Action, By, Mention, Step};
use super::unclear::{self, Unclear};

/// A case's situation.
pub(super) struct Arranged {
    pub(super) situation: Situation,
    /// The names of the melds on the table, in their order.
    pub(super) meld_names: Vec<String>,
}

/// Arranges the table for the actions.
pub(super) fn arrange(scene: &Scene, rules: &Ruleset, actions: &[Action]) -> Result<Arranged, Unclear> {
    let seats = seat_count(scene, rules, actions);
    if let Some(seat) = scene.letters().find(|seat| seat.number() >= seats) {
        return Err(SituationFault::NoSuchSeat(seat).into());
    }
    let mut situation = Situation::new(rules.clone(), seats);
    situation.dealer = scene.dealer.map_or(situation.dealer, |dealer| dealer.0);
    let starter = Seat::first(seats).collect::<Seats>().after(situation.dealer).unwrap_or(situation.turn);
    situation.turn = first_turn(scene, actions, starter)?;
    situation.drawn = !begins_with_draw(scene, actions);
    if let Some(DealSpec::Number(deal)) = scene.deal {
        situation.deal = deal;
    }
    situation.stock_uses = scene.exhaustions_so_far;
    let mut spare = Spare::of(scene, rules, actions)?;
    let to_play = cards_to_play(scene, &situation, actions, spare.elsewhere);

    for spec in &scene.table {
        let cards: Vec<Named> =
            spec.cards.iter().map(|text| spare.named(text.0)).collect::<Result<_, _>>()?;
        let meld = Meld::read(&cards, rules).map_err(|_| Unclear::NoMeld(spec.id.clone()))?;
        situation.melds.push((spec.owner.0, meld));
    }
    situation.hands = Seat::first(seats)
        .map(|seat| hand(scene, &situation, seat, to_play[seat.index()], &mut spare).map(Some))
        .collect::<Result<_, _>>()?;
    if let Some(taken) = scene.taken_from_discard {
        let card = spare.card(taken.0)?;
        let hand = situation.hands.get(situation.turn.index()).copied().flatten().unwrap_or_default();
        if !hand.contains(card) {
            return Err(Unclear::TakenNotInHand(card));
        }
        situation.taken = Some(card);
    }
    situation.pile = match &scene.discard {
        Some(cards) => spare.cards_of(cards)?,
        None => vec![spare.take()?],
    };
    situation.stock = Some(stock(scene, actions, &mut spare)?);
    situation.opened = opened(scene, &situation, seats);
    let meld_names = scene.table.iter().map(|spec| spec.id.clone()).collect();
    Ok(Arranged { situation, meld_names })
}

/// As many seats as are named, and at least as many as the rules need.
pub(super) fn seat_count(scene: &Scene, rules: &Ruleset, actions: &[Action]) -> u8 {
    if let Some(OneOrMany::One(players)) = scene.players {
        return players;
    }
    let acting = actions.iter().filter_map(|action| match action.by {
        By::Seat(seat) => Some(seat),
        By::Same | By::Next | By::Turn(_) => None,
    });
    scene.letters().chain(acting).map(|seat| seat.number() + 1).max().unwrap_or(0).max(rules.seats.0)
}

fn first_turn(scene: &Scene, actions: &[Action], starter: Seat) -> Result<Seat, Unclear> {
    match (scene.turn.as_deref(), scene.winner, actions.first()) {
        (Some("starter"), ..) => Ok(starter),
        (Some(letter), ..) => unclear::seat(letter),
        (None, Some(winner), _) => Ok(winner.0),
        (None, None, Some(Action { by: By::Seat(seat), .. })) => Ok(*seat),
        (None, None, _) => unclear::seat("A"),
    }
}

fn begins_with_draw(scene: &Scene, actions: &[Action]) -> bool {
    match scene.phase {
        Some(phase) => phase == Phase::Draw,
        None => matches!(actions.first(), Some(Action { step: Step::Draw { .. }, .. })),
    }
}

/// Who has opened. Where nothing is said it doesn't matter, but for deals that forbid all plays before it.
fn opened(scene: &Scene, situation: &Situation, seats: u8) -> Seats {
    let has_opened = |seat: &Seat| {
        let letter = Letter(*seat);
        let owner = situation.melds.iter().any(|(owner, _)| owner == seat);
        match &scene.opened {
            _ if scene.never_opened.contains(&letter) => false,
            Some(opened) => opened.get(&letter).copied().unwrap_or(owner),
            None => owner || !situation.rules.whole_hand_at_once(situation.deal),
        }
    };
    Seat::first(seats).filter(has_opened).collect()
}

fn hand(
    scene: &Scene,
    situation: &Situation,
    seat: Seat,
    to_play: Cards,
    spare: &mut Spare,
) -> Result<Cards, Unclear> {
    if let Some(points) = scene.hands_points.get(&Letter(seat)) {
        return spare.take_points(*points, &situation.rules);
    }
    match scene.holding(seat, situation.turn) {
        Some(Holding::Cards(cards)) => Ok(spare.cards_of(cards)?.into_iter().collect()),
        Some(Holding::Count(count)) => (0..*count).map(|_| spare.take()).collect(),
        // Who goes out throws the last card.
        None if scene.winner.is_some_and(|winner| winner.0 == seat) => {
            spare.take().map(|card| [card].into_iter().collect())
        }
        None => {
            let mut hand = to_play;
            let drawn = usize::from(situation.drawn && seat == situation.turn);
            let size = usize::from(situation.rules.cards_dealt_to(situation.seats)) + drawn;
            while hand.len() < size {
                hand.insert(spare.take()?);
            }
            Ok(hand)
        }
    }
}

/// The cards that each seat plays and so must hold, but for those that it only gets in the course of the
/// actions: drawn, swapped, or laid or thrown by another seat before.
fn cards_to_play(
    scene: &Scene,
    situation: &Situation,
    actions: &[Action],
    elsewhere: Cards,
) -> [Cards; MAX_SEATS] {
    let mut placed = elsewhere;
    for holding in scene.holdings() {
        if let Holding::Cards(cards) = holding {
            placed = placed.union(cards.iter().filter_map(|text| text.0.card).collect());
        }
    }
    let seats: Seats = Seat::first(situation.seats).collect();
    let mut hands = [Cards::EMPTY; MAX_SEATS];
    let mut acting = situation.turn;
    for action in actions {
        acting = match action.by {
            By::Seat(seat) => seat,
            By::Next => seats.after(acting).unwrap_or(acting),
            By::Same | By::Turn(_) => acting,
        };
        for card in action.step.cards_of_hand().into_iter().filter_map(|mention| mention.card) {
            if placed.insert(card) {
                hands[acting.index()].insert(card);
            }
        }
    }
    hands
}

fn stock(scene: &Scene, actions: &[Action], spare: &mut Spare) -> Result<Vec<Card>, Unclear> {
    let drawn = actions.iter().filter_map(|action| match action.step {
        Step::Draw { source: Source::Stock, gets } => gets,
        _ => None,
    });
    let mut stock: Vec<Card> = drawn.collect();
    match &scene.stock {
        Some(Holding::Cards(cards)) => stock.extend(spare.cards_of(cards)?),
        Some(Holding::Count(count)) => {
            while stock.len() < *count {
                stock.push(spare.take()?);
            }
        }
        None => stock.append(&mut spare.cards),
    }
    Ok(stock)
}

/// The cards of the pack that the case doesn't name.
struct Spare {
    /// By code, the first to be taken first.
    cards: Vec<Card>,
    /// Cards that are named on the table, the pile or the stock, or as drawn.
    elsewhere: Cards,
}

impl Spare {
    fn of(scene: &Scene, rules: &Ruleset, actions: &[Action]) -> Result<Self, Unclear> {
        let cards_of = |texts: &[Text]| texts.iter().filter_map(|text| text.0.card).collect::<Vec<_>>();
        let mut elsewhere: Cards = scene.table.iter().flat_map(|spec| cards_of(&spec.cards)).collect();
        let stock = match &scene.stock {
            Some(Holding::Cards(cards)) => cards.as_slice(),
            _ => &[],
        };
        let drawn = actions.iter().filter_map(|action| match action.step {
            Step::Draw { gets, .. } => gets,
            _ => None,
        });
        let pile = scene.discard.iter().flat_map(|cards| cards_of(cards));
        for card in cards_of(stock).into_iter().chain(pile).chain(drawn) {
            elsewhere.insert(card);
        }
        let held = scene.holdings().filter_map(|holding| match holding {
            Holding::Cards(cards) => Some(cards_of(cards)),
            Holding::Count(_) => None,
        });
        let played = actions.iter().flat_map(|action| action.step.cards_of_hand()).filter_map(|m| m.card);
        let named: Cards = held.flatten().chain(played).collect::<Cards>().union(elsewhere);
        let mut cards = rules.pack.sorted();
        cards.retain(|card| !named.contains(*card));
        Ok(Self { cards, elsewhere })
    }

    /// A natural card, as long as there are any.
    fn take(&mut self) -> Result<Card, Unclear> {
        if self.cards.is_empty() { Err(Unclear::PackEmpty) } else { Ok(self.cards.remove(0)) }
    }

    /// A card that is mentioned; any joker is one that isn't named.
    fn card(&mut self, mention: Mention) -> Result<Card, Unclear> {
        if let Some(card) = mention.card {
            return Ok(card);
        }
        let joker = self.cards.iter().position(|card| card.is_joker()).ok_or(Unclear::PackEmpty)?;
        Ok(self.cards.remove(joker))
    }

    fn named(&mut self, mention: Mention) -> Result<Named, Unclear> {
        Ok(Named { card: self.card(mention)?, stands_for: mention.stands_for.filter(|f| *f != Face::JOKER) })
    }

    fn cards_of(&mut self, texts: &[Text]) -> Result<Vec<Card>, Unclear> {
        texts.iter().map(|text| self.card(text.0)).collect()
    }

    /// Cards that are worth so much in hand.
    fn take_points(&mut self, points: i32, rules: &Ruleset) -> Result<Cards, Unclear> {
        let no_hand = || Unclear::NoSuchHand(points);
        let target = usize::try_from(points).map_err(|_| no_hand())?;
        let worth = |card: Card| hand_points([card].into_iter().collect(), rules) as usize;
        let all: usize = self.cards.iter().map(|card| worth(*card)).sum();
        if target > all {
            return Err(no_hand());
        }
        // The card with which each sum was first reached; the rest of the sum was reached by earlier cards.
        let mut last: Vec<Option<Card>> = vec![None; target + 1];
        for &card in &self.cards {
            let value = worth(card);
            for sum in (value.max(1)..=target).rev() {
                if last[sum].is_none()
                    && (sum == value || last[sum - value].is_some_and(|other| other != card))
                {
                    last[sum] = Some(card);
                }
            }
        }
        let mut hand = Cards::EMPTY;
        let mut sum = target;
        while sum > 0 {
            let card = last[sum].ok_or_else(no_hand)?;
            hand.insert(card);
            sum -= worth(card);
        }
        self.cards.retain(|card| !hand.contains(*card));
        Ok(hand)
    }
}
