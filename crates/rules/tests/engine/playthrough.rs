//! Whole games as texts, one for each preset: every command, every event, the table at each turn.
//!
//! A text that differs from its file shows what a change does to play. If it is meant,
//! `PLAYTHROUGH=write cargo test -p remik-rules --test engine playthrough` writes the files anew, and the diff
//! is read against the rules like any other change.

use std::fmt::{self, Display, Write};
use std::path::PathBuf;

use remik_rules::card::Card;
use remik_rules::chance::ClientSeed;
use remik_rules::command::{Actor, Command};
use remik_rules::event::{DealEnded, Event, Forfeit, Outcome, Viewer};
use remik_rules::meld::{Meld, Shape};
use remik_rules::preset::Preset;
use remik_rules::ruleset::{GameEnd, Ruleset};
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::table::Table;
use remik_rules::view::Stage;

use super::player;
use super::support::Game;

/// No text is longer, in bytes.
const LONGEST: usize = 40_000;

/// Plays a game of a preset and compares it with its file.
#[track_caller]
fn check(preset: Preset, seats: u8, seed: u64, end: Option<GameEnd>) {
    let text = play(preset, seats, seed, end);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/engine/playthroughs");
    let file = folder.join(format!("{preset}.txt"));
    if std::env::var_os("PLAYTHROUGH").is_some_and(|how| how == "write") {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&file, &text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&file).unwrap();
    let differs = text.lines().zip(expected.lines()).enumerate().find(|(_, (is, was))| is != was);
    if let Some((index, (is, was))) = differs {
        panic!("{}:{}:\n  was {was}\n  is  {is}", file.display(), index + 1);
    }
    assert_eq!(text, expected, "{}", file.display());
}

/// Openings of 51 with a pure run, swapped jokers that must be laid, a final discard, going rummy, a stock
/// made anew from all but the top of the pile.
#[test]
fn remik_51() {
    check(Preset::Remik51, 4, 154, None);
}

/// A cut for the dealer, swapped jokers that go into new melds, points for each card laid; to 250 for
/// shortness.
#[test]
fn remik_points() {
    check(Preset::RemikPoints, 2, 517, Some(GameEnd::Total(250)));
}

/// Openings of 30, jokers side by side, swapped jokers that join the hand, going out without a discard,
/// elimination above 50 until one is left.
#[test]
fn remi_30() {
    check(Preset::Remi30, 4, 42, None);
}

/// No jokers and no opening minimum, the pile turned over, a blocked deal that nobody scores, the winner
/// takes the sum, to 200.
#[test]
fn rummy_200() {
    check(Preset::Rummy200, 4, 226, None);
}

/// One meld a turn, lay-offs before any, the pile turned over when a player refuses the discard, a blocked
/// deal that pays the lowest hand the differences.
#[test]
fn basic_rummy() {
    check(Preset::BasicRummy, 3, 330, None);
}

/// A stock that is never reused: blocked deals.
#[test]
fn block_rummy() {
    check(Preset::BlockRummy, 4, 199, None);
}

/// A starter with an extra card who doesn't draw, jokers swapped in any turn, six deals of which the last
/// three are laid in one go.
#[test]
fn wrotham_rummy() {
    check(Preset::WrothamRummy, 3, 94, None);
}

/// Openings of 40 without a pure run, jokers of 20, to 300.
#[test]
fn romme_40() {
    check(Preset::Romme40, 3, 379, None);
}

/// The text of a game.
fn play(preset: Preset, seats: u8, seed: u64, end: Option<GameEnd>) -> String {
    let rules = preset.ruleset();
    let rules = Ruleset { end: end.unwrap_or(rules.end), ..rules };
    let mut tale = Tale {
        text: format!("{preset}, {seats} seats, seed {seed}, {:?}\n\n", rules.end),
        game: Game::new(rules, seats, seed),
    };
    for player in 1..=seats {
        tale.act(Actor::Player(PlayerId(player.into())), &Command::Join { seat: None });
    }
    // The first opening is taken back once and laid again: nobody sees a difference.
    let mut second_thoughts = true;
    while !tale.game.table.is_over() {
        assert!(tale.text.len() < LONGEST, "the game ends");
        let table = &tale.game.table;
        let Some(seat) = table.turn() else {
            tale.ready();
            continue;
        };
        let command = match tale.game.log.last() {
            Some(Event::Melded { .. }) if second_thoughts => {
                second_thoughts = false;
                Command::Undo
            }
            _ => player::choose(table, seat).unwrap(),
        };
        tale.act(Actor::Seat(seat), &command);
    }
    tale.text
}

