//! Why an administrator has stopped a game.

use std::fmt;

/// What an administrator says for everybody to read: one line of 1 to [`Reason::LONGEST`] characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason(Box<str>);

impl Reason {
    /// The most characters a reason has.
    pub const LONGEST: usize = 200;

    /// A reason; `None` if the text is empty, too long or has control characters.
    pub fn new(text: impl Into<Box<str>>) -> Option<Self> {
        let text = text.into();
        let fits = (1..=Self::LONGEST).contains(&text.chars().count());
        (fits && !text.contains(char::is_control)).then_some(Self(text))
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_line_that_is_not_too_long() {
        for text in ["x", "Zmowa graczy przy stole", &"ł".repeat(Reason::LONGEST)] {
            assert_eq!(Reason::new(text).unwrap().text(), text);
        }
        for text in ["", "two\nlines", "\u{0}", "a\u{85}b", &"ł".repeat(Reason::LONGEST + 1)] {
            assert_eq!(Reason::new(text), None, "{text:?}");
        }
    }
}
