//! `remik.v1.WebhookService`.

use std::sync::Arc;

use tonic::metadata::MetadataMap;
use tonic::{Request, Response};
use uuid::Uuid;

use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::codec::wire::{self, Fault};
use crate::error::{ApiError, Reason};
use crate::identity::{Denied, Principal, Scope};
use crate::proto::v1::webhook_service_server::WebhookService;
use crate::proto::v1::*;
use crate::webhooks::Webhooks;

/// The service of webhooks.
#[derive(Clone)]
pub struct WebhookApi {
    api: Api,
    webhooks: Arc<Webhooks>,
}

impl WebhookApi {
    /// The service over the webhooks of a store.
    pub const fn new(api: Api, webhooks: Arc<Webhooks>) -> Self {
        Self { api, webhooks }
    }

    /// The key that calls.
    async fn key(&self, metadata: &MetadataMap, method: Method) -> Result<Uuid, ApiError> {
        match self.api.authorized(metadata, method).await?.principal {
            Principal::Backend(backend) => Ok(backend.key),
            Principal::Player(_) => Err(Denied::ScopeMissing(Scope::Webhooks).into()),
        }
    }

    async fn create(
        &self,
        request: Request<CreateWebhookRequest>,
    ) -> Result<CreateWebhookResponse, ApiError> {
        let key = self.key(request.metadata(), Method::CreateWebhook).await?;
        let (webhook, secret) = self.webhooks.create(key, request.into_inner().try_into()?).await?;
        let secret = secret.map_or_else(String::new, |secret| secret.reveal().to_owned());
        Ok(CreateWebhookResponse { webhook: Some(wire::webhook(&webhook, self.webhooks.now())), secret })
    }

    async fn list(&self, request: Request<ListWebhooksRequest>) -> Result<ListWebhooksResponse, ApiError> {
        let key = self.key(request.metadata(), Method::ListWebhooks).await?;
        let asked = request.into_inner();
        let size = wire::page_size(asked.page_size)?;
        let after = match asked.page_token.as_str() {
            "" => Uuid::nil(),
            token => wire::uuid("page_token", token)?,
        };
        let mut webhooks = self.webhooks.list(key, after, size + 1).await?;
        let more = webhooks.len() > size as usize;
        webhooks.truncate(size as usize);
        let next = webhooks.last().filter(|_| more).map(|webhook| webhook.id.to_string());
        let now = self.webhooks.now();
        Ok(ListWebhooksResponse {
            webhooks: webhooks.iter().map(|webhook| wire::webhook(webhook, now)).collect(),
            next_page_token: next.unwrap_or_default(),
        })
    }

    async fn get(&self, request: Request<GetWebhookRequest>) -> Result<GetWebhookResponse, ApiError> {
        let key = self.key(request.metadata(), Method::GetWebhook).await?;
        let webhook = self.webhooks.get(key, id(&request.get_ref().webhook_id)?).await?;
        Ok(GetWebhookResponse { webhook: Some(wire::webhook(&webhook, self.webhooks.now())) })
    }

    async fn update(
        &self,
        request: Request<UpdateWebhookRequest>,
    ) -> Result<UpdateWebhookResponse, ApiError> {
        let key = self.key(request.metadata(), Method::UpdateWebhook).await?;
        let asked = request.into_inner();
        let id = id(&asked.webhook_id)?;
        let webhook = self.webhooks.change(key, id, asked.try_into()?).await?;
        Ok(UpdateWebhookResponse { webhook: Some(wire::webhook(&webhook, self.webhooks.now())) })
    }

    async fn delete(
        &self,
        request: Request<DeleteWebhookRequest>,
    ) -> Result<DeleteWebhookResponse, ApiError> {
        let key = self.key(request.metadata(), Method::DeleteWebhook).await?;
        self.webhooks.delete(key, id(&request.get_ref().webhook_id)?).await?;
        Ok(DeleteWebhookResponse {})
    }

