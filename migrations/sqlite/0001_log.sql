-- One row for each move, never updated and never deleted: with one writer the row ids are the commit order, the feed's.
CREATE TABLE moves (
    position INTEGER PRIMARY KEY,
    game_id BLOB NOT NULL CHECK (length(game_id) = 16),
    number INTEGER NOT NULL CHECK (number >= 1),
    seat INTEGER CHECK (seat BETWEEN 0 AND 255),
    request_id BLOB CHECK (length(request_id) = 16),
    fingerprint INTEGER,
    made_at INTEGER NOT NULL,
    format INTEGER NOT NULL,
    events BLOB NOT NULL,
    UNIQUE (game_id, number)
) STRICT;

CREATE TABLE games (
    game_id BLOB NOT NULL PRIMARY KEY,
    made_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    status INTEGER NOT NULL,
    public INTEGER NOT NULL CHECK (public IN (0, 1)),
    preset TEXT NOT NULL CHECK (preset <> ''),
    invite_code TEXT UNIQUE CHECK (invite_code <> ''),
    -- The players' ids, 16 bytes each, in the order that the writer gave.
    players BLOB NOT NULL CHECK (length(players) % 16 = 0),
    detail BLOB NOT NULL
) STRICT;

CREATE INDEX games_open ON games (status, game_id) WHERE public;

CREATE TABLE game_players (
    player_id BLOB NOT NULL,
    game_id BLOB NOT NULL,
    PRIMARY KEY (player_id, game_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX game_players_of_game ON game_players (game_id);

CREATE TABLE requests (
    principal BLOB NOT NULL,
    request_id BLOB NOT NULL,
    fingerprint INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    result BLOB NOT NULL,
    PRIMARY KEY (principal, request_id)
) STRICT;

CREATE INDEX requests_made_at ON requests (made_at);

CREATE TABLE players (
    id BLOB PRIMARY KEY,
    made_at INTEGER NOT NULL,
    name TEXT NOT NULL,
    token_hash BLOB NOT NULL UNIQUE CHECK (length(token_hash) = 32)
) STRICT, WITHOUT ROWID;

-- One row. The epoch names this history of the log; a copy restored from a backup goes on under another one.
CREATE TABLE meta (
    single INTEGER PRIMARY KEY DEFAULT 1 CHECK (single = 1),
    epoch BLOB NOT NULL
) STRICT;

INSERT INTO meta (epoch) VALUES (randomblob(16));
