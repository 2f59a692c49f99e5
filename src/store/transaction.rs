//! Several statements that are carried out together or not at all.

/// What `$body` writes on either database, in one transaction. It answers with its value, and whether what it has
/// written is to be kept.
macro_rules! undoable {
    ($store:expr, |$connection:ident| $body:expr) => {
        match &$store.database {
            $crate::store::Database::Postgres(postgres) => {
                let mut transaction = postgres.pool.begin().await?;
                let $connection = &mut *transaction;
                let (value, keep) = $body.await?;
                if keep {
                    transaction.commit().await?
                } else {
                    transaction.rollback().await?
                }
                value
            }
            $crate::store::Database::Sqlite(sqlite) => {
                let mut connection = sqlite.writer.acquire().await?;
                let written: sqlx::Result<_> = async {
                    // Undone when it is dropped without a commit.
                    let mut transaction =
                        sqlx::Connection::begin_with(&mut *connection, "BEGIN IMMEDIATE").await?;
                    let $connection = &mut *transaction;
                    let (value, keep) = $body.await?;
                    if keep {
                        transaction.commit().await?
                    } else {
                        transaction.rollback().await?
                    }
                    Ok(value)
                }
                .await;
                $crate::store::sqlite::keep_if_sound(connection, written).await?
            }
        }
    };
}

/// What `$body` writes on either database, in one transaction, which is kept if it doesn't fail.
macro_rules! transaction {
    ($store:expr, |$connection:ident| $body:expr) => {
        $crate::store::undoable!($store, |$connection| async {
            let done: sqlx::Result<_> = $body.await;
            done.map(|value| (value, true))
        })
    };
}

pub(super) use {transaction, undoable};
