//! Which addresses are anybody's to call.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const fn v4(a: u8, b: u8, c: u8, length: u8) -> (Ipv4Addr, u8) {
    (Ipv4Addr::new(a, b, c, 0), length)
}

const fn v6(a: u16, b: u16, length: u8) -> (Ipv6Addr, u8) {
    (Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), length)
}

/// What of IPv4 isn't on the Internet, by the registry of special-purpose addresses (RFC 6890 and later), multicast and
/// what is reserved.
const NOT_PUBLIC_V4: [(Ipv4Addr, u8); 15] = [
    v4(0, 0, 0, 8),
    v4(10, 0, 0, 8),
    v4(100, 64, 0, 10),
    v4(127, 0, 0, 8),
    v4(169, 254, 0, 16),
    v4(172, 16, 0, 12),
    v4(192, 0, 0, 24),
    v4(192, 0, 2, 24),
    v4(192, 88, 99, 24),
    v4(192, 168, 0, 16),
    v4(198, 18, 0, 15),
    v4(198, 51, 100, 24),
    v4(203, 0, 113, 24),
    v4(224, 0, 0, 4),
    v4(240, 0, 0, 4),
];

/// Global unicast of IPv6. All else is loopback, link-local, unique local, multicast, or not assigned.
const GLOBAL_V6: (Ipv6Addr, u8) = v6(0x2000, 0, 3);

/// What of global unicast isn't on the Internet, or leads into IPv4 by a way of its own: protocol assignments (Teredo,
/// ORCHID and others), documentation, 6to4.
const NOT_PUBLIC_V6: [(Ipv6Addr, u8); 4] =
    [v6(0x2001, 0, 23), v6(0x2001, 0xdb8, 32), v6(0x2002, 0, 16), v6(0x3fff, 0, 20)];

/// Where NAT64 shows IPv4 addresses, in their last four bytes (RFC 6052).
const NAT64: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);

/// Whether an address is on the Internet, where anybody may call it anyhow.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let inside = |(network, length): &(Ipv4Addr, u8)| {
                (address.to_bits() ^ network.to_bits()) >> (32 - length) == 0
            };
            !NOT_PUBLIC_V4.iter().any(inside)
        }
        IpAddr::V6(address) => {
            let inside = |(network, length): &(Ipv6Addr, u8)| {
                (address.to_bits() ^ network.to_bits()) >> (128 - length) == 0
            };
            if inside(&(NAT64, 96)) {
                // The last four bytes.
                return is_public(Ipv4Addr::from_bits(address.to_bits() as u32).into());
            }
            inside(&GLOBAL_V6) && !NOT_PUBLIC_V6.iter().any(inside)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// First and last addresses of each network, and their neighbours outside.
    #[test]
    fn the_edges_are_where_they_should_be() {
        let refused = [
            "0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.0.0.1",
            "127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0",
            "192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255",
            "198.51.100.1 203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255",
            ":: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254",
            "::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 2001::1 2001:1ff::1 2001:db8::1",
            "2002:7f00:1::1 2002:808:808::1 3fff::1 3fff:fff::1 4000::1 5f00::1 fc00::1 fd00::1 fdff:ffff::1 fe80::1",
            "febf::1 fec0::1 ff00::1 ff02::1 ffff::1",
        ];
        for address in refused.iter().flat_map(|line| line.split(' ')) {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        let allowed = [
            "1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0",
            "169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255",
            "192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0",
            "203.0.112.255 203.0.114.0 223.255.255.255 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2000::1 2001:200::1",
            "2001:4860:4860::8888 2001:db7::1 2001:db9::1 2003::1 2606:4700::1111 2a00::1 3ffe::1 3fff:1000::1",
        ];
        for address in allowed.iter().flat_map(|line| line.split(' ')) {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    proptest! {
        /// By what the standard library says of addresses.
        #[test]
        fn no_address_of_ones_own_is_public(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let own = address.is_private() || address.is_loopback() || address.is_link_local()
                || address.is_multicast() || address.is_broadcast() || address.is_documentation()
                || address.is_unspecified();
            prop_assert!(!(own && is_public(address.into())), "{address}");
            // In whatever clothes.
            let public = is_public(address.into());
            prop_assert_eq!(is_public(address.to_ipv6_mapped().into()), public);
            let nat64 = Ipv6Addr::from_bits(NAT64.to_bits() | u128::from(bits));
            prop_assert_eq!(is_public(nat64.into()), public);
            prop_assert!(!is_public(Ipv6Addr::from_bits(bits.into()).into()));
            prop_assert!(!is_public(Ipv6Addr::from_bits(0x2002 << 112 | u128::from(bits) << 80).into()));
        }

        #[test]
        fn the_same_for_networks_of_private_use(network in 0usize..6, bits: u32) {
            let (network, length): (u32, u32) = [
                (0x0a00_0000, 8), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12), (0xc0a8_0000, 16),
                (0x6440_0000, 10),
            ][network];
            let address = Ipv4Addr::from_bits(network | bits >> length);
            prop_assert!(!is_public(address.into()), "{address}");
        }

        #[test]
        fn of_ipv6_too(bits: u128) {
            let address = Ipv6Addr::from_bits(bits);
            let own = address.is_loopback() || address.is_multicast() || address.is_unspecified()
                || address.is_unique_local() || address.is_unicast_link_local();
            prop_assert!(!(own && is_public(address.into())), "{address}");
            for (first, length) in [(0xfc_u128, 7), (0xff, 8)] {
                let inside = Ipv6Addr::from_bits(first << 120 | bits >> length);
                prop_assert!(!is_public(inside.into()), "{inside}");
            }
            let link_local = Ipv6Addr::from_bits(0xfe80 << 112 | bits >> 10);
            prop_assert!(!is_public(link_local.into()), "{link_local}");
        }
    }
}
