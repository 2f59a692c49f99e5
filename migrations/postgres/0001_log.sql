-- One row for each move, never updated and never deleted. Wide columns come first, and with eight further columns
-- only three of which may be null, so that a small move's row has no padding: rows dominate the disk.
CREATE TABLE moves (
    game_id uuid NOT NULL,
    request_id uuid,
    fingerprint bigint,
    made_at bigint NOT NULL,
    -- The transaction that wrote the move: the feed's order. meta.tx_base plus pg_current_xact_id().
    tx bigint NOT NULL,
    number integer NOT NULL CHECK (number >= 1),
    seat smallint CHECK (seat BETWEEN 0 AND 255),
    format smallint NOT NULL,
    events bytea NOT NULL,
    PRIMARY KEY (game_id, number)
);

-- Rows lie on disk about in the order of their transactions, so a few bytes per range of pages do for the feed.
CREATE INDEX moves_tx ON moves USING brin (tx) WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE games (
    game_id uuid PRIMARY KEY,
    made_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    status smallint NOT NULL,
    public boolean NOT NULL,
    preset text NOT NULL CHECK (preset <> ''),
    invite_code text CHECK (invite_code <> '') CONSTRAINT games_invite_code UNIQUE,
    -- The players' ids, 16 bytes each, in the order that the writer gave.
    players bytea NOT NULL CHECK (octet_length(players) % 16 = 0),
    detail bytea NOT NULL
) WITH (fillfactor = 85);

CREATE INDEX games_open ON games (status, game_id) WHERE public;

CREATE TABLE game_players (
    player_id uuid NOT NULL,
    game_id uuid NOT NULL,
    PRIMARY KEY (player_id, game_id)
);

CREATE INDEX game_players_of_game ON game_players (game_id);

CREATE TABLE requests (
    principal uuid NOT NULL,
    request_id uuid NOT NULL,
    fingerprint bigint NOT NULL,
    made_at bigint NOT NULL,
    result bytea NOT NULL,
    CONSTRAINT requests_key PRIMARY KEY (principal, request_id)
);

CREATE INDEX requests_made_at ON requests USING brin (made_at);

CREATE TABLE players (
    id uuid PRIMARY KEY,
    made_at bigint NOT NULL,
    name text NOT NULL,
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32)
);

-- One row. Transaction ids belong to a cluster: when the data is found in another one (a dump was restored), the feed
-- gets a new epoch, and tx_base lifts the new ids above those already in the log.
CREATE TABLE meta (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    epoch uuid NOT NULL,
    cluster bigint NOT NULL,
    tx_base bigint NOT NULL
);

INSERT INTO meta (epoch, cluster, tx_base) SELECT gen_random_uuid(), system_identifier, 0 FROM pg_control_system();
