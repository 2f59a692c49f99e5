//! Failures of webhooks.

use crate::webhooks::{MOST_WEBHOOKS, WebhookError};

use super::{ApiError, Reason};

impl From<WebhookError> for ApiError {
    fn from(error: WebhookError) -> Self {
        let told = error.to_string();
        match error {
            WebhookError::NotFound => Self::new(Reason::WebhookNotFound, told),
            WebhookError::RequestReused => Self::request_id_reused(),
            WebhookError::TooMany => Self::new(Reason::TooManyWebhooks, told).with("most", MOST_WEBHOOKS),
            WebhookError::Url(fault) => Self::new(Reason::WebhookUrlRefused, told)
                .with("why", fault.name())
                .at("url", fault.to_string()),
            WebhookError::Feed(cause) => cause.into(),
            WebhookError::Store(cause) => cause.into(),
        }
    }
}
