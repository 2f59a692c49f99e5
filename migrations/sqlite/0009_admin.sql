-- Who may not play, nor do anything else, until when.
CREATE TABLE bans (
    player_id BLOB NOT NULL PRIMARY KEY,
    made_at INTEGER NOT NULL,
    -- Null for good.
    until INTEGER,
    reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What administrators have done. Rows are only ever added.
CREATE TABLE audit (
    id BLOB NOT NULL PRIMARY KEY,
    made_at INTEGER NOT NULL,
    -- The API key; null for the command line.
    key_id BLOB,
    key_name TEXT NOT NULL,
    act INTEGER NOT NULL,
    -- The game, player or API key that it was done to.
    subject BLOB NOT NULL,
    seat INTEGER,
    reason TEXT NOT NULL,
    until INTEGER,
    request_id BLOB
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX audit_requests ON audit (key_id, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX audit_subject ON audit (subject, id);
CREATE INDEX audit_key ON audit (key_id, id);

-- What has come of an act that isn't written in the transaction of its entry. Rows are only ever added.
CREATE TABLE audit_outcomes (
    audit_id BLOB NOT NULL PRIMARY KEY,
    done INTEGER NOT NULL CHECK (done IN (0, 1)),
    -- The move by which it was done.
    version INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
CREATE TRIGGER audit_outcomes_stay BEFORE UPDATE ON audit_outcomes
    BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;
CREATE TRIGGER audit_outcomes_are_kept BEFORE DELETE ON audit_outcomes
    BEGIN SELECT RAISE(ABORT, 'the audit trail is only added to'); END;

-- Administrators find players by the beginning of their names.
CREATE INDEX players_name ON players (name);
