//! What a host says of a table besides its rules.

use super::log::DecodeError;
use crate::proto::log as proto;

/// The most points that a range of ratings may name.
pub const MOST_POINTS: u32 = 10_000;

/// What the host says of a table. The rules know nothing of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// What it is called; empty for nothing.
    pub title: String,
    /// The language that is spoken there, a language tag; empty if none is named.
    pub language: String,
    /// Who may sit.
    pub admission: Admission,
}

/// Who may sit at a table, among those who may know of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Admission {
    /// Anybody.
    #[default]
    Anyone,
    /// Whose rating is within a range, and who is invited.
    Rated {
        /// The fewest points.
        least: i32,
        /// The most.
        most: i32,
    },
    /// Who is invited, and who has the code.
    Invited,
}

impl Settings {
    /// Writes them into a summary.
    pub(super) fn write(&self, summary: &mut proto::Summary) {
        summary.title.clone_from(&self.title);
        summary.language.clone_from(&self.language);
        let (admission, least, most) = match self.admission {
            Admission::Anyone => (proto::Admission::Unspecified, 0, 0),
            Admission::Rated { least, most } => (proto::Admission::Rated, least, most),
            Admission::Invited => (proto::Admission::Invited, 0, 0),
        };
        summary.admission = admission.into();
        (summary.least_points, summary.most_points) = (least, most);
    }

    /// Reads them from a summary.
    pub(super) fn read(summary: &proto::Summary) -> Result<Self, DecodeError> {
        let admission = match proto::Admission::try_from(summary.admission) {
            Ok(proto::Admission::Unspecified) => Admission::Anyone,
            Ok(proto::Admission::Rated) => {
                Admission::Rated { least: summary.least_points, most: summary.most_points }
            }
            Ok(proto::Admission::Invited) => Admission::Invited,
            Err(_) => {
                let value = summary.admission.into();
                return Err(DecodeError::Meaningless { field: "Summary.admission", value });
            }
        };
        Ok(Self { title: summary.title.clone(), language: summary.language.clone(), admission })
    }
}
