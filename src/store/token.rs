//! The tokens that players have from the service.

use uuid::Uuid;

use super::audit::note;
use super::revocation::NOTE_REVOCATION;
use super::{Act, Millis, Store, StoreError, query, transaction};

/// A player's token. The store knows only its hash.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Token {
    /// Whose it is.
    pub player_id: Uuid,
    /// What sign-in it comes from.
    pub session_id: Uuid,
    /// It gets new tokens, and calls nothing; or the other way round.
    pub refreshes: bool,
    /// When it ends.
    pub expires_at: Millis,
}

const MARK_SIGNED_OUT: &str = "UPDATE players SET revoked_at = $2 WHERE id = $1";
const END_ALL: &str = "DELETE FROM tokens WHERE player_id = $1";

impl Store {
    /// Adds a token.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn add_token(&self, hash: &[u8; 32], token: &Token) -> Result<(), StoreError> {
        const ADD: &str = "INSERT INTO tokens (hash, player_id, session_id, refreshes, expires_at) \
             VALUES ($1, $2, $3, $4, $5)";
        let added: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            let insert = sqlx::query(ADD).bind(&hash[..]).bind(token.player_id).bind(token.session_id);
            insert.bind(token.refreshes).bind(token.expires_at).execute(pool).await.map(drop)
        });
        Ok(added?)
    }

    /// The token with this hash. It may be over.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn token(&self, hash: &[u8; 32]) -> Result<Option<Token>, StoreError> {
        const TOKEN: &str = "SELECT player_id, session_id, refreshes, expires_at FROM tokens WHERE hash = $1";
        Ok(query!(self, readers, |pool| sqlx::query_as(TOKEN).bind(&hash[..]).fetch_optional(pool))?)
    }

    /// Sets a token's end; whether the token was there.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn extend_token(&self, hash: &[u8; 32], expires_at: Millis) -> Result<bool, StoreError> {
        const EXTEND: &str = "UPDATE tokens SET expires_at = $2 WHERE hash = $1";
        let extended: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            Ok(sqlx::query(EXTEND).bind(&hash[..]).bind(expires_at).execute(pool).await?.rows_affected())
        });
        Ok(extended? > 0)
    }

    /// Whether a session has a token that isn't over.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn session_lives(&self, session: Uuid, now: Millis) -> Result<bool, StoreError> {
        const LIVES: &str = "SELECT count(*) FROM tokens WHERE session_id = $1 AND expires_at > $2";
        let tokens: i64 =
            query!(self, readers, |pool| sqlx::query_scalar(LIVES).bind(session).bind(now).fetch_one(pool))?;
        Ok(tokens > 0)
    }

    /// Ends a session: none of its tokens counts any more.
    ///
    /// # Errors
    /// The database is unavailable or damaged; some tokens may be left, so it is to be done again.
    pub async fn end_session(&self, session: Uuid, now: Millis) -> Result<(), StoreError> {
        const END: &str = "DELETE FROM tokens WHERE session_id = $1";
        self.note_revocation(session, now).await?;
        let ended: Result<(), sqlx::Error> = query!(self, writer, |pool| async {
            sqlx::query(END).bind(session).execute(pool).await.map(drop)
        });
        Ok(ended?)
    }

    /// Ends all sessions of a player; whether there is such a player. The integrator's tokens that were issued before
    /// `now` don't count any more either.
    ///
    /// # Errors
    /// The database is unavailable or damaged; some tokens may be left, so it is to be done again.
    pub async fn end_sessions(&self, player: Uuid, now: Millis) -> Result<bool, StoreError> {
        self.note_revocation(player, now).await?;
        let ended: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let players =
                sqlx::query(MARK_SIGNED_OUT).bind(player).bind(now).execute(pool).await?.rows_affected();
            sqlx::query(END_ALL).bind(player).execute(pool).await?;
            Ok(players)
        });
        Ok(ended? > 0)
    }

    /// Ends all sessions of the player whom an administrator's act is on; whether the act is new: otherwise nothing was
    /// done.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn sign_out(&self, act: &Act) -> Result<bool, StoreError> {
        let new: bool = transaction!(self, |connection| async {
            if !note!(act, &mut *connection) {
                return Ok(false);
            }
            for sql in [NOTE_REVOCATION, MARK_SIGNED_OUT] {
                sqlx::query(sql).bind(act.subject).bind(act.made_at).execute(&mut *connection).await?;
            }
            sqlx::query(END_ALL).bind(act.subject).execute(&mut *connection).await?;
            Ok(true)
        });
        Ok(new)
    }

    /// Forgets the tokens that ended before a time, and says how many.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn sweep_tokens(&self, before: Millis) -> Result<u64, StoreError> {
        const SWEEP: &str = "DELETE FROM tokens WHERE expires_at < $1";
        let swept: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            Ok(sqlx::query(SWEEP).bind(before).execute(pool).await?.rows_affected())
        });
        Ok(swept?)
    }
}
