-- What is said at tables, in the order of each one's own numbers. A line that was removed stays without its words, so that
-- numbers keep their meaning; a line that removes others tells streams so.
CREATE TABLE chat (
    game_id BLOB NOT NULL,
    number INTEGER NOT NULL CHECK (number >= 1),
    -- Who has said it, or whose lines are removed.
    player_id BLOB NOT NULL,
    made_at INTEGER NOT NULL,
    request_id BLOB,
    body TEXT,
    -- The key of a quick phrase.
    phrase TEXT CHECK (phrase IS NULL OR body IS NULL),
    -- The number of the line that is removed; 0 for all of the player's before.
    removes INTEGER CHECK (removes IS NULL OR (body IS NULL AND phrase IS NULL AND request_id IS NULL)),
    PRIMARY KEY (game_id, number),
    UNIQUE (player_id, request_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX chat_player ON chat (player_id, game_id, number);
CREATE INDEX chat_made_at ON chat (made_at);

-- What may be said at a table, where it is less than everywhere.
CREATE TABLE chat_modes (
    game_id BLOB NOT NULL PRIMARY KEY,
    mode INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whom players don't want to hear: at one table, or everywhere if the game's id is all zeros.
CREATE TABLE mutes (
    player_id BLOB NOT NULL,
    muted_id BLOB NOT NULL CHECK (muted_id <> player_id),
    game_id BLOB NOT NULL,
    made_at INTEGER NOT NULL,
    PRIMARY KEY (player_id, muted_id, game_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX mutes_muted ON mutes (muted_id);

-- Whose data were erased. Kept for ever: nothing of them may come back.
CREATE TABLE erasures (
    player_id BLOB NOT NULL PRIMARY KEY,
    erased_at INTEGER NOT NULL,
    -- When all of it was carried out; null if it has to be done again.
    done_at INTEGER
) STRICT, WITHOUT ROWID;
