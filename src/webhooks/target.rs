//! Where may be posted to: nobody is to reach by the service what he couldn't reach himself.

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;
use tokio::time::timeout;

use super::address::is_public;
use crate::config::Networks;

/// How long a name may take to be resolved.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest URL, in bytes.
const LONGEST: usize = 2048;

/// Why a URL isn't posted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    /// It is none, or too long.
    #[error("it is no URL of at most 2048 bytes")]
    Malformed,
    /// It is neither of https nor of http.
    #[error("it isn't https")]
    Scheme,
    /// It has a user name or a password in it, which would be stored and sent in the clear.
    #[error("it has a user name or a password in it")]
    Credentials,
    /// Its name leads nowhere.
    #[error("its host has no address")]
    Unknown,
    /// It leads to an address that may not be called: a private one, or by http.
    #[error("its host has an address that may not be called")]
    Address,
}

impl UrlFault {
    /// The name by which clients are told.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "MALFORMED",
            Self::Scheme => "SCHEME",
            Self::Credentials => "CREDENTIALS",
            Self::Unknown => "UNKNOWN_HOST",
            Self::Address => "ADDRESS",
        }
    }
}

/// Tells what may be called: by https public addresses and the allowed networks, by http the allowed networks alone.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    allowed: Networks,
    secure: bool,
}

impl Guard {
    /// For one of the two schemes.
    pub(super) fn new(allowed: Networks, secure: bool) -> Self {
        Self { allowed, secure }
    }

    fn admits(&self, address: IpAddr) -> bool {
        self.allowed.contain(address) || self.secure && is_public(address)
    }

    /// The addresses of a host, each of which may be called: a name that leads somewhere else as well isn't trusted.
    async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, UrlFault> {
        let found: io::Result<Vec<_>> = match timeout(PATIENCE, lookup_host((host, port))).await {
            Ok(found) => found.map(Iterator::collect),
            Err(_elapsed) => Err(io::ErrorKind::TimedOut.into()),
        };
        match found {
            Ok(addresses) if addresses.is_empty() => Err(UrlFault::Unknown),
            Ok(addresses) if addresses.iter().all(|address| self.admits(address.ip())) => Ok(addresses),
            Ok(_) => Err(UrlFault::Address),
            Err(_) => Err(UrlFault::Unknown),
        }
    }
}

/// What connections are made by: only to addresses that were looked at.
impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let addresses = Guard::resolve(&guard, name.as_str(), 0).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Reads a URL, apart from where its name leads.
///
/// # Errors
/// It isn't one that could be posted to.
pub(super) fn read(url: &str, allowed: &Networks) -> Result<Url, UrlFault> {
    // A URL is read leniently: these would be dropped or turned on the way, or can't be stored.
    let odd = |letter: char| letter.is_control() || letter.is_whitespace() || letter == '\\';
    let url = Some(url)
        .filter(|url| url.len() <= LONGEST && !url.contains(odd))
        .and_then(|url| Url::parse(url).ok());
    let url = url.ok_or(UrlFault::Malformed)?;
    if !(url.scheme() == "https" || url.scheme() == "http" && !allowed.is_empty()) {
        return Err(UrlFault::Scheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlFault::Credentials);
    }
    if let Some(address) = literal(&url)
        && !Guard::new(allowed.clone(), is_secure(&url)).admits(address)
    {
        return Err(UrlFault::Address);
    }
    Ok(url)
}

/// Reads a URL and looks where it leads.
///
/// # Errors
/// It isn't one that may be posted to.
pub(super) async fn check(url: &str, allowed: &Networks) -> Result<(), UrlFault> {
    let url = read(url, allowed)?;
    if literal(&url).is_some() {
        return Ok(());
    }
    let host = url.host_str().ok_or(UrlFault::Malformed)?;
    let port = url.port_or_known_default().ok_or(UrlFault::Malformed)?;
    Guard::new(allowed.clone(), is_secure(&url)).resolve(host, port).await.map(drop)
}

pub(super) fn is_secure(url: &Url) -> bool {
    url.scheme() == "https"
}

/// The address that stands in a URL instead of a name. Such a one is never resolved.
fn literal(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether a connection wasn't made because of where it leads.
pub(super) fn is_refusal(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(inner) = cause {
        if inner.downcast_ref::<UrlFault>() == Some(&UrlFault::Address) {
            return true;
        }
        cause = inner.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn judge(url: &str, allowed: &str) -> Result<(), UrlFault> {
        check(url, &allowed.parse().unwrap()).await
    }

    #[tokio::test]
    async fn urls_are_judged_by_where_they_lead() {
        use UrlFault::*;
        let long = format!("https://8.8.8.8/{}", "a".repeat(LONGEST));
        for (url, allowed, told) in [
            ("https://8.8.8.8/hook", "", Ok(())),
            ("https://[2606:4700::1111]:8443/hook?a=b", "", Ok(())),
            ("http://8.8.8.8/hook", "", Err(Scheme)),
            ("http://8.8.8.8/hook", "10.0.0.0/8", Err(Address)),
            ("http://8.8.8.8/hook", "*", Ok(())),
            ("ftp://8.8.8.8/hook", "*", Err(Scheme)),
            ("file:///etc/passwd", "*", Err(Scheme)),
            ("https://127.0.0.1/", "", Err(Address)),
            ("https://127.0.0.1/", "127.0.0.0/8", Ok(())),
            ("http://127.0.0.1:8080/", "127.0.0.0/8", Ok(())),
            // Other ways to write it.
            ("https://2130706433/", "", Err(Address)),
            ("https://0x7f.1/", "", Err(Address)),
            ("https://017700000001/", "", Err(Address)),
            ("https://127.1/", "", Err(Address)),
            ("https://１２７.０.０.１/", "", Err(Address)),
            ("https://[::1]/", "", Err(Address)),
            ("https://[::ffff:127.0.0.1]/", "", Err(Address)),
            ("https://[::ffff:127.0.0.1]/", "127.0.0.1", Ok(())),
            ("https://169.254.169.254/latest/meta-data", "", Err(Address)),
            ("https://localhost/", "", Err(Address)),
            ("https://LOCALHOST/", "", Err(Address)),
            ("https://localhost/", "127.0.0.1,::1", Ok(())),
            ("https://no-such-host.invalid/", "", Err(Unknown)),
            ("https://user@8.8.8.8/", "", Err(Credentials)),
            ("https://:secret@8.8.8.8/", "", Err(Credentials)),
            ("hook", "", Err(Malformed)),
            ("", "", Err(Malformed)),
            ("https://", "", Err(Malformed)),
            ("https://1.1.1.1/\0", "", Err(Malformed)),
            ("https://1.1.1.1/a\r\nb", "", Err(Malformed)),
            ("https://1.1.1.1/a b", "", Err(Malformed)),
            ("https://1.1.1.1\\@127.0.0.1/", "", Err(Malformed)),
            (&long, "", Err(Malformed)),
        ] {
            assert_eq!(judge(url, allowed).await, told, "{url} with {allowed:?}");
        }
    }

    #[tokio::test]
    async fn a_connection_is_refused_where_the_name_leads() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let guard = Guard::new(Networks::default(), true);
        let client = reqwest::Client::builder().no_proxy().dns_resolver(guard).build();
        let refused = client.unwrap().get("https://localhost:9/").send().await.unwrap_err();
        assert!(is_refusal(&refused), "{refused:?}");
    }
}
