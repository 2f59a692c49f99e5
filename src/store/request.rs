use bytes::Bytes;
use uuid::Uuid;

/// The kept answer to a command, so that a repeat gets the same one. Its time is that of the move stored with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Who sent the command.
    pub principal: Uuid,
    /// The id that the client gave to it, unique for the principal.
    pub request_id: Uuid,
    /// A digest of the command, to tell a repeat from another command under the same id.
    pub fingerprint: i64,
    /// The encoded answer; the store never looks inside.
    pub result: Bytes,
}
