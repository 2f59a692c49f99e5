//! Years, months and weeks, by UTC.

use std::fmt;
use std::str::FromStr;

use crate::store::Millis;

/// Milliseconds of a day: those of UTC have no leap seconds.
const DAY: i64 = 24 * 3600 * 1000;

/// A stretch of time over which statistics are summed up. Its text is its name: empty for all time, else as in `2026`,
/// `2026-11` or `2026-W48`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Period {
    /// From the beginning.
    AllTime,
    /// A calendar year.
    Year(i64),
    /// A month of a year, from 1.
    Month(i64, u8),
    /// A week of a year by ISO 8601, from 1: it begins on a Monday, and belongs to the year that has its Thursday.
    Week(i64, u8),
}

/// The text names no period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a period")]
pub struct PeriodError;

impl Period {
    /// The periods that a moment is in.
    pub fn all_of(at: Millis) -> [Self; 4] {
        [Self::AllTime, Self::year_of(at), Self::month_of(at), Self::week_of(at)]
    }

    /// The year that a moment is in.
    pub fn year_of(at: Millis) -> Self {
        Self::Year(date(day(at)).0)
    }

    /// The month that a moment is in.
    pub fn month_of(at: Millis) -> Self {
        let (year, month, _) = date(day(at));
        Self::Month(year, month)
    }

    /// The week that a moment is in.
    pub fn week_of(at: Millis) -> Self {
        let day = day(at);
        // The first day of all was a Thursday.
        let thursday = day - (day + 3).rem_euclid(7) + 3;
        let (year, ..) = date(thursday);
        let week = (thursday - first_of_january(year)) / 7 + 1;
        // A year has at most 53 Thursdays.
        Self::Week(year, week as u8)
    }
}

fn day(at: Millis) -> i64 {
    at.0.div_euclid(DAY)
}

/// The year, month and day of a day, which is counted from 1970 on. Years are counted from March on, so that a leap day
/// comes last; 400 of them always have as many days.
fn date(day: i64) -> (i64, u8, u8) {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    // The 1st of March of the year 0.
    let day = day + 719_468;
    let (centuries, day) = (day.div_euclid(DAYS_OF_400_YEARS), day.rem_euclid(DAYS_OF_400_YEARS));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // The months from March on have 153 days in each five.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, after) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    // Both are small by now.
    (centuries * 400 + year + after, month as u8, day as u8)
}

fn first_of_january(year: i64) -> i64 {
    let before = year - 1;
    // The leap days of the years before, from the year 1 on, whose first day was 719162 days before 1970.
    before * 365 + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400) - 719_162
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllTime => Ok(()),
            Self::Year(year) => write!(f, "{year:04}"),
            Self::Month(year, month) => write!(f, "{year:04}-{month:02}"),
            Self::Week(year, week) => write!(f, "{year:04}-W{week:02}"),
        }
    }
}

impl FromStr for Period {
    type Err = PeriodError;

    fn from_str(text: &str) -> Result<Self, PeriodError> {
        let number = |digits: &str, length: usize| {
            let all = digits.len() == length && digits.bytes().all(|digit| digit.is_ascii_digit());
            all.then(|| digits.parse::<u16>().ok()).flatten().ok_or(PeriodError)
        };
        let part = |digits: &str, most: u16| match number(digits, 2)? {
            // Below 100.
            part if (1..=most).contains(&part) => Ok(part as u8),
            _ => Err(PeriodError),
        };
        match text.split_once('-') {
            None if text.is_empty() => Ok(Self::AllTime),
            None => Ok(Self::Year(number(text, 4)?.into())),
            Some((year, rest)) => {
                let year = number(year, 4)?.into();
                match rest.strip_prefix('W') {
                    Some(week) => Ok(Self::Week(year, part(week, 53)?)),
                    None => Ok(Self::Month(year, part(rest, 12)?)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Midnight at the beginning of a day, counted from 1970 on, and the last millisecond of it.
    fn names(day: i64) -> [String; 3] {
        let [of_first, of_last] = [day * DAY, day * DAY + DAY - 1].map(|at| {
            let [all, rest @ ..] = Period::all_of(Millis(at));
            assert_eq!(all.to_string(), "");
            rest.map(|period| period.to_string())
        });
        assert_eq!(of_first, of_last);
        of_first
    }

    #[test]
    fn days_have_their_periods() {
        for (day, expected) in [
            // 1970-01-01, a Thursday.
            (0, ["1970", "1970-01", "1970-W01"]),
            (3, ["1970", "1970-01", "1970-W01"]),
            (4, ["1970", "1970-01", "1970-W02"]),
            // 2000-02-29 and the day after it.
            (11_016, ["2000", "2000-02", "2000-W09"]),
            (11_017, ["2000", "2000-03", "2000-W09"]),
            // 2020-12-31 and the days up to the week's end.
            (18_627, ["2020", "2020-12", "2020-W53"]),
            (18_628, ["2021", "2021-01", "2020-W53"]),
            (18_630, ["2021", "2021-01", "2020-W53"]),
            (18_631, ["2021", "2021-01", "2021-W01"]),
            // 2024-12-30, a Monday.
            (20_087, ["2024", "2024-12", "2025-W01"]),
            (20_086, ["2024", "2024-12", "2024-W52"]),
            // Before 1970: 1969-12-28, a Sunday.
            (-4, ["1969", "1969-12", "1969-W52"]),
            (-3, ["1969", "1969-12", "1970-W01"]),
        ] {
            assert_eq!(names(day), expected, "{day}");
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut before = date(-800_000);
        for day in -799_999..800_000 {
            let next = date(day);
            let leap = (next.0 % 4 == 0 && next.0 % 100 != 0) || next.0 % 400 == 0;
            let (year, month, of_month) = before;
            let last = match month {
                2 => 28 + u8::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            let expected = match (month, of_month) {
                (12, 31) => (year + 1, 1, 1),
                (_, of_month) if of_month == last => (year, month + 1, 1),
                _ => (year, month, of_month + 1),
            };
            assert_eq!(next, expected);
            if expected.1 == 1 && expected.2 == 1 {
                assert_eq!(first_of_january(expected.0), day);
            }
            before = next;
        }
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["", "2026", "2026-11", "2026-W48", "0001-01", "2020-W53"] {
            assert_eq!(name.parse::<Period>().map(|period| period.to_string()), Ok(name.to_owned()));
        }
        for name in [
            "26",
            "2026-",
            "2026-13",
            "2026-00",
            "2026-1",
            "2026-W54",
            "2026-W00",
            "2026-w48",
            "2026-11-30",
            "+026",
            " ",
        ] {
            assert_eq!(name.parse::<Period>(), Err(PeriodError), "{name:?}");
        }
    }
}
