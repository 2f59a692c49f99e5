//! A phrase as a word: spaces would end it.

/// The phrase with its spaces, of whatever kind, and `%` as `%` and the hexadecimal digits of their bytes in UTF-8.
pub(super) fn word(phrase: &str) -> String {
    let mut word = String::with_capacity(phrase.len());
    for c in phrase.chars() {
        if c.is_whitespace() || c == '%' {
            let bytes =
                c.encode_utf8(&mut [0; 4]).bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
            word.push_str(&bytes);
        } else {
            word.push(c);
        }
    }
    word
}

/// The phrase that was written so; `None` if none was.
pub(super) fn phrase(of: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(of.len());
    let mut rest = of.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first == b'%' {
            let (digits, behind) = rest.split_at_checked(2)?;
            bytes.extend(hex::decode(digits).ok()?);
            rest = behind;
        } else {
            bytes.push(first);
        }
    }
    // A phrase has one form.
    String::from_utf8(bytes).ok().filter(|phrase| word(phrase) == of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_words_and_back() {
        for (text, written) in [
            ("Oszustwo przy stole", "Oszustwo%20przy%20stole"),
            ("100 % pewne", "100%20%25%20pewne"),
            ("a\u{2003}b\u{a0}c", "a%E2%80%83b%C2%A0c"),
            ("", ""),
        ] {
            assert_eq!(word(text), written);
            assert_eq!(phrase(written).as_deref(), Some(text));
        }
        for written in ["%", "%2", "%zz", "%41", "%2f", "%FF", "a b"] {
            assert_eq!(phrase(written), None, "{written}");
        }
    }
}
