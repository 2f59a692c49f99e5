//! What can be said behind `remik admin`, and the request that it makes.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use uuid::Uuid;

use super::client::Fields;
use crate::proto::v1;

/// Which games to find.
#[derive(Debug, Args)]
pub(super) struct Games {
    /// The game of this id
    #[arg(long)]
    pub(super) game: Option<Uuid>,
    /// Games of this player
    #[arg(long)]
    pub(super) player: Option<Uuid>,
    /// Games of this preset
    #[arg(long)]
    pub(super) preset: Option<String>,
    /// Games in this state; may be given several times
    #[arg(long = "state")]
    pub(super) states: Vec<State>,
    /// Games that these may find
    #[arg(long)]
    pub(super) visibility: Option<Visibility>,
    /// Opened then or later
    #[arg(long)]
    pub(super) from: Option<String>,
    /// Opened before
    #[arg(long)]
    pub(super) before: Option<String>,
    /// Whose last move is older
    #[arg(long)]
    pub(super) idle_since: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 100)]
    pub(super) limit: usize,
}

/// Which players to find.
#[derive(Debug, Args)]
pub(super) struct Players {
    /// The player of this id
    #[arg(long)]
    pub(super) player: Option<Uuid>,
    /// The player of this account
    #[arg(long)]
    pub(super) external_id: Option<String>,
    /// Players whose name begins so
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Only those who are banned
    #[arg(long)]
    pub(super) banned: bool,
    /// How many at most
    #[arg(long, default_value_t = 100)]
    pub(super) limit: usize,
}

/// Which acts to list.
#[derive(Debug, Args)]
pub(super) struct Audit {
    /// Acts of this kind, as in BAN_PLAYER
    #[arg(long)]
    pub(super) act: Option<String>,
    /// Acts on this game, player or key
    #[arg(long)]
    pub(super) subject: Option<Uuid>,
    /// Acts by this key
    #[arg(long)]
    pub(super) by: Option<Uuid>,
    /// Then or later
    #[arg(long)]
    pub(super) from: Option<String>,
    /// Before
    #[arg(long)]
    pub(super) before: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 100)]
    pub(super) limit: usize,
}

/// A game to be stopped.
#[derive(Debug, Args)]
pub(super) struct GameOrder {
    /// The game's id
    pub(super) game: Uuid,
    #[command(flatten)]
    pub(super) why: Why,
}

/// A player to whom something is done.
#[derive(Debug, Args)]
pub(super) struct PlayerOrder {
    /// The player's id
    pub(super) player: Uuid,
    #[command(flatten)]
    pub(super) why: Why,
}

/// What goes with every act.
#[derive(Debug, Args)]
pub(super) struct Why {
    /// Why: of a game everybody reads it
    #[arg(long)]
    pub(super) reason: String,
    /// The command's own id, to send it again; a new one without it
    #[arg(long)]
    pub(super) request_id: Option<Uuid>,
}

/// Where a game stands.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum State {
    Waiting,
    Playing,
    BetweenDeals,
    Over,
}

/// Who may find a game.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Visibility {
    Public,
    Private,
}

impl State {
    const fn of_api(self) -> v1::GameState {
        match self {
            Self::Waiting => v1::GameState::Waiting,
            Self::Playing => v1::GameState::Playing,
            Self::BetweenDeals => v1::GameState::BetweenDeals,
            Self::Over => v1::GameState::Over,
        }
    }
}

impl Visibility {
    const fn of_api(self) -> v1::Visibility {
        match self {
            Self::Public => v1::Visibility::Public,
            Self::Private => v1::Visibility::Private,
        }
    }
}

impl GameOrder {
    pub(super) fn path(&self, verb: &str) -> String {
        format!("admin/games/{}:{verb}", self.game)
    }
}

impl PlayerOrder {
    pub(super) fn path(&self, verb: &str) -> String {
        format!("admin/players/{}:{verb}", self.player)
    }
}

impl Why {
    pub(super) fn body(&self) -> Value {
        let request_id = self.request_id.unwrap_or_else(Uuid::now_v7);
        json!({"reason": self.reason, "requestId": request_id.to_string()})
    }
}

impl Games {
    pub(super) fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.add("gameId", self.game.as_ref()).add("playerId", self.player.as_ref());
        fields.add("preset", self.preset.as_ref());
        for state in &self.states {
            fields.add("states", Some(&state.of_api().as_str_name()));
        }
        fields.add("visibility", self.visibility.map(|who| who.of_api().as_str_name()).as_ref());
        fields.add("createdFrom", self.from.as_ref()).add("createdBefore", self.before.as_ref());
        fields.add("idleSince", self.idle_since.as_ref());
        fields
    }
}

impl Players {
    pub(super) fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.add("playerId", self.player.as_ref()).add("externalId", self.external_id.as_ref());
        fields.add("namePrefix", self.name.as_ref()).add("banned", self.banned.then_some(&true));
        fields
    }
}

impl Audit {
    pub(super) fn fields(&self) -> Fields {
        let mut fields = Fields::default();
        fields.add("act", self.act.as_ref().map(|act| format!("ADMIN_ACT_{act}")).as_ref());
        fields.add("subjectId", self.subject.as_ref()).add("keyId", self.by.as_ref());
        fields.add("from", self.from.as_ref()).add("before", self.before.as_ref());
        fields
    }
}
