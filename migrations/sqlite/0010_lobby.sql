-- Whom a host has invited to a table: he may know of it and sit there until the first deal.
CREATE TABLE invitations (
    game_id BLOB NOT NULL CHECK (length(game_id) = 16),
    player_id BLOB NOT NULL,
    invited_by BLOB NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (game_id, player_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX invitations_player ON invitations (player_id, made_at, game_id);
CREATE INDEX invitations_made_at ON invitations (made_at);
