//! `remik.v1.RulesetService`.

use std::sync::Arc;

use tonic::metadata::MetadataValue;
use tonic::{Request, Response};

use super::Reply;
use crate::codec::wire;
use crate::proto::v1::ruleset_service_server::RulesetService;
use crate::proto::v1::{ListRulesetsRequest, ListRulesetsResponse};

/// The service of rulesets. Whoever asks gets the same answer.
#[derive(Clone)]
pub struct Rulesets(Arc<ListRulesetsResponse>);

impl Default for Rulesets {
    fn default() -> Self {
        Self(Arc::new(wire::rulesets()))
    }
}

#[tonic::async_trait]
impl RulesetService for Rulesets {
    async fn list_rulesets(&self, _: Request<ListRulesetsRequest>) -> Reply<ListRulesetsResponse> {
        let mut response = Response::new(ListRulesetsResponse::clone(&self.0));
        // It may be kept, and asked for again whether another version of the service has another one.
        response.metadata_mut().insert("cache-control", MetadataValue::from_static("no-cache"));
        Ok(response)
    }
}
