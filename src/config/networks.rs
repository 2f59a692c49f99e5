//! Networks whose addresses may be called though they aren't public.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::origins::Written;

/// A list of networks; empty for none. Written as a list, or as a text with commas between them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Vec<String>")]
pub struct Networks(Vec<Network>);

/// A network such as `10.0.0.0/8`, a single address, or `*` for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Network {
    All,
    Of(IpNet),
}

/// A text that is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no network: one is `*`, an address, or like `10.0.0.0/8`")]
pub struct NetworkError(String);

impl Networks {
    /// Whether an address is in one of them. An IPv4 address that is written as one of IPv6 is the same address.
    pub fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| match network {
            Network::All => true,
            Network::Of(network) => network.contains(&address),
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        if text == "*" {
            return Ok(Self::All);
        }
        let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network.map(Self::Of).map_err(|_| NetworkError(text.to_owned()))
    }
}

impl FromStr for Networks {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let networks = text.split(',').map(str::trim).filter(|network| !network.is_empty());
        networks.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<Written> for Networks {
    type Error = NetworkError;

    fn try_from(written: Written) -> Result<Self, NetworkError> {
        match written {
            Written::Text(text) => text.parse(),
            Written::List(list) => {
                list.iter().map(|network| network.parse()).collect::<Result<_, _>>().map(Self)
            }
        }
    }
}

impl From<Networks> for Vec<String> {
    fn from(networks: Networks) -> Self {
        networks.0.iter().map(ToString::to_string).collect()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Of(network) => network.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read_strictly() {
        let networks: Networks = "10.0.0.0/8, ::1,192.168.1.7".parse().unwrap();
        for (address, inside) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("11.0.0.1", false),
            ("::1", true),
            ("::2", false),
            ("192.168.1.7", true),
            ("192.168.1.8", false),
        ] {
            assert_eq!(networks.contain(address.parse().unwrap()), inside, "{address}");
        }
        assert_eq!(
            serde_json::from_value::<Networks>(serde_json::to_value(&networks).unwrap()).unwrap(),
            networks
        );
        assert!("".parse::<Networks>().unwrap().is_empty());
        assert!("*".parse::<Networks>().unwrap().contain([8, 8, 8, 8].into()));
        for text in ["10.0.0.0/33", "localhost", "10.0.0", "**"] {
            assert!(text.parse::<Networks>().is_err(), "{text}");
        }
    }
}
