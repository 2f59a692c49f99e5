//! What a case expects, and whether it was found.

use std::collections::BTreeMap;

use remik_rules::seat::Seat;
use serde_json::{Map, Value};

use super::claim::{self, Claim};
use super::finding::{BEST_SPLIT, Finding};
use super::split::Split;
use super::unclear::{self, Unclear, letter};

/// An expectation: its parts must all be met.
#[derive(Debug, Default)]
pub(super) struct Expect {
    accepted: Option<bool>,
    score: Option<Score>,
    result: Option<Outcome>,
}

#[derive(Debug)]
enum Score {
    /// What a meld is worth.
    Worth(i64),
    /// What these seats get.
    BySeat(BTreeMap<Seat, i64>),
}

#[derive(Debug)]
enum Outcome {
    Facts(Map<String, Value>),
    /// The seats from the first place on; those of an inner list share theirs.
    Ranking(Vec<Vec<Seat>>),
    Claims(Vec<Claim>),
}

/// The expectation in words.
pub(super) fn text_of(expect: &Value, points: Option<u16>) -> String {
    let text = match expect {
        Value::String(text) => text.clone(),
        Value::Object(parts) => {
            let part = |(name, value): (&String, &Value)| match value {
                Value::String(text) => format!("{name} {text:?}"),
                other => format!("{name} {other}"),
            };
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    points.map_or(text.clone(), |points| format!("{text} at {points} points"))
}

impl Expect {
    pub(super) fn read(value: &Value) -> Result<Self, Unclear> {
        let unknown = || Unclear::Expectation(value.to_string().chars().take(80).collect());
        match value {
            Value::String(word) if word == "accept" => Ok(Self { accepted: Some(true), ..Self::default() }),
            Value::String(word) if word == "reject" => Ok(Self { accepted: Some(false), ..Self::default() }),
            Value::Object(parts) => {
                let mut expect = Self::default();
                for (name, value) in parts {
                    match name.as_str() {
                        "score" => expect.score = Some(Score::read(value)?.ok_or_else(unknown)?),
                        "result" => expect.result = Some(Outcome::read(value)?.ok_or_else(unknown)?),
                        _ => return Err(unknown()),
                    }
                }
                if parts.is_empty() { Err(unknown()) } else { Ok(expect) }
            }
            _ => Err(unknown()),
        }
    }

    /// Whether the finding is what was expected, and the melds of the last action worth these points.
    pub(super) fn holds(&self, finding: &Finding, points: Option<u16>) -> Result<bool, Unclear> {
        if let Finding::Judged(judged) = finding {
            let accepted = judged.answer.is_ok();
            let worth = judged.meld_points();
            if accepted != self.accepted.unwrap_or(true)
                || points.is_some_and(|points| worth.is_some_and(|worth| worth != points))
            {
                return Ok(false);
            }
        } else if self.accepted.is_some() {
            return Err(Unclear::TooLittle("an action to accept or reject"));
        }
        let score = self.score.as_ref().map_or(Ok(true), |score| score.holds(finding))?;
        let result = self.result.as_ref().map_or(Ok(true), |result| result.holds(finding))?;
        Ok(score && result)
    }

    /// What was found of that which is expected.
    pub(super) fn describe(&self, finding: &Finding) -> Result<String, Unclear> {
        let mut parts = Vec::new();
        if let Finding::Judged(judged) = finding {
            match &judged.answer {
                Err(refusal) => return Ok(format!("reject: {refusal}")),
                Ok(_) if self.accepted.is_some() => {
                    let worth = judged.meld_points().map(|points| format!(", worth {points}"));
                    parts.push(format!("accept{}", worth.unwrap_or_default()));
                }
                Ok(_) => {}
            }
        }
        if self.score.is_some() {
            let by_seat = |scores: Vec<(Seat, i32)>| {
                let scores = scores.iter().map(|(seat, score)| format!("{} {score}", letter(*seat)));
                scores.collect::<Vec<_>>().join(" ")
            };
            let score = match finding {
                Finding::Worth(points) => points.to_string(),
                other => other.scores().map_or_else(|| "none".to_owned(), by_seat),
            };
            parts.push(format!("score {score}"));
        }
        match &self.result {
            Some(Outcome::Facts(facts)) => {
                for name in facts.keys() {
                    parts.push(format!("{name} {}", finding.fact(name)?));
                }
            }
            Some(Outcome::Ranking(_) | Outcome::Claims(_)) => {
                let outlook = finding.outlook();
                parts.push(outlook.map_or_else(|| "no deal is over".to_owned(), |o| o.describe()));
            }
            None => {}
        }
        Ok(parts.join(", "))
    }
}

impl Score {
    fn read(value: &Value) -> Result<Option<Self>, Unclear> {
        match value {
            Value::Object(scores) => {
                let mut by_seat = BTreeMap::new();
                for (seat, score) in scores {
                    let Some(score) = score.as_i64() else { return Ok(None) };
                    by_seat.insert(unclear::seat(seat)?, score);
                }
                Ok(Some(Self::BySeat(by_seat)))
            }
            other => Ok(other.as_i64().map(Self::Worth)),
        }
    }

    fn holds(&self, finding: &Finding) -> Result<bool, Unclear> {
        match (self, finding) {
            (Self::Worth(expected), Finding::Worth(points)) => Ok(i64::from(*points) == *expected),
            (Self::Worth(_), _) => Err(Unclear::TooLittle("a meld to value")),
            (Self::BySeat(expected), finding) => {
                let Some(scores) = finding.scores() else {
                    return Err(Unclear::TooLittle("a deal to score"));
                };
                let found: BTreeMap<Seat, i64> =
                    scores.into_iter().map(|(seat, score)| (seat, i64::from(score))).collect();
                Ok(expected.iter().all(|(seat, score)| found.get(seat) == Some(score)))
            }
        }
    }
}

impl Outcome {
    fn read(value: &Value) -> Result<Option<Self>, Unclear> {
        match value {
            Value::Object(facts) => Ok(Some(Self::Facts(facts.clone()))),
            Value::String(text) => Ok(Some(Self::Claims(claim::read(text)?))),
            Value::Array(places) => {
                let mut ranking = Vec::with_capacity(places.len());
                for place in places {
                    let seats = match place {
                        Value::Array(seats) => seats.iter().collect(),
                        one => vec![one],
                    };
                    let seat = |seat: &Value| unclear::seat(seat.as_str().unwrap_or_default());
                    ranking.push(seats.into_iter().map(seat).collect::<Result<Vec<_>, _>>()?);
                }
                Ok(Some(Self::Ranking(ranking)))
            }
            _ => Ok(None),
        }
    }

    fn holds(&self, finding: &Finding) -> Result<bool, Unclear> {
        let facts = match self {
            Self::Facts(facts) => facts,
            Self::Claims(claims) => {
                let Some(outlook) = finding.outlook() else { return Ok(false) };
                return Ok(claims.iter().all(|claim| claim.holds(&outlook)));
            }
            Self::Ranking(ranking) => {
                let Some(outlook) = finding.outlook() else { return Ok(false) };
                let mut place = 1u8;
                let mut expected = vec![0; outlook.places.len()];
                for seats in ranking {
                    for seat in seats {
                        match expected.get_mut(seat.index()) {
                            Some(cell) => *cell = place,
                            None => return Ok(false),
                        }
                    }
                    place = place.saturating_add(seats.len() as u8);
                }
                return Ok(expected == outlook.places);
            }
        };
        for (name, expected) in facts {
            let as_expected = match (finding, expected) {
                (Finding::Split(split), Value::String(text)) if name == BEST_SPLIT => {
                    *split == Split::read(text)?
                }
                _ => finding.fact(name)? == *expected,
            };
            if !as_expected {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
