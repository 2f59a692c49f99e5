-- When a game next needs the clock: written with the move that sets or changes the time, deleted with the one after
-- which nothing is to come.
CREATE TABLE alarms (
    game_id BLOB NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    -- When the move was made that set it.
    set_at INTEGER NOT NULL,
    shard INTEGER NOT NULL CHECK (shard BETWEEN 0 AND 255)
) STRICT, WITHOUT ROWID;

CREATE INDEX alarms_at ON alarms (shard, at);

-- The process that runs, or ran last, with its last heartbeat.
CREATE TABLE instances (
    id BLOB NOT NULL PRIMARY KEY,
    alive_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which instance looks after a shard of the games. It counts as long as the instance's heart beats.
CREATE TABLE leases (
    shard INTEGER PRIMARY KEY CHECK (shard BETWEEN 0 AND 255),
    owner BLOB,
    -- Since when nobody does, if somebody did and gave it back.
    free_since INTEGER
) STRICT;

INSERT INTO leases (shard)
    WITH RECURSIVE shards (shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM shards WHERE shard < 255)
    SELECT shard FROM shards;

-- When nobody looked after a shard: players get this time back. A row goes when no alarm is older than its end.
CREATE TABLE outages (
    shard INTEGER NOT NULL,
    began INTEGER NOT NULL,
    ended INTEGER NOT NULL CHECK (ended >= began),
    PRIMARY KEY (shard, began, ended)
) STRICT, WITHOUT ROWID;
