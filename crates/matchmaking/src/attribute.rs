//! What tickets say of themselves, and what they ask of others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a ticket says of itself, by name.
pub type Attributes = BTreeMap<String, Value>;

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// A text, such as `eu`.
    Text(String),
    /// A whole number, such as a latency in milliseconds.
    Number(i32),
}

/// What a ticket asks of every other ticket of its group.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Condition {
    /// The attribute's name. A ticket that lacks it doesn't hold.
    pub name: String,
    /// What its value has to be.
    pub test: Test,
}

/// What a value has to be. A value of the other kind fails.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// One of these texts.
    OneOf(Vec<String>),
    /// A number from the least to the most, both included.
    Between(i32, i32),
}

impl Condition {
    /// Whether a ticket with these attributes is accepted.
    pub fn holds(&self, attributes: &Attributes) -> bool {
        match (attributes.get(&self.name), &self.test) {
            (Some(Value::Text(text)), Test::OneOf(texts)) => texts.contains(text),
            (Some(Value::Number(number)), Test::Between(least, most)) => (least..=most).contains(&number),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_about_kind_and_value() {
        let attributes: Attributes =
            [("region".to_owned(), Value::Text("eu".to_owned())), ("latency".to_owned(), Value::Number(79))]
                .into();
        let holds = |name: &str, test| Condition { name: name.to_owned(), test }.holds(&attributes);
        assert!(holds("region", Test::OneOf(vec!["us".to_owned(), "eu".to_owned()])));
        assert!(!holds("region", Test::OneOf(vec!["us".to_owned()])));
        assert!(!holds("region", Test::Between(i32::MIN, i32::MAX)));
        assert!(holds("latency", Test::Between(i32::MIN, 79)) && !holds("latency", Test::Between(80, 90)));
        assert!(!holds("language", Test::OneOf(vec![String::new()])));
    }
}
