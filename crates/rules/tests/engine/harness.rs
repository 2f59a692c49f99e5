//! Bytes as a game: whatever they say, the engine holds what it promises.
//!
//! The first byte chooses the ruleset, the second the seats, the next eight the chance; then come steps, each a
//! command of anybody: valid, nearly valid, or nonsense. After each the invariants are checked. Any bytes are
//! an input, so a fuzzer may change them as it likes.

use remik_rules::card::Card;
use remik_rules::cards::Cards;
use remik_rules::chance::{ClientSeed, Millis};
use remik_rules::command::{Actor, Command, End, MeldId, Source};
use remik_rules::decide::{create, decide};
use remik_rules::event::{Event, Viewer};
use remik_rules::evolve::evolve;
use remik_rules::legal::{LegalMove, legal_moves};
use remik_rules::meld::{Meld, Named};
use remik_rules::preset::Preset;
use remik_rules::reason::Reason;
use remik_rules::ruleset::{AbsentSeats, Ruleset};
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::strength::Strength;
use remik_rules::suggest::{suggest_for, suggest_lay_offs};
use remik_rules::table::Table;
use remik_rules::view::{Observer, Stage, TableMeld};

use super::dice::Dice;
use super::input::Input;
use super::player;
use super::rulesets::random_ruleset;

/// A game is left after so many commands, so that no input takes long.
const MOST_STEPS: usize = 400;

/// Plays the game that the bytes are, and panics where an invariant doesn't hold.
pub fn fuzz_one(data: &[u8]) {
    let mut input = Input::new(data);
    let mut play = Play::begin(&mut input);
    for _ in 0..MOST_STEPS {
        let Some(step) = input.next() else { break };
        let over = play.table.is_over();
        play.step(step, &mut input);
        // One step more than a game has shows that nothing may follow.
        if over {
            break;
        }
    }
    play.check_whole();
}

/// A game under way.
struct Play {
    table: Table,
    log: Vec<Event>,
    dice: Dice,
    now: Millis,
    /// The table after the turn's draw, to which an undo returns.
    drawn: Option<Table>,
}

impl Play {
    fn begin(input: &mut Input<'_>) -> Self {
        let (which, how) = (input.byte(), input.byte());
        let seed = u64::from_le_bytes(std::array::from_fn(|_| input.byte()));
        let mut dice = Dice(seed);
        let rules = match Preset::ALL.get(usize::from(which % 16)) {
            Some(preset) => preset.ruleset(),
            None => random_ruleset(&mut dice),
        };
        let clock = (which & 0x80 != 0).then_some(30);
        let absent_seats = if which & 0x40 == 0 { AbsentSeats::Forfeit } else { AbsentSeats::EasyBot };
        let rules = Ruleset { turn_seconds: clock, timeouts_to_forfeit: 2, absent_seats, ..rules };
        let (least, most) = rules.seats;
        let seats = least + how % (most - least + 1);
        let log = create(rules, seats, &mut dice).unwrap();
        let table = Table::replay(&log).unwrap();
        let mut play = Self { table, log, dice, now: Millis(0), drawn: None };
        if how & 0x80 == 0 {
            for player in 1..=u128::from(seats) {
                play.act(Actor::Player(PlayerId(player)), &Command::Join { seat: None });
            }
            play.all_ready();
        }
        play
    }

    fn step(&mut self, step: u8, input: &mut Input<'_>) {
        match step % 16 {
            // A sensible player for some turns, or some commands: few bytes go far into a game.
            0 => {
                let end = self.turns_begun() + usize::from(step >> 4) + 1;
                self.sensible(usize::MAX, end);
            }
            1 => self.sensible(usize::from(step >> 4) + 1, usize::MAX),
            2 => {
                self.all_ready();
            }
            3..=5 => {
                let command = self.sound(input);
                self.by_turn(&command);
            }
            // A sound command spoilt, by whoever the bytes say.
            6..=11 => {
                self.by_turn(&Command::Draw(Source::Stock));
                let command = self.sound(input);
                let command = self.spoil(command, input);
                let actor = self.actor(input);
                self.act(actor, &command);
            }
            _ => {
                let command = self.any(input);
                let actor = self.actor(input);
                self.act(actor, &command);
            }
        }
    }

