use uuid::Uuid;

use super::{Millis, Store, StoreError, query};

/// Somebody who plays.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Player {
    /// The id that the log knows him by.
    pub id: Uuid,
    /// When he came.
    pub made_at: Millis,
    /// The name that others see.
    pub name: String,
    /// The id of his account at the integrator; a guest has none.
    pub external_id: Option<String>,
    /// A language tag; empty if unknown.
    pub locale: String,
    /// How new the name and the locale are.
    pub named_at: Millis,
    /// The integrator's tokens that were issued before this don't count any more.
    pub revoked_at: Option<Millis>,
}

impl Player {
    /// Whether he was erased: nobody else has no name.
    pub fn is_erased(&self) -> bool {
        self.name.is_empty()
    }
}

/// The columns of a [`Player`].
macro_rules! player_columns {
    () => {
        "id, made_at, name, external_id, locale, named_at, revoked_at"
    };
}
pub(super) use player_columns;

impl Store {
    /// Adds a player.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if there is such an id or external id, or the database is unavailable or damaged.
    pub async fn add_player(&self, player: &Player) -> Result<(), StoreError> {
        const ADD: &str = concat!(
            "INSERT INTO players (",
            player_columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING"
        );
        // Carried out to its end: a row that is returned comes before the commit, which may still fail.
        let added: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let insert = sqlx::query(ADD).bind(player.id).bind(player.made_at).bind(&player.name);
            let insert = insert.bind(&player.external_id).bind(&player.locale).bind(player.named_at);
            Ok(insert.bind(player.revoked_at).execute(pool).await?.rows_affected())
        });
        if added? == 0 { Err(StoreError::Taken) } else { Ok(()) }
    }

    /// A player.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn player(&self, id: Uuid) -> Result<Option<Player>, StoreError> {
        const PLAYER: &str = concat!("SELECT ", player_columns!(), " FROM players WHERE id = $1");
        Ok(query!(self, readers, |pool| sqlx::query_as(PLAYER).bind(id).fetch_optional(pool))?)
    }

    /// The player who has an account of the integrator's.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn player_by_external_id(&self, external_id: &str) -> Result<Option<Player>, StoreError> {
        const PLAYER: &str = concat!("SELECT ", player_columns!(), " FROM players WHERE external_id = $1");
        if external_id.contains('\0') {
            return Ok(None);
        }
        Ok(query!(self, readers, |pool| sqlx::query_as(PLAYER).bind(external_id).fetch_optional(pool))?)
    }

    /// Gives a player the name and the locale that were his at a time, unless newer ones are known; whether they were
    /// taken.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn rename_player(
        &self,
        id: Uuid,
        name: &str,
        locale: &str,
        named_at: Millis,
    ) -> Result<bool, StoreError> {
        const RENAME: &str = "UPDATE players SET name = $2, locale = $3, named_at = $4 \
             WHERE id = $1 AND named_at < $4";
        let renamed: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let update = sqlx::query(RENAME).bind(id).bind(name).bind(locale).bind(named_at);
            Ok(update.execute(pool).await?.rows_affected())
        });
        Ok(renamed? > 0)
    }

    /// Gives a player another name or locale from now on, whatever was known; whether there is such a player who wasn't
    /// erased. Instances are told to forget the old name.
    ///
    /// # Errors
    /// The database is unavailable or damaged.
    pub async fn update_player(
        &self,
        id: Uuid,
        name: Option<&str>,
        locale: Option<&str>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        const UPDATE: &str = "UPDATE players SET name = coalesce($2, name), locale = coalesce($3, locale), \
             named_at = CASE WHEN named_at < $4 THEN $4 ELSE named_at + 1 END WHERE id = $1 AND name <> ''";
        let updated: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            let update = sqlx::query(UPDATE).bind(id).bind(name).bind(locale).bind(now);
            Ok(update.execute(pool).await?.rows_affected())
        });
        let updated = updated? > 0;
        if updated && name.is_some() {
            self.note_revocation(id, now).await?;
        }
        Ok(updated)
    }

    /// Gives a guest an account; whether he was a guest.
    ///
    /// # Errors
    /// [`StoreError::Taken`] if another player has the account, or the database is unavailable or damaged.
    pub async fn link_player(&self, id: Uuid, external_id: &str) -> Result<bool, StoreError> {
        const LINK: &str = "UPDATE players SET external_id = $2 \
             WHERE id = $1 AND external_id IS NULL AND name <> ''";
        let linked: Result<u64, sqlx::Error> = query!(self, writer, |pool| async {
            Ok(sqlx::query(LINK).bind(id).bind(external_id).execute(pool).await?.rows_affected())
        });
        match linked {
            Ok(rows) => Ok(rows > 0),
            Err(error) if error.as_database_error().is_some_and(|e| e.is_unique_violation()) => {
                Err(StoreError::Taken)
            }
            Err(error) => Err(error.into()),
        }
    }
}
