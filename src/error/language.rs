//! The languages that players are told errors in, and how a caller asks for one.

use http::{HeaderMap, HeaderValue, header};

/// A language of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// `en`, for everybody who asks for nothing else.
    English,
    /// `pl`.
    Polish,
}

impl Language {
    /// Both.
    pub const ALL: [Self; 2] = [Self::English, Self::Polish];

    /// Its tag (BCP 47), as in `google.rpc.LocalizedMessage`.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Polish => "pl",
        }
    }

    /// The language that a request asks for, in a REST header or in gRPC metadata; English if it asks for none.
    pub fn of(headers: &HeaderMap) -> Self {
        Self::accepted(headers.get_all(header::ACCEPT_LANGUAGE)).unwrap_or(Self::English)
    }

    /// The language that the values of `Accept-Language` prefer (RFC 9110, 12.5.4); between equals, the one that
    /// is named first. `None` where they name neither, nor `*`.
    pub fn accepted<'a>(values: impl IntoIterator<Item = &'a HeaderValue>) -> Option<Self> {
        let values = values.into_iter().filter_map(|value| value.to_str().ok());
        let ranges: Vec<(&str, u16)> = values.flat_map(|value| value.split(',')).filter_map(range).collect();
        // `*` stands for every language that isn't named.
        let quality = |language: Self| {
            let named = ranges.iter().enumerate().filter(|(_, (range, _))| language.is_meant_by(range));
            let any = ranges.iter().enumerate().filter(|(_, (range, _))| *range == "*");
            let best = |best: Option<(usize, u16)>, (place, (_, quality)): (usize, &(&str, u16))| match best {
                Some(best) if best.1 >= *quality => Some(best),
                _ => Some((place, *quality)),
            };
            named.fold(None, best).or_else(|| any.fold(None, best))
        };
        let wanted = Self::ALL.into_iter().filter_map(|language| Some((language, quality(language)?)));
        let wanted = wanted.filter(|(_, (_, quality))| *quality > 0);
        // The first of the least: the highest quality, then the earliest, then English.
        wanted.min_by_key(|(_, (place, quality))| (u16::MAX - quality, *place)).map(|(language, _)| language)
    }

    /// Whether a language range such as `pl` or `pl-PL` means it.
    fn is_meant_by(self, range: &str) -> bool {
        range.split('-').next().is_some_and(|primary| primary.eq_ignore_ascii_case(self.tag()))
    }
}

/// A language range and its quality in thousandths; `None` where the quality is none.
fn range(item: &str) -> Option<(&str, u16)> {
    let (range, parameters) = item.split_once(';').unwrap_or((item, ""));
    let range = range.trim();
    if range.is_empty() {
        return None;
    }
    match parameters.trim() {
        "" => Some((range, 1000)),
        weight => {
            let (name, value) = weight.split_once('=')?;
            let thousandths = name.trim().eq_ignore_ascii_case("q").then(|| quality(value.trim()))??;
            Some((range, thousandths))
        }
    }
}

/// A quality from 0 to 1 with up to three decimals, in thousandths.
fn quality(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let whole: u16 = matches!(whole, "0" | "1").then(|| whole.parse().ok())??;
    let thousandths = whole * 1000 + format!("{decimals:0<3}").parse::<u16>().ok()?;
    (digits && thousandths <= 1000).then_some(thousandths)
}

#[cfg(test)]
mod tests {
    use super::Language::{English, Polish};
    use super::*;

    #[test]
    fn the_best_quality_wins() {
        for (asked, expected) in [
            ("pl", Some(Polish)),
            ("PL-pl", Some(Polish)),
            ("en", Some(English)),
            ("pl-PL,pl;q=0.9,en-US;q=0.8,en;q=0.7", Some(Polish)),
            ("en-US,en;q=0.9,pl;q=0.8", Some(English)),
            ("de, pl;q=0.2, en;q=0.1", Some(Polish)),
            ("en;q=0.5,pl;q=0.501", Some(Polish)),
            ("pl;q=0.3,en;q=0.3", Some(Polish)),
            ("en;q=0.3,pl;q=0.3", Some(English)),
            ("pl ; Q=1.000 , en", Some(Polish)),
            // `*` stands for what isn't named; a quality of 0 excludes.
            ("*", Some(English)),
            ("de,*;q=0.5", Some(English)),
            ("en;q=0,*", Some(Polish)),
            ("en;q=0.2,*;q=0.5", Some(Polish)),
            ("pl;q=0", None),
            ("pl;q=0,en;q=0", None),
            ("de-DE,fr;q=0.5", None),
            ("plural", None),
            ("", None),
            (",,;", None),
            // What has no quality by the grammar is left out.
            ("pl;q=2,en;q=0.1", Some(English)),
            ("pl;q=0.1234,en;q=0.1", Some(English)),
            ("pl;q=-1,en;q=0.1", Some(English)),
            ("pl;q=1.001,en;q=0.1", Some(English)),
            ("pl;level=1,en;q=0.1", Some(English)),
        ] {
            let value = HeaderValue::from_str(asked).unwrap();
            assert_eq!(Language::accepted([&value]), expected, "{asked:?}");
        }
    }

    #[test]
    fn several_headers_count_as_one() {
        let mut headers = HeaderMap::new();
        assert_eq!(Language::of(&headers), English);
        headers.append(header::ACCEPT_LANGUAGE, HeaderValue::from_static("en;q=0.5"));
        headers.append(header::ACCEPT_LANGUAGE, HeaderValue::from_static("pl;q=0.8"));
        headers.append(header::ACCEPT_LANGUAGE, HeaderValue::from_bytes(b"\xff").unwrap());
        assert_eq!(Language::of(&headers), Polish);
    }
}
