//! `remik.v1.KeyService`.

use tonic::{Request, Response};
use uuid::Uuid;

use super::{Api, Reply, refuse};
use crate::authorization::Method;
use crate::codec::wire::{self, Fault};
use crate::error::{ApiError, Reason};
use crate::identity::{Scope, Scopes};
use crate::proto::v1::key_service_server::KeyService;
use crate::proto::v1::{
    CreateKeyRequest, CreateKeyResponse, ListKeysRequest, ListKeysResponse, RevokeKeyRequest,
    RevokeKeyResponse,
};

/// The service of API keys.
#[derive(Clone)]
pub struct Keys(pub Api);

impl Keys {
    async fn create(&self, request: Request<CreateKeyRequest>) -> Result<CreateKeyResponse, ApiError> {
        let by = self.0.administrator(request.metadata(), Method::CreateKey).await?;
        let asked = request.into_inner();
        let name = wire::display_name("name", &asked.name)?;
        let (key, secret) = self.0.identity.create_key(name, scopes(&asked.scopes)?, &by).await?;
        let key = Some(wire::api_key(&key));
        Ok(CreateKeyResponse { key, secret: secret.reveal().to_owned() })
    }

    async fn list(&self, request: Request<ListKeysRequest>) -> Result<ListKeysResponse, ApiError> {
        self.0.authorized(request.metadata(), Method::ListKeys).await?;
        let asked = request.into_inner();
        let size = wire::page_size(asked.page_size)?;
        let after = match asked.page_token.as_str() {
            "" => Uuid::nil(),
            token => wire::uuid("page_token", token)?,
        };
        let mut keys = self.0.identity.keys(after, size + 1).await?;
        let more = keys.len() > size as usize;
        keys.truncate(size as usize);
        let next = keys.last().filter(|_| more).map(|key| key.id.to_string());
        let keys = keys.iter().map(wire::api_key).collect();
        Ok(ListKeysResponse { keys, next_page_token: next.unwrap_or_default() })
    }

    async fn revoke(&self, request: Request<RevokeKeyRequest>) -> Result<RevokeKeyResponse, ApiError> {
        let by = self.0.administrator(request.metadata(), Method::RevokeKey).await?;
        let id = wire::uuid("key_id", &request.get_ref().key_id)?;
        let key = self.0.identity.revoke_key(id, &by).await?;
        let key = key.ok_or_else(|| ApiError::new(Reason::KeyNotFound, "there is no such API key"))?;
        Ok(RevokeKeyResponse { key: Some(wire::api_key(&key)) })
    }
}

fn scopes(names: &[String]) -> Result<Scopes, Fault> {
    if names.is_empty() {
        return Err(Fault::missing("scopes"));
    }
    let scope = |(index, name): (usize, &String)| {
        name.parse::<Scope>().map_err(|_| Fault::malformed(format_args!("scopes[{index}]"), name, "a scope"))
    };
    names.iter().enumerate().map(scope).collect()
}

#[tonic::async_trait]
impl KeyService for Keys {
    async fn create_key(&self, request: Request<CreateKeyRequest>) -> Reply<CreateKeyResponse> {
        self.create(request).await.map(Response::new).map_err(refuse)
    }

    async fn list_keys(&self, request: Request<ListKeysRequest>) -> Reply<ListKeysResponse> {
        self.list(request).await.map(Response::new).map_err(refuse)
    }

    async fn revoke_key(&self, request: Request<RevokeKeyRequest>) -> Reply<RevokeKeyResponse> {
        self.revoke(request).await.map(Response::new).map_err(refuse)
    }
}
