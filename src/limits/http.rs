//! What HTTP alone could be flooded with.

use std::net::SocketAddr;
use std::time::Duration;

use axum_server::Server;

/// How long a new connection may take for its first request, and an open one for the head of the next. The latter is
/// longer than load balancers keep idle connections, so that it is they who close them.
const FIRST_REQUEST: Duration = Duration::from_secs(10);
const NEXT_HEAD: Duration = Duration::from_secs(75);

/// The largest head of a request, in bytes.
const HEAD: usize = 16 * 1024;

/// The most calls at once on a connection of HTTP/2.
const CALLS: u32 = 512;

/// How many bytes of a call, and of all calls of a connection, the client may send before they are read.
const UNTAKEN: u32 = 64 * 1024;
const UNTAKEN_OF_ALL: u32 = 1024 * 1024;

/// What is kept of an answer that the client doesn't read, in bytes: beyond it, nothing more is made for it.
const UNREAD: usize = 64 * 1024;

/// How many calls of a connection may be reset before they are taken up, and how many for faults of the client's, until
/// the connection is closed: a flood of resets costs the client a connection each.
const RESETS: usize = 32;
const FAULTS: usize = 128;

/// How long a connection of HTTP/2 may be silent before it is asked for a sign of life, and how long that may take.
const SILENCE: Duration = Duration::from_secs(30);
const SIGN_OF_LIFE: Duration = Duration::from_secs(20);

/// Sets a server's bounds.
pub fn harden<A>(server: Server<SocketAddr, A>) -> Server<SocketAddr, A> {
    let mut server = server.first_request_timeout(FIRST_REQUEST);
    let http = server.http_builder();
    // Of HTTP/1 the buffer is for reading and writing, and a body's chunks go through it too.
    http.http1().header_read_timeout(NEXT_HEAD).max_buf_size(4 * HEAD).max_headers(64);
    http.http2()
        .max_concurrent_streams(CALLS)
        .max_header_list_size(HEAD as u32)
        .max_pending_accept_reset_streams(RESETS)
        .max_local_error_reset_streams(FAULTS)
        .initial_stream_window_size(UNTAKEN)
        .initial_connection_window_size(UNTAKEN_OF_ALL)
        .max_send_buf_size(UNREAD)
        .keep_alive_interval(SILENCE)
        .keep_alive_timeout(SIGN_OF_LIFE);
    server
}
