//! A TCP proxy that cuts a connection at a byte.

use std::sync::{Arc, Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToService,
    ToClient,
}

/// Where a connection ends: so many bytes go one way, and then none any way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) direction: Direction,
    pub(crate) after: usize,
}

/// A way to the service on which connections break when they are told to.
pub(crate) struct Cutter {
    /// `http://ADDRESS`.
    pub(crate) url: String,
    plan: Arc<Mutex<Plan>>,
}

#[derive(Default)]
struct Plan {
    /// For the next connection.
    next: Option<Cut>,
    cuts: usize,
    /// How many bytes went each way on the last connection.
    passed: [usize; 2],
}

impl Cutter {
    /// A proxy in front of a service.
    pub(crate) async fn before(url: &str) -> Self {
        let service = url.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let plan: Arc<Mutex<Plan>> = Arc::default();
        let kept = Arc::clone(&plan);
        tokio::spawn(async move {
            // Until the runtime of the test ends.
            while let Ok((client, _)) = listener.accept().await {
                let cut = {
                    let mut plan = kept.lock().unwrap();
                    plan.passed = [0, 0];
                    plan.next.take()
                };
                let service = TcpStream::connect(&service).await.unwrap();
                tokio::spawn(pass(client, service, cut, Arc::clone(&kept)));
            }
        });
        Self { url, plan }
    }

    /// Cuts the next connection.
    pub(crate) fn cut_next(&self, cut: Option<Cut>) {
        self.plan.lock().unwrap().next = cut;
    }

    /// How many connections were cut.
    pub(crate) fn cuts(&self) -> usize {
        self.plan.lock().unwrap().cuts
    }

    /// How many bytes have gone a way on the last connection.
    pub(crate) fn passed(&self, direction: Direction) -> usize {
        self.plan.lock().unwrap().passed[direction as usize]
    }
}

/// Passes bytes on, both ways, until an end closes or the cut is reached. Then both ends are closed.
async fn pass(client: TcpStream, service: TcpStream, cut: Option<Cut>, plan: Arc<Mutex<Plan>>) {
    let (from_client, to_client) = client.into_split();
    let (from_service, to_service) = service.into_split();
    let at = |direction| cut.filter(|cut| cut.direction == direction).map(|cut| cut.after);
    let was_cut = tokio::select! {
        was_cut = one_way(from_client, to_service, Direction::ToService, at(Direction::ToService), &plan) => was_cut,
        was_cut = one_way(from_service, to_client, Direction::ToClient, at(Direction::ToClient), &plan) => was_cut,
    };
    if was_cut {
        plan.lock().unwrap().cuts += 1;
    }
}

/// Whether it was cut.
async fn one_way(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    direction: Direction,
    cut: Option<usize>,
    plan: &Mutex<Plan>,
) -> bool {
    let (mut passed, mut buffer) = (0, [0; 16 * 1024]);
    loop {
        if cut == Some(passed) {
            return true;
        }
        let room = cut.map_or(buffer.len(), |cut| buffer.len().min(cut - passed));
        match from.read(&mut buffer[..room]).await {
            Ok(0) | Err(_) => return false,
            Ok(read) => {
                if to.write_all(&buffer[..read]).await.is_err() {
                    return false;
                }
                passed += read;
                plan.lock().unwrap().passed[direction as usize] += read;
            }
        }
    }
}
