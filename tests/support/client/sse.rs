//! Server-sent events, read as the HTML standard says, however they are cut into chunks.

use std::collections::VecDeque;

use remik::proto::v1::WatchGameResponse;
use reqwest::Response;
use serde_json::Value as Json;
use tonic::Code;

use super::{Failure, Refused, from_json};

/// The events of a watched game.
pub(crate) struct Events {
    response: Response,
    /// What of the last line has come.
    line: Vec<u8>,
    event: Event,
    ready: VecDeque<Event>,
}

#[derive(Debug, Default, PartialEq)]
struct Event {
    id: String,
    name: String,
    data: String,
}

impl Events {
    pub(super) fn new(response: Response) -> Self {
        Self { response, line: Vec::new(), event: Event::default(), ready: VecDeque::new() }
    }

    pub(super) async fn next(&mut self) -> Result<Option<WatchGameResponse>, Failure> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return event.into_item();
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => self.take_in(&chunk),
                Ok(None) => return Err(Failure::Lost("the stream ended without a status".to_owned())),
                Err(error) => return Err(Failure::Lost(format!("{error:?}"))),
            }
        }
    }

    fn take_in(&mut self, chunk: &[u8]) {
        for &byte in chunk {
            if byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.line)).unwrap();
                self.take_line(&line);
            } else {
                self.line.push(byte);
            }
        }
    }

    fn take_line(&mut self, line: &str) {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            // A comment alone makes no event.
            if !event.data.is_empty() {
                self.ready.push_back(event);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => {}
            "id" => value.clone_into(&mut self.event.id),
            "event" => value.clone_into(&mut self.event.name),
            "data" => self.event.data.push_str(value),
            _ => panic!("an unknown field: {line}"),
        }
    }
}

impl Event {
    fn into_item(self) -> Result<Option<WatchGameResponse>, Failure> {
        if self.name == "status" {
            let status: Json = serde_json::from_str(&self.data).unwrap();
            return match Code::from_i32(status["code"].as_i64().unwrap().try_into().unwrap()) {
                Code::Ok => Ok(None),
                code => Err(Failure::Refused(Refused::from_json(code, &status))),
            };
        }
        let item: WatchGameResponse = from_json("WatchGameResponse", &self.data);
        assert_eq!(self.id, item.version.to_string());
        Ok(Some(item))
    }
}
