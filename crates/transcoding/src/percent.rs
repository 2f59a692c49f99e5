//! Strict percent-decoding of paths and queries.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Text that isn't percent-encoded UTF-8: a `%` without two hexadecimal digits, or bytes that aren't UTF-8.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Decodes everything; borrows when there is nothing to decode.
pub(crate) fn decode(text: &str) -> Result<Cow<'_, str>, Malformed> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    check(text)?;
    percent_decode_str(text).decode_utf8().map_err(|_| Malformed)
}

/// Decodes all but `%2F`, so that a slash inside a segment can be told from one between segments.
pub(crate) fn decode_keeping_slashes(text: &str) -> Result<Cow<'_, str>, Malformed> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("%2F").into_iter().chain(rest.find("%2f")).min() {
        decoded += &decode(&rest[..at])?;
        decoded += &rest[at..at + 3];
        rest = &rest[at + 3..];
    }
    decoded += &decode(rest)?;
    Ok(Cow::Owned(decoded))
}

/// Decodes a name or a value of a query, where `+` is a space.
pub(crate) fn decode_query(text: &str) -> Result<Cow<'_, str>, Malformed> {
    if !text.contains('+') {
        return decode(text);
    }
    Ok(Cow::Owned(decode(&text.replace('+', " "))?.into_owned()))
}

fn check(text: &str) -> Result<(), Malformed> {
    let well_formed = text.split('%').skip(1).all(|after| {
        let mut digits = after.bytes();
        matches!((digits.next(), digits.next()), (Some(a), Some(b)) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
    });
    if well_formed { Ok(()) } else { Err(Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes() {
        let cases = [
            ("plain", Ok("plain"), Ok("plain")),
            ("a%20b%C5%82", Ok("a bł"), Ok("a bł")),
            ("a%2Fb%2fc", Ok("a/b/c"), Ok("a%2Fb%2fc")),
            ("%252F", Ok("%2F"), Ok("%2F")),
            ("a+b", Ok("a+b"), Ok("a+b")),
            ("%", Err(Malformed), Err(Malformed)),
            ("%4", Err(Malformed), Err(Malformed)),
            ("%zz", Err(Malformed), Err(Malformed)),
            ("%ff", Err(Malformed), Err(Malformed)),
            ("%2F%", Err(Malformed), Err(Malformed)),
        ];
        for (text, full, kept) in cases {
            assert_eq!(decode(text).as_deref(), full.as_ref().copied(), "{text}");
            assert_eq!(decode_keeping_slashes(text).as_deref(), kept.as_ref().copied(), "{text}");
        }
        assert_eq!(decode_query("a+b%2B").as_deref(), Ok("a b+"));
    }
}
