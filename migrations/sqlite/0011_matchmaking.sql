-- Who waits for a game. States: 1 gathering, 2 queued, 3 claimed for a game that isn't there yet, 4 matched,
-- 5 cancelled, 6 expired.
CREATE TABLE tickets (
    ticket_id BLOB NOT NULL PRIMARY KEY CHECK (length(ticket_id) = 16),
    -- The player whose ticket it is.
    holder BLOB NOT NULL,
    -- The API key that has made it; null for a player's own.
    made_by_key BLOB,
    made_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    -- Grows with every change of state or players: changes are made by compare-and-set on it.
    version INTEGER NOT NULL CHECK (version >= 1),
    state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 6),
    party_size INTEGER NOT NULL CHECK (party_size >= 1),
    party_code TEXT UNIQUE,
    queued_at INTEGER,
    expires_at INTEGER NOT NULL,
    -- Until when it counts as watched; null if it doesn't end with its holder's stream.
    watched_until INTEGER,
    game_id BLOB,
    -- What is wished for, encoded.
    wish BLOB NOT NULL
) STRICT;

CREATE INDEX tickets_waiting ON tickets (state, ticket_id) WHERE state <= 3;
CREATE INDEX tickets_changed ON tickets (changed_at);
CREATE INDEX tickets_game ON tickets (game_id) WHERE game_id IS NOT NULL;

CREATE TABLE ticket_players (
    ticket_id BLOB NOT NULL,
    player_id BLOB NOT NULL,
    -- In the order in which they came.
    place INTEGER NOT NULL,
    -- How strong he was when he came, encoded.
    ratings BLOB NOT NULL,
    open INTEGER NOT NULL CHECK (open IN (0, 1)),
    PRIMARY KEY (ticket_id, player_id)
) STRICT, WITHOUT ROWID;

-- A player has one open ticket at most.
CREATE UNIQUE INDEX ticket_players_open ON ticket_players (player_id) WHERE open;
CREATE INDEX ticket_players_of_player ON ticket_players (player_id, ticket_id);

-- Games that tickets were claimed for, written with the claim. States: 1 to be made, 2 made, 3 begun.
CREATE TABLE matches (
    game_id BLOB NOT NULL PRIMARY KEY CHECK (length(game_id) = 16),
    made_at INTEGER NOT NULL,
    state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3),
    -- When it begins if somebody isn't ready.
    begins_at INTEGER NOT NULL,
    -- Who plays what, encoded.
    plan BLOB NOT NULL
) STRICT;

CREATE INDEX matches_unfinished ON matches (begins_at) WHERE state < 3;
CREATE INDEX matches_made_at ON matches (made_at);
