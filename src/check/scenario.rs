//! What a case is about: actions on a table, the end of a deal, the standings after one, a fresh deal, or the
//! worth of a meld.

use remik_rules::card::Card;
use remik_rules::command::Source;
use remik_rules::event::Viewer;
use remik_rules::meld::{Meld, Named};
use remik_rules::ranking::{self, Record};
use remik_rules::ruleset::{GameEnd, Ruleset};
use remik_rules::seat::Seat;
use remik_rules::suggest::{Purpose, suggest};
use remik_rules::view::{Stage, Standing};

use super::case::{Case, DealSpec, HandSpec, Holding, Letter, OneOrMany, Scene, Text};
use super::finding::{Finding, Judged, Outlook};
use super::notation::{Action, By, Mention, Step};
use super::play::Game;
use super::rules::ruleset;
use super::situation::{arrange, seat_count};
use super::split::Split;
use super::unclear::Unclear;

/// Has the engine judge a case.
pub(super) fn find(case: &Case) -> Result<Finding, Unclear> {
    let scene = case.scene()?;
    let rules = ruleset(case, &scene)?;
    let actions = scene.read_actions()?;
    if let Some(cards) = &scene.table_meld {
        return worth(cards, &rules);
    }
    if scene.totals.is_some() || scene.totals_before.is_some() {
        return Ok(Finding::Standing(standings(&scene, &rules)));
    }
    if scene.first_turn {
        return first_turn(&scene, &rules, &actions);
    }
    if !actions.is_empty() {
        return judge(&scene, &rules, &actions);
    }
    match scene.next_player.as_deref() {
        Some("declines the discard") => return judge(&scene, &rules, &[draw_from(Source::Stock)]),
        Some("takes the discard") => return judge(&scene, &rules, &[draw_from(Source::Discard)]),
        Some(_) => return Err(Unclear::TooLittle("what the next player does")),
        None => {}
    }
    if scene.winner.is_some() {
        return goes_out(scene, &rules);
    }
    if scene.limit.is_some() || scene.rounds.is_some() {
        return shortest_deal(scene, &rules);
    }
    if let Some(HandSpec::OfTurn(Holding::Cards(_))) = &scene.hand {
        return best_split(&scene, &rules);
    }
    match &scene.players {
        Some(_) => fresh_deals(&scene, &rules),
        None => Err(Unclear::TooLittle("what is done")),
    }
}

fn draw_from(source: Source) -> Action {
    Action { by: By::Same, step: Step::Draw { source, gets: None } }
}

/// Actions on an arranged table. Where nothing says whose turn it is, the turn passes along to who acts.
fn judge(scene: &Scene, rules: &Ruleset, actions: &[Action]) -> Result<Finding, Unclear> {
    let arranged = arrange(scene, rules, actions)?;
    let mut game = Game::arranged(arranged, scene.turn.is_none())?;
    let answer = game.play(actions)?;
    Ok(Finding::Judged(Box::new(Judged { game, answer })))
}

/// The winner throws the last card; the others' hands are counted.
fn goes_out(mut scene: Scene, rules: &Ruleset) -> Result<Finding, Unclear> {
    let Some(winner) = scene.winner else { return Err(Unclear::TooLittle("who goes out")) };
    if scene.winner_laid_anything_before.as_ref().is_some_and(|laid| *laid == false) {
        scene.never_opened.push(winner);
    }
    let arranged = arrange(&scene, rules, &[])?;
    let hand = arranged.situation.hands.get(winner.0.index()).copied().flatten().unwrap_or_default();
    let last = hand.iter().next().ok_or(Unclear::PackEmpty)?;
    let discard = Step::Discard(Mention { card: Some(last), stands_for: None });
    let mut game = Game::arranged(arranged, false)?;
    let answer = game.play(&[Action { by: By::Seat(winner.0), step: discard }])?;
    Ok(Finding::Judged(Box::new(Judged { game, answer })))
}

/// A deal that costs its losers as little as a deal can: each holds one card, the cheapest there is.
fn shortest_deal(mut scene: Scene, rules: &Ruleset) -> Result<Finding, Unclear> {
    let mut cards = rules.pack.sorted();
    cards.sort_by_key(|card| remik_rules::score::hand_points([*card].into_iter().collect(), rules));
    let mut cards = cards.into_iter();
    let seats = Seat::first(seat_count(&scene, rules, &[]));
    for seat in seats {
        let card: Option<Card> = cards.next();
        let text = card.map(|card| Text(Mention { card: Some(card), stands_for: None }));
        scene.hands.insert(Letter(seat), Holding::Cards(text.into_iter().collect()));
    }
    scene.winner = Seat::new(0).map(Letter);
    goes_out(scene, rules)
}

