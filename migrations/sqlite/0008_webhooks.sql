-- Where events are posted, by the API keys that have made them.
CREATE TABLE webhooks (
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    key_id BLOB NOT NULL,
    -- The request that has made it, and a digest of it.
    request_id BLOB NOT NULL,
    fingerprint INTEGER NOT NULL,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    -- The bit 1 << n for the kind n.
    kinds INTEGER NOT NULL,
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    -- It has to be known to sign with.
    secret TEXT NOT NULL,
    old_secret TEXT,
    old_until INTEGER,
    -- The request that has made the secret, if that was a rotation.
    rotated_by BLOB,
    made_at INTEGER NOT NULL,
    -- A deleted one stays for as long as its request may be repeated.
    deleted_at INTEGER,
    UNIQUE (key_id, request_id)
) STRICT;

-- Events for webhooks. States: 1 waiting, 2 delivered, 3 dead.
CREATE TABLE webhook_deliveries (
    -- Of one game, the order of its events.
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    webhook_id BLOB NOT NULL,
    game_id BLOB NOT NULL,
    event BLOB NOT NULL,
    made_at INTEGER NOT NULL,
    state INTEGER NOT NULL CHECK (state BETWEEN 1 AND 3),
    attempts INTEGER NOT NULL,
    attempted_at INTEGER,
    failure INTEGER NOT NULL,
    status INTEGER NOT NULL
) STRICT;

CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, game_id, place) WHERE state = 1;
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (webhook_id, state, place);
CREATE INDEX webhook_deliveries_swept ON webhook_deliveries (state, made_at);

-- The games of which events wait at a webhook, and when the first of each is due.
CREATE TABLE webhook_lanes (
    webhook_id BLOB NOT NULL,
    game_id BLOB NOT NULL,
    due_at INTEGER NOT NULL,
    PRIMARY KEY (webhook_id, game_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_lanes_due ON webhook_lanes (webhook_id, due_at);

-- One row: up to where the feed has become deliveries. The version grows with every change.
CREATE TABLE webhook_feed (
    single INTEGER PRIMARY KEY DEFAULT 1 CHECK (single = 1),
    cursor TEXT NOT NULL,
    version INTEGER NOT NULL
) STRICT;

INSERT INTO webhook_feed (cursor, version)
    VALUES ('00000000000000000000000000000000.0.00000000000000000000000000000000.0', 0);
