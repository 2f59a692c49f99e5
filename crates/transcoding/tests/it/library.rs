//! The service of `testing/v1/library.proto`.

use std::{collections::HashMap, pin::Pin, time::Duration};

use futures::{Stream, StreamExt as _, stream};
use prost::Message as _;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_types::{ErrorDetails, StatusExt as _};

// Generated code.
#[allow(clippy::all, unreachable_pub)]
pub(crate) mod proto {
    include!(concat!(env!("OUT_DIR"), "/testing.v1.rs"));
}

use proto::*;

pub(crate) struct Library;

type Answer<T> = Result<Response<T>, Status>;

fn metadata_of<T>(request: &Request<T>) -> HashMap<String, String> {
    request
        .metadata()
        .clone()
        .into_headers()
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("?").to_owned()))
        .collect()
}

#[tonic::async_trait]
impl library_service_server::LibraryService for Library {
    async fn get_book(&self, request: Request<GetBookRequest>) -> Answer<GetBookResponse> {
        let metadata = metadata_of(&request);
        let answer = GetBookResponse { request: Some(request.into_inner()), metadata };
        let mut response = Response::new(answer);
        response.metadata_mut().insert("x-request-id", "from the service".parse().unwrap());
        response.metadata_mut().insert("x-internal", "secret".parse().unwrap());
        Ok(response)
    }

    async fn find_books(&self, request: Request<FindBooksRequest>) -> Answer<FindBooksResponse> {
        Ok(Response::new(FindBooksResponse { request: Some(request.into_inner()) }))
    }

    async fn create_book(&self, request: Request<CreateBookRequest>) -> Answer<CreateBookResponse> {
        let CreateBookRequest { book, request_id } = request.into_inner();
        Ok(Response::new(CreateBookResponse { book, request_id }))
    }

    async fn lend_book(&self, request: Request<LendBookRequest>) -> Answer<LendBookResponse> {
        Ok(Response::new(LendBookResponse { request: Some(request.into_inner()) }))
    }

    async fn update_book(&self, request: Request<UpdateBookRequest>) -> Answer<UpdateBookResponse> {
        let UpdateBookRequest { mut book, mask } = request.into_inner();
        if let Some(book) = &mut book {
            // `response_body` hides the mask, so it is shown here.
            book.mask = mask.clone();
        }
        Ok(Response::new(UpdateBookResponse { book, mask }))
    }

    async fn sort_tags(&self, request: Request<SortTagsRequest>) -> Answer<SortTagsResponse> {
        let mut tags = request.into_inner().tags;
        tags.sort();
        Ok(Response::new(SortTagsResponse { tags }))
    }

    async fn get_file(&self, request: Request<GetFileRequest>) -> Answer<GetFileResponse> {
        Ok(Response::new(GetFileResponse { path: request.into_inner().path }))
    }

    async fn fail(&self, request: Request<FailRequest>) -> Answer<FailResponse> {
        let FailRequest { code, message, unknown_detail, retry_after_ms } = request.into_inner();
        if code == 0 {
            // It has no JSON form.
            let time = Some(prost_types::Timestamp { seconds: i64::MAX, nanos: 0 });
            return Ok(Response::new(FailResponse { time }));
        }
        let mut details = ErrorDetails::new();
        details.set_error_info("TOLD_TO", "testing", [("why".to_owned(), "a test".to_owned())]);
        details.add_bad_request_violation("code", "it is an error");
        if retry_after_ms > 0 {
            details.set_retry_info(Some(Duration::from_millis(retry_after_ms as u64)));
        }
        let code = Code::from_i32(code);
        let mut status = Status::with_error_details(code, message.clone(), details);
        if unknown_detail {
            let any = prost_types::Any { type_url: "example.com/not.Known".to_owned(), value: vec![8, 1] };
            let pb =
                tonic_types::pb::Status { code: code as i32, message: message.clone(), details: vec![any] };
            status = Status::with_details(code, message, pb.encode_to_vec().into());
        }
        status.metadata_mut().insert("retry-after", "99".parse().unwrap());
        status.metadata_mut().insert("x-internal", "secret".parse().unwrap());
        Err(status)
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Result<WatchResponse, Status>> + Send>>;

    async fn watch(&self, request: Request<WatchRequest>) -> Answer<Self::WatchStream> {
        let WatchRequest { counter_id, after, until, code, linger, refuse } = request.into_inner();
        if refuse {
            return Err(Status::not_found("there is no such counter"));
        }
        let counted = (after..until).map(move |n| {
            let number = n + 1;
            let event =
                watch_response::Event::Counted(Counted { text: format!("{counter_id} at\n{number}") });
            Ok(WatchResponse { number, event: Some(event) })
        });
        let caught_up = (after < until).then(|| {
            Ok(WatchResponse { number: 0, event: Some(watch_response::Event::CaughtUp(CaughtUp {})) })
        });
        let end = (code != 0).then(|| Err(Status::new(Code::from_i32(code), "told to end")));
        let items = stream::iter(counted.chain(caught_up).chain(end));
        Ok(Response::new(if linger { items.chain(stream::pending()).boxed() } else { items.boxed() }))
    }

    type TalkStream = Pin<Box<dyn Stream<Item = Result<TalkResponse, Status>> + Send>>;

    async fn talk(&self, _: Request<Streaming<TalkRequest>>) -> Answer<Self::TalkStream> {
        Ok(Response::new(stream::empty().boxed()))
    }
}
