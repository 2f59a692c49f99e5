//! Moves and tables as text.

use std::fmt::Display;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use remik_rules::card::{Card, Suit};
use remik_rules::cards::Cards;
use remik_rules::chance::Millis;
use remik_rules::event::{Block, DealEnded, Event, Forfeit, GameOver, Outcome};
use remik_rules::meld::Meld;
use remik_rules::seat::Seat;
use remik_rules::table::Table;
use uuid::Uuid;

use crate::record::RecordedMove;

/// What is said once a move, and what is there after it.
const HEAD: Style = Style::new().bold();
const AROUND: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default();

/// A move and the table after it; `last` is when the move before it was made. Colours are for terminals: the
/// output takes them away where it is none.
pub(super) fn write_move(
    out: &mut impl Write,
    number: u32,
    mv: &RecordedMove,
    last: Option<Millis>,
    table: &Table,
) -> io::Result<()> {
    let since = last.map_or(0, |last| mv.made_at.0.saturating_sub(last.0));
    let (seconds, millis) = (since / 1000, since.rem_euclid(1000));
    writeln!(out, "\n{HEAD}#{number}{HEAD:#} {AROUND}+{seconds}.{millis:03} s{AROUND:#}")?;
    for event in &mv.events {
        writeln!(out, "  {}", coloured(&line(event)))?;
    }
    write_table(out, table)
}

/// Hearts, diamonds and jokers in red.
fn coloured(text: &str) -> String {
    let red = |word: &str| {
        let code = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '=');
        code.split('=').all(|code| match code.parse::<Card>() {
            Ok(card) => card.is_joker() || matches!(card.face().suit(), Some(Suit::Hearts | Suit::Diamonds)),
            Err(_) => false,
        })
    };
    let word = |word: &str| if red(word) { format!("{RED}{word}{RED:#}") } else { word.to_owned() };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn write_table(out: &mut impl Write, table: &Table) -> io::Result<()> {
    let Some(turn) = table.turn() else { return Ok(()) };
    let pile = table.pile();
    writeln!(
        out,
        "    {AROUND}stock {}, pile {}:{AROUND:#} {}",
        table.stock().len(),
        pile.len(),
        coloured(&list(pile))
    )?;
    for on_table in table.melds() {
        let cards = coloured(&meld(&on_table.meld));
        writeln!(out, "    {AROUND}{} of seat {}:{AROUND:#} {cards}", on_table.id, on_table.owner)?;
    }
    for seat in Seat::first(table.seat_count()) {
        let hand = table.hand(seat);
        let mark = if seat == turn { '>' } else { ' ' };
        let cards = coloured(&sorted(hand));
        writeln!(out, "  {mark} {AROUND}seat {seat} has {}:{AROUND:#} {cards}", hand.len())?;
    }
    Ok(())
}

