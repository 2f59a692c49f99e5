//! Tickets of matchmaking.

use remik_matchmaking::{Attributes, Condition, Test, Value};
use remik_rules::chance::Millis;
use remik_rules::preset::Preset;
use remik_rules::ruleset::MAX_SEATS;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;
use uuid::Uuid;

use super::fault::{Fault, Problem};
use super::field::{choice, duration, player_id, player_ids, timestamp, uuid};
use super::game::bot;
use super::{Names, page_size};
use crate::matchmaking::{Waiting, Wish};
use crate::proto::v1;
use crate::store::{self, TicketState};

/// The longest name of an attribute, and the longest text of its value, in characters.
const LONGEST_NAME: usize = 32;
const LONGEST_TEXT: usize = 64;

/// The most attributes, and the most conditions.
const MOST: usize = 16;

/// The most texts of a condition.
const MOST_TEXTS: usize = 32;

/// The longest wait for bots, in seconds.
const LONGEST_WAIT: u32 = 3600;

/// A ticket to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTicket {
    /// The client's own id of the command.
    pub request_id: Uuid,
    /// Who plays, each once; may be empty.
    pub players: Vec<PlayerId>,
    /// How many the party is to be; 0 if it isn't said.
    pub party_size: u8,
    /// What they wish for.
    pub wish: Wish,
    /// Whether it ends with its holder's stream.
    pub ends_with_stream: bool,
}

/// Which tickets to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketQuery {
    /// Only those of this player.
    pub player: Option<PlayerId>,
    /// Only those that aren't over.
    pub open_only: bool,
    /// How many at most: 1 to 100.
    pub page_size: u32,
    /// The last ticket of the page before.
    pub after: Option<Uuid>,
}

impl TryFrom<v1::CreateTicketRequest> for NewTicket {
    type Error = Fault;

    fn try_from(r: v1::CreateTicketRequest) -> Result<Self, Fault> {
        let party_size = limited("party_size", r.party_size, 0, MAX_SEATS as u32)? as u8;
        let bots_after = r.bots_after_seconds;
        if let Some(seconds) = bots_after {
            limited("bots_after_seconds", seconds, 0, LONGEST_WAIT)?;
        }
        let strength = match r.bot_strength {
            0 => Strength::Normal,
            given => choice::<v1::BotStrength, _>("bot_strength", given)?,
        };
        Ok(Self {
            request_id: uuid("request_id", &r.request_id)?,
            players: player_ids(&r.player_ids, MAX_SEATS)?,
            party_size,
            wish: Wish {
                presets: presets(&r.presets)?,
                seats: seats(&r.seats)?,
                attributes: attributes(r.attributes)?,
                conditions: conditions(r.conditions)?,
                bots_after,
                strength,
            },
            ends_with_stream: r.ends_with_stream,
        })
    }
}

impl TryFrom<v1::ListTicketsRequest> for TicketQuery {
    type Error = Fault;

    fn try_from(r: v1::ListTicketsRequest) -> Result<Self, Fault> {
        let optional = |field: &str, text: &str| match text {
            "" => Ok(None),
            id => uuid(field, id).map(Some),
        };
        Ok(Self {
            player: optional("player_id", &r.player_id)?.map(|id| PlayerId(id.as_u128())),
            open_only: r.open_only,
            page_size: page_size(r.page_size)?,
            after: optional("page_token", &r.page_token)?,
        })
    }
}

/// A ticket as those see it who may. One that is claimed for a game still waits for them until the game is there.
pub fn ticket(waiting: &Waiting, names: &Names, window: u32) -> v1::Ticket {
    let Waiting { row, players, wish } = waiting;
    let state = match row.state {
        TicketState::Gathering => v1::TicketState::Gathering,
        TicketState::Queued | TicketState::Claimed => v1::TicketState::Queued,
        TicketState::Matched => v1::TicketState::Matched,
        TicketState::Cancelled => v1::TicketState::Cancelled,
        TicketState::Expired => v1::TicketState::Expired,
    };
    let player = |player: &PlayerId| v1::TicketPlayer {
        player_id: player_id(*player),
        display_name: names.get(player).cloned().unwrap_or_default(),
    };
    let time = |at: store::Millis| timestamp(Millis(at.0));
    let game = row.game_id.filter(|_| row.state == TicketState::Matched);
    v1::Ticket {
        ticket_id: row.ticket_id.to_string(),
        state: state.into(),
        version: row.version.unsigned_abs(),
        holder_id: row.holder.to_string(),
        players: players.iter().map(player).collect(),
        party_size: u32::from(row.party_size.unsigned_abs()),
        party_code: row.party_code.clone().unwrap_or_default(),
        presets: wish.presets.iter().map(Preset::to_string).collect(),
        seats: wish.seats.iter().map(|count| u32::from(*count)).collect(),
        attributes: wish.attributes.iter().map(|(name, value)| attribute(name, value)).collect(),
        conditions: wish.conditions.iter().map(condition).collect(),
        bots_after_seconds: wish.bots_after,
        bot_strength: bot(wish.bots_after.map(|_| wish.strength)).into(),
        ends_with_stream: row.watched_until.is_some(),
        created_at: Some(time(row.made_at)),
        queued_at: row.queued_at.map(time),
        expires_at: Some(time(row.expires_at)),
        window_points: window,
        game_id: game.map(|game| game.to_string()).unwrap_or_default(),
    }
}

