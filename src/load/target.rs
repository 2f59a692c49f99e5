use std::net::IpAddr;
use std::str::FromStr;

use http::Uri;
use tonic::transport::{Channel, Endpoint};

/// The service that is to be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target(Uri);

/// Why a target can't be used.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// It isn't the address of a service.
    #[error("the target is a URL such as http://127.0.0.1:8080, without a path")]
    Url,
    /// It can't be found.
    #[error("{host} can't be found")]
    Unknown {
        /// Its host.
        host: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is another machine, and nobody said that this was meant.
    #[error("{host} is another machine ({address}): say --allow-remote if it is yours and is to be loaded")]
    Remote {
        /// Its host.
        host: String,
        /// Its address.
        address: IpAddr,
    },
    /// No connection can be made for it.
    #[error("the target can't be connected to")]
    Connection(#[from] tonic::transport::Error),
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let uri: Uri = text.parse().map_err(|_| TargetError::Url)?;
        let bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        if uri.scheme_str() != Some("http") || uri.host().is_none() || !bare {
            return Err(TargetError::Url);
        }
        Ok(Self(uri))
    }
}

impl Target {
    /// Makes sure that it is this machine, unless others are allowed.
    pub(super) async fn check(&self, allow_remote: bool) -> Result<(), TargetError> {
        if allow_remote {
            return Ok(());
        }
        // A target has a host: it was read with one.
        let host = self.0.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let found = tokio::net::lookup_host((host.as_str(), self.0.port_u16().unwrap_or(80))).await;
        let addresses = found.map_err(|source| TargetError::Unknown { host: host.clone(), source })?;
        let remote = addresses.map(|address| address.ip()).find(|address| !address.is_loopback());
        remote.map_or(Ok(()), |address| Err(TargetError::Remote { host: host.clone(), address }))
    }

    /// Connections to it, which are made when they are needed.
    pub(super) fn connect(&self, count: u16) -> Result<Vec<Channel>, TargetError> {
        let endpoint = Endpoint::from(self.0.clone()).tcp_nodelay(true);
        Ok((0..count).map(|_| endpoint.connect_lazy()).collect())
    }

    /// The URL of a path.
    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.0.to_string().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_bare_url() {
        for text in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:8080/"] {
            let target: Target = text.parse().unwrap();
            assert!(target.url("/v1/games").ends_with(":8080/v1/games") || text == "http://localhost");
        }
        for text in ["", "127.0.0.1:8080", "https://127.0.0.1", "http://a/b", "http://a?b", "http://"] {
            assert!(matches!(text.parse::<Target>(), Err(TargetError::Url)), "{text:?}");
        }
    }

    #[tokio::test]
    async fn another_machine_has_to_be_meant() {
        let here: Target = "http://127.0.0.1:1".parse().unwrap();
        here.check(false).await.unwrap();
        let six: Target = "http://[::1]:1".parse().unwrap();
        six.check(false).await.unwrap();
        // An address that documents are written with: nothing is ever sent to it.
        let there: Target = "http://192.0.2.1:1".parse().unwrap();
        assert!(matches!(there.check(false).await, Err(TargetError::Remote { .. })));
        there.check(true).await.unwrap();
    }
}
