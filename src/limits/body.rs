//! Bodies that come too slowly.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Sleep, sleep};
use tonic::Status;
use tower::BoxError;

use super::{Exceeded, Limits};
use crate::error::{ApiError, Language, localized};

impl Limits {
    /// A body that has to be there as soon as a call has to be answered. What is wrapped by gRPC needs none: the guard's
    /// time covers it.
    pub fn in_time_body(&self, body: Body, language: Language) -> Body {
        if body.is_end_stream() {
            return body;
        }
        let most = self.call_time();
        Body::new(Timed { body, most: Exceeded::Time(most), language, end: Box::pin(sleep(most)) })
    }
}

struct Timed {
    body: Body,
    most: Exceeded,
    /// Of the text for who has sent it.
    language: Language,
    end: Pin<Box<Sleep>>,
}

impl HttpBody for Timed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.end.as_mut().poll(cx).is_ready() {
            let status = Status::from(ApiError::from(self.most));
            let told = localized(self.language, &status).unwrap_or(status);
            return Poll::Ready(Some(Err(told.into())));
        }
        Pin::new(&mut self.body).poll_frame(cx).map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
