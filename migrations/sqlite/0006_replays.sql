-- Who may see a game's finished deals again; games without a row have what goes with their visibility.
CREATE TABLE replays (
    game_id BLOB NOT NULL PRIMARY KEY CHECK (length(game_id) = 16),
    access INTEGER NOT NULL,
    -- The code for others to see it by; kept while access is another, until it is renewed.
    share_code TEXT UNIQUE CHECK (share_code <> '')
) STRICT;

-- Games that were played elsewhere, or before.
CREATE TABLE imports (
    game_id BLOB NOT NULL PRIMARY KEY CHECK (length(game_id) = 16),
    imported_by BLOB NOT NULL,
    imported_at INTEGER NOT NULL,
    document TEXT NOT NULL
) STRICT;

-- What exports are signed with.
ALTER TABLE secrets ADD COLUMN signing_key BLOB NOT NULL DEFAULT x'' CHECK (length(signing_key) IN (0, 32));
UPDATE secrets SET signing_key = randomblob(32);