/// The first turn of a fresh deal, by its starter.
fn first_turn(scene: &Scene, rules: &Ruleset, actions: &[Action]) -> Result<Finding, Unclear> {
    let seats = seat_count(scene, rules, actions);
    let cards: Vec<Card> = actions
        .iter()
        .flat_map(|action| action.step.cards_of_hand())
        .filter_map(|mention| mention.card)
        .collect();
    let mut game = Game::dealt(rules, seats, scene.dealer.map(|dealer| dealer.0), &cards)?;
    if let (Some(HandSpec::OfTurn(holding)), Some(starter)) = (&scene.hand, game.table.turn()) {
        let held = game.table.hand(starter).len();
        match holding {
            Holding::Count(count) if *count == held => {}
            Holding::Count(_) => return Err(Unclear::HandSize(held)),
            Holding::Cards(_) => return Err(Unclear::Deal),
        }
    }
    let answer = game.play(actions)?;
    Ok(Finding::Judged(Box::new(Judged { game, answer })))
}

fn fresh_deals(scene: &Scene, rules: &Ruleset) -> Result<Finding, Unclear> {
    let dealer = scene.dealer.map(|dealer| dealer.0);
    let deal = |seats: u8| {
        let game = Game::dealt(rules, seats, dealer, &[])?;
        match game.table.view(Viewer::Public).stage {
            Stage::Playing(deal) => Ok(*deal),
            _ => Err(Unclear::Deal),
        }
    };
    match &scene.players {
        Some(OneOrMany::Many(numbers)) => Ok(Finding::Dealt {
            deals: numbers.iter().copied().map(deal).collect::<Result<_, _>>()?,
            many: true,
        }),
        _ => Ok(Finding::Dealt { deals: vec![deal(seat_count(scene, rules, &[]))?], many: false }),
    }
}

/// The best melds of the hand of the seat whose turn it is, for its opening if it hasn't made that.
fn best_split(scene: &Scene, rules: &Ruleset) -> Result<Finding, Unclear> {
    let arranged = arrange(scene, rules, &[])?.situation;
    let hand = arranged.hands.get(arranged.turn.index()).copied().flatten().unwrap_or_default();
    let opened = arranged.opened.contains(arranged.turn);
    let purpose = if opened || !rules.has_opening_minimum() { Purpose::Any } else { Purpose::Opening };
    Ok(Finding::Split(Split::of(&suggest(hand, rules, purpose), hand)))
}

fn worth(cards: &[Text], rules: &Ruleset) -> Result<Finding, Unclear> {
    let mut jokers = (1..=rules.pack.jokers).filter_map(Card::joker);
    let mut named = Vec::with_capacity(cards.len());
    for Text(mention) in cards {
        let card = mention.card.or_else(|| jokers.next()).ok_or(Unclear::PackEmpty)?;
        named.push(Named { card, stands_for: mention.stands_for });
    }
    let meld = Meld::read(&named, rules).map_err(|_| Unclear::NoMeld("the situation".to_owned()))?;
    Ok(Finding::Worth(meld.points(rules.aces)))
}

/// The standings after a deal, whose points are in the totals or are added to them.
fn standings(scene: &Scene, rules: &Ruleset) -> Outlook {
    let counted = match &scene.deal {
        Some(DealSpec::Counted(counted)) => {
            let mut scores = counted.scores.clone();
            scores
                .extend(counted.winner.filter(|winner| !counted.scores.contains_key(winner)).map(|w| (w, 0)));
            scores
        }
        _ => scene.last_deal.clone(),
    };
    let of = |points: &std::collections::BTreeMap<Letter, i32>, seat| points.get(&Letter(seat)).copied();
    let record = |seat: Seat| {
        let last = of(&counted, seat).unwrap_or(0);
        let total = match (&scene.totals, &scene.totals_before) {
            (Some(totals), _) => of(totals, seat).unwrap_or(0),
            (None, Some(before)) => of(before, seat).unwrap_or(0).saturating_add(last),
            (None, None) => last,
        };
        Some(Record { total, last, standing: Standing::In })
    };
    let mut records: Vec<Option<Record>> = Seat::first(seat_count(scene, rules, &[])).map(record).collect();
    let deals = match (&scene.deal, rules.end) {
        (Some(DealSpec::Number(deal)), _) => *deal,
        (_, GameEnd::Deals(deals)) => deals,
        _ => 1,
    };
    let after = ranking::after_deal(&mut records, deals, rules);
    Outlook {
        places: ranking::places(&records, rules),
        totals: records.iter().flatten().map(|record| record.total).collect(),
        over: after.over.is_some(),
        eliminated: after.eliminated,
        deals,
        outcome: None,
    }
}
