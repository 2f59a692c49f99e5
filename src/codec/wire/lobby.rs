//! Tables in the lobby: what is said of them, whom they admit, and what is asked for.

use std::time::Duration;

use remik_rules::chance::Millis;
use remik_rules::lobby::Offer;
use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::Names;
use super::command::{player, seconds};
use super::fault::{Fault, Problem};
use super::field::{display_name, number, player_id, timestamp, uuid};
use super::player::is_locale;
use super::request::{page_size, preset};
use crate::codec::settings::{Admission, MOST_POINTS, Settings};
use crate::proto::v1;

/// Players that are invited at once, at most.
const MOST_INVITED: usize = 20;

/// Presets and languages that a filter names, at most.
const MOST_NAMED: usize = 8;

/// The most seats of a table.
const MOST_SEATS: u32 = remik_rules::ruleset::MAX_SEATS as u32;

/// Seconds for which seats are kept after a game: the least, the most, and if the request doesn't say.
const KEPT_SECONDS: (u32, u32, u32) = (10, 600, 60);

pub(super) fn settings(settings: &Settings) -> v1::TableSettings {
    let (allowed, least, most) = match settings.admission {
        Admission::Anyone => (v1::Admission::Anyone, 0, 0),
        Admission::Rated { least, most } => (v1::Admission::Rated, least, most),
        Admission::Invited => (v1::Admission::Invited, 0, 0),
    };
    v1::TableSettings {
        title: settings.title.clone(),
        language: settings.language.clone(),
        admission: Some(v1::AdmissionPolicy {
            allowed: allowed.into(),
            min_points: least.unsigned_abs(),
            max_points: most.unsigned_abs(),
        }),
    }
}

pub(super) fn kept_seat(offer: &Offer, names: &Names) -> v1::KeptSeat {
    v1::KeptSeat {
        seat: number(offer.seat),
        player_id: player_id(offer.player),
        display_name: names.get(&offer.player).cloned().unwrap_or_default(),
        until: Some(timestamp(offer.until)),
    }
}

/// What is said of a table, by the request's field of this name.
///
/// # Errors
/// A title that can't be shown, a language that is none, or a range of ratings that holds nobody.
pub fn settings_of(field: &str, settings: v1::TableSettings) -> Result<Settings, Fault> {
    let title = match settings.title.trim() {
        "" => String::new(),
        title => display_name(&format!("{field}.title"), title)?,
    };
    let admission = admission(field, &settings.admission.unwrap_or_default())?;
    let language = settings.language;
    if !language.is_empty() && !is_language(&language) {
        return Err(
            Problem::malformed(&language, "a language tag, such as pl").at(format!("{field}.language"))
        );
    }
    Ok(Settings { title, language, admission })
}

fn admission(field: &str, policy: &v1::AdmissionPolicy) -> Result<Admission, Fault> {
    let rated = policy.allowed == i32::from(v1::Admission::Rated);
    let (least, most) = points(&format!("{field}.admission."), policy.min_points, policy.max_points, rated)?;
    match v1::Admission::try_from(policy.allowed) {
        Ok(v1::Admission::Unspecified | v1::Admission::Anyone) => Ok(Admission::Anyone),
        Ok(v1::Admission::Invited) => Ok(Admission::Invited),
        Ok(v1::Admission::Rated) => Ok(Admission::Rated { least, most }),
        Err(_) => Err(Problem::UnknownChoice(policy.allowed).at(format!("{field}.admission.allowed"))),
    }
}

/// A range of points, which has to be 0 to 0 where there is none; else 0 is no bound.
fn points(prefix: &str, least: u32, most: u32, any: bool) -> Result<(i32, i32), Fault> {
    let highest = if any { MOST_POINTS } else { 0 };
    let most = if most == 0 { highest } else { most };
    let within = |name: &str, value: u32, least: u32| {
        let fits = (least..=highest).contains(&value);
        let fault = || Problem::OutOfRange { value, least, most: highest }.at(format!("{prefix}{name}"));
        // At most MOST_POINTS.
        if fits { Ok(value as i32) } else { Err(fault()) }
    };
    let low = within("min_points", least, 0)?;
    Ok((low, within("max_points", most, least)?))
}

fn is_language(tag: &str) -> bool {
    is_locale(tag)
        && tag.split('-').count() <= 4
        && tag
            .split('-')
            .next()
            .is_some_and(|first| first.len() >= 2 && first.bytes().all(|letter| letter.is_ascii_alphabetic()))
        && !tag.contains('_')
}

/// What a table in the lobby has to be like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableFilter {
    /// Of one of these presets; empty for all.
    pub presets: Vec<String>,
    /// With at least so many free seats.
    pub free_seats: usize,
    /// Somebody with points in this range may sit there, as far as its admission goes by points.
    pub points: Option<(i32, i32)>,
    /// In one of these languages, in lower case and without a region; empty for all.
    pub languages: Vec<String>,
    /// With one of these ways of admission; empty for all.
    pub admissions: Vec<v1::Admission>,
}

