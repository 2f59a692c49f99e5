//! The disk is full for a while: nothing is acknowledged that isn't stored, and all goes on once there is room.
#![cfg(target_os = "linux")]

use std::process::Command as Process;

use remik::proto::v1::CreateGameRequest;
use tonic::Code;

use crate::client::{Client, Command, Failure, Order, Via, fresh_id};
use crate::service::Service;

/// The largest file that the service may write at first, in blocks of 1 KiB: its database and little more.
const BLOCKS: u32 = 1600;

/// More guests than there is room for.
const MANY: usize = 20_000;

fn new_game() -> CreateGameRequest {
    CreateGameRequest { request_id: fresh_id().to_string(), seats: 2, ..Default::default() }
}

fn unavailable(failure: &Failure) -> bool {
    matches!(failure, Failure::Refused(refused)
        if refused.code == Code::Unavailable && refused.reason == "STORAGE_UNAVAILABLE" && refused.retry_after.is_some())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_loses_nothing_and_heals() {
    let folder = tempfile::tempdir().unwrap();
    // A write beyond the limit fails like one on a full disk. The hard limit stays, so it can be lifted.
    let mut shell = Process::new("bash");
    let program = env!("CARGO_BIN_EXE_remik");
    let script = format!("trap '' XFSZ; ulimit -S -f {BLOCKS}; exec \"$0\" \"$@\"");
    let database = format!("sqlite:{}", folder.path().join("remik.db").display());
    shell.args(["-c", &script, program]).args(Service::arguments(&database));
    let service = Service::start_by(shell).await;

    let url = service.url.as_str();
    let host = Client::guest(url, Via::Rest, "Ala").await.unwrap();
    let game = host.create(new_game()).await.unwrap().view.unwrap().game_id;
    let mut guests = Vec::new();
    let refused = loop {
        match Client::guest(url, Via::Grpc, "Ola").await {
            Ok(guest) => guests.push(guest),
            Err(failure) => break failure,
        }
        assert!(guests.len() < MANY, "the disk is never full");
    };
    assert!(unavailable(&refused), "{refused:?}");
    // What takes less room than a guest may still fit, until that doesn't either.
    let another = loop {
        let another = new_game();
        match host.create(another.clone()).await {
            Ok(_) => {}
            Err(failure) => {
                assert!(unavailable(&failure), "{failure:?}");
                break another;
            }
        }
    };
    let ready = Order::new(&game, 1, Command::Ready(String::new()));
    if let Err(refused) = host.send(&ready).await {
        assert!(unavailable(&refused), "{refused:?}");
    }
    // Whoever was let in is there.
    for guest in &guests {
        guest.look(&game).await.unwrap();
    }

    let lifted = Process::new("prlimit").args(["--pid", &service.process_id(), "--fsize=unlimited"]).status();
    assert!(lifted.unwrap().success());
    // The same commands again, with the same ids, and others.
    assert_eq!(host.send(&ready).await.unwrap().version, 2);
    host.create(another).await.unwrap();
    Client::guest(url, Via::Grpc, "Ewa").await.unwrap();
    service.kill();
}
