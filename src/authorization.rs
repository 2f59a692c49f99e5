//! Who may call what on what: one table with a row for each method of the API. The services ask it, the tests try
//! every cell of it, and `docs/authorization.md` is made from it.

use std::fmt;

use crate::identity::{Denied, Principal, Scope};

/// Who may make a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Anybody, without credentials. Any that are sent aren't looked at.
    Anyone,
    /// Anybody; credentials that are sent count, and must be a player's.
    AnyoneOrPlayer,
    /// A player: with his own credentials, or by a backend with the scope `games` that acts for him.
    Player,
    /// A player, with his own credentials; or a backend with the scope, whether or not it acts for a player.
    PlayerOrBackend(Scope),
    /// A backend with the scope.
    Backend(Scope),
}

/// What a call is about, and about which of these whoever may make it may make it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// Nothing that belongs to somebody; of a list, what the player may see.
    Nothing,
    /// A game that the player may know of: a public one, one in which he has a seat, is kept one or that he has opened, one
    /// to which the host has invited him, or one whose invite code he sends. Of any other he is told the same as of one that isn't there: `GAME_NOT_FOUND`. What
    /// he sees of it without a seat is the table's choice: nothing once it has begun (`NO_SPECTATORS`), or all, at once
    /// or with a delay.
    KnownGame,
    /// A game that he may see again: as its access says, or one that he may know of. Of any other: `GAME_NOT_FOUND`.
    ShownGame,
    /// A game whose table he has opened, or that he has imported; `NOT_OPENER` where it is another's that he may know of.
    OwnTable,
    /// A seat of the player's in a game that he may know of; without a seat `NOT_SEATED`.
    OwnSeat,
    /// The host's seat in a game that he may know of, if it is his; with another seat `NOT_HOST`, without a seat
    /// `NOT_SEATED`.
    HostSeat,
    /// A seat that is kept for the player; without one `NO_SEAT_KEPT` at a table that he may know of.
    KeptSeat,
    /// The game whose invite code is sent.
    InvitedGame,
    /// A ticket of matchmaking: a player's own, or of a party that he is in; for a backend any. Of any other a player is
    /// told `TICKET_NOT_FOUND`.
    OwnOrAnyTicket,
    /// The party whose code is sent.
    InvitedParty,
    /// The token that is sent in the request: having it is the permission.
    SentToken,
    /// The player himself.
    OwnPlayer,
    /// Himself, for a player; for a backend any player.
    OwnOrAnyPlayer,
    /// Any player.
    AnyPlayer,
    /// Any API key.
    AnyKey,
    /// Any game, whoever may know of it.
    AnyGame,
    /// Anything that was said at any table.
    AnyMessage,
    /// A webhook that the API key itself has made; of any other it is told `WEBHOOK_NOT_FOUND`.
    OwnWebhook,
}

/// Declares the methods with their rows.
macro_rules! table {
    ($($service:ident { $($method:ident: $who:expr, $on:expr;)+ })+) => {
        /// A method of the API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Method {
            $($(#[doc = concat!("`", stringify!($service), ".", stringify!($method), "`.")] $method,)+)+
        }

        /// The full names of the services.
        pub const SERVICES: &[&str] = &[$(concat!("remik.v1.", stringify!($service)),)+];

        impl Method {
            /// All methods, in the order of the table.
            pub const ALL: &[Self] = &[$($(Self::$method,)+)+];

            /// Its full name in gRPC, such as `remik.v1.GameService/Draw`.
            pub const fn full_name(self) -> &'static str {
                match self {
                    $($(Self::$method => {
                        concat!("remik.v1.", stringify!($service), "/", stringify!($method))
                    })+)+
                }
            }

            /// Who may call it.
            pub const fn who(self) -> Who {
                use Who::*;
                match self { $($(Self::$method => $who,)+)+ }
            }

            /// On what.
            pub const fn on(self) -> On {
                use On::*;
                match self { $($(Self::$method => $on,)+)+ }
            }
        }
    };
}