/// How a ticket waits: for how many milliseconds, unless its party gathers, and what gap it accepts.
pub fn ticket_progress(waited: Option<i64>, window_points: u32) -> v1::TicketProgress {
    let waited = waited.map(|waited| duration(u32::try_from(waited.max(0)).unwrap_or(u32::MAX)));
    v1::TicketProgress { waited, window_points }
}

fn limited(field: &str, value: u32, least: u32, most: u32) -> Result<u32, Fault> {
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(Problem::OutOfRange { value, least, most }.at(field))
    }
}

fn length(field: &str, of: &'static str, length: usize, least: usize, most: usize) -> Result<(), Fault> {
    if (least..=most).contains(&length) {
        Ok(())
    } else {
        Err(Problem::BadLength { length, of, least, most }.at(field))
    }
}

fn presets(names: &[String]) -> Result<Vec<Preset>, Fault> {
    length("presets", "presets", names.len(), 0, Preset::ALL.len())?;
    let mut presets = Vec::with_capacity(names.len());
    for (index, name) in names.iter().enumerate() {
        let field = format!("presets[{index}]");
        let preset = name.parse().map_err(|_| Problem::unknown_preset(name).at(&field))?;
        if presets.contains(&preset) {
            return Err(Problem::malformed(name, "another preset").at(field));
        }
        presets.push(preset);
    }
    Ok(if presets.is_empty() { vec![Preset::default()] } else { presets })
}

fn seats(counts: &[u32]) -> Result<Vec<u8>, Fault> {
    length("seats", "numbers", counts.len(), 0, MAX_SEATS - 1)?;
    let mut seats = Vec::with_capacity(counts.len());
    for (index, count) in counts.iter().enumerate() {
        let field = format!("seats[{index}]");
        let count = limited(&field, *count, 2, MAX_SEATS as u32)? as u8;
        if seats.contains(&count) {
            return Err(Problem::malformed(&count.to_string(), "another number").at(field));
        }
        seats.push(count);
    }
    Ok(seats)
}

/// A name such as `latency_ms`.
fn name(field: &str, text: &str) -> Result<(), Fault> {
    let field = format!("{field}.name");
    if text.is_empty() {
        return Err(Problem::Missing.at(field));
    }
    let mut bytes = text.bytes();
    let begins = bytes.next().is_some_and(|first| first.is_ascii_lowercase());
    let goes_on = bytes.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    if begins && goes_on && text.len() <= LONGEST_NAME {
        Ok(())
    } else {
        Err(Problem::malformed(text, "a name such as latency_ms").at(field))
    }
}

fn attributes(given: Vec<v1::TicketAttribute>) -> Result<Attributes, Fault> {
    use v1::ticket_attribute::Value as Given;
    length("attributes", "attributes", given.len(), 0, MOST)?;
    let mut attributes = Attributes::new();
    for (index, attribute) in given.into_iter().enumerate() {
        let field = format!("attributes[{index}]");
        name(&field, &attribute.name)?;
        let value = match attribute.value {
            None => return Err(Problem::Missing.at(format!("{field}.value"))),
            Some(Given::Number(number)) => Value::Number(number),
            Some(Given::Text(text)) => {
                length(&format!("{field}.text"), "characters", text.chars().count(), 1, LONGEST_TEXT)?;
                Value::Text(text)
            }
        };
        attributes.insert(attribute.name, value);
    }
    Ok(attributes)
}

fn conditions(given: Vec<v1::TicketCondition>) -> Result<Vec<Condition>, Fault> {
    use v1::ticket_condition::Test as Given;
    length("conditions", "conditions", given.len(), 0, MOST)?;
    let mut conditions = Vec::with_capacity(given.len());
    for (index, condition) in given.into_iter().enumerate() {
        let field = format!("conditions[{index}]");
        name(&field, &condition.name)?;
        let test = match condition.test {
            None => return Err(Problem::Missing.at(format!("{field}.test"))),
            Some(Given::Number(range)) => {
                Test::Between(range.at_least.unwrap_or(i32::MIN), range.at_most.unwrap_or(i32::MAX))
            }
            Some(Given::Text(texts)) => {
                let field = format!("{field}.text.one_of");
                if texts.one_of.is_empty() {
                    return Err(Problem::Missing.at(field));
                }
                length(&field, "texts", texts.one_of.len(), 1, MOST_TEXTS)?;
                for (index, text) in texts.one_of.iter().enumerate() {
                    let field = format!("{field}[{index}]");
                    length(&field, "characters", text.chars().count(), 1, LONGEST_TEXT)?;
                }
                Test::OneOf(texts.one_of)
            }
        };
        conditions.push(Condition { name: condition.name, test });
    }
    Ok(conditions)
}

