//! A backend to which webhooks post, with whatever manners: it answers well or badly, late or never.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use remik_rules::event::Event;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::log::Log;

/// What has come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Post {
    pub(crate) path: String,
    /// Names in small letters.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Post {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap()
    }

    fn text(&self, field: &str) -> String {
        self.json()[field].as_str().unwrap().to_owned()
    }

    pub(crate) fn game(&self) -> String {
        self.text("gameId")
    }

    pub(crate) fn delivery(&self) -> String {
        self.text("deliveryId")
    }

    pub(crate) fn kind(&self) -> String {
        self.text("kind").trim_start_matches("WEBHOOK_KIND_").to_owned()
    }

    pub(crate) fn version(&self) -> u32 {
        self.json()["version"].as_u64().unwrap() as u32
    }

    /// Whether one of the signatures is by a secret, as the documentation says.
    pub(crate) fn is_signed_by(&self, secret: &str) -> bool {
        let header = &self.headers["remik-signature"];
        let (time, signatures) = header.split_once(',').unwrap();
        let signed = format!("{}.{}", time.strip_prefix("t=").unwrap(), self.body);
        let expected: String =
            hmac(secret.as_bytes(), signed.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        signatures.split(',').any(|signature| signature.strip_prefix("v1=") == Some(&expected))
    }
}

/// HMAC-SHA256 by the words of RFC 2104.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() > 64 {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
}

/// What a receiver does about a post.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Manner {
    Answer(u16),
    Redirect(String),
    /// It takes a while.
    Late(Duration, u16),
    /// The connection is closed without an answer.
    Close,
    /// Nothing ever comes.
    Hang,
    /// An answer without an end.
    Endless,
}

type Manners = dyn Fn(&Post) -> Manner + Send + Sync;

/// A receiver that listens on a port of its own.
pub(crate) struct Receiver {
    pub(crate) url: String,
    posts: Arc<Mutex<Vec<(Post, Manner)>>>,
    count: Arc<watch::Sender<usize>>,
    manners: Arc<Mutex<Arc<Manners>>>,
    serving: Option<JoinHandle<()>>,
}

impl Receiver {
    /// One that says 200 to everything.
    pub(crate) async fn start() -> Self {
        let mut receiver = Self {
            url: String::new(),
            posts: Arc::default(),
            count: Arc::new(watch::channel(0).0),
            manners: Arc::new(Mutex::new(Arc::new(|_: &Post| Manner::Answer(200)))),
            serving: None,
        };
        receiver.listen("127.0.0.1:0").await;
        receiver
    }

    /// Has it do as a function says from now on.
    pub(crate) fn behave(&self, manners: impl Fn(&Post) -> Manner + Send + Sync + 'static) {
        *self.manners.lock().unwrap() = Arc::new(manners);
    }

    async fn listen(&mut self, address: &str) {
        let listener = TcpListener::bind(address).await.unwrap();
        self.url = format!("http://{}", listener.local_addr().unwrap());
        let (posts, count, manners) =
            (Arc::clone(&self.posts), Arc::clone(&self.count), Arc::clone(&self.manners));
        self.serving = Some(tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (posts, count, manners) = (Arc::clone(&posts), Arc::clone(&count), Arc::clone(&manners));
                tokio::spawn(async move {
                    let _ = serve(stream, &posts, &count, &manners).await;
                });
            }
        }));
    }

    /// Nobody listens at its address any more.
    pub(crate) async fn go_down(&mut self) {
        let serving = self.serving.take().unwrap();
        serving.abort();
        let _ = serving.await;
    }

    /// It listens again.
    pub(crate) async fn come_up(&mut self) {
        let address = self.url.trim_start_matches("http://").to_owned();
        self.listen(&address).await;
    }

    /// All that has come so far.
    pub(crate) fn all(&self) -> Vec<Post> {
        self.posts.lock().unwrap().iter().map(|(post, _)| post.clone()).collect()
    }

    /// What was answered by a status of success.
    pub(crate) fn taken(&self) -> Vec<Post> {
        let taken = |manner: &Manner| matches!(manner, Manner::Answer(200..300) | Manner::Late(_, 200..300));
        let posts = self.posts.lock().unwrap();
        posts.iter().filter(|(_, manner)| taken(manner)).map(|(post, _)| post.clone()).collect()
    }

    /// Waits until what has come is as wanted.
    pub(crate) async fn until(&self, bound: Duration, what: &str, so: impl Fn(&Self) -> bool) {
        let mut count = self.count.subscribe();
        let waiting = async {
            loop {
                count.mark_unchanged();
                if so(self) {
                    return;
                }
                count.changed().await.unwrap();
            }
        };
        let waited = timeout(bound, waiting).await;
        waited.unwrap_or_else(|_| panic!("it takes too long until {what}; {} have come", self.all().len()));
    }

    /// Waits for so many posts, of any outcome.
    pub(crate) async fn until_come(&self, bound: Duration, posts: usize) {
        self.until(bound, &format!("{posts} posts have come"), |receiver| receiver.all().len() >= posts)
            .await;
    }
}

