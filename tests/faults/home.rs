//! Where the service is, as it moves, and calls that are made until they are answered.

use remik::proto::v1;
use tokio::sync::watch;

use crate::{
    bot::Bot,
    client::{Answer, Client, Failure, Order, Via, Watch},
};

/// The service's address, another one after each start.
#[derive(Clone)]
pub(crate) struct Home(watch::Receiver<String>);

/// A player who doesn't give up.
pub(crate) struct Resident {
    home: Home,
    url: String,
    via: Via,
    pub(crate) client: Client,
    /// Calls that had to be made again.
    pub(crate) lost: usize,
}

impl Home {
    pub(crate) fn new(address: watch::Receiver<String>) -> Self {
        Self(address)
    }

    /// The address now.
    fn now(&mut self) -> String {
        self.0.borrow_and_update().clone()
    }

    /// The next address after one that is dead.
    async fn after(&mut self, dead: &str) -> String {
        self.0.wait_for(|url| url != dead).await.unwrap().clone()
    }
}

impl Resident {
    /// A new guest. Making one can't be repeated: what is lost with the service is made anew.
    pub(crate) async fn arrive(mut home: Home, via: Via, name: &str) -> Self {
        let mut url = home.now();
        loop {
            match Client::guest(&url, via, name).await {
                Ok(client) => return Self { home, url, via, client, lost: 0 },
                Err(Failure::Lost(_)) => url = home.after(&url).await,
                Err(Failure::Refused(refused)) => panic!("{refused:?}"),
            }
        }
    }

    /// Makes a call until there is an answer.
    async fn insist<T>(&mut self, call: impl AsyncFn(&Client) -> Result<T, Failure>) -> T {
        loop {
            match call(&self.client).await {
                Ok(answer) => return answer,
                Err(Failure::Lost(_)) => {
                    self.lost += 1;
                    self.leave(&self.url.clone()).await;
                }
                Err(Failure::Refused(refused)) => panic!("{refused:?}"),
            }
        }
    }

    /// Follows the service from an address at which it is dead, unless that has been done.
    pub(crate) async fn leave(&mut self, dead: &str) {
        if self.url == dead {
            self.url = self.home.after(dead).await;
            self.client = self.client.at(&self.url, self.via);
        }
    }

    pub(crate) async fn create(&mut self, request: &v1::CreateGameRequest) -> v1::CreateGameResponse {
        self.insist(async |client| client.create(request.clone()).await).await
    }

    pub(crate) async fn send(&mut self, order: &Order) -> Answer {
        self.insist(async |client| client.send(order).await).await
    }

    /// A stream, and the address that it comes from.
    pub(crate) async fn watch(&mut self, game: &str, after: u32) -> (Watch, String) {
        let stream = self.insist(async |client| client.watch(game, Some(after)).await).await;
        (stream, self.url.clone())
    }

    pub(crate) async fn decide(&mut self, bot: &mut Bot) -> Order {
        loop {
            bot.client = self.client.clone();
            match bot.decide().await {
                Ok(order) => return order,
                Err(Failure::Lost(_)) => self.leave(&self.url.clone()).await,
                Err(Failure::Refused(refused)) => panic!("{refused:?}"),
            }
        }
    }
}
