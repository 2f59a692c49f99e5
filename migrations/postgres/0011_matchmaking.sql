-- Who waits for a game. States: 1 gathering, 2 queued, 3 claimed for a game that isn't there yet, 4 matched,
-- 5 cancelled, 6 expired.
CREATE TABLE tickets (
    ticket_id uuid PRIMARY KEY,
    -- The player whose ticket it is.
    holder uuid NOT NULL,
    -- The API key that has made it; null for a player's own.
    made_by_key uuid,
    made_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    -- Grows with every change of state or players: changes are made by compare-and-set on it.
    version integer NOT NULL CHECK (version >= 1),
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 6),
    party_size smallint NOT NULL CHECK (party_size >= 1),
    party_code text CONSTRAINT tickets_party_code UNIQUE,
    queued_at bigint,
    expires_at bigint NOT NULL,
    -- Until when it counts as watched; null if it doesn't end with its holder's stream.
    watched_until bigint,
    game_id uuid,
    -- What is wished for, encoded.
    wish bytea NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX tickets_waiting ON tickets (state, ticket_id) WHERE state <= 3;
CREATE INDEX tickets_changed ON tickets (changed_at);
CREATE INDEX tickets_game ON tickets (game_id) WHERE game_id IS NOT NULL;

CREATE TABLE ticket_players (
    ticket_id uuid NOT NULL,
    player_id uuid NOT NULL,
    -- In the order in which they came.
    place smallint NOT NULL,
    -- How strong he was when he came, encoded.
    ratings bytea NOT NULL,
    open boolean NOT NULL,
    PRIMARY KEY (ticket_id, player_id)
) WITH (fillfactor = 80);

-- A player has one open ticket at most.
CREATE UNIQUE INDEX ticket_players_open ON ticket_players (player_id) WHERE open;
CREATE INDEX ticket_players_of_player ON ticket_players (player_id, ticket_id);

-- Games that tickets were claimed for, written with the claim. States: 1 to be made, 2 made, 3 begun.
CREATE TABLE matches (
    game_id uuid PRIMARY KEY,
    made_at bigint NOT NULL,
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 3),
    -- When it begins if somebody isn't ready.
    begins_at bigint NOT NULL,
    -- Who plays what, encoded.
    plan bytea NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX matches_unfinished ON matches (begins_at) WHERE state < 3;
CREATE INDEX matches_made_at ON matches (made_at);
