use bytes::Bytes;
use remik::store::{Act, Append, GameId, Millis, Move, Request, Store, StoreOptions, Summary};
use uuid::Uuid;

use crate::support::database::{Backend, TestDatabase, fresh};

/// A store on a database of its own.
pub(crate) async fn store(backend: Backend) -> (Store, TestDatabase) {
    let database = fresh(backend).await;
    (open(&database).await, database)
}

pub(crate) async fn open(database: &TestDatabase) -> Store {
    Store::open(&database.url, StoreOptions::default()).await.unwrap()
}

/// A move whose every field says which one it is.
pub(crate) fn mv(game: GameId, number: u32) -> Move {
    Move {
        game,
        number,
        seat: Some((number % 4) as u8),
        request_id: Some(Uuid::from_u128(game.0.as_u128().rotate_left(64) + u128::from(number))),
        fingerprint: Some(-i64::from(number)),
        made_at: Millis(1_700_000_000_000 + i64::from(number)),
        format: 1,
        events: Bytes::from(format!("{game} {number}")),
    }
}

pub(crate) fn append(mv: Move) -> Append {
    Append { mv, summary: None, request: None, alarm: None }
}

pub(crate) fn summary(game: GameId, version: u32) -> Summary {
    Summary {
        game,
        version,
        status: 0,
        preset: "classic".into(),
        public: true,
        listed: true,
        settles_at: None,
        invite_code: None,
        players: vec![],
        made_at: Millis(1_700_000_000_000),
        changed_at: Millis(1_700_000_000_000 + i64::from(version)),
        detail: Bytes::from(format!("detail {version}")),
    }
}

/// The first move of a game with this summary.
pub(crate) fn creation(summary: Summary) -> Append {
    Append { mv: mv(summary.game, 1), summary: Some(summary), request: None, alarm: None }
}

pub(crate) fn request(principal: u128, request_id: u128) -> Request {
    Request {
        principal: Uuid::from_u128(principal),
        request_id: Uuid::from_u128(request_id),
        fingerprint: i64::MIN,
        result: Bytes::from_static(b"\0answer"),
    }
}

/// An administrator's act of a kind on somebody, at a time.
pub(crate) fn act(kind: i16, subject: u128, at: i64) -> Act {
    Act {
        id: Uuid::now_v7(),
        made_at: Millis(at),
        key_id: None,
        key_name: "cli".into(),
        act: kind,
        subject: Uuid::from_u128(subject),
        seat: None,
        reason: String::new(),
        until: None,
        request_id: None,
    }
}
