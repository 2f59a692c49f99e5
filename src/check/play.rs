//! Playing a case's actions on a table.

use std::collections::BTreeMap;

use remik_rules::card::{Card, Face};
use remik_rules::cards::Cards;
use remik_rules::chance::{ClientSeed, Millis};
use remik_rules::command::{Actor, Command, MeldId, Source};
use remik_rules::decide::{create, decide};
use remik_rules::event::{Event, Full, Viewer};
use remik_rules::evolve::evolve;
use remik_rules::meld::Named;
use remik_rules::refusal::Refusal;
use remik_rules::ruleset::{MAX_SEATS, Ruleset};
use remik_rules::seat::{PlayerId, Seat, Seats};
use remik_rules::table::Table;
use remik_rules::view::Stage;

use super::chance::Dice;
use super::notation::{Action, By, MeldName, Mention, Step};
use super::situation::Arranged;
use super::unclear::Unclear;

/// No case depends on the time.
const NOW: Millis = Millis(0);

/// How many fresh deals are tried until the wanted seat deals.
const DEALS_TRIED: u32 = 1000;

/// A table, and what has happened to it.
pub(super) struct Game {
    pub(super) table: Table,
    pub(super) dice: Dice,
    pub(super) events: Vec<Event<Full>>,
    names: BTreeMap<String, MeldId>,
    /// Cards that actions name: nothing else is thrown away to pass a turn along.
    needed: Cards,
    acting: Option<Seat>,
    /// Which turn of the acting seat it is, as the actions count.
    turn_number: u16,
    /// The turn may be passed along to a seat that acts out of it.
    passes_along: bool,
}

impl Game {
    /// A game in an arranged situation.
    pub(super) fn arranged(arranged: Arranged, passes_along: bool) -> Result<Self, Unclear> {
        let Arranged { situation, meld_names } = arranged;
        let names = (1..).map(MeldId).zip(meld_names).map(|(id, name)| (name, id)).collect();
        let mut game = Self::of(situation.table()?, Dice::default());
        (game.names, game.passes_along) = (names, passes_along);
        Ok(game)
    }

    fn of(table: Table, dice: Dice) -> Self {
        Self {
            acting: table.turn(),
            table,
            dice,
            events: Vec::new(),
            names: BTreeMap::new(),
            needed: Cards::EMPTY,
            turn_number: 1,
            passes_along: false,
        }
    }

    /// A game whose first deal has been dealt, with some of the starter's cards and the dealer given.
    pub(super) fn dealt(
        rules: &Ruleset,
        seats: u8,
        dealer: Option<Seat>,
        starter: &[Card],
    ) -> Result<Self, Unclear> {
        let deals = (0..DEALS_TRIED).map(|number| Self::deal(rules, seats, number, starter));
        for game in deals {
            let game = game?;
            let Stage::Playing(deal) = game.table.view(Viewer::Public).stage else {
                return Err(Unclear::Deal);
            };
            if dealer.is_none_or(|dealer| dealer == deal.dealer) {
                return Ok(game);
            }
        }
        Err(Unclear::Deal)
    }

    fn deal(rules: &Ruleset, seats: u8, number: u32, starter: &[Card]) -> Result<Self, Unclear> {
        let mut dice = Dice::for_deal(number, starter.to_vec(), seats);
        let events = create(rules.clone(), seats, &mut dice)?;
        let table = Table::replay(&events).ok_or(Unclear::Deal)?;
        let mut game = Self::of(table, dice);
        for seat in Seat::first(seats) {
            let player = Actor::Player(PlayerId(u128::from(seat.number()) + 1));
            game.command(player, &Command::Join { seat: Some(seat) }).map_err(|_| Unclear::Deal)?;
        }
        for seat in Seat::first(seats) {
            let ready = Command::Ready { client_seed: ClientSeed::default() };
            game.command(Actor::Seat(seat), &ready).map_err(|_| Unclear::Deal)?;
        }
        game.acting = game.table.turn();
        Ok(game)
    }

    /// Plays all actions; the answer is that to the last one, its events or why it was refused.
    pub(super) fn play(&mut self, actions: &[Action]) -> Result<Result<Vec<Event<Full>>, Refusal>, Unclear> {
        let mut answer = Ok(Vec::new());
        self.needed = actions.iter().flat_map(|a| a.step.cards_of_hand()).filter_map(|m| m.card).collect();
        for (number, action) in (1..).zip(actions) {
            answer = self.act(action)?;
            match &answer {
                Err(refusal) if number < actions.len() => {
                    return Err(Unclear::EarlierAction { number, refusal: refusal.to_string() });
                }
                _ => {}
            }
        }
        Ok(answer)
    }

