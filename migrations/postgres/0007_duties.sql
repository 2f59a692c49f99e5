-- What one instance does for all of them: whoever holds a duty keeps it as long as he says so in time.
CREATE TABLE duties (
    name text PRIMARY KEY,
    owner uuid NOT NULL,
    -- From then on another may take it.
    lapses_at bigint NOT NULL
) WITH (fillfactor = 50);

-- How strong a player is in a family of rulesets.
CREATE TABLE ratings (
    player_id uuid NOT NULL,
    family text NOT NULL,
    mean double precision NOT NULL,
    deviation double precision NOT NULL CHECK (deviation > 0),
    -- How many rated games it rests on.
    games integer NOT NULL CHECK (games > 0),
    rated_at bigint NOT NULL,
    PRIMARY KEY (player_id, family)
);

-- Whom a player doesn't want to sit with or hear.
CREATE TABLE blocks (
    player_id uuid NOT NULL,
    blocked_id uuid NOT NULL CHECK (blocked_id <> player_id),
    made_at bigint NOT NULL,
    PRIMARY KEY (player_id, blocked_id)
);

CREATE INDEX blocks_blocked ON blocks (blocked_id);
