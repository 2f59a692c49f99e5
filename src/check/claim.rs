//! Results in words, as `game over, B wins`: each clause is a claim about a game after a deal.

use remik_rules::event::{Block, Outcome};
use remik_rules::seat::Seat;

use super::finding::Outlook;
use super::unclear::{self, Unclear, letter};

/// What a clause says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Claim {
    GameOver,
    GameContinues,
    /// The first deal ended the game.
    OneDealDecides,
    DealOver,
    NoWinner,
    NothingToReuse,
    /// The game is over and this seat alone is first; with its total and the others', best first.
    Wins(Seat, Option<(i32, Vec<i32>)>),
    /// The game is over and these seats share the first place.
    Shared(Vec<Seat>),
    Out(Seat),
    /// The game goes on, and these seats are still in.
    PlayOn(Vec<Seat>),
}

/// The claims of a text, clause by clause.
pub(super) fn read(text: &str) -> Result<Vec<Claim>, Unclear> {
    let clauses = text.split([',', ';', ':']);
    clauses
        .map(|clause| {
            let words: Vec<&str> = clause.split_whitespace().collect();
            clause_of(&words).ok_or_else(|| Unclear::Expectation(format!("{:?}", clause.trim())))
        })
        .collect()
}

fn clause_of(words: &[&str]) -> Option<Claim> {
    Some(match words {
        ["game", "over"] => Claim::GameOver,
        ["game", "continues"] | ["game", "goes", "on"] => Claim::GameContinues,
        ["one", "deal", "decides"] => Claim::OneDealDecides,
        ["deal", "over"] => Claim::DealOver,
        ["no", "winner"] | ["round", "drawn"] => Claim::NoWinner,
        ["nothing", "to", "reuse"] => Claim::NothingToReuse,
        [seat, "wins"] => Claim::Wins(unclear::seat(seat).ok()?, None),
        [seat, "wins", "with", own, "against", others @ ..] => {
            let others = listed(others, |points| points.parse().ok())?;
            Claim::Wins(unclear::seat(seat).ok()?, Some((own.parse().ok()?, others)))
        }
        ["draw", "between", seats @ ..] | [seats @ .., "share"] => {
            Claim::Shared(listed(seats, |seat| unclear::seat(seat).ok())?)
        }
        [seats @ .., "play", "on"] => Claim::PlayOn(listed(seats, |seat| unclear::seat(seat).ok())?),
        [seat, "out"] | [seat, "is", "out"] => Claim::Out(unclear::seat(seat).ok()?),
        _ => return None,
    })
}

/// Words joined by `and`.
fn listed<T>(words: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    words.split(|word| *word == "and").map(|part| if let [word] = part { read(word) } else { None }).collect()
}

impl Claim {
    pub(super) fn holds(&self, outlook: &Outlook) -> bool {
        match self {
            Self::GameOver => outlook.over,
            Self::GameContinues => !outlook.over,
            Self::OneDealDecides => outlook.over && outlook.deals == 1,
            Self::DealOver => outlook.outcome.is_some(),
            Self::NoWinner => matches!(outlook.outcome, Some(Outcome::Blocked(_))),
            Self::NothingToReuse => outlook.outcome == Some(Outcome::Blocked(Block::NothingToReuse)),
            Self::Wins(seat, totals) => {
                let mut of_others = outlook.totals.clone();
                let own = (seat.index() < of_others.len()).then(|| of_others.remove(seat.index()));
                of_others.sort_unstable();
                let as_told = |(told, others): &(i32, Vec<i32>)| {
                    let mut others = others.clone();
                    others.sort_unstable();
                    own == Some(*told) && others == of_others
                };
                outlook.over && outlook.first() == [*seat] && totals.as_ref().is_none_or(as_told)
            }
            Self::Shared(seats) => outlook.over && outlook.first() == *seats,
            Self::Out(seat) => outlook.eliminated.contains(seat),
            Self::PlayOn(seats) => !outlook.over && !seats.iter().any(|s| outlook.eliminated.contains(s)),
        }
    }
}

impl Outlook {
    fn first(&self) -> Vec<Seat> {
        Seat::first(self.places.len() as u8).filter(|seat| self.places[seat.index()] == 1).collect()
    }

    /// The outlook in words.
    pub(super) fn describe(&self) -> String {
        let mut parts = Vec::new();
        if let Some(outcome) = self.outcome {
            parts.push(match outcome {
                Outcome::WentOut { seat, .. } => format!("{} went out", letter(seat)),
                Outcome::Blocked(Block::StockUsedUp) => "deal blocked, the stock is used up".to_owned(),
                Outcome::Blocked(Block::NothingToReuse) => "deal blocked, nothing to reuse".to_owned(),
                Outcome::Blocked(Block::TurnLimit) => "deal blocked, the turns are used up".to_owned(),
                Outcome::Abandoned => "deal abandoned".to_owned(),
            });
        }
        let by_seat = |values: Vec<String>| {
            let seats = Seat::first(values.len() as u8);
            seats.zip(values).map(|(seat, value)| format!("{} {value}", letter(seat))).collect::<Vec<_>>()
        };
        parts.push(if self.over { "game over" } else { "game continues" }.to_owned());
        if !self.places.is_empty() {
            let places = by_seat(self.places.iter().map(u8::to_string).collect());
            parts.push(format!("places {}", places.join(" ")));
        }
        let totals = by_seat(self.totals.iter().map(i32::to_string).collect());
        parts.push(format!("totals {}", totals.join(" ")));
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(number: u8) -> Seat {
        Seat::new(number).unwrap()
    }

    #[test]
    fn clauses_are_claims() {
        for (text, claims) in [
            ("game over, B wins", vec![Claim::GameOver, Claim::Wins(seat(1), None)]),
            ("C wins with 55 against 60 and 65", vec![Claim::Wins(seat(2), Some((55, vec![60, 65])))]),
            ("draw between A and B", vec![Claim::Shared(vec![seat(0), seat(1)])]),
            (
                "deal over, no winner: nothing to reuse",
                vec![Claim::DealOver, Claim::NoWinner, Claim::NothingToReuse],
            ),
            ("B is out; game continues", vec![Claim::Out(seat(1)), Claim::GameContinues]),
            ("A out, B and C play on", vec![Claim::Out(seat(0)), Claim::PlayOn(vec![seat(1), seat(2)])]),
            ("A and B share", vec![Claim::Shared(vec![seat(0), seat(1)])]),
        ] {
            assert_eq!(read(text).unwrap(), claims, "{text}");
        }
        for text in ["", "B loses", "G wins", "draw between A B", "A wins with ten against 5"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn claims_hold_or_not() {
        let outlook = Outlook {
            places: vec![2, 1, 2],
            totals: vec![60, 55, 60],
            over: true,
            eliminated: vec![seat(0)],
            deals: 2,
            outcome: None,
        };
        for (text, holds) in [
            ("game over", true),
            ("game continues", false),
            ("B wins", true),
            ("A wins", false),
            ("F wins", false),
            ("B wins with 55 against 60 and 60", true),
            ("B wins with 55 against 60 and 61", false),
            ("draw between A and C", false),
            ("one deal decides", false),
            ("A is out", true),
            ("C is out", false),
            ("no winner", false),
        ] {
            assert_eq!(read(text).unwrap()[0].holds(&outlook), holds, "{text}");
        }
    }
}