    fn act(&mut self, action: &Action) -> Result<Result<Vec<Event<Full>>, Refusal>, Unclear> {
        let Some(acting) = self.acting else { return Err(Unclear::TooLittle("whose turn it is")) };
        let seat = match action.by {
            By::Same | By::Turn(_) => acting,
            By::Next => {
                let seats: Seats = Seat::first(self.table.seat_count()).collect();
                seats.after(acting).unwrap_or(acting)
            }
            By::Seat(seat) => seat,
        };
        self.acting = Some(seat);
        let draws_itself = matches!(action.step, Step::Draw { .. });
        match action.by {
            By::Turn(number) if number > self.turn_number => {
                self.turn_number = number;
                self.end_turn(acting)?;
                self.pass_along(seat, draws_itself)?;
            }
            _ if self.passes_along && self.table.turn().is_some_and(|turn| turn != seat) => {
                self.pass_along(seat, draws_itself)?;
            }
            _ => {}
        }
        let Some(command) = self.command_of(&action.step, seat)? else {
            self.table.view(Viewer::Seat(seat));
            return Ok(Ok(Vec::new()));
        };
        let answer = self.command(Actor::Seat(seat), &command);
        if let (Step::Meld(melds), Ok(events)) = (&action.step, &answer) {
            self.name_melds(melds.iter().map(|(name, _)| name), events);
        }
        Ok(answer)
    }

    fn command(&mut self, actor: Actor, command: &Command) -> Result<Vec<Event<Full>>, Refusal> {
        let events = decide(&self.table, actor, command, NOW, &mut self.dice)?;
        for event in &events {
            evolve(&mut self.table, event);
        }
        self.events.extend(events.iter().cloned());
        Ok(events)
    }

    /// Passes the turn along until it is the seat's and the seat has drawn.
    fn pass_along(&mut self, to: Seat, draws_itself: bool) -> Result<(), Unclear> {
        for _ in 0..=MAX_SEATS {
            match self.table.turn() {
                Some(turn) if turn == to && !draws_itself => return self.draw(turn),
                Some(turn) if turn != to => self.end_turn(turn)?,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Draws if that is to be done, and throws a card that no action names.
    fn end_turn(&mut self, seat: Seat) -> Result<(), Unclear> {
        self.draw(seat)?;
        let card = self.table.hand(seat).without(self.needed).iter().next();
        let card = card.ok_or(Unclear::TooLittle("what is discarded between the actions"))?;
        self.passing(seat, &Command::Discard(card))
    }

    fn draw(&mut self, seat: Seat) -> Result<(), Unclear> {
        match self.table.view(Viewer::Public).stage {
            Stage::Playing(deal) if !deal.turn.drawn => self.passing(seat, &Command::Draw(Source::Stock)),
            _ => Ok(()),
        }
    }

    fn passing(&mut self, seat: Seat, command: &Command) -> Result<(), Unclear> {
        let refused = |refusal: Refusal| Unclear::Passing(refusal.to_string());
        self.command(Actor::Seat(seat), command).map(drop).map_err(refused)
    }

    /// The command of a step; `None` for a look at the table.
    fn command_of(&self, step: &Step, seat: Seat) -> Result<Option<Command>, Unclear> {
        let mut hand = self.table.hand(seat);
        Ok(Some(match step {
            Step::Draw { source, .. } => Command::Draw(*source),
            Step::Meld(melds) => {
                let melds = melds.iter().map(|(_, cards)| named(cards, &mut hand));
                Command::Meld(melds.collect::<Result<_, _>>()?)
            }
            Step::LayOff { cards, meld, end } => {
                let cards = named(cards, &mut hand)?;
                Command::LayOff { meld: self.meld(meld, seat)?, cards, end: *end }
            }
            Step::Swap { card, joker, meld } => {
                let card = card_of(*card, &mut hand)?;
                Command::SwapJoker { meld: self.meld(meld, seat)?, card, joker: joker.card }
            }
            Step::Discard(card) => Command::Discard(card_of(*card, &mut hand)?),
            Step::Undo => Command::Undo,
            Step::Leave => Command::Leave,
            Step::View => return Ok(None),
        }))
    }

    fn meld(&self, name: &MeldName, seat: Seat) -> Result<MeldId, Unclear> {
        match name {
            MeldName::Called(name) => {
                self.names.get(name).copied().ok_or_else(|| Unclear::Meld(name.chars().take(16).collect()))
            }
            MeldName::Own => {
                let own = self.table.melds().iter().rev().find(|meld| meld.owner == seat);
                own.map(|meld| meld.id).ok_or(Unclear::NoOwnMeld(seat))
            }
        }
    }

    /// New melds are called as the action says, else by their number where no other is called so.
    fn name_melds<'a>(&mut self, names: impl Iterator<Item = &'a Option<String>>, events: &[Event<Full>]) {
        let Some(Event::Melded { melds, .. }) = events.first() else { return };
        for (name, (id, _)) in names.zip(melds) {
            match name {
                Some(name) => self.names.insert(name.clone(), *id),
                None => Some(*self.names.entry(id.to_string()).or_insert(*id)),
            };
        }
    }
}

/// The cards that are mentioned; any joker is one of those left.
fn named(mentions: &[Mention], left: &mut Cards) -> Result<Vec<Named>, Unclear> {
    for card in mentions.iter().filter_map(|mention| mention.card) {
        left.remove(card);
    }
    let one =
        |mention: &Mention| Ok(Named { card: card_of(*mention, left)?, stands_for: mention.stands_for });
    mentions.iter().map(one).collect()
}

fn card_of(mention: Mention, left: &mut Cards) -> Result<Card, Unclear> {
    let card = mention.card.or_else(|| left.pick(Face::JOKER)).ok_or(Unclear::NoJokerInHand)?;
    left.remove(card);
    Ok(card)
}
