//! From which web pages of other origins the service may be called.

use std::fmt;
use std::str::FromStr;

use http::{HeaderValue, Uri};
use serde::{Deserialize, Serialize};

/// A list of origins for CORS; empty turns it off. Written as a list, or as a text with commas between them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Vec<String>")]
pub struct Origins(Vec<Origin>);

/// An origin such as `https://play.example`, or `*` for every one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin(HeaderValue);

/// A text that is no origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no origin: one is `*` or like `https://play.example`, without a path")]
pub struct OriginError(String);

/// How a list may be written.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Written {
    Text(String),
    List(Vec<String>),
}

impl Origins {
    /// Whether no page of another origin may call.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every page may call.
    pub fn is_any(&self) -> bool {
        self.0.iter().any(|origin| origin.0 == "*")
    }

    /// The origins as browsers send them.
    pub fn header_values(&self) -> impl Iterator<Item = HeaderValue> + '_ {
        self.0.iter().map(|origin| origin.0.clone())
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let wrong = || OriginError(text.to_owned());
        if text != "*" {
            let uri: Uri = text.parse().map_err(|_| wrong())?;
            let written =
                uri.scheme_str().zip(uri.authority()).map(|(scheme, host)| format!("{scheme}://{host}"));
            // Browsers send neither user names nor a path, nor capital letters.
            if written.as_deref() != Some(text)
                || text.contains('@')
                || text.bytes().any(|b| b.is_ascii_uppercase())
            {
                return Err(wrong());
            }
        }
        HeaderValue::from_str(text).map(Self).map_err(|_| wrong())
    }
}

impl FromStr for Origins {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let origins = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        origins.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<Written> for Origins {
    type Error = OriginError;

    fn try_from(written: Written) -> Result<Self, OriginError> {
        match written {
            Written::Text(text) => text.parse(),
            Written::List(list) => {
                list.iter().map(|origin| origin.parse()).collect::<Result<_, _>>().map(Self)
            }
        }
    }
}

impl From<Origins> for Vec<String> {
    fn from(origins: Origins) -> Self {
        origins.0.iter().map(ToString::to_string).collect()
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Made from a text.
        f.write_str(self.0.to_str().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read_strictly() {
        for text in ["*", "https://play.example", "http://localhost:5173", "capacitor://localhost"] {
            assert_eq!(text.parse::<Origin>().map(|origin| origin.to_string()), Ok(text.to_owned()));
        }
        for text in
            ["", "play.example", "https://", "https://a.example/", "https://A.example", "https://u@a.example"]
        {
            assert_eq!(text.parse::<Origin>(), Err(OriginError(text.to_owned())));
        }
    }

    #[test]
    fn lists_are_texts_or_lists() {
        let two = ["https://a.example", "http://b.example:81"];
        let text: Origins = two.join(", ").parse().unwrap();
        let list: Origins = serde_json::from_value(serde_json::json!(two)).unwrap();
        assert_eq!(text, list);
        assert_eq!(serde_json::to_value(&list).unwrap(), serde_json::json!(two));
        assert!(!list.is_any() && !list.is_empty());
        assert!("".parse::<Origins>().unwrap().is_empty());
        assert!("https://a.example,*".parse::<Origins>().unwrap().is_any());
        assert!(serde_json::from_value::<Origins>(serde_json::json!(["no"])).is_err());
    }
}