/// A game and the text it makes.
struct Tale {
    text: String,
    game: Game,
}

impl Tale {
    fn act(&mut self, actor: Actor, command: &Command) {
        let who = match actor {
            Actor::Player(player) => format!("player {}", player.0),
            Actor::Seat(seat) => format!("{seat}"),
            Actor::Bot(seat) => format!("bot {seat}"),
            Actor::Clock => "clock".to_owned(),
            Actor::Admin => "admin".to_owned(),
        };
        writeln!(self.text, "{who}: {command}").unwrap();
        let events = self.game.act(actor, command).unwrap();
        for event in &events {
            write!(self.text, "{}", Told(event)).unwrap();
        }
        if let Some(Event::TurnStarted { .. }) = events.last() {
            write!(self.text, "{}", Scene(&self.game.table)).unwrap();
        }
    }

    /// Everybody still in gets ready, each with a seed of his own.
    fn ready(&mut self) {
        for seat in Seat::first(self.game.table.seat_count()) {
            let client_seed = ClientSeed::new([seat.number(), self.game.table.deals() as u8]).unwrap();
            let command = Command::Ready { client_seed };
            if self.game.clone().act(Actor::Seat(seat), &command).is_ok() {
                self.act(Actor::Seat(seat), &command);
            }
        }
    }
}

/// The table as it is at the beginning of a turn.
struct Scene<'a>(&'a Table);

impl Display for Scene<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.0;
        let Stage::Playing(deal) = table.view(Viewer::Public).stage else { return Ok(()) };
        let top =
            deal.pile.last().map_or("empty".to_owned(), |top| format!("{top} on {}", deal.pile.len() - 1));
        writeln!(
            f,
            "\n[turn {}: seat {}; stock {}, pile {top}]",
            deal.turns, deal.turn.seat, deal.stock_count
        )?;
        for seat in Seat::first(table.seat_count()).filter(|seat| deal.hand_counts[seat.index()] > 0) {
            let opened = if deal.opened.contains(seat) { "*" } else { " " };
            writeln!(f, " {seat}{opened} {}", list(table.hand(seat).iter()))?;
        }
        if !deal.melds.is_empty() {
            let melds = deal.melds.iter().map(|m| format!("{} {}", m.id, list(m.meld.cards.iter().copied())));
            writeln!(f, "    {}", melds.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}

/// An event in words, a line or more.
struct Told<'a>(&'a Event);

