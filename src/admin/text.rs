//! What is found and seen, for people.

use std::fmt::Write;

use prost_types::Timestamp;

use crate::proto::v1;

/// A game on one line.
pub(super) fn game(game: &v1::AdminGame) -> String {
    let Some(summary) = &game.summary else { return String::new() };
    let seats: Vec<String> = summary.seats.iter().map(seat).collect();
    let mut line = format!(
        "{}  {}  {}  {}  opened {}  move {} at {}  {}",
        summary.game_id,
        word(summary.state().as_str_name(), "GAME_STATE_"),
        word(summary.visibility().as_str_name(), "VISIBILITY_"),
        summary.preset,
        time(summary.created_at.as_ref()),
        game.version,
        time(game.last_move_at.as_ref()),
        seats.join(", "),
    );
    if summary.over() != v1::GameOverCause::Unspecified {
        put(&mut line, format_args!("  {}", word(summary.over().as_str_name(), "GAME_OVER_CAUSE_")));
    }
    if game.abandoned {
        line.push_str("  (abandoned)");
    }
    line
}

fn seat(seat: &v1::SummarySeat) -> String {
    let bot = word(seat.bot().as_str_name(), "BOT_STRENGTH_");
    let who = match (seat.player_id.as_str(), seat.bot()) {
        ("", v1::BotStrength::Unspecified) => return "free".to_owned(),
        ("", _) => format!("{bot} bot"),
        (id, v1::BotStrength::Unspecified) => format!("{:?} {id}", seat.display_name),
        (id, _) => format!("{:?} {id}, away", seat.display_name),
    };
    if seat.place > 0 {
        format!("{who} {} ({}.)", seat.total, seat.place)
    } else {
        format!("{who} {}", seat.total)
    }
}

/// A player on one line.
pub(super) fn player(found: &v1::AdminPlayer) -> String {
    let Some(player) = &found.player else { return String::new() };
    let account = if player.guest { "guest".to_owned() } else { format!("account {:?}", player.external_id) };
    let since = time(found.created_at.as_ref());
    let mut line = format!("{}  {:?}  {account}  since {since}", player.player_id, player.display_name);
    if let Some(at) = &found.signed_out_at {
        put(&mut line, format_args!("  signed out {}", time(Some(at))));
    }
    if let Some(ban) = &found.ban {
        let until =
            ban.until.as_ref().map_or("for good".to_owned(), |at| format!("until {}", time(Some(at))));
        put(&mut line, format_args!("  banned {until}: {}", ban.reason));
    }
    line
}

/// An entry of the audit trail on one line.
pub(super) fn audit_entry(entry: &v1::AuditEntry) -> String {
    let by = if entry.key_id.is_empty() { String::new() } else { format!(" {}", entry.key_id) };
    let mut line = format!(
        "{}  {:?}{by}  {}  {}  {}",
        time(entry.made_at.as_ref()),
        entry.key_name,
        word(entry.act().as_str_name(), "ADMIN_ACT_"),
        entry.subject_id,
        word(entry.outcome().as_str_name(), "ADMIN_OUTCOME_"),
    );
    if let Some(seat) = entry.seat {
        put(&mut line, format_args!("  as seat {seat}"));
    }
    if entry.version > 0 {
        put(&mut line, format_args!("  by move {}", entry.version));
    }
    if let Some(until) = &entry.until {
        put(&mut line, format_args!("  until {}", time(Some(until))));
    }
    if !entry.reason.is_empty() {
        put(&mut line, format_args!(": {}", entry.reason));
    }
    line
}

/// An API key on one line.
pub(super) fn key(key: &v1::ApiKey) -> String {
    format!(
        "{}  {:?}  {}  revoked {}",
        key.key_id,
        key.name,
        key.scopes.join(" "),
        time(key.revoked_at.as_ref())
    )
}

/// A table as somebody sees it.
pub(super) fn table(seen: &v1::InspectGameResponse) -> String {
    let Some(view) = &seen.view else { return String::new() };
    let state = word(view.state().as_str_name(), "GAME_STATE_");
    let mut lines = format!("game {}  {}  move {}  {state}", view.game_id, view.preset, view.version);
    if !view.stop_reason.is_empty() {
        put(&mut lines, format_args!("\nstopped: {}", view.stop_reason));
    }
    for seat in &view.seats {
        let bot = match seat.bot() {
            v1::BotStrength::Unspecified => String::new(),
            strength => format!(" ({} bot)", word(strength.as_str_name(), "BOT_STRENGTH_")),
        };
        let who = if seat.player_id.is_empty() {
            "–".to_owned()
        } else {
            format!("{:?} {}", seat.display_name, seat.player_id)
        };
        put(&mut lines, format_args!("\nseat {}: {who}{bot}  {}", seat.seat, seat.total));
    }
    if let Some(deal) = &view.deal {
        let turn = deal.turn.as_ref().map_or("–".to_owned(), |turn| format!("seat {}", turn.seat));
        put(&mut lines, format_args!("\ndeal {}  turn of {turn}  stock {}", deal.number, deal.stock_count));
        put(&mut lines, format_args!("\npile: {}", deal.pile.join(" ")));
        for meld in &deal.melds {
            let cards: Vec<&str> = meld.cards.iter().map(|card| card.card.as_str()).collect();
            put(
                &mut lines,
                format_args!("\n{} of seat {}: {}", meld.meld_id, meld.owner_seat, cards.join(" ")),
            );
        }
        if !deal.hand.is_empty() {
            put(&mut lines, format_args!("\nhand: {}", deal.hand.join(" ")));
        }
    }
    lines
}

/// Writing to a string can't fail.
fn put(line: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = line.write_fmt(what);
}

/// A choice of the API as a word: `BETWEEN_DEALS` as `between deals`.
fn word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase().replace('_', " ")
}

/// To the second.
fn time(at: Option<&Timestamp>) -> String {
    at.map_or("never".to_owned(), |at| Timestamp { seconds: at.seconds, nanos: 0 }.to_string())
}