    /// Commands and readiness as in an ordinary game, at most so many and until so many turns have begun.
    fn sensible(&mut self, most: usize, end: usize) {
        for _ in 0..most.min(MOST_STEPS) {
            if self.turns_begun() >= end || self.table.is_over() {
                break;
            }
            let choice = self.table.turn().and_then(|seat| Some((seat, player::choose(&self.table, seat)?)));
            match choice {
                Some((seat, command)) => {
                    let actor = self.player_of(seat);
                    assert!(self.act(actor, &command), "{command} is sensible");
                }
                None if self.all_ready() => {}
                None => break,
            }
        }
    }

    fn turns_begun(&self) -> usize {
        self.log.iter().filter(|event| matches!(event, Event::TurnStarted { .. })).count()
    }

    /// Everybody gets ready who isn't; whether anybody was not.
    fn all_ready(&mut self) -> bool {
        let mut any = false;
        for seat in Seat::first(self.table.seat_count()) {
            any |= self.act(Actor::Seat(seat), &Command::Ready { client_seed: ClientSeed::default() });
        }
        any
    }

    /// Whoever plays a seat.
    fn player_of(&self, seat: Seat) -> Actor {
        if self.table.bot(seat).is_some() { Actor::Bot(seat) } else { Actor::Seat(seat) }
    }

    fn by_turn(&mut self, command: &Command) {
        if let Some(seat) = self.table.turn() {
            self.act(self.player_of(seat), command);
        }
    }

    /// Mostly whose turn it is.
    fn actor(&self, input: &mut Input<'_>) -> Actor {
        let byte = input.byte();
        match (byte, self.table.turn()) {
            (0..212, Some(seat)) => self.player_of(seat),
            (212..224, Some(seat)) => Actor::Bot(seat),
            (224..230, _) => Actor::Clock,
            (230..232, _) => Actor::Admin,
            (232..240, _) => Actor::Player(PlayerId(u128::from(byte % 8))),
            _ => Seat::new(byte % 8).map_or(Actor::Clock, Actor::Seat),
        }
    }

    /// A command that the turn's seat may give, of one or several steps, each kind as likely as another.
    fn sound(&self, input: &mut Input<'_>) -> Command {
        let (kind, index) = (input.byte(), input.under(usize::from(u16::MAX)));
        let table = &self.table;
        let draw = Command::Draw(Source::Stock);
        let Some(seat) = table.turn() else { return draw };
        let moves = legal_moves(table, seat);
        let command = |step| moves.command(step);
        let any = || moves.get(index % moves.len().max(1)).and_then(command);
        match kind % 8 {
            0 => pick(moves.melds(), index).map(LegalMove::Meld).and_then(command),
            1 => suggest_for(table, seat).command(),
            2 => pick(moves.lay_offs(), index).map(LegalMove::LayOff).and_then(command),
            3 => {
                let best = suggest_lay_offs(table.hand(seat), table.melds(), table.rules());
                best.get(index % best.len().max(1)).map(|lay_off| lay_off.command())
            }
            4 => pick(moves.swaps(), index).map(LegalMove::Swap).and_then(command),
            5 => moves.may_undo().then_some(Command::Undo),
            6 => moves.discards().nth(index % 16).map(LegalMove::Discard).and_then(command),
            _ => None,
        }
        .or_else(any)
        .unwrap_or(draw)
    }

    /// The command with cards doubled, exchanged, left out, added, bound to other faces, or another meld.
    fn spoil(&self, command: Command, input: &mut Input<'_>) -> Command {
        match command {
            Command::Meld(mut melds) => {
                match input.byte() % 4 {
                    0 => melds.push(self.cards(input)),
                    1 => melds.extend(melds.clone()),
                    _ => {
                        let which = input.under(melds.len());
                        if let Some(meld) = melds.get_mut(which) {
                            self.spoil_cards(meld, input);
                        }
                    }
                }
                Command::Meld(melds)
            }
            Command::LayOff { meld, mut cards, end } => match input.byte() % 4 {
                0 => Command::LayOff { meld: self.meld_id(input), cards, end },
                1 => Command::LayOff { meld, cards, end: input.side() },
                _ => {
                    self.spoil_cards(&mut cards, input);
                    Command::LayOff { meld, cards, end }
                }
            },
            Command::SwapJoker { meld, card, joker } => match input.byte() % 3 {
                0 => Command::SwapJoker { meld: self.meld_id(input), card, joker },
                1 => Command::SwapJoker { meld, card: self.card(input), joker },
                _ => Command::SwapJoker { meld, card, joker: None },
            },
            Command::Discard(_) => Command::Discard(self.card(input)),
            Command::Draw(_) => Command::Draw(Source::Discard),
            other => other,
        }
    }