async fn serve(
    mut stream: TcpStream,
    posts: &Mutex<Vec<(Post, Manner)>>,
    count: &watch::Sender<usize>,
    manners: &Mutex<Arc<Manners>>,
) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let (head, length) = loop {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await?;
        if read == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let of_length = |line: &str| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().unwrap())
            };
            break (head.to_owned(), head.lines().find_map(of_length).unwrap_or(0));
        }
    };
    let mut body = bytes.split_off(head.len() + 4);
    while body.len() < length {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await?;
        if read == 0 {
            return Ok(());
        }
        body.extend_from_slice(&chunk[..read]);
    }
    let headers = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let post = Post {
        path: head.split(' ').nth(1).unwrap().to_owned(),
        headers: headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect(),
        body: String::from_utf8(body).unwrap(),
    };
    let behave = Arc::clone(&manners.lock().unwrap());
    let manner = behave(&post);
    posts.lock().unwrap().push((post, manner.clone()));
    count.send_modify(|count| *count += 1);
    let answer = |status: u16, more: &str| {
        format!("HTTP/1.1 {status} X\r\ncontent-length: 2\r\nconnection: close\r\n{more}\r\nok")
    };
    match manner {
        Manner::Answer(status) => stream.write_all(answer(status, "").as_bytes()).await,
        Manner::Redirect(to) => {
            stream.write_all(answer(307, &format!("location: {to}\r\n")).as_bytes()).await
        }
        Manner::Late(time, status) => {
            sleep(time).await;
            stream.write_all(answer(status, "").as_bytes()).await
        }
        Manner::Close => Ok(()),
        Manner::Hang => std::future::pending().await,
        Manner::Endless => {
            stream.write_all(b"HTTP/1.1 500 X\r\n\r\n").await?;
            loop {
                stream.write_all(&[b'x'; 4096]).await?;
            }
        }
    }
}

/// What a webhook for everything is told of a game between people, by its log: kinds and moves, in order.
pub(crate) fn expected(log: &Log) -> Vec<(String, u32)> {
    let mut told = Vec::new();
    for (events, version) in log.events.iter().zip(1..) {
        for event in events {
            let kind = match event {
                Event::Dealt(dealt) if dealt.deal == 1 => "GAME_STARTED",
                Event::TurnStarted { .. } => "YOUR_TURN",
                Event::DealEnded(_) => "DEAL_OVER",
                Event::GameEnded { .. } => "GAME_OVER",
                _ => continue,
            };
            told.push((kind.to_owned(), version));
        }
    }
    told
}

/// Of what has come of a game, each delivery once. One that comes again comes before the next.
pub(crate) fn in_order(posts: &[Post], game: &str) -> Vec<(String, u32)> {
    let (mut told, mut seen) = (Vec::<(String, (String, u32))>::new(), HashSet::new());
    for post in posts.iter().filter(|post| post.game() == game) {
        let delivery = post.delivery();
        if seen.insert(delivery.clone()) {
            told.push((delivery, (post.kind(), post.version())));
        } else {
            assert_eq!(told.last().unwrap().0, delivery, "it comes again behind another");
        }
    }
    told.into_iter().map(|(_, told)| told).collect()
}