    async fn rotate(
        &self,
        request: Request<RotateWebhookSecretRequest>,
    ) -> Result<RotateWebhookSecretResponse, ApiError> {
        let key = self.key(request.metadata(), Method::RotateWebhookSecret).await?;
        let asked = request.into_inner();
        let request_id = wire::uuid("request_id", &asked.request_id)?;
        let (secret, old) = self.webhooks.rotate(key, id(&asked.webhook_id)?, request_id).await?;
        Ok(RotateWebhookSecretResponse {
            secret: secret.reveal().to_owned(),
            old_secret_until: Some(wire::stored_time(old)),
        })
    }

    async fn deliveries(
        &self,
        request: Request<ListWebhookDeliveriesRequest>,
    ) -> Result<ListWebhookDeliveriesResponse, ApiError> {
        let key = self.key(request.metadata(), Method::ListWebhookDeliveries).await?;
        let asked = request.into_inner();
        let size = wire::page_size(asked.page_size)?;
        let state = wire::delivery_state(asked.state)?;
        let after = match asked.page_token.as_str() {
            "" => 0,
            token => token.parse().map_err(|_| Fault::malformed("page_token", token, "a page token"))?,
        };
        let mut found = self.webhooks.deliveries(key, id(&asked.webhook_id)?, state, after, size + 1).await?;
        let more = found.len() > size as usize;
        found.truncate(size as usize);
        let next = found.last().filter(|_| more).map(|delivery| delivery.place.to_string());
        let unreadable =
            |cause| ApiError::new(Reason::LogUnreadable, "a stored delivery can't be read").caused_by(cause);
        let deliveries = found.iter().map(|delivery| wire::webhook_delivery(delivery).map_err(unreadable));
        Ok(ListWebhookDeliveriesResponse {
            deliveries: deliveries.collect::<Result<_, _>>()?,
            next_page_token: next.unwrap_or_default(),
        })
    }

    async fn replay(
        &self,
        request: Request<ReplayWebhookDeliveriesRequest>,
    ) -> Result<ReplayWebhookDeliveriesResponse, ApiError> {
        let key = self.key(request.metadata(), Method::ReplayWebhookDeliveries).await?;
        let asked = request.into_inner();
        let named = wire::delivery_ids(&asked.delivery_ids)?;
        let replayed = self.webhooks.replay(key, id(&asked.webhook_id)?, &named).await?;
        Ok(ReplayWebhookDeliveriesResponse { replayed })
    }
}

fn id(text: &str) -> Result<Uuid, Fault> {
    wire::uuid("webhook_id", text)
}

#[tonic::async_trait]
impl WebhookService for WebhookApi {
    async fn create_webhook(&self, request: Request<CreateWebhookRequest>) -> Reply<CreateWebhookResponse> {
        self.create(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_webhooks(&self, request: Request<ListWebhooksRequest>) -> Reply<ListWebhooksResponse> {
        self.list(request).await.map(Response::new).map_err(refuse)
    }

    async fn get_webhook(&self, request: Request<GetWebhookRequest>) -> Reply<GetWebhookResponse> {
        self.get(request).await.map(Response::new).map_err(refuse)
    }

    async fn update_webhook(&self, request: Request<UpdateWebhookRequest>) -> Reply<UpdateWebhookResponse> {
        self.update(request).await.map(Response::new).map_err(refuse)
    }

    async fn delete_webhook(&self, request: Request<DeleteWebhookRequest>) -> Reply<DeleteWebhookResponse> {
        self.delete(request).await.map(Response::new).map_err(refuse)
    }

    async fn rotate_webhook_secret(
        &self,
        request: Request<RotateWebhookSecretRequest>,
    ) -> Reply<RotateWebhookSecretResponse> {
        self.rotate(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_webhook_deliveries(
        &self,
        request: Request<ListWebhookDeliveriesRequest>,
    ) -> Reply<ListWebhookDeliveriesResponse> {
        self.deliveries(request).await.map(Response::new).map_err(refuse)
    }

    async fn replay_webhook_deliveries(
        &self,
        request: Request<ReplayWebhookDeliveriesRequest>,
    ) -> Reply<ReplayWebhookDeliveriesResponse> {
        self.replay(request).await.map(Response::new).map_err(refuse)
    }
}
