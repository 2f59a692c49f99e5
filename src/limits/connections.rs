//! The connections that are accepted.

use std::future::{Ready, ready};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum_server::accept::Accept;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::{Limits, Slot};

/// Lets connections in while there aren't too many; others are closed at once.
#[derive(Clone)]
pub struct Gate(Arc<Limits>);

impl Gate {
    /// A gate by these limits.
    pub fn new(limits: Arc<Limits>) -> Self {
        Self(limits)
    }

    fn let_in(&self, stream: TcpStream) -> io::Result<Connection> {
        // A move is small and shall be sent at once.
        stream.set_nodelay(true)?;
        let peer = stream.peer_addr()?.ip();
        let slots = self.0.connection_from(peer.into());
        let (whole, of_address) = slots.ok_or_else(|| io::Error::other("too many connections"))?;
        Ok(Connection { stream, _slots: [whole, of_address] })
    }
}

impl<S> Accept<TcpStream, S> for Gate {
    type Stream = Connection;
    type Service = S;
    type Future = Ready<io::Result<(Connection, S)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        ready(self.let_in(stream).map(|connection| (connection, service)))
    }
}

/// A connection that is counted until it ends.
pub struct Connection {
    stream: TcpStream,
    _slots: [Slot; 2],
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
