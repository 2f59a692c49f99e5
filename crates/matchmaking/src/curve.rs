//! How much gap of ratings a ticket accepts, the longer the more.

use serde::{Deserialize, Serialize};

/// The window of ratings by the time waited: points of the table, and straight lines between them. Before the first
/// point it is as there, behind the last as there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u32, u32)>", into = "Vec<(u32, u32)>")]
pub struct Curve(Vec<(u32, u32)>);

/// A table that is no curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CurveFault {
    /// It has no point.
    #[error("the curve has no point")]
    Empty,
    /// Times have to grow from point to point, and windows may not shrink.
    #[error("after {0} s the curve goes back")]
    GoesBack(u32),
}

impl Curve {
    /// A curve through points: seconds waited, and rating points accepted then.
    ///
    /// # Errors
    /// There is none, or one isn't later than the one before, or narrower.
    pub fn new(points: Vec<(u32, u32)>) -> Result<Self, CurveFault> {
        if points.is_empty() {
            return Err(CurveFault::Empty);
        }
        let back = points.windows(2).find(|pair| pair[1].0 <= pair[0].0 || pair[1].1 < pair[0].1);
        match back {
            Some(pair) => Err(CurveFault::GoesBack(pair[0].0)),
            None => Ok(Self(points)),
        }
    }

    /// The largest gap of ratings that a ticket accepts after so many milliseconds.
    pub fn at(&self, waited: i64) -> u32 {
        let waited = waited.max(0);
        let millis = |seconds: u32| i64::from(seconds) * 1000;
        let behind = self.0.partition_point(|(seconds, _)| millis(*seconds) <= waited);
        let (before, after) = (behind.checked_sub(1).and_then(|at| self.0.get(at)), self.0.get(behind));
        match (before, after) {
            (Some((from, low)), Some((to, high))) => {
                let (part, whole) = (waited - millis(*from), millis(*to) - millis(*from));
                // Between the two, since part is less than the whole.
                low + (i64::from(high - low) * part / whole) as u32
            }
            (Some((_, window)), None) | (None, Some((_, window))) => *window,
            (None, None) => 0,
        }
    }
}

impl Default for Curve {
    /// 100 points at once, 200 after 15 s, 400 after 30 s, 800 after a minute, and whoever there is after two.
    fn default() -> Self {
        Self(vec![(0, 100), (15, 200), (30, 400), (60, 800), (120, 10_000)])
    }
}

impl TryFrom<Vec<(u32, u32)>> for Curve {
    type Error = CurveFault;

    fn try_from(points: Vec<(u32, u32)>) -> Result<Self, CurveFault> {
        Self::new(points)
    }
}

impl From<Curve> for Vec<(u32, u32)> {
    fn from(curve: Curve) -> Self {
        curve.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_from_point_to_point() {
        let curve = Curve::new(vec![(5, 100), (15, 200), (20, 1200)]).unwrap();
        for (waited, window) in [
            (-1, 100),
            (0, 100),
            (5_000, 100),
            (5_099, 100),
            (5_100, 101),
            (10_000, 150),
            (15_000, 200),
            (17_500, 700),
            (20_000, 1200),
            (i64::MAX, 1200),
        ] {
            assert_eq!(curve.at(waited), window, "after {waited} ms");
        }
    }

    #[test]
    fn a_curve_never_goes_back() {
        assert_eq!(Curve::new(vec![]), Err(CurveFault::Empty));
        assert_eq!(Curve::new(vec![(0, 1), (0, 2)]), Err(CurveFault::GoesBack(0)));
        assert_eq!(Curve::new(vec![(0, 1), (1, 2), (3, 1)]), Err(CurveFault::GoesBack(1)));
        let text = serde_json::to_string(&Curve::default()).unwrap();
        assert_eq!(text, "[[0,100],[15,200],[30,400],[60,800],[120,10000]]");
        assert_eq!(serde_json::from_str::<Curve>(&text).unwrap(), Curve::default());
        assert!(serde_json::from_str::<Curve>("[]").is_err());
    }
}
