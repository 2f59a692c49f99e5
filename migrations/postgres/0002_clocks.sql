-- When a game next needs the clock: written with the move that sets or changes the time, deleted with the one after
-- which nothing is to come.
CREATE TABLE alarms (
    game_id uuid PRIMARY KEY,
    at bigint NOT NULL,
    -- When the move was made that set it.
    set_at bigint NOT NULL,
    shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255)
);

CREATE INDEX alarms_at ON alarms (shard, at);

-- The instances that run, or ran last, with their last heartbeat.
CREATE TABLE instances (
    id uuid PRIMARY KEY,
    alive_at bigint NOT NULL
) WITH (fillfactor = 50);

-- Which instance looks after a shard of the games. It counts as long as the instance's heart beats.
CREATE TABLE leases (
    shard smallint PRIMARY KEY CHECK (shard BETWEEN 0 AND 255),
    owner uuid,
    -- Since when nobody does, if somebody did and gave it back.
    free_since bigint
) WITH (fillfactor = 50);

INSERT INTO leases (shard) SELECT generate_series(0, 255);

-- When nobody looked after a shard: players get this time back. A row goes when no alarm is older than its end.
CREATE TABLE outages (
    shard smallint NOT NULL,
    began bigint NOT NULL,
    ended bigint NOT NULL CHECK (ended >= began),
    PRIMARY KEY (shard, began, ended)
);