fn line(event: &Event) -> String {
    match event {
        Event::GameCreated { seats, .. } => format!("a table with {seats} seats is opened"),
        Event::SandboxArranged { arrangement } => {
            format!("a sandbox: the decks of {} deals are chosen", arrangement.deals.len())
        }
        Event::SeedCommitted { deal, commitment, .. } => {
            format!("the seed of deal {deal} is committed to: {}", hex::encode(commitment.0))
        }
        Event::SeatTaken { seat, player } => {
            format!("player {} takes seat {seat}", Uuid::from_u128(player.0))
        }
        Event::SeatLeft { seat } => format!("seat {seat} is free again"),
        Event::BotSeated { seat, strength, absent } => {
            let why = match absent {
                None => "",
                Some(Forfeit::Left) => ", since its player has left",
                Some(Forfeit::TimedOut) => ", since its player sleeps",
            };
            format!("the {strength} bot plays seat {seat}{why}")
        }
        Event::SeatResumed { seat } => format!("the player of seat {seat} is back"),
        Event::PlayerRemoved { seat } => format!("the host removes the player of seat {seat}"),
        Event::HostChanged { seat } => format!("the player of seat {seat} is the host"),
        Event::ReadyAsked { until } => format!("everybody has to be ready by {}", until.0),
        Event::ReadyMissed { seat } => format!("seat {seat} is lost: its player isn't ready"),
        Event::SettingsChanged => "the host changes the table's settings".to_owned(),
        Event::SeatOffered { seat, player, until } => {
            format!("seat {seat} is kept for {player} until {}", until.0)
        }
        Event::OfferEnded { seat } => format!("seat {seat} isn't kept any more"),
        Event::RematchMade { seat, game } => format!("seat {seat} asks everybody to game {game}"),
        Event::BecameReady { seat, client_seed } if client_seed.bytes().is_empty() => {
            format!("seat {seat} is ready")
        }
        Event::BecameReady { seat, client_seed } => {
            format!("seat {seat} is ready, with the seed {}", hex::encode(client_seed.bytes()))
        }
        Event::DealerChosen { dealer, cut } if cut.is_empty() => format!("seat {dealer} deals first"),
        Event::DealerChosen { dealer, cut } => {
            let cut: Vec<String> = cut.iter().map(|(seat, card)| format!("{seat} {card}")).collect();
            format!("the cards are cut ({}): seat {dealer} deals first", cut.join(", "))
        }
        Event::Dealt(dealt) => format!("deal {}: seat {} deals", dealt.deal, dealt.dealer),
        Event::TurnStarted { seat, .. } => format!("the turn of seat {seat}"),
        Event::StockDrawn { seat, card } => format!("seat {seat} draws {card} from the stock"),
        Event::DiscardTaken { seat, card } => format!("seat {seat} takes {card} from the pile"),
        Event::Melded { seat, opening, melds, points } => {
            let melds: Vec<String> =
                melds.iter().map(|(id, cards)| format!("{id} {}", meld(cards))).collect();
            let how = if *opening { "opens with" } else { "lays" };
            format!("seat {seat} {how} {} for {points} points", melds.join(" and "))
        }
        Event::LaidOff { seat, meld, low, high, points } => {
            let cards: Vec<Card> = low.iter().chain(high).copied().collect();
            format!("seat {seat} lays {} off onto {meld} for {points} points", list(&cards))
        }
        Event::JokerSwapped { seat, meld, card, joker, pending, .. } => {
            let duty = if *pending { ", which must be laid in this turn" } else { "" };
            format!("seat {seat} swaps {card} for {joker} in {meld}{duty}")
        }
        Event::PlaysUndone { seat } => format!("seat {seat} takes the plays of the turn back"),
        Event::Discarded { seat, card } => format!("seat {seat} discards {card}"),
        Event::StockReused { count, .. } => format!("the pile becomes a new stock of {count} cards"),
        Event::TimedOut { seat, in_a_row } => {
            format!("the time of seat {seat} ran out ({in_a_row} in a row)")
        }
        Event::TimeBankUsed { seat, left } => {
            format!("seat {seat} has {}.{:03} s of its time bank left", left / 1000, left % 1000)
        }
        Event::ClockExtended { seat, .. } => {
            format!("seat {seat} has more time for its turn, since the service was down")
        }
        Event::SeatForfeited { seat, cause: Forfeit::Left } => format!("seat {seat} gives up"),
        Event::SeatForfeited { seat, cause: Forfeit::TimedOut } => {
            format!("seat {seat} is given up: its time ran out too often")
        }
        Event::GameStopped { reason } => format!("an administrator stops the game: {reason}"),
        Event::DealEnded(ended) => deal_ended(ended),
        Event::GameEnded { cause: GameOver::Voided, .. } => "the game is void: it has no result".to_owned(),
        Event::GameEnded { places, .. } => {
            let places: Vec<String> =
                places.iter().enumerate().map(|(seat, place)| format!("seat {seat} is {place}.")).collect();
            format!("the game is over: {}", places.join(", "))
        }
    }
}

fn deal_ended(ended: &DealEnded) -> String {
    let how = match ended.outcome {
        Outcome::WentOut { seat, rummy: false } => format!("seat {seat} goes out"),
        Outcome::WentOut { seat, rummy: true } => format!("seat {seat} goes rummy"),
        Outcome::Blocked(Block::StockUsedUp) => "the deal is blocked: the stock is used up".to_owned(),
        Outcome::Blocked(Block::NothingToReuse) => "the deal is blocked: no stock can be made".to_owned(),
        Outcome::Blocked(Block::TurnLimit) => "the deal is blocked: too many turns".to_owned(),
        Outcome::Abandoned => "the deal is left and doesn't count".to_owned(),
    };
    let mut lines = how;
    for (seat, cards) in &ended.hands {
        let score = ended.scores.iter().find(|(of, _)| of == seat).map_or(0, |(_, score)| *score);
        let total = ended.totals.get(seat.index()).copied().unwrap_or(0);
        let hand = sorted(cards.iter().copied().collect());
        lines.push_str(&format!("\n    seat {seat} counts {score}, {total} in all: {hand}"));
    }
    lines.push_str(&format!("\n    the seed was {}", hex::encode(ended.seed.0)));
    lines
}

fn meld(meld: &Meld) -> String {
    let card = |(index, card): (usize, &Card)| match meld.face_at(index) {
        Some(face) if card.is_joker() => format!("{card}={face}"),
        _ => card.to_string(),
    };
    let cards: Vec<String> = meld.cards.iter().enumerate().map(card).collect();
    cards.join(" ")
}

/// As players hold them: by suit, then by rank.
fn sorted(cards: Cards) -> String {
    let mut cards: Vec<Card> = cards.iter().collect();
    cards.sort_by_key(|card| (card.face().suit(), card.face().rank(), card.copy()));
    list(&cards)
}

fn list(items: &[impl Display]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    items.join(" ")
}
