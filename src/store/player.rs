use uuid::Uuid;

use super::Millis;

/// Somebody who plays, as others see him.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Player {
    /// The id that the log knows him by.
    pub id: Uuid,
    /// The name that others see.
    pub name: String,
    /// When he came.
    pub made_at: Millis,
}