impl Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("  ")?;
        match self.0 {
            Event::GameCreated { seats, .. } => writeln!(f, "created with {seats} seats"),
            Event::SandboxArranged { .. } => writeln!(f, "decks chosen"),
            Event::SeedCommitted { deal, .. } => writeln!(f, "seed of deal {deal} committed"),
            Event::SeatTaken { seat, player } => writeln!(f, "player {} takes seat {seat}", player.0),
            Event::SeatLeft { seat } => writeln!(f, "seat {seat} is left"),
            Event::BotSeated { seat, strength, .. } => writeln!(f, "{strength} bot plays seat {seat}"),
            Event::SeatResumed { seat } => writeln!(f, "seat {seat} is resumed"),
            Event::PlayerRemoved { seat } => writeln!(f, "seat {seat} is taken from its player"),
            Event::HostChanged { seat } => writeln!(f, "seat {seat} is the host's"),
            Event::ReadyAsked { until } => writeln!(f, "all asked to be ready by {}", until.0),
            Event::ReadyMissed { seat } => writeln!(f, "seat {seat} is lost"),
            Event::SettingsChanged => writeln!(f, "settings changed"),
            Event::SeatOffered { seat, player, .. } => writeln!(f, "seat {seat} is kept for {}", player.0),
            Event::OfferEnded { seat } => writeln!(f, "seat {seat} is kept no more"),
            Event::RematchMade { game, .. } => writeln!(f, "rematch is {game}"),
            Event::BecameReady { seat, .. } => writeln!(f, "seat {seat} is ready"),
            Event::DealerChosen { dealer, cut } => {
                let cut = cut.iter().map(|(seat, card)| format!(" {seat} {card}")).collect::<String>();
                let by = if cut.is_empty() { " by chance".to_owned() } else { format!(", cut{cut}") };
                writeln!(f, "first dealer is seat {dealer}{by}")
            }
            Event::Dealt(dealt) => {
                let seeds: String = dealt.client_seeds.iter().map(|(seat, _)| format!(" {seat}")).collect();
                let upcard = dealt.upcard.map_or("none".to_owned(), |card| card.to_string());
                writeln!(
                    f,
                    "deal {}: dealer {}, starter {}, seeds of{seeds}, upcard {upcard}, stock {}",
                    dealt.deal, dealt.dealer, dealt.starter, dealt.stock_count
                )
            }
            Event::TurnStarted { seat, drawn, .. } => {
                writeln!(f, "turn of seat {seat}{}", if *drawn { ", who doesn't draw" } else { "" })
            }
            Event::StockDrawn { card, .. } => writeln!(f, "draws {card}"),
            Event::DiscardTaken { card, .. } => writeln!(f, "takes {card}"),
            Event::Melded { opening, melds, points, .. } => {
                let melds = melds.iter().map(|(id, meld)| format!("{id} {}", read(meld)));
                let opens = if *opening { "opens with" } else { "lays" };
                writeln!(f, "{opens} {}: {points}", melds.collect::<Vec<_>>().join(", "))
            }
            Event::LaidOff { meld, low, high, points, .. } => {
                let part = |name: &str, cards: &[Card]| {
                    let cards = cards.iter().copied();
                    if cards.len() == 0 { String::new() } else { format!(" {name} {}", list(cards)) }
                };
                writeln!(f, "lays off to {meld}{}{}: {points}", part("low", low), part("high", high))
            }
            Event::JokerSwapped { meld, card, joker, pending, points, .. } => {
                let duty = if *pending { ", which must be laid" } else { "" };
                writeln!(f, "puts {card} into {meld}: {points}, gets {joker}{duty}")
            }
            Event::PlaysUndone { .. } => writeln!(f, "takes the plays back"),
            Event::Discarded { card, .. } => writeln!(f, "discards {card}"),
            Event::StockReused { kept, stock, .. } => {
                let kept = kept.map_or("nothing".to_owned(), |card| card.to_string());
                let stock = stock.iter().rev().copied();
                writeln!(f, "new stock, {kept} stays on the pile: {}", list(stock))
            }
            Event::TimedOut { seat, in_a_row } => {
                writeln!(f, "time of seat {seat} is up, {in_a_row} in a row")
            }
            Event::TimeBankUsed { seat, left } => {
                writeln!(f, "seat {seat} has {left} ms of its time bank left")
            }
            Event::ClockExtended { until, .. } => writeln!(f, "more time, until {}", until.0),
            Event::SeatForfeited { seat, cause } => {
                let why = match cause {
                    Forfeit::Left => "left",
                    Forfeit::TimedOut => "slept",
                };
                writeln!(f, "seat {seat} is given up: {why}")
            }
            Event::GameStopped { reason } => writeln!(f, "the game is stopped: {reason}"),
            Event::DealEnded(ended) => write!(f, "{}", Counted(ended)),
            Event::GameEnded { cause, places } => {
                let places = places.iter().map(|place| format!(" {place}")).collect::<String>();
                writeln!(f, "game over, {cause:?}: places{places}")
            }
        }
    }
}

/// What a deal counted.
struct Counted<'a>(&'a DealEnded);

impl Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = self.0;
        match ended.outcome {
            Outcome::WentOut { seat, rummy } => {
                writeln!(f, "seat {seat} goes out{}", if rummy { ": rummy" } else { "" })?;
            }
            Outcome::Blocked(block) => writeln!(f, "deal blocked, {block:?}")?,
            Outcome::Abandoned => writeln!(f, "deal abandoned")?,
        }
        for (seat, hand) in &ended.hands {
            let score = ended.scores.iter().find(|(of, _)| of == seat).map_or(0, |(_, score)| *score);
            let total = ended.totals[seat.index()];
            let out = if ended.eliminated.contains(seat) { ", out" } else { "" };
            writeln!(f, "    {seat}: {score:+} = {total}{out}; {}", list(hand.iter().copied()))?;
        }
        Ok(())
    }
}

/// A meld as it was read: jokers with the faces that they stand for.
fn read(meld: &Meld) -> String {
    let kind = match meld.shape {
        Shape::Run { .. } => "run",
        Shape::Group { .. } => "group",
    };
    let cards = meld.cards.iter().enumerate().map(|(index, card)| match meld.face_at(index) {
        Some(face) if card.is_joker() => format!("{card}={face}"),
        _ => card.to_string(),
    });
    format!("{kind} {}", cards.collect::<Vec<_>>().join(" "))
}

fn list(cards: impl Iterator<Item = Card>) -> String {
    cards.map(|card| card.to_string()).collect::<Vec<_>>().join(" ")
}
