use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::Instant;
use tonic::transport::Channel;
use uuid::Uuid;

use super::Options;
use super::arrivals::Arrivals;
use super::line::{Line, Trouble};
use super::player::Player;
use super::step::Step;
use super::tally::Tally;
use crate::proto::v1::{
    CreateGameRequest, DrawSource, GameState, GameView, JoinGameRequest, Standing, TurnPhase, Visibility,
};

/// A table at which one game after the other is played.
pub(super) struct Table {
    game: String,
    players: Vec<Player>,
    /// The game as it was after the last move, for whoever made it.
    view: GameView,
    preset: &'static str,
    ask_every: u32,
    turns: u32,
    /// The player whose turn it is asks what is legal.
    asks: bool,
    /// What is held of the game may be wrong.
    unsure: bool,
    rng: StdRng,
    arrivals: Arc<Arrivals>,
    tally: Arc<Tally>,
}

impl Table {
    /// A table with new players, one on each of the channels.
    pub(super) async fn open(
        options: &Options,
        number: u32,
        channels: Vec<Channel>,
        tally: Arc<Tally>,
    ) -> Result<Self, Trouble> {
        let arrivals = Arc::new(Arrivals::new(Arc::clone(&tally)));
        let http = reqwest::Client::new();
        let mut players = Vec::new();
        for (seat, channel) in channels.into_iter().enumerate() {
            let line = Line::new(options.via, &http, &options.target);
            let name = format!("Load {number}-{seat}");
            players
                .push(Player::guest(channel, name, line, Arc::clone(&arrivals), !options.no_streams).await?);
        }
        let mut table = Self {
            game: String::new(),
            players,
            view: GameView::default(),
            preset: options.preset.name(),
            ask_every: options.ask_every,
            // Not all tables ask at the same time.
            turns: number,
            asks: false,
            unsure: false,
            rng: StdRng::seed_from_u64(options.seed.wrapping_mul(1_000_003).wrapping_add(number.into())),
            arrivals,
            tally,
        };
        table.begin().await?;
        Ok(table)
    }

    /// Opens a game and seats everybody.
    async fn begin(&mut self) -> Result<(), Trouble> {
        self.arrivals.forget();
        let create = CreateGameRequest {
            request_id: Uuid::new_v4().to_string(),
            preset: self.preset.to_owned(),
            seats: self.players.len() as u32,
            visibility: Visibility::Public.into(),
            ..Default::default()
        };
        let host = &self.players[0].caller;
        let made = host.games.clone().create_game(host.ask(create)).await?.into_inner();
        self.game = made.view.unwrap_or_default().game_id;
        for player in &self.players[1..] {
            let (game_id, request_id) = (self.game.clone(), Uuid::new_v4().to_string());
            let join = JoinGameRequest { game_id, request_id, ..Default::default() };
            player.caller.games.clone().join_game(player.caller.ask(join)).await?;
        }
        self.view = self.players[0].look(&self.game).await?;
        for player in &mut self.players {
            player.follow(&self.game, self.view.version).await?;
        }
        self.unsure = false;
        Ok(())
    }

    /// Makes the next move, which is due at a time. What goes wrong is counted.
    pub(super) async fn step(&mut self, due: Instant) {
        if let Err(trouble) = self.try_step(due).await {
            self.tally.trouble(&trouble.reason);
            // It may be that a player knows too little, or that the clock was faster.
            self.unsure = true;
            self.asks = true;
        }
    }

    async fn try_step(&mut self, due: Instant) -> Result<(), Trouble> {
        if self.view.state() == GameState::Over {
            self.begin().await?;
        }
        if self.unsure {
            self.view = self.players[0].look(&self.game).await?;
            let seat = self.turn();
            self.view = self.players[seat].look(&self.game).await?;
            self.unsure = false;
        }
        let (seat, step) = self.choose().await?;
        let version = self.view.version;
        self.arrivals.expect(
            version + 1,
            due,
            if self.players[seat].has_stream() { self.players.len() } else { 0 },
        );
        let played = self.players[seat].send(&self.game, version, &step, &self.tally).await;
        let played = played.inspect_err(|_| self.arrivals.withdraw(version + 1))?;
        self.tally.answered(step.name(), due.elapsed());
        if played.version != version + 1 {
            self.arrivals.withdraw(version + 1);
        }
        let before = self.view.state();
        self.view = played.view.unwrap_or_default();
        match self.view.state() {
            GameState::Over => {
                self.tally.deal_over();
                self.tally.game_over();
            }
            GameState::BetweenDeals if before == GameState::Playing => self.tally.deal_over(),
            _ => {}
        }
        Ok(())
    }

    /// Whose turn it is; seat 0 where it is nobody's.
    fn turn(&self) -> usize {
        let turn = self.view.deal.as_ref().and_then(|deal| deal.turn.as_ref());
        turn.map_or(0, |turn| turn.seat as usize).min(self.players.len() - 1)
    }

    /// Who does what next.
    async fn choose(&mut self) -> Result<(usize, Step), Trouble> {
        if self.view.state() != GameState::Playing {
            let waits = |seat: &crate::proto::v1::SeatView| !seat.ready && seat.standing() == Standing::In;
            let seat = self.view.seats.iter().find(|seat| waits(seat)).map_or(0, |seat| seat.seat as usize);
            return Ok((seat.min(self.players.len() - 1), Step::ready(&mut self.rng)));
        }
        let seat = self.turn();
        let deal = self.view.deal.as_ref();
        let draws =
            deal.and_then(|deal| deal.turn.as_ref()).is_some_and(|turn| turn.phase() == TurnPhase::Draw);
        if draws {
            self.turns += 1;
            self.asks |= self.turns.is_multiple_of(self.ask_every);
        }
        if !self.asks && draws {
            return Ok((seat, Step::Draw(DrawSource::Stock)));
        }
        let hand = deal.map(|deal| deal.hand.as_slice()).unwrap_or_default();
        if !self.asks && !hand.is_empty() {
            let card = hand[self.rng.random_range(0..hand.len())].clone();
            return Ok((seat, Step::Discard(card)));
        }
        let legal = self.players[seat].legal_moves(&self.game, self.view.version, &self.tally).await?;
        let step = Step::among(&legal, &mut self.rng).ok_or_else(|| Trouble {
            reason: "NO_LEGAL_MOVE".to_owned(),
            message: format!("seat {seat} of game {} has no move", self.game),
            again: false,
        })?;
        self.asks = !matches!(step, Step::Discard(_));
        Ok((seat, step))
    }
}
