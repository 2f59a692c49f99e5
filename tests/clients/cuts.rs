//! A bad line: between a client and the service, every connection breaks after some bytes.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{TcpListener, TcpStream},
};

/// A line to the service. It lasts as long as the test.
pub(crate) struct BadLine {
    /// `HOST:PORT` of its near end.
    pub(crate) address: String,
    cuts: Arc<AtomicU64>,
}

impl BadLine {
    pub(crate) async fn to(url: &str) -> Self {
        let service = url.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let cuts = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&cuts);
        tokio::spawn(async move {
            for connection in 0.. {
                let (near, _) = listener.accept().await.unwrap();
                let far = TcpStream::connect(&service).await.unwrap();
                tokio::spawn(carry(near, far, bytes_of(connection), Arc::clone(&count)));
            }
        });
        Self { address, cuts }
    }

    /// How many connections have been cut so far.
    pub(crate) fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::Relaxed)
    }
}

/// After how many bytes of answers the nth connection breaks: now within the first answer, now after many.
fn bytes_of(connection: u64) -> u64 {
    1 + connection * 7919 % 40_000
}

/// Carries everything from the near end and so many bytes to it, then drops both.
async fn carry(near: TcpStream, far: TcpStream, mut left: u64, cuts: Arc<AtomicU64>) {
    let ((mut asks, mut answered), (mut answers, mut asked)) = (near.into_split(), far.into_split());
    let asking = tokio::spawn(async move {
        // Either end may go at any time.
        let _ = copy(&mut asks, &mut asked).await;
    });
    let mut buffer = [0; 4096];
    while let Ok(got @ 1..) = answers.read(&mut buffer).await {
        let kept = left.min(got as u64);
        left -= kept;
        if answered.write_all(&buffer[..kept as usize]).await.is_err() {
            break;
        }
        if left == 0 {
            cuts.fetch_add(1, Ordering::Relaxed);
            break;
        }
    }
    asking.abort();
}
