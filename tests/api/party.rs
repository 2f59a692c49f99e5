//! Players around a table.

use std::time::Duration;

use futures::future::join_all;
use remik::proto::v1::{
    CreateGameRequest, GameEnd, RulesetOverrides, SpectatorPolicy, Spectators, Visibility, game_end::End,
    watch_game_response::Item,
};
use tokio::time::timeout;

use crate::{
    bot::Bot,
    client::{Answer, Client, Command, Failure, Order, Via, fresh_id},
};

/// How long a whole game may take.
pub(crate) const GAME: Duration = Duration::from_secs(150);

/// What kind of table is opened.
#[derive(Clone, Default)]
pub(crate) struct Wish {
    pub(crate) preset: &'static str,
    pub(crate) overrides: RulesetOverrides,
    pub(crate) seats: u32,
    pub(crate) private: bool,
    pub(crate) spectators: Option<SpectatorPolicy>,
}

impl Wish {
    /// A table of `remik-51`.
    pub(crate) fn seats(seats: u32) -> Self {
        Self { preset: "remik-51", seats, ..Self::default() }
    }

    pub(crate) fn private(mut self) -> Self {
        self.private = true;
        self
    }

    /// Spectators who see everything so many seconds later.
    pub(crate) fn delayed(mut self, delay_seconds: u32) -> Self {
        self.spectators = Some(SpectatorPolicy { allowed: Spectators::Anyone.into(), delay_seconds });
        self
    }

    pub(crate) fn unwatched(mut self) -> Self {
        self.spectators = Some(SpectatorPolicy { allowed: Spectators::None.into(), delay_seconds: 0 });
        self
    }

    /// One deal, in which anything may be laid from the start.
    pub(crate) fn easy(mut self) -> Self {
        self.overrides.opening_points = Some(0);
        self.overrides.opening_pure_run = Some(false);
        self.ends(End::Deals(1))
    }

    pub(crate) fn ends(mut self, end: End) -> Self {
        self.overrides.end = Some(GameEnd { end: Some(end) });
        self
    }

    pub(crate) fn request(&self) -> CreateGameRequest {
        let visibility = if self.private { Visibility::Private } else { Visibility::Public };
        CreateGameRequest {
            request_id: fresh_id().to_string(),
            preset: self.preset.to_owned(),
            overrides: Some(self.overrides.clone()),
            seats: self.seats,
            visibility: visibility.into(),
            spectators: self.spectators,
            bots: vec![],
            settings: None,
        }
    }
}

/// A table whose seats are all taken, the players in the order of their seats: by turns over gRPC and REST.
pub(crate) struct Party {
    pub(crate) game: String,
    pub(crate) code: String,
    pub(crate) players: Vec<Client>,
}

impl Party {
    pub(crate) async fn seated(url: &str, wish: &Wish) -> Self {
        let ways = [Via::Grpc, Via::Rest].into_iter().cycle().take(wish.seats as usize);
        let guests = ways.map(async |via| Client::guest(url, via, &format!("{via:?}")).await.unwrap());
        let players = join_all(guests).await;
        let created = players[0].create(wish.request()).await.unwrap();
        let view = created.view.unwrap();
        let (game, code) = (view.game_id, view.invite_code);
        for (seat, player) in players.iter().enumerate().skip(1) {
            let command = if wish.private { Command::JoinByCode(code.clone()) } else { Command::Join(None) };
            let answer = player.send(&Order::new(&game, 0, command)).await.unwrap();
            assert_eq!(answer.view.your_seat, Some(seat as u32));
        }
        Self { game, code, players }
    }

    /// Plays to the end of the game.
    pub(crate) async fn play(&self, seed: u64) -> Vec<Bot> {
        self.play_with(seed, async |client, order| client.send(order).await).await
    }

    /// The same, with another way to send commands.
    pub(crate) async fn play_with(
        &self,
        seed: u64,
        send: impl AsyncFn(&Client, &Order) -> Result<Answer, Failure>,
    ) -> Vec<Bot> {
        self.play_from(seed, 0, send).await
    }

    /// The same, when all that was to be done up to a move is done already.
    pub(crate) async fn play_from(
        &self,
        seed: u64,
        from: u32,
        send: impl AsyncFn(&Client, &Order) -> Result<Answer, Failure>,
    ) -> Vec<Bot> {
        println!("the seed of this game is {seed}");
        let seats = self.players.len() as u32;
        let bots =
            self.players.iter().zip(0..).map(|(client, seat)| {
                play(Bot::new(client.clone(), &self.game, seat, seats, seed), from, &send)
            });
        timeout(GAME, join_all(bots)).await.expect("the game ends")
    }
}

/// Plays until the stream has told the end of the game. Nothing may go wrong.
pub(crate) async fn play(
    mut bot: Bot,
    from: u32,
    send: &impl AsyncFn(&Client, &Order) -> Result<Answer, Failure>,
) -> Bot {
    let mut stream = bot.client.watch(&bot.game, Some(0)).await.unwrap();
    // What has been is no time to act.
    let mut caught_up = false;
    while !bot.over() {
        let item = stream.next().await.unwrap().expect("the stream goes on");
        caught_up |= matches!(item.item, Some(Item::CaughtUp(_)));
        bot.take_in(item);
        if caught_up && bot.version() >= from && bot.is_due() {
            let order = bot.decide().await.unwrap();
            let answer = send(&bot.client, &order).await;
            let answer = answer.unwrap_or_else(|failure| panic!("{order:?}: {failure:?}"));
            bot.answered.push((order, answer));
        }
    }
    bot
}

/// Another seed for each run.
pub(crate) fn any_seed() -> u64 {
    rand::random()
}

/// Everybody is ready, so the cards are dealt; the version after it.
pub(crate) async fn get_ready(party: &Party) -> u32 {
    let mut version = 0;
    for player in &party.players {
        let order = Order::new(&party.game, version, Command::Ready("00ff".to_owned()));
        version = player.send(&order).await.unwrap().version;
    }
    version
}
