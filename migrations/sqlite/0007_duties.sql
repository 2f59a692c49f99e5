-- What one instance does for all of them: whoever holds a duty keeps it as long as he says so in time.
CREATE TABLE duties (
    name TEXT NOT NULL PRIMARY KEY,
    owner BLOB NOT NULL,
    -- From then on another may take it.
    lapses_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How strong a player is in a family of rulesets.
CREATE TABLE ratings (
    player_id BLOB NOT NULL,
    family TEXT NOT NULL,
    mean REAL NOT NULL,
    deviation REAL NOT NULL CHECK (deviation > 0),
    -- How many rated games it rests on.
    games INTEGER NOT NULL CHECK (games > 0),
    rated_at INTEGER NOT NULL,
    PRIMARY KEY (player_id, family)
) STRICT, WITHOUT ROWID;

-- Whom a player doesn't want to sit with or hear.
CREATE TABLE blocks (
    player_id BLOB NOT NULL,
    blocked_id BLOB NOT NULL CHECK (blocked_id <> player_id),
    made_at INTEGER NOT NULL,
    PRIMARY KEY (player_id, blocked_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocks_blocked ON blocks (blocked_id);
