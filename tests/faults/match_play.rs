//! One game of two while the service comes and goes, and somebody who watches it.

use futures::future::join_all;
use remik::proto::v1::{BotStrength, CreateGameRequest, GameEnd, GameMove, RulesetOverrides, game_end::End};
use remik_rules::seat::Seat;
use tokio::sync::watch;

use crate::{
    bot::Bot,
    client::{Answer, Command, Failure, Order, Via, fresh_id},
    home::{Home, Resident},
    log::Log,
};

/// The seat of nobody: a spectator's.
const NOWHERE: u32 = 9;

/// A game that was played to its end.
pub(crate) struct Match {
    pub(crate) game: String,
    pub(crate) bots: Vec<Bot>,
    spectated: Vec<GameMove>,
    /// What was answered before the first deal.
    seated: Vec<(Order, Answer)>,
    /// Commands that had no answer at first.
    pub(crate) lost: usize,
}

impl Match {
    pub(crate) async fn play(home: Home, progress: &watch::Sender<usize>, seed: u64) -> Self {
        let mut host = Resident::arrive(home.clone(), Via::Grpc, "Ala").await;
        let mut guest = Resident::arrive(home.clone(), Via::Rest, "Ola").await;
        let spectator = Resident::arrive(home, Via::Rest, "Widz").await;
        let request = CreateGameRequest {
            request_id: fresh_id().to_string(),
            overrides: Some(RulesetOverrides {
                opening_points: Some(0),
                opening_pure_run: Some(false),
                end: Some(GameEnd { end: Some(End::Deals(1)) }),
                ..RulesetOverrides::default()
            }),
            seats: 2,
            ..CreateGameRequest::default()
        };
        let view = host.create(&request).await.view.unwrap();
        let (game, code) = (view.game_id, view.invite_code);
        let mut seated = Vec::new();
        for (version, command) in
            [(1, Command::Join(None)), (2, Command::Leave), (5, Command::JoinByCode(code))]
        {
            let order = Order::new(&game, version, command);
            let answer = guest.send(&order).await;
            assert_eq!(answer.version, version + 1);
            progress.send_modify(|count| *count += 1);
            seated.push((order, answer));
            // Between the guest's visits a bot sits there.
            if version == 2 {
                for (version, command) in
                    [(3, Command::AddBot(BotStrength::Hard)), (4, Command::RemoveBot(1))]
                {
                    let order = Order::new(&game, version, command);
                    let answer = host.send(&order).await;
                    assert_eq!(answer.version, version + 1);
                    seated.push((order, answer));
                }
            }
        }
        let residents = [(host, 0), (guest, 1), (spectator, NOWHERE)];
        let players = residents.map(|(resident, seat)| {
            let bot = Bot::new(resident.client.clone(), &game, seat, 2, seed);
            Player { resident, bot, progress, lost: 0 }.play()
        });
        let mut players = join_all(players).await;
        let lost = players.iter().map(|player| player.lost).sum();
        let spectated = players.pop().unwrap().bot.seen;
        let bots = players.into_iter().map(|player| player.bot).collect();
        Self { game, bots, spectated, seated, lost }
    }

    /// The way of a seat.
    pub(crate) fn via(&self, seat: u32) -> Via {
        if seat == 0 { Via::Grpc } else { Via::Rest }
    }

    /// What was acknowledged is in the log once, at its place, and everybody was told of every move.
    pub(crate) fn check(&self, log: &Log) {
        let moves = log.moves.len();
        let mut commands = 1 + self.seated.len();
        for bot in &self.bots {
            assert_eq!(bot.seen.len(), moves);
            commands += bot.answered.len();
            for (order, answer) in &bot.answered {
                assert_eq!(answer.made, bot.seen[answer.version as usize - 1]);
                assert_eq!(answer.made.seat, Some(bot.seat));
                is_once_in(log, order, answer);
            }
        }
        self.seated.iter().for_each(|(order, answer)| is_once_in(log, order, answer));
        assert_eq!(commands, moves, "nothing was carried out that wasn't answered in the end");
        assert_eq!(self.spectated.len(), moves);
        let table = log.table(moves as u32);
        let last = &self.bots[0].answered.iter().chain(&self.bots[1].answered);
        let (_, last) = last.clone().max_by_key(|(_, answer)| answer.version).unwrap();
        for (seat, shown) in Seat::first(2).zip(&last.view.seats) {
            assert_eq!(table.total(seat), shown.total);
        }
    }
}

fn is_once_in(log: &Log, order: &Order, answer: &Answer) {
    let stored = log.moves.iter().filter(|mv| mv.request_id == Some(order.request_id));
    assert_eq!(stored.map(|mv| mv.number).collect::<Vec<_>>(), [answer.version], "{order:?}");
}

/// A player of a game, or a spectator.
struct Player<'a> {
    resident: Resident,
    bot: Bot,
    progress: &'a watch::Sender<usize>,
    lost: usize,
}

impl Player<'_> {
    /// Plays to the end of the game, over as many streams as it takes.
    async fn play(mut self) -> Self {
        while !self.bot.over() {
            let (mut stream, url) = self.resident.watch(&self.bot.game, self.bot.version()).await;
            loop {
                match stream.next().await {
                    Ok(item) => self.bot.take_in(item.expect("the stream goes on")),
                    Err(Failure::Lost(_)) => break self.resident.leave(&url).await,
                    Err(Failure::Refused(refused)) => panic!("{refused:?}"),
                }
                if self.bot.over() {
                    break;
                }
                if self.bot.is_due() {
                    self.act().await;
                }
            }
        }
        self
    }

    async fn act(&mut self) {
        let order = self.resident.decide(&mut self.bot).await;
        let before = self.resident.lost;
        let answer = self.resident.send(&order).await;
        self.lost += usize::from(self.resident.lost > before);
        self.progress.send_modify(|count| *count += 1);
        self.bot.answered.push((order, answer));
    }
}
