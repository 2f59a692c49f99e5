//! gRPC's length-prefixed messages.

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use http_body_util::BodyExt as _;
use prost::Message as _;
use prost_reflect::DynamicMessage;
use tonic::{Code, Status};
use tower::BoxError;

/// One byte that says whether the message is compressed, and four for its length.
const PREFIX: usize = 5;

/// The body of a call with one message.
pub(crate) fn encode(message: &DynamicMessage) -> Result<Bytes, Status> {
    let mut frame = BytesMut::with_capacity(256);
    frame.put_bytes(0, PREFIX);
    // The length is filled in afterwards: to reckon it before would walk through the message once more.
    message.encode_raw(&mut frame);
    let length = u32::try_from(frame.len() - PREFIX);
    let length = length.map_err(|_| Status::out_of_range("the message is too large"))?;
    frame[1..PREFIX].copy_from_slice(&length.to_be_bytes());
    Ok(frame.freeze())
}

/// The messages of an answer, still encoded.
#[derive(Debug)]
pub(crate) struct Messages<B> {
    /// None after the end.
    body: Option<B>,
    buffer: Bytes,
}

impl<B> Messages<B>
where
    B: http_body::Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    pub(crate) fn new(body: B) -> Self {
        Self { body: Some(body), buffer: Bytes::new() }
    }

    /// The next message, none at a good end, or once the status of a failed call. Nothing is lost when the
    /// returned future is dropped before it is ready.
    pub(crate) async fn next(&mut self) -> Option<Result<Bytes, Status>> {
        loop {
            match self.take_message() {
                Ok(Some(message)) => return Some(Ok(message)),
                Ok(None) => {}
                Err(status) => return self.fail(status),
            }
            let frame = match self.body.as_mut()?.frame().await {
                None => return self.fail(Status::internal("the call ended without a status")),
                Some(Err(error)) => return self.fail(Status::from_error(error.into())),
                Some(Ok(frame)) => frame,
            };
            let frame = match frame.into_data() {
                Ok(data) if self.buffer.is_empty() => {
                    self.buffer = data;
                    continue;
                }
                Ok(data) => {
                    self.buffer = [std::mem::take(&mut self.buffer), data].concat().into();
                    continue;
                }
                Err(frame) => frame,
            };
            let Ok(trailers) = frame.into_trailers() else { continue };
            match Status::from_header_map(&trailers) {
                Some(status) if status.code() != Code::Ok => return self.fail(status),
                _ if !self.buffer.is_empty() => {
                    return self.fail(Status::internal("the last message is cut off"));
                }
                _ => self.body = None,
            }
        }
    }

    fn take_message(&mut self) -> Result<Option<Bytes>, Status> {
        let Some((prefix, rest)) = self.buffer.split_first_chunk::<PREFIX>() else { return Ok(None) };
        let [compressed, length @ ..] = *prefix;
        if compressed != 0 {
            // No request offers a compression.
            return Err(Status::internal("a message is compressed"));
        }
        let length = u32::from_be_bytes(length) as usize;
        if rest.len() < length {
            return Ok(None);
        }
        self.buffer.advance(PREFIX);
        Ok(Some(self.buffer.split_to(length)))
    }

    fn fail<T>(&mut self, status: Status) -> Option<Result<T, Status>> {
        self.body = None;
        self.buffer = Bytes::new();
        Some(Err(status))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::stream;
    use http::{HeaderMap, HeaderValue};
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;

    async fn read(frames: Vec<Frame<Bytes>>) -> (Vec<Bytes>, Option<Code>) {
        let body = StreamBody::new(stream::iter(frames.into_iter().map(Ok::<_, Infallible>)));
        let (mut messages, mut got) = (Messages::new(body), Vec::new());
        let code = loop {
            match messages.next().await {
                Some(Ok(message)) => got.push(message),
                Some(Err(status)) => break Some(status.code()),
                None => break None,
            }
        };
        assert!(messages.next().await.is_none(), "an end is final");
        (got, code)
    }

    fn data(bytes: &'static [u8]) -> Frame<Bytes> {
        Frame::data(Bytes::from_static(bytes))
    }

    fn trailers(code: &'static str) -> Frame<Bytes> {
        Frame::trailers(HeaderMap::from_iter([(
            http::HeaderName::from_static("grpc-status"),
            HeaderValue::from_static(code),
        )]))
    }

    #[tokio::test]
    async fn messages_may_be_split_and_joined_anywhere() {
        let whole: &[u8] = b"\0\0\0\0\x02ab\0\0\0\0\0\0\0\0\0\x01c";
        let expected = vec![Bytes::from("ab"), Bytes::new(), Bytes::from("c")];
        for cut in 0..=whole.len() {
            let (a, b) = whole.split_at(cut);
            let got = read(vec![data(a), data(b), trailers("0")]).await;
            assert_eq!(got, (expected.clone(), None), "cut at {cut}");
        }
    }

    #[tokio::test]
    async fn every_end_but_a_good_status_is_an_error() {
        let one = || data(b"\0\0\0\0\x01a");
        let a = vec![Bytes::from("a")];
        assert_eq!(read(vec![trailers("0")]).await, (vec![], None));
        assert_eq!(read(vec![one(), trailers("5")]).await, (a.clone(), Some(Code::NotFound)));
        assert_eq!(read(vec![one()]).await, (a.clone(), Some(Code::Internal)), "no status");
        assert_eq!(read(vec![one(), data(b"\0"), trailers("0")]).await, (a, Some(Code::Internal)), "cut off");
        assert_eq!(
            read(vec![data(b"\x01\0\0\0\0"), trailers("0")]).await,
            (vec![], Some(Code::Internal)),
            "compressed"
        );
    }
}