    fn spoil_cards(&self, cards: &mut Vec<Named>, input: &mut Input<'_>) {
        let at = input.under(cards.len());
        match input.byte() % 6 {
            0 => cards.push(self.named(input)),
            1 => cards.extend_from_within(..),
            2 if !cards.is_empty() => drop(cards.remove(at)),
            3 if !cards.is_empty() => cards[at] = self.named(input),
            4 if !cards.is_empty() => cards[at].stands_for = input.face(),
            _ => cards.rotate_left(at),
        }
    }

    /// Any command at all.
    fn any(&mut self, input: &mut Input<'_>) -> Command {
        match input.byte() % 16 {
            0 => Command::Join { seat: Seat::new(input.byte() % 8) },
            1 => Command::Leave,
            2 => {
                let seed = vec![input.byte(); input.length().min(ClientSeed::LONGEST)];
                Command::Ready { client_seed: ClientSeed::new(seed).unwrap() }
            }
            3 => Command::Draw(if input.byte().is_multiple_of(2) { Source::Stock } else { Source::Discard }),
            4 => Command::Meld((0..input.length()).map(|_| self.cards(input)).collect()),
            5 => Command::LayOff { meld: self.meld_id(input), cards: self.cards(input), end: input.side() },
            6 => {
                let joker = if input.byte().is_multiple_of(2) { None } else { Some(self.card(input)) };
                Command::SwapJoker { meld: self.meld_id(input), card: self.card(input), joker }
            }
            7 => Command::Discard(self.card(input)),
            8 => Command::Undo,
            9 => {
                self.now = self.now.plus_seconds(u32::from(input.byte()));
                Command::TimeOut
            }
            10 => {
                self.now = self.now.plus_seconds(u32::from(input.byte()));
                Command::EndPause
            }
            11 => Command::AddBot { seat: Seat::new(input.byte() % 8), strength: Strength::Easy },
            12 => Command::RemoveBot { seat: Seat::new(input.byte() % 6).unwrap() },
            13 => Command::Resume,
            14 => {
                let void = input.byte().is_multiple_of(2);
                Command::Stop { void, reason: Reason::new("a reason").unwrap() }
            }
            _ => Command::Meld(vec![self.cards(input)]),
        }
    }

    fn meld_id(&self, input: &mut Input<'_>) -> MeldId {
        match input.byte() {
            255 => MeldId(u16::MAX),
            byte => MeldId(u16::from(byte) % (self.table.melds().len() as u16 + 2)),
        }
    }

    fn cards(&self, input: &mut Input<'_>) -> Vec<Named> {
        (0..input.length()).map(|_| self.named(input)).collect()
    }

    fn named(&self, input: &mut Input<'_>) -> Named {
        let card = self.card(input);
        Named { card, stands_for: if input.byte() < 32 { input.face() } else { None } }
    }

    /// Mostly one of the hand whose turn it is.
    fn card(&self, input: &mut Input<'_>) -> Card {
        let byte = input.byte();
        let hand = self.table.turn().map_or(Cards::EMPTY, |seat| self.table.hand(seat));
        let held = hand.iter().nth(usize::from(byte & 0x7F) % hand.len().max(1));
        let any = Card::from_byte(byte & 0x7F);
        let choice = if byte < 192 { held.or(any) } else { any.or(held) };
        choice.unwrap_or_else(|| Card::joker(1).unwrap())
    }

    /// Judges a command, and checks what must hold whether it is accepted or refused.
    fn act(&mut self, actor: Actor, command: &Command) -> bool {
        let (table, dice) = (self.table.clone(), self.dice.clone());
        let judged = decide(&self.table, actor, command, self.now, &mut self.dice);
        assert_eq!(judged, decide(&table, actor, command, self.now, &mut dice.clone()), "{command}");
        assert_eq!(self.table, table, "{command} is judged, and changes nothing");
        assert!(!command.to_string().is_empty());
        let events = match judged {
            Ok(events) => events,
            Err(refusal) => {
                assert!(!refusal.to_string().is_empty());
                assert_eq!(self.dice.0, dice.0, "{command} is refused without chance");
                return false;
            }
        };
        assert!(!events.is_empty(), "{command} is accepted and something happens");
        self.check_listed(actor, &events, command);
        for event in &events {
            evolve(&mut self.table, event);
            match event {
                Event::StockDrawn { .. } | Event::DiscardTaken { .. } | Event::TurnStarted { .. } => {
                    self.drawn = Some(self.table.clone());
                }
                Event::PlaysUndone { seat } => self.check_undone(*seat),
                _ => {}
            }
        }
        self.log.extend(events);
        self.check();
        true
    }

