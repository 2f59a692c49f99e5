//! Plays and the discard: each check is one rule, in the order in which a player would meet it.

use crate::card::{Card, Face};
use crate::cards::Cards;
use crate::command::{End, MeldId};
use crate::event::{Event, Full};
use crate::lay_off;
use crate::meld::{Meld, Named, Shape};
use crate::pending::joker_has_place;
use crate::refusal::Refusal;
use crate::ruleset::{JokerSwap, Ruleset};
use crate::seat::Seat;
use crate::table::{Deal, MOST_UNDOS, Play, Table};
use crate::view::TableMeld;

/// RULES 2, 3, 6, 14: one or more melds in one command.
pub(super) fn meld(
    table: &Table,
    (deal, play): (&Deal, &Play),
    seat: Seat,
    lists: &[Vec<Named>],
) -> Result<Event<Full>, Refusal> {
    let rules = table.rules();
    let hand = deal.hands[seat.index()];
    let laid = named_cards(lists.iter().flatten(), hand)?;
    let mut melds = Vec::with_capacity(lists.len());
    for (index, list) in lists.iter().enumerate() {
        let read = Meld::read(list, rules).map_err(|fault| Refusal::NotAMeld {
            index,
            fault,
            cards: list.iter().map(|named| named.card).collect(),
        })?;
        melds.push(read);
    }
    if !rules.several_melds && usize::from(play.melds_laid) + melds.len() > 1 {
        return Err(Refusal::OneMeldPerTurn);
    }
    let points = melds.iter().map(|meld| meld.points(rules.aces)).sum();
    let opening = !deal.opened.contains(seat);
    if opening {
        check_opening(&melds, points, rules)?;
        let left = hand.without(laid).len();
        if rules.whole_hand_at_once(deal.number) && left > 1 {
            return Err(Refusal::WholeHandAtOnce { left });
        }
    }
    let after = After { table, deal, play, seat, hand: hand.without(laid), new_melds: melds.len() as u8 };
    after.check_card_left()?;
    if let Some(joker) = after.pending_left(laid) {
        // Only a lay-off onto a table with the new melds can still take the joker, or another meld.
        let mut on_table = deal.melds.clone();
        let first = on_table.len() as u16 + 1;
        on_table.extend((first..).zip(&melds).map(|(id, meld)| TableMeld {
            id: MeldId(id),
            owner: seat,
            meld: meld.clone(),
        }));
        after.check_place(joker, &on_table, true)?;
    }
    let first = deal.melds.len() as u16 + 1;
    let melds = (first..).map(MeldId).zip(melds).collect();
    Ok(Event::Melded { seat, opening, melds, points })
}

/// RULES 3: points and a pure run, over the melds of this one command.
fn check_opening(melds: &[Meld], points: u16, rules: &Ruleset) -> Result<(), Refusal> {
    let pure_run_missing = rules.opening_pure_run && !melds.iter().any(Meld::is_pure_run);
    if points < rules.opening_points {
        let need = rules.opening_points;
        return Err(Refusal::OpeningBelowMinimum { have: points, need, pure_run_missing });
    }
    if pure_run_missing {
        return Err(Refusal::OpeningWithoutPureRun { points });
    }
    Ok(())
}

/// RULES 4: cards laid onto a meld of the table.
pub(super) fn lay_off(
    table: &Table,
    (deal, play): (&Deal, &Play),
    seat: Seat,
    id: MeldId,
    cards: &[Named],
    end: Option<End>,
) -> Result<Event<Full>, Refusal> {
    let rules = table.rules();
    let hand = deal.hands[seat.index()];
    let laid = named_cards(cards.iter(), hand)?;
    let on_table = deal.meld(id).ok_or(Refusal::NoSuchMeld(id))?;
    check_may_add(rules, deal, seat, rules.lay_off_needs_own_meld)?;
    if let Some(joker) = play.pending.filter(|joker| laid.contains(*joker))
        && !rules.joker_may_be_laid_off()
    {
        return Err(Refusal::JokerMustBeMelded(joker));
    }
    let added = lay_off::lay_off(&on_table.meld, cards, end, rules).map_err(|fault| Refusal::DoesNotFit {
        meld: id,
        fault,
        cards: cards.iter().map(|named| named.card).collect(),
    })?;
    let after = After { table, deal, play, seat, hand: hand.without(laid), new_melds: 0 };
    after.check_card_left()?;
    if let Some(joker) = after.pending_left(laid) {
        let melds = with_meld(deal, id, added.meld);
        after.check_place(joker, &melds, false)?;
    }
    Ok(Event::LaidOff {
        seat,
        meld: id,
        low: added.low.into_iter().collect(),
        high: added.high.into_iter().collect(),
        points: added.points,
    })
}

/// RULES 5: the real card for a joker on the table.
pub(super) fn swap(
    table: &Table,
    (deal, play): (&Deal, &Play),
    seat: Seat,
    id: MeldId,
    card: Card,
    joker: Option<Card>,
) -> Result<Event<Full>, Refusal> {
    let rules = table.rules();
    let hand = deal.hands[seat.index()];
    named_cards([Named::from(card)].iter(), hand)?;
    let own_first = match rules.joker_swap {
        JokerSwap::Never => return Err(Refusal::NoJokerSwap),
        JokerSwap::AfterOpening => true,
        JokerSwap::AnyTurn => false,
    };
    let on_table = deal.meld(id).ok_or(Refusal::NoSuchMeld(id))?;
    check_may_add(rules, deal, seat, own_first)?;
    if let Some(pending) = play.pending {
        return Err(Refusal::JokerPending(pending));
    }
    if let Some(joker) = joker
        && !(joker.is_joker() && on_table.meld.cards.contains(&joker))
    {
        return Err(Refusal::NoSuchJoker { joker, meld: id });
    }
    let index = jokers_place(&on_table.meld, card.face(), joker)
        .ok_or(Refusal::NotTheJokersPlace { card, meld: id })?;
    let joker = on_table.meld.cards[index];
    let pending = rules.joker_must_be_laid();
    if pending {
        let mut meld = on_table.meld.clone();
        meld.replace(joker, card);
        let mut hand = hand;
        hand.remove(card);
        hand.insert(joker);
        let after = After { table, deal, play, seat, hand, new_melds: 0 };
        after.check_place(joker, &with_meld(deal, id, meld), false)?;
    }
    let points = on_table.meld.value_at(index, rules.aces);
    Ok(Event::JokerSwapped { seat, meld: id, card, joker, pending, points })
}

