//! Tags by which a client asks whether what it has is still good.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use http::{HeaderMap, HeaderValue, header};

/// The `ETag` of some bytes: equal bytes have equal tags. A weak one, since the same answer may be sent
/// compressed or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTag(HeaderValue);

impl EntityTag {
    /// The tag of these bytes. Another version of the program may tag them in another way.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        // Letters, digits, a slash and quotes are always a header's value.
        Self(HeaderValue::try_from(format!("W/\"{:016x}\"", hasher.finish())).expect("visible ASCII"))
    }

    /// The tag as `ETag` has it.
    pub fn value(&self) -> &HeaderValue {
        &self.0
    }

    /// Whether the request's `If-None-Match` has it, so that 304 is answer enough.
    pub fn is_known(&self, request: &HeaderMap) -> bool {
        fn opaque(tag: &[u8]) -> &[u8] {
            tag.strip_prefix(b"W/").unwrap_or(tag)
        }
        let lists = request.get_all(header::IF_NONE_MATCH).iter();
        let mut tags =
            lists.flat_map(|list| list.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
        tags.any(|tag| tag == b"*" || opaque(tag) == opaque(self.0.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_tag_is_found_in_a_list() {
        let tag = EntityTag::of(b"a");
        assert_eq!(tag, EntityTag::of(b"a"));
        assert_ne!(tag, EntityTag::of(b"b"));
        let own = tag.value().to_str().unwrap_or_default();
        let strong = own.strip_prefix("W/").unwrap_or_default();
        let cases = [
            (own.to_owned(), true),
            (strong.to_owned(), true),
            (format!("\"x\" , {own}"), true),
            ("*".to_owned(), true),
            ("\"x\"".to_owned(), false),
            (String::new(), false),
        ];
        for (list, known) in cases {
            let value = HeaderValue::try_from(&list).unwrap_or_else(|error| panic!("{error}"));
            let request = HeaderMap::from_iter([(header::IF_NONE_MATCH, value)]);
            assert_eq!(tag.is_known(&request), known, "{list}");
        }
        assert!(!tag.is_known(&HeaderMap::new()));
    }
}