fn attribute(name: &str, value: &Value) -> v1::TicketAttribute {
    use v1::ticket_attribute::Value as Told;
    let value = match value {
        Value::Text(text) => Told::Text(text.clone()),
        Value::Number(number) => Told::Number(*number),
    };
    v1::TicketAttribute { name: name.to_owned(), value: Some(value) }
}

fn condition(condition: &Condition) -> v1::TicketCondition {
    use v1::ticket_condition::Test as Told;
    let test = match &condition.test {
        Test::OneOf(texts) => Told::Text(v1::TextCondition { one_of: texts.clone() }),
        Test::Between(least, most) => Told::Number(v1::NumberCondition {
            at_least: Some(*least).filter(|least| *least != i32::MIN),
            at_most: Some(*most).filter(|most| *most != i32::MAX),
        }),
    };
    v1::TicketCondition { name: condition.name.clone(), test: Some(test) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> v1::CreateTicketRequest {
        v1::CreateTicketRequest { request_id: Uuid::nil().to_string(), ..Default::default() }
    }

    #[test]
    fn an_empty_wish_is_for_the_usual_game() {
        let new = NewTicket::try_from(request()).unwrap();
        assert_eq!((new.wish.presets, new.wish.seats, new.party_size), (vec![Preset::Remik51], vec![], 0));
        assert_eq!((new.wish.bots_after, new.wish.strength), (None, Strength::Normal));
    }

    #[test]
    fn what_is_said_is_told_back() {
        use v1::{ticket_attribute::Value as Given, ticket_condition::Test as Asked};
        let attribute = |name: &str, value| v1::TicketAttribute { name: name.to_owned(), value: Some(value) };
        let condition = |name: &str, test| v1::TicketCondition { name: name.to_owned(), test: Some(test) };
        let attributes = vec![
            attribute("latency_ms", Given::Number(40)),
            attribute("region", Given::Text("eu".to_owned())),
        ];
        let conditions = vec![
            condition("region", Asked::Text(v1::TextCondition { one_of: vec!["eu".to_owned()] })),
            condition("latency_ms", Asked::Number(v1::NumberCondition { at_least: None, at_most: Some(80) })),
        ];
        let asked = v1::CreateTicketRequest {
            attributes: attributes.clone(),
            conditions: conditions.clone(),
            ..request()
        };
        let wish = NewTicket::try_from(asked).unwrap().wish;
        assert!(wish.conditions.iter().all(|condition| condition.holds(&wish.attributes)));
        let told: Vec<_> =
            wish.attributes.iter().map(|(name, value)| super::attribute(name, value)).collect();
        assert_eq!(told, attributes);
        assert_eq!(wish.conditions.iter().map(super::condition).collect::<Vec<_>>(), conditions);
    }

    #[test]
    fn faults_name_their_fields() {
        use v1::ticket_attribute::Value as Given;
        let attribute = |name: &str, value| v1::TicketAttribute { name: name.to_owned(), value };
        let field = |asked: v1::CreateTicketRequest| NewTicket::try_from(asked).unwrap_err().field;
        for (asked, at) in [
            (v1::CreateTicketRequest::default(), "request_id"),
            (v1::CreateTicketRequest { party_size: 7, ..request() }, "party_size"),
            (v1::CreateTicketRequest { seats: vec![2, 1], ..request() }, "seats[1]"),
            (v1::CreateTicketRequest { seats: vec![2, 2], ..request() }, "seats[1]"),
            (v1::CreateTicketRequest { presets: vec!["canasta".to_owned()], ..request() }, "presets[0]"),
            (v1::CreateTicketRequest { bots_after_seconds: Some(3601), ..request() }, "bots_after_seconds"),
            (v1::CreateTicketRequest { bot_strength: 9, ..request() }, "bot_strength"),
            (
                v1::CreateTicketRequest { attributes: vec![attribute("region", None)], ..request() },
                "attributes[0].value",
            ),
            (
                v1::CreateTicketRequest {
                    attributes: vec![attribute("Region", Some(Given::Number(1)))],
                    ..request()
                },
                "attributes[0].name",
            ),
            (
                v1::CreateTicketRequest {
                    attributes: vec![attribute("a", Some(Given::Text(String::new())))],
                    ..request()
                },
                "attributes[0].text",
            ),
            (
                v1::CreateTicketRequest {
                    conditions: vec![v1::TicketCondition { name: "a".to_owned(), test: None }],
                    ..request()
                },
                "conditions[0].test",
            ),
        ] {
            assert_eq!(field(asked), at);
        }
    }
}
