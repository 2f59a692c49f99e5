//! A player who acts on nothing but what the service has told him: he chooses among his legal moves by a seed.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use remik::proto::v1::{
    DrawSource, GameMove, LegalMoves, RunEnd, WatchGameResponse, event::Kind, watch_game_response::Item,
};

use super::client::{Answer, Client, Command, Failure, Order};

pub(crate) struct Bot {
    pub(crate) client: Client,
    pub(crate) game: String,
    pub(crate) seat: u32,
    /// Every move that the stream has told, in order.
    pub(crate) seen: Vec<GameMove>,
    /// Every command that was answered.
    pub(crate) answered: Vec<(Order, Answer)>,
    rng: StdRng,
    turn: Option<u32>,
    unready: BTreeSet<u32>,
    over: bool,
}

impl Bot {
    pub(crate) fn new(client: Client, game: &str, seat: u32, seats: u32, seed: u64) -> Self {
        Self {
            client,
            game: game.to_owned(),
            seat,
            seen: Vec::new(),
            answered: Vec::new(),
            rng: StdRng::seed_from_u64(seed.wrapping_mul(31).wrapping_add(seat.into())),
            turn: None,
            unready: (0..seats).collect(),
            over: false,
        }
    }

    /// The last move that the stream has told.
    pub(crate) fn version(&self) -> u32 {
        self.seen.last().map_or(0, |made| made.version)
    }

    /// The stream has told the end of the game.
    pub(crate) fn over(&self) -> bool {
        self.over
    }

    /// Takes in an item of the stream: every move comes once and in order.
    pub(crate) fn take_in(&mut self, item: WatchGameResponse) {
        let made = match item.item.unwrap() {
            Item::Move(made) => made,
            Item::CaughtUp(_) | Item::Heartbeat(_) => return assert_eq!(item.version, self.version()),
            Item::Snapshot(_) => panic!("a snapshot that nobody has asked for"),
        };
        assert_eq!((item.version, made.version), (self.version() + 1, self.version() + 1));
        for event in &made.events {
            match event.kind.as_ref().unwrap() {
                Kind::SeatTaken(taken) => {
                    self.unready.insert(taken.seat);
                }
                Kind::BecameReady(ready) => {
                    self.unready.remove(&ready.seat);
                }
                Kind::TurnStarted(turn) => self.turn = Some(turn.seat),
                Kind::DealEnded(ended) => {
                    self.turn = None;
                    self.unready.extend(ended.hands.iter().map(|hand| hand.seat));
                }
                Kind::GameEnded(_) => {
                    self.over = true;
                    self.unready.clear();
                }
                _ => {}
            }
        }
        self.seen.push(made);
    }

    /// It is this seat that has to act.
    pub(crate) fn is_due(&self) -> bool {
        let told = self.answered.last().map_or(0, |(_, answer)| answer.version);
        let due = self.turn.map_or(self.unready.contains(&self.seat), |turn| turn == self.seat);
        !self.over && due && self.version() >= told
    }

    /// The command to give, by the service's list of what is legal.
    pub(crate) async fn decide(&mut self) -> Result<Order, Failure> {
        let legal = self.client.legal_moves(&self.game, self.version()).await?;
        let moves = legal.moves.unwrap();
        assert_eq!(moves.seat, self.seat);
        let command = self.choose(&moves);
        Ok(Order::new(&self.game, self.version(), command))
    }

    /// One of the steps that are legal.
    pub(crate) fn choose(&mut self, legal: &LegalMoves) -> Command {
        let rng = &mut self.rng;
        if legal.can_get_ready {
            return Command::Ready(format!("{:016x}", rng.random::<u64>()));
        }
        if let Some(&first) = legal.draws.first() {
            let discard = i32::from(DrawSource::Discard);
            let wants_discard = legal.draws.contains(&discard) && rng.random_bool(0.3);
            let source = if wants_discard { discard } else { first };
            return Command::Draw(source.try_into().unwrap());
        }
        let mut plays: Vec<Command> =
            legal.melds.iter().map(|meld| Command::Meld(vec![meld.cards.clone()])).collect();
        plays.extend(legal.lay_offs.iter().map(|off| Command::LayOff {
            meld: off.meld_id.clone(),
            cards: vec![off.card.clone()],
            end: RunEnd::try_from(off.end).unwrap(),
        }));
        plays.extend(legal.swaps.iter().map(|swap| Command::SwapJoker {
            meld: swap.meld_id.clone(),
            card: swap.card.clone(),
            joker: swap.joker.clone(),
        }));
        let discards = &legal.discards;
        match plays.choose(rng) {
            Some(play) if discards.is_empty() || rng.random_bool(0.9) => play.clone(),
            _ if legal.can_undo && (discards.is_empty() || rng.random_bool(0.05)) => Command::Undo,
            _ => Command::Discard(discards.choose(rng).expect("a turn can end").clone()),
        }
    }
}