impl TableFilter {
    /// Whether a table is to be found.
    pub fn finds(&self, preset: &str, free_seats: usize, settings: &Settings) -> bool {
        let one_of = |asked: &[String], has: &str| asked.is_empty() || asked.iter().any(|one| one == has);
        let (kind, range) = match settings.admission {
            Admission::Anyone => (v1::Admission::Anyone, None),
            Admission::Rated { least, most } => (v1::Admission::Rated, Some((least, most))),
            Admission::Invited => (v1::Admission::Invited, None),
        };
        let meets = |(least, most): (i32, i32)| {
            range.is_none_or(|(lowest, highest)| least <= highest && lowest <= most)
        };
        one_of(&self.presets, preset)
            && free_seats >= self.free_seats
            && self.points.is_none_or(meets)
            && one_of(&self.languages, &spoken(&settings.language))
            && (self.admissions.is_empty() || self.admissions.contains(&kind))
    }
}

/// A language without its region.
fn spoken(tag: &str) -> String {
    tag.split('-').next().unwrap_or_default().to_ascii_lowercase()
}

/// The fields that make a filter, which two requests have.
macro_rules! filter {
    ($($request:ident)+) => { $(
        impl TryFrom<&v1::$request> for TableFilter {
            type Error = Fault;

            fn try_from(r: &v1::$request) -> Result<Self, Fault> {
                filter(&r.presets, r.free_seats, (r.min_points, r.max_points), &r.languages, &r.admissions)
            }
        }
    )+ };
}

filter! { ListTablesRequest WatchLobbyRequest }

fn filter(
    presets: &[String],
    free_seats: u32,
    (least, most): (u32, u32),
    languages: &[String],
    admissions: &[i32],
) -> Result<TableFilter, Fault> {
    for (of, length) in [("presets", presets.len()), ("languages", languages.len())] {
        if length > MOST_NAMED {
            return Err(Problem::BadLength { length, of, least: 0, most: MOST_NAMED }.at(of));
        }
    }
    let named = |(index, name): (usize, &String)| {
        let found = preset(name).map_err(|fault| Fault { field: format!("presets[{index}]"), ..fault });
        found.map(|preset| preset.to_string())
    };
    if free_seats > MOST_SEATS {
        let fault = Problem::OutOfRange { value: free_seats, least: 0, most: MOST_SEATS };
        return Err(fault.at("free_seats"));
    }
    let language = |(index, tag): (usize, &String)| {
        let fault =
            || Problem::malformed(tag, "a language tag, such as pl").at(format!("languages[{index}]"));
        if is_language(tag) { Ok(spoken(tag)) } else { Err(fault()) }
    };
    let admission = |(index, &value): (usize, &i32)| match v1::Admission::try_from(value) {
        Ok(v1::Admission::Unspecified) | Err(_) => {
            Err(Problem::UnknownChoice(value).at(format!("admissions[{index}]")))
        }
        Ok(admission) => Ok(admission),
    };
    let all = (least, most) == (0, 0);
    let range = points("", least, most, true)?;
    Ok(TableFilter {
        presets: presets.iter().enumerate().map(named).collect::<Result<_, _>>()?,
        free_seats: free_seats as usize,
        points: (!all).then_some(range),
        languages: languages.iter().enumerate().map(language).collect::<Result<_, _>>()?,
        admissions: admissions.iter().enumerate().map(admission).collect::<Result<_, _>>()?,
    })
}

/// Who is to be invited to which table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitees {
    /// The table's game.
    pub game: Uuid,
    /// Who.
    pub players: Vec<PlayerId>,
}

impl TryFrom<v1::InvitePlayersRequest> for Invitees {
    type Error = Fault;

    fn try_from(r: v1::InvitePlayersRequest) -> Result<Self, Fault> {
        let game = uuid("game_id", &r.game_id)?;
        let length = r.player_ids.len();
        if length == 0 {
            return Err(Problem::Missing.at("player_ids"));
        }
        if length > MOST_INVITED {
            let fault = Problem::BadLength { length, of: "players", least: 1, most: MOST_INVITED };
            return Err(fault.at("player_ids"));
        }
        let one = |(index, id): (usize, &String)| player(&format!("player_ids[{index}]"), id);
        let players = r.player_ids.iter().enumerate().map(one).collect::<Result<_, _>>()?;
        Ok(Self { game, players })
    }
}

impl TryFrom<v1::WithdrawInvitationRequest> for Invitees {
    type Error = Fault;

    fn try_from(r: v1::WithdrawInvitationRequest) -> Result<Self, Fault> {
        Ok(Self { game: uuid("game_id", &r.game_id)?, players: vec![player("player_id", &r.player_id)?] })
    }
}

