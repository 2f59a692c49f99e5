//! What a failed call tells.

use std::{collections::BTreeMap, error::Error, time::Duration};

use prost::Message;
use remik::{error::Reason, proto::rpc};
use serde_json::Value as Json;
use tonic::{Code, Status};

/// Why a call has no answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// The service refused it.
    Refused(Refused),
    /// The connection broke: nobody knows what became of the call.
    Lost(String),
}

/// A refusal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refused {
    pub(crate) code: Code,
    /// Of its `ErrorInfo`; empty without one.
    pub(crate) reason: String,
    pub(crate) metadata: BTreeMap<String, String>,
    /// The fields at fault.
    pub(crate) fields: Vec<String>,
    pub(crate) retry_after: Option<Duration>,
    /// The text for players and its language.
    pub(crate) text: Option<Box<(String, String)>>,
}

impl Failure {
    /// The refusal, of a call that was refused.
    pub(crate) fn refused(self) -> Refused {
        match self {
            Self::Refused(refused) => refused,
            Self::Lost(error) => panic!("lost: {error}"),
        }
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let unexplained = status.details().is_empty()
            && matches!(status.code(), Code::Unavailable | Code::Cancelled | Code::Unknown | Code::Internal);
        if unexplained || status.source().is_some() {
            return Self::Lost(format!("{status:?}"));
        }
        let mut refused = Refused::new(status.code());
        let whole = rpc::Status::decode(status.details()).unwrap();
        for any in whole.details {
            match any.type_url.rsplit('.').next().unwrap() {
                "ErrorInfo" => {
                    let info = rpc::ErrorInfo::decode(&*any.value).unwrap();
                    assert_eq!(info.domain, "remik");
                    refused.reason = info.reason;
                    refused.metadata = info.metadata;
                }
                "BadRequest" => {
                    let bad = rpc::BadRequest::decode(&*any.value).unwrap();
                    refused.fields = bad.field_violations.into_iter().map(|v| v.field).collect();
                }
                "LocalizedMessage" => {
                    let text = rpc::LocalizedMessage::decode(&*any.value).unwrap();
                    refused.text = Some(Box::new((text.locale, text.message)));
                }
                "RetryInfo" => {
                    let delay = rpc::RetryInfo::decode(&*any.value).unwrap().retry_delay.unwrap();
                    refused.retry_after = Some(delay.try_into().unwrap());
                }
                _ => {}
            }
        }
        Self::Refused(refused.held_to_the_table())
    }
}

impl Refused {
    fn new(code: Code) -> Self {
        let (reason, metadata, fields) = Default::default();
        Self { code, reason, metadata, fields, retry_after: None, text: None }
    }

    /// Whatever is refused in whatever test: it is told as the table of reasons says, with a text.
    fn held_to_the_table(self) -> Self {
        let Some(reason) = Reason::of_name(&self.reason) else {
            assert_eq!(self.reason, "", "no such reason");
            return self;
        };
        assert_eq!(self.code, reason.code(), "{self:?}");
        assert_eq!(self.retry_after.is_some(), reason.retry_after().is_some(), "{self:?}");
        assert_eq!(self.metadata.get("rule").cloned(), reason.rule().map(|rule| rule.to_string()));
        for key in reason.keys().iter().filter(|key| key.always) {
            assert!(self.metadata.contains_key(key.name), "{} is missing: {self:?}", key.name);
        }
        for key in self.metadata.keys().filter(|key| *key != "rule") {
            assert!(reason.keys().iter().any(|known| known.name == key), "{key} isn't declared: {self:?}");
        }
        assert!(self.text.as_ref().is_some_and(|text| !text.1.is_empty()), "{self:?}");
        self
    }

    /// From `google.rpc.Status` as JSON.
    pub(crate) fn from_json(code: Code, status: &Json) -> Self {
        let mut refused = Self::new(code);
        for detail in status["details"].as_array().unwrap() {
            match detail["@type"].as_str().unwrap().rsplit('.').next().unwrap() {
                "ErrorInfo" => {
                    assert_eq!(detail["domain"], "remik");
                    refused.reason = detail["reason"].as_str().unwrap().to_owned();
                    let metadata = detail["metadata"].as_object().into_iter().flatten();
                    refused.metadata = metadata
                        .map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned()))
                        .collect();
                }
                "BadRequest" => {
                    let violations = detail["fieldViolations"].as_array().unwrap();
                    refused.fields =
                        violations.iter().map(|v| v["field"].as_str().unwrap().to_owned()).collect();
                }
                "LocalizedMessage" => {
                    let text = |key: &str| detail[key].as_str().unwrap().to_owned();
                    refused.text = Some(Box::new((text("locale"), text("message"))));
                }
                "RetryInfo" => {
                    let delay = detail["retryDelay"].as_str().unwrap().strip_suffix('s').unwrap();
                    refused.retry_after = Some(Duration::from_secs_f64(delay.parse().unwrap()));
                }
                _ => {}
            }
        }
        refused.held_to_the_table()
    }
}
