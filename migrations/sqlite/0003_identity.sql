-- Players have tokens of limited life, several at a time, and perhaps an account of the integrator's. A token from
-- before can't say when it ends, so it ends here.
CREATE TABLE players_now (
    id BLOB NOT NULL PRIMARY KEY,
    made_at INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- The id of the player's account at the integrator; a guest has none.
    external_id TEXT UNIQUE CHECK (external_id <> ''),
    -- A language tag; empty if unknown.
    locale TEXT NOT NULL,
    -- How new the name and the locale are: an older token doesn't bring an older name back.
    named_at INTEGER NOT NULL,
    -- Tokens of the integrator's that were issued before don't count any more.
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO players_now (id, made_at, name, locale, named_at) SELECT id, made_at, name, '', 0 FROM players;
DROP TABLE players;
ALTER TABLE players_now RENAME TO players;

-- The tokens that players have from the service, as hashes. A session is what one sign-in has brought forth: it has one
-- token that refreshes, and of those that call some at a time.
CREATE TABLE tokens (
    hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
    player_id BLOB NOT NULL,
    session_id BLOB NOT NULL,
    refreshes INTEGER NOT NULL CHECK (refreshes IN (0, 1)),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tokens_player ON tokens (player_id);
CREATE INDEX tokens_session ON tokens (session_id);
CREATE INDEX tokens_expires_at ON tokens (expires_at);

-- The backends' API keys, as hashes. A revoked one stays, so that it is listed.
CREATE TABLE keys (
    id BLOB NOT NULL PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    name TEXT NOT NULL,
    -- The names of the scopes, with a space between them.
    scopes TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    -- Some use of it in the hour of its last use.
    used_at INTEGER,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- The sessions, players and keys that were revoked lately, for instances to look what they remember over.
CREATE TABLE revocations (
    subject BLOB NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX revocations_at ON revocations (at);

-- One row: what all instances sign tickets with.
CREATE TABLE secrets (
    single INTEGER PRIMARY KEY DEFAULT 1 CHECK (single = 1),
    ticket_key BLOB NOT NULL CHECK (length(ticket_key) = 32)
) STRICT;

INSERT INTO secrets (ticket_key) VALUES (randomblob(32));