/// A page of invitations.
///
/// # Errors
/// A page that is too long, or a token of another list.
pub fn invitation_page(size: u32, token: &str) -> Result<(u32, Option<(i64, Uuid)>), Fault> {
    let size = page_size(size)?;
    let place = |token: &str| {
        let (at, id) = token.split_once('.')?;
        Some((at.parse().ok()?, Uuid::try_parse(id).ok()?))
    };
    let fault = || Problem::malformed(token, "a page token of this list").at("page_token");
    let after = if token.is_empty() { None } else { Some(place(token).ok_or_else(fault)?) };
    Ok((size, after))
}

/// The end of a page of invitations, as [`invitation_page`] reads it.
pub fn invitation_token(at: i64, id: Uuid) -> String {
    format!("{at}.{}", id.simple())
}

/// Whom a host has invited.
pub fn invitation(invited: PlayerId, at: Millis, names: &Names) -> v1::Invitation {
    v1::Invitation {
        player_id: player_id(invited),
        display_name: names.get(&invited).cloned().unwrap_or_default(),
        invited_at: Some(timestamp(at)),
    }
}

/// Where somebody is invited.
pub fn own_invitation(table: v1::GameSummary, by: PlayerId, at: Millis, names: &Names) -> v1::OwnInvitation {
    v1::OwnInvitation {
        table: Some(table),
        invited_by: player_id(by),
        display_name: names.get(&by).cloned().unwrap_or_default(),
        invited_at: Some(timestamp(at)),
    }
}

/// The game after which another is wished for, and how long its seats are kept.
///
/// # Errors
/// No game, or a time out of its range.
pub fn rematch(r: &v1::RematchRequest) -> Result<(Uuid, Duration), Fault> {
    Ok((uuid("game_id", &r.game_id)?, seconds("seconds", r.seconds, KEPT_SECONDS)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(language: &str, admission: Admission) -> Settings {
        Settings { title: String::new(), language: language.to_owned(), admission }
    }

    #[test]
    fn a_filter_finds_what_fits() {
        let filter = TableFilter {
            presets: vec!["remik-51".to_owned()],
            free_seats: 2,
            points: Some((1400, 1600)),
            languages: vec!["pl".to_owned()],
            admissions: vec![v1::Admission::Anyone, v1::Admission::Rated],
        };
        let anyone = settings("pl", Admission::Anyone);
        assert!(filter.finds("remik-51", 2, &anyone));
        assert!(filter.finds(
            "remik-51",
            3,
            &settings("PL-pl", Admission::Rated { least: 1600, most: 2000 })
        ));
        assert!(!filter.finds("remi-30", 2, &anyone));
        assert!(!filter.finds("remik-51", 1, &anyone));
        assert!(!filter.finds("remik-51", 2, &settings("en", Admission::Anyone)));
        assert!(!filter.finds("remik-51", 2, &settings("", Admission::Anyone)));
        assert!(!filter.finds("remik-51", 2, &settings("pl", Admission::Rated { least: 1601, most: 2000 })));
        assert!(!filter.finds("remik-51", 2, &settings("pl", Admission::Invited)));
        assert!(TableFilter::default().finds("remi-30", 0, &settings("", Admission::Invited)));
    }

    #[test]
    fn what_is_said_of_a_table_is_read() {
        let read = |title: &str, language: &str, allowed: v1::Admission, least, most| {
            let policy = v1::AdmissionPolicy { allowed: allowed.into(), min_points: least, max_points: most };
            let (title, language) = (title.to_owned(), language.to_owned());
            settings_of("settings", v1::TableSettings { title, language, admission: Some(policy) })
        };
        let rated = read(" Piątek ", "pl", v1::Admission::Rated, 0, 1600).unwrap();
        assert_eq!(
            (rated.title.as_str(), rated.admission),
            ("Piątek", Admission::Rated { least: 0, most: 1600 })
        );
        let open = read("", "", v1::Admission::Rated, 1600, 0).unwrap().admission;
        assert_eq!(open, Admission::Rated { least: 1600, most: 10_000 });
        assert_eq!(settings_of("s", v1::TableSettings::default()), Ok(Settings::default()));
        let field = |read: Result<Settings, Fault>| read.unwrap_err().field;
        assert_eq!(field(read("", "polski_", v1::Admission::Anyone, 0, 0)), "settings.language");
        assert_eq!(field(read("a\u{0}", "", v1::Admission::Anyone, 0, 0)), "settings.title");
        assert_eq!(field(read("", "", v1::Admission::Anyone, 0, 5)), "settings.admission.max_points");
        assert_eq!(field(read("", "", v1::Admission::Rated, 9, 5)), "settings.admission.max_points");
        assert_eq!(field(read("", "", v1::Admission::Rated, 0, 10_001)), "settings.admission.max_points");
    }

    #[test]
    fn the_end_of_a_page_is_read_as_it_was_written() {
        let id = Uuid::from_u128(7);
        assert_eq!(invitation_page(0, &invitation_token(-5, id)), Ok((20, Some((-5, id)))));
        assert_eq!(invitation_page(7, ""), Ok((7, None)));
        assert!(invitation_page(7, "5").is_err());
    }
}