table! {
    GameService {
        CreateGame: Player, Nothing;
        CreatePracticeGame: Player, Nothing;
        GetGame: Player, KnownGame;
        GetGameByCode: Player, InvitedGame;
        ListGames: Player, Nothing;
        JoinGame: Player, KnownGame;
        JoinGameByCode: Player, InvitedGame;
        AddBot: Player, HostSeat;
        RemoveBot: Player, HostSeat;
        ResumeSeat: Player, OwnSeat;
        LeaveGame: Player, OwnSeat;
        Ready: Player, OwnSeat;
        Draw: Player, OwnSeat;
        Meld: Player, OwnSeat;
        LayOff: Player, OwnSeat;
        SwapJoker: Player, OwnSeat;
        Discard: Player, OwnSeat;
        Undo: Player, OwnSeat;
        GetLegalMoves: Player, OwnSeat;
        SuggestMelds: Player, OwnSeat;
        WatchGame: Player, KnownGame;
        CreateWatchTicket: Player, KnownGame;
        Play: Player, Nothing;
    }
    LobbyService {
        ListTables: Player, Nothing;
        WatchLobby: Player, Nothing;
        ChangeTable: Player, HostSeat;
        HandOverHost: Player, HostSeat;
        RemovePlayer: Player, HostSeat;
        AskReady: Player, HostSeat;
        InvitePlayers: Player, HostSeat;
        WithdrawInvitation: Player, HostSeat;
        ListInvitations: Player, HostSeat;
        ListOwnInvitations: Player, OwnPlayer;
        Rematch: Player, OwnSeat;
        DeclineSeat: Player, KeptSeat;
    }
    PlayerService {
        CreateGuest: Anyone, Nothing;
        CreatePlayer: Backend(Scope::Players), AnyPlayer;
        GetPlayer: PlayerOrBackend(Scope::Players), AnyPlayer;
        LinkAccount: Player, OwnPlayer;
        IssueToken: Backend(Scope::Players), AnyPlayer;
        RefreshToken: Anyone, SentToken;
        RevokeToken: Anyone, SentToken;
        RevokePlayerTokens: PlayerOrBackend(Scope::Players), OwnOrAnyPlayer;
    }
    KeyService {
        CreateKey: Backend(Scope::Admin), AnyKey;
        ListKeys: Backend(Scope::Admin), AnyKey;
        RevokeKey: Backend(Scope::Admin), AnyKey;
    }
    MatchmakingService {
        CreateTicket: PlayerOrBackend(Scope::Matchmaking), OwnOrAnyPlayer;
        JoinTicket: Player, InvitedParty;
        GetTicket: PlayerOrBackend(Scope::Matchmaking), OwnOrAnyTicket;
        ListTickets: PlayerOrBackend(Scope::Matchmaking), Nothing;
        WatchTicket: PlayerOrBackend(Scope::Matchmaking), OwnOrAnyTicket;
        CancelTicket: PlayerOrBackend(Scope::Matchmaking), OwnOrAnyTicket;
    }
    SandboxService {
        CreateSandboxGame: Backend(Scope::Sandbox), Nothing;
    }
    ReplayService {
        GetReplay: AnyoneOrPlayer, ShownGame;
        ListReplayPositions: AnyoneOrPlayer, ShownGame;
        SearchReplays: AnyoneOrPlayer, Nothing;
        SetReplayAccess: Player, OwnTable;
        ExportReplay: AnyoneOrPlayer, ShownGame;
        ImportReplay: Player, Nothing;
        GetSigningKey: Anyone, Nothing;
    }
    AdminService {
        FindGames: Backend(Scope::Admin), AnyGame;
        InspectGame: Backend(Scope::Admin), AnyGame;
        InspectMoves: Backend(Scope::Admin), AnyGame;
        EndGame: Backend(Scope::Admin), AnyGame;
        VoidGame: Backend(Scope::Admin), AnyGame;
        FindPlayers: Backend(Scope::Admin), AnyPlayer;
        BanPlayer: Backend(Scope::Admin), AnyPlayer;
        LiftBan: Backend(Scope::Admin), AnyPlayer;
        SignOutPlayer: Backend(Scope::Admin), AnyPlayer;
        ListAuditEntries: Backend(Scope::Admin), Nothing;
    }
    StandingsService {
        GetRatings: PlayerOrBackend(Scope::Players), AnyPlayer;
        ListRatingChanges: PlayerOrBackend(Scope::Players), AnyPlayer;
        GetGameRatings: Player, KnownGame;
        GetStatistics: PlayerOrBackend(Scope::Players), AnyPlayer;
        ListLeaderboard: PlayerOrBackend(Scope::Players), AnyPlayer;
    }
    FeedService {
        ReadFeed: Backend(Scope::Feed), Nothing;
        WatchFeed: Backend(Scope::Feed), Nothing;
    }
    WebhookService {
        CreateWebhook: Backend(Scope::Webhooks), Nothing;
        ListWebhooks: Backend(Scope::Webhooks), Nothing;
        GetWebhook: Backend(Scope::Webhooks), OwnWebhook;
        UpdateWebhook: Backend(Scope::Webhooks), OwnWebhook;
        DeleteWebhook: Backend(Scope::Webhooks), OwnWebhook;
        RotateWebhookSecret: Backend(Scope::Webhooks), OwnWebhook;
        ListWebhookDeliveries: Backend(Scope::Webhooks), OwnWebhook;
        ReplayWebhookDeliveries: Backend(Scope::Webhooks), OwnWebhook;
    }
    RulesetService {
        ListRulesets: Anyone, Nothing;
    }
    ChatService {
        SendMessage: Player, OwnSeat;
        ListMessages: Player, KnownGame;
        WatchChat: Player, KnownGame;
        DeleteMessage: Backend(Scope::Players), AnyMessage;
        SetChatMode: Player, OwnTable;
        ListQuickPhrases: Anyone, Nothing;
    }
    ProfileService {
        UpdatePlayer: PlayerOrBackend(Scope::Players), OwnOrAnyPlayer;
        ExportPlayer: PlayerOrBackend(Scope::Players), OwnOrAnyPlayer;
        ErasePlayer: PlayerOrBackend(Scope::Players), OwnOrAnyPlayer;
        BlockPlayer: Player, AnyPlayer;
        UnblockPlayer: Player, AnyPlayer;
        ListBlocks: Player, OwnPlayer;
        MutePlayer: Player, AnyPlayer;
        UnmutePlayer: Player, AnyPlayer;
        ListMutes: Player, OwnPlayer;
    }
}

impl Method {
    /// Whether a principal may make the call at all, apart from what it is made on.
    ///
    /// # Errors
    /// What is missing.
    pub fn admits(self, principal: &Principal) -> Result<(), Denied> {
        match (self.who(), principal) {
            (Who::Anyone, _) | (Who::Player | Who::PlayerOrBackend(_), Principal::Player(_)) => Ok(()),
            (Who::AnyoneOrPlayer, Principal::Player(_)) => Ok(()),
            (Who::Player | Who::AnyoneOrPlayer, Principal::Backend(backend)) => {
                principal.require(Scope::Games)?;
                if backend.player.is_some() { Ok(()) } else { Err(Denied::PlayerRequired) }
            }
            (Who::PlayerOrBackend(scope) | Who::Backend(scope), _) => principal.require(scope),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.full_name())
    }
}

#[cfg(test)]
mod tests;