/// Where in the meld a joker lies whose place a face may take: in a group any missing suit takes any joker's.
pub(crate) fn jokers_place(meld: &Meld, face: Face, joker: Option<Card>) -> Option<usize> {
    let (rank, suit) = face.natural()?;
    let mut jokers = meld
        .cards
        .iter()
        .enumerate()
        .filter(|(_, card)| card.is_joker() && joker.is_none_or(|joker| joker == **card));
    match meld.shape {
        Shape::Run { .. } => jokers.find(|(index, _)| meld.face_at(*index) == Some(face)),
        Shape::Group { rank: of } if of == rank && meld.suits() & 1 << suit as u8 == 0 => jokers.next(),
        Shape::Group { .. } => None,
    }
    .map(|(index, _)| index)
}

/// RULES 5, 7: the discard.
pub(super) fn discard(deal: &Deal, play: &Play, seat: Seat, card: Card) -> Result<Event<Full>, Refusal> {
    let hand = deal.hands[seat.index()];
    named_cards([Named::from(card)].iter(), hand)?;
    if let Some(joker) = play.pending {
        return Err(Refusal::JokerPending(joker));
    }
    match play.taken {
        Some(taken) if !discardable(hand, play).contains(card) => Err(Refusal::TakenDiscard { card, taken }),
        _ => Ok(Event::Discarded { seat, card }),
    }
}

/// RULES 7: the cards of a hand that may be discarded, a pending joker aside. A card taken from the pile and
/// its face may not, until one of the face is laid or unless there is nothing else.
pub(crate) fn discardable(hand: Cards, play: &Play) -> Cards {
    match play.taken {
        Some(taken) if !play.taken_laid => {
            let others = hand.without(hand.of_face(taken.face()));
            if others.is_empty() { hand } else { others }
        }
        _ => hand,
    }
}

/// RULES 18: all plays of the turn are taken back.
pub(super) fn undo(play: &Play, seat: Seat) -> Result<Event<Full>, Refusal> {
    if play.before.is_none() {
        return Err(Refusal::NothingToUndo);
    }
    if play.undos >= MOST_UNDOS {
        return Err(Refusal::TooManyUndos(MOST_UNDOS));
    }
    Ok(Event::PlaysUndone { seat })
}

/// The cards that a command names: at least one, each once, all of them in the hand.
fn named_cards<'a>(cards: impl Iterator<Item = &'a Named>, hand: Cards) -> Result<Cards, Refusal> {
    let mut set = Cards::EMPTY;
    for named in cards {
        if !hand.contains(named.card) {
            return Err(Refusal::NotInHand(named.card));
        }
        if !set.insert(named.card) {
            return Err(Refusal::NamedTwice(named.card));
        }
    }
    if set.is_empty() { Err(Refusal::NoCards) } else { Ok(set) }
}

/// Whether the seat may add to what lies on the table (RULES 3, 5, 14).
fn check_may_add(rules: &Ruleset, deal: &Deal, seat: Seat, own_first: bool) -> Result<(), Refusal> {
    if deal.opened.contains(seat) {
        Ok(())
    } else if rules.whole_hand_at_once(deal.number) {
        Err(Refusal::WholeHandAtOnce { left: deal.hands[seat.index()].len() })
    } else if own_first {
        Err(Refusal::OpenFirst)
    } else {
        Ok(())
    }
}

fn with_meld(deal: &Deal, id: MeldId, meld: Meld) -> Vec<TableMeld> {
    let mut melds = deal.melds.clone();
    if let Some(place) = melds.iter_mut().find(|m| m.id == id) {
        place.meld = meld;
    }
    melds
}

/// The player's side as a play would leave it.
struct After<'a> {
    table: &'a Table,
    deal: &'a Deal,
    play: &'a Play,
    seat: Seat,
    hand: Cards,
    new_melds: u8,
}

impl After<'_> {
    /// RULES 6.
    fn check_card_left(&self) -> Result<(), Refusal> {
        if self.hand.is_empty() && self.table.rules.final_discard {
            Err(Refusal::NoCardLeftToDiscard)
        } else {
            Ok(())
        }
    }

    /// The pending joker, if the play hasn't laid it.
    fn pending_left(&self, laid: Cards) -> Option<Card> {
        self.play.pending.filter(|joker| !laid.contains(*joker))
    }

    /// RULES 5: a joker that must be laid has a place.
    fn check_place(&self, joker: Card, melds: &[TableMeld], opens: bool) -> Result<(), Refusal> {
        let rules = self.table.rules();
        let may_meld = rules.several_melds || self.play.melds_laid + self.new_melds < 1;
        let opened = opens || self.deal.opened.contains(self.seat);
        let may_lay_off = rules.joker_may_be_laid_off() && (opened || !rules.lay_off_needs_own_meld);
        if joker_has_place(joker, self.hand, melds, may_meld, may_lay_off, rules) {
            Ok(())
        } else {
            Err(Refusal::JokerHasNoPlace(joker))
        }
    }
}
