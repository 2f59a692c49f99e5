//! Where a call comes from.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;

/// Whose address it is, as far as it can be told apart from others: whoever has an IPv6 address has a whole /64
/// network of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network(IpAddr);

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
            v4 => v4,
        })
    }
}

impl Network {
    /// The network of a client whose connection comes from `peer`, where so many proxies are in front of the service.
    /// What is further left in `X-Forwarded-For` was written by nobody who is trusted.
    pub(super) fn of(peer: IpAddr, headers: &HeaderMap, proxies: usize) -> Self {
        let lists = headers.get_all("x-forwarded-for").iter().rev().filter_map(|list| list.to_str().ok());
        let mut hops = lists.flat_map(|list| list.rsplit(','));
        let forwarded = proxies.checked_sub(1).and_then(|before| hops.nth(before));
        forwarded.and_then(|hop| hop.trim().parse().ok()).unwrap_or(peer).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        Network::from(text.parse::<IpAddr>().unwrap())
    }

    #[test]
    fn only_proxies_that_are_known_are_believed() {
        let peer = "10.0.0.1".parse().unwrap();
        let of = |lists: &[&'static str], proxies| {
            let mut headers = HeaderMap::new();
            for list in lists {
                headers.append("x-forwarded-for", list.parse().unwrap());
            }
            Network::of(peer, &headers, proxies)
        };
        for (lists, proxies, expected) in [
            (&["9.9.9.9, 1.2.3.4"][..], 0, "10.0.0.1"),
            (&["9.9.9.9, 1.2.3.4"], 1, "1.2.3.4"),
            (&["9.9.9.9, 1.2.3.4,10.0.0.2"], 2, "1.2.3.4"),
            (&["9.9.9.9", "1.2.3.4"], 1, "1.2.3.4"),
            (&["9.9.9.9", "1.2.3.4"], 2, "9.9.9.9"),
            (&["1.2.3.4"], 2, "10.0.0.1"),
            (&["nonsense"], 1, "10.0.0.1"),
            (&[], 1, "10.0.0.1"),
        ] {
            assert_eq!(of(lists, proxies), network(expected), "{lists:?} {proxies}");
        }
    }

    #[test]
    fn a_network_is_one_caller() {
        assert_eq!(network("2001:db8::1"), network("2001:db8::2:3"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:1.2.3.4"), network("1.2.3.4"));
        assert_ne!(network("1.2.3.4"), network("1.2.3.5"));
    }
}