    /// An undo restores exactly what was after the draw.
    fn check_undone(&self, seat: Seat) {
        let deal = |table: &Table| match table.view(Viewer::Seat(seat)).stage {
            Stage::Playing(mut deal) => {
                deal.turn.undos = 0;
                Some(deal)
            }
            _ => None,
        };
        assert_eq!(self.drawn.as_ref().and_then(deal), deal(&self.table), "an undo restores all");
    }

    /// A single step that is accepted is among the legal moves.
    fn check_listed(&self, actor: Actor, events: &[Event], command: &Command) {
        let (Actor::Seat(seat), Some(first)) = (actor, events.first()) else { return };
        let moves = legal_moves(&self.table, seat);
        let listed = match (command, first) {
            (Command::Draw(source), _) => moves.draws().contains(source),
            (Command::Discard(card), _) => moves.may_discard(card.face()),
            (Command::Undo, _) => moves.may_undo(),
            (Command::SwapJoker { meld, card, .. }, Event::JokerSwapped { joker, .. }) => {
                moves.swaps().iter().any(|s| (s.meld, s.face, s.joker) == (*meld, card.face(), *joker))
            }
            (Command::Meld(melds), Event::Melded { points, .. }) if melds.len() == 1 => {
                let aces = self.table.rules().aces;
                moves.melds().iter().any(|m| (m.size(), m.points(aces)) == (melds[0].len(), *points))
            }
            (Command::LayOff { meld, cards, .. }, Event::LaidOff { low, .. }) if cards.len() == 1 => {
                let end = if low.is_empty() { End::High } else { End::Low };
                let fits = |to: Option<End>| to.is_none_or(|to| to == end);
                let face = cards[0].card.face();
                moves.lay_offs().iter().any(|l| (l.meld, l.face) == (*meld, face) && fits(l.end))
            }
            _ => true,
        };
        assert!(listed, "{command} is accepted but not listed");
    }

    /// What holds of every table.
    fn check(&self) {
        let table = &self.table;
        let view = table.view(Viewer::Public);
        for (index, seat) in view.seats.iter().enumerate() {
            assert_eq!(seat.total, view.sheet.iter().map(|row| row[index]).sum::<i32>(), "totals add up");
        }
        let Stage::Playing(_) = view.stage else { return };
        self.check_cards();
        for seat in Seat::first(table.seat_count()) {
            let moves = legal_moves(table, seat);
            let _ = suggest_for(table, seat);
            assert!(Some(seat) == table.turn() || moves.is_empty(), "only one seat has a turn");
            for step in moves.iter() {
                let command = moves.command(step).unwrap();
                let judged = decide(table, Actor::Seat(seat), &command, self.now, &mut self.dice.clone());
                assert!(judged.is_ok(), "{command} is listed but {judged:?}: {step:?}");
            }
        }
    }

    /// Every card of the pack is in one place.
    fn check_cards(&self) {
        let table = &self.table;
        let hands = Seat::first(table.seat_count()).flat_map(|seat| table.hand(seat).iter());
        let melds = table.melds().iter().flat_map(|m| m.meld.cards.iter().copied());
        let piles = table.stock().iter().chain(table.pile()).copied();
        let all: Vec<Card> = hands.chain(melds).chain(piles).collect();
        let pack = table.rules().pack;
        assert_eq!((all.len(), all.into_iter().collect()), (pack.size(), pack.cards()));
        for TableMeld { meld, .. } in table.melds() {
            assert_eq!(Meld::read(&meld.named(), table.rules()).as_ref(), Ok(meld), "it is a legal meld");
        }
    }

    /// What holds of the whole game: the log replays to the table, and what everybody saw to his view.
    fn check_whole(&self) {
        assert_eq!(Table::replay(&self.log).as_ref(), Some(&self.table), "a log replays to the same table");
        let seats = Seat::first(self.table.seat_count()).map(Viewer::Seat);
        for viewer in seats.chain([Viewer::Public]) {
            let mut observer = Observer::open(&self.log[0].observed_by(viewer), viewer).unwrap();
            for event in &self.log[1..] {
                observer.see(&event.observed_by(viewer));
            }
            assert_eq!(*observer.view(), self.table.view(viewer), "a view folds from what was seen");
        }
    }
}

fn pick<T: Copy>(all: &[T], index: usize) -> Option<T> {
    all.get(index % all.len().max(1)).copied()
}
