//! What is said at tables.

use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::Names;
use super::fault::{Fault, Problem};
use super::field::{chat_text, uuid};
use super::player::stored_time;
use crate::chat::{Content, Mode, PHRASES, QuickPhrase};
use crate::proto::v1;
use crate::store::{ChatLine, GameId};

/// Something to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// The table's game.
    pub game: GameId,
    /// The client's own id of it.
    pub request_id: Uuid,
    /// What.
    pub content: Content,
}

impl TryFrom<v1::SendMessageRequest> for NewMessage {
    type Error = Fault;

    fn try_from(r: v1::SendMessageRequest) -> Result<Self, Fault> {
        use v1::chat_content::Content as Sent;
        let game = GameId(uuid("game_id", &r.game_id)?);
        let request_id = uuid("request_id", &r.request_id)?;
        let content = match r.content.and_then(|content| content.content) {
            None => return Err(Problem::Missing.at("content")),
            Some(Sent::Text(text)) => Content::Text(chat_text("content.text", &text)?),
            Some(Sent::Phrase(key)) => {
                let phrase = QuickPhrase::of(&key);
                let phrase =
                    phrase.ok_or_else(|| Problem::malformed(&key, "a quick phrase").at("content.phrase"))?;
                Content::Phrase(phrase.key)
            }
        };
        Ok(Self { game, request_id, content })
    }
}

/// The position behind which a page of a chat goes on, older from there.
///
/// # Errors
/// The text was never given as a token.
pub fn chat_page_token(text: &str) -> Result<Option<u32>, Fault> {
    if text.is_empty() {
        return Ok(None);
    }
    let token = text.parse().map_err(|_| Problem::malformed(text, "a page token").at("page_token"));
    token.map(Some)
}

/// A line, as those who hear it read it.
pub fn chat_message(line: &ChatLine, names: &Names) -> v1::ChatMessage {
    use v1::chat_message::Content as Said;
    let text = line.body.clone().map(Said::Text);
    v1::ChatMessage {
        position: line.number.unsigned_abs(),
        player_id: line.player_id.to_string(),
        display_name: names.get(&PlayerId(line.player_id.as_u128())).cloned().unwrap_or_default(),
        sent_at: Some(stored_time(line.made_at)),
        content: text.or_else(|| line.phrase.clone().map(Said::Phrase)),
    }
}

/// What may be said at a table.
pub const fn chat_mode(mode: Mode) -> v1::ChatMode {
    match mode {
        Mode::On => v1::ChatMode::On,
        Mode::Phrases => v1::ChatMode::Phrases,
        Mode::Off => v1::ChatMode::Off,
    }
}

/// What is to be allowed at a table; `None` for what the service allows.
///
/// # Errors
/// The number is none of the enum's.
pub fn wanted_chat_mode(mode: i32) -> Result<Option<Mode>, Fault> {
    match v1::ChatMode::try_from(mode) {
        Ok(v1::ChatMode::Unspecified) => Ok(None),
        Ok(v1::ChatMode::On) => Ok(Some(Mode::On)),
        Ok(v1::ChatMode::Phrases) => Ok(Some(Mode::Phrases)),
        Ok(v1::ChatMode::Off) => Ok(Some(Mode::Off)),
        Err(_) => Err(Problem::UnknownChoice(mode).at("mode")),
    }
}

/// The quick phrases.
pub fn quick_phrases() -> v1::ListQuickPhrasesResponse {
    let phrase = |phrase: &QuickPhrase| v1::QuickPhrase {
        key: phrase.key.to_owned(),
        text: Some(v1::LocalizedText { pl: phrase.text.pl.to_owned(), en: phrase.text.en.to_owned() }),
    };
    v1::ListQuickPhrasesResponse { phrases: PHRASES.iter().map(phrase).collect() }
}
