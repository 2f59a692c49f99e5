-- Where events are posted, by the API keys that have made them.
CREATE TABLE webhooks (
    id uuid PRIMARY KEY,
    key_id uuid NOT NULL,
    -- The request that has made it, and a digest of it.
    request_id uuid NOT NULL,
    fingerprint bigint NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    -- The bit 1 << n for the kind n.
    kinds bigint NOT NULL,
    paused boolean NOT NULL,
    -- It has to be known to sign with.
    secret text NOT NULL,
    old_secret text,
    old_until bigint,
    -- The request that has made the secret, if that was a rotation.
    rotated_by uuid,
    made_at bigint NOT NULL,
    -- A deleted one stays for as long as its request may be repeated.
    deleted_at bigint,
    CONSTRAINT webhooks_request UNIQUE (key_id, request_id)
);

-- Events for webhooks. States: 1 waiting, 2 delivered, 3 dead.
CREATE TABLE webhook_deliveries (
    -- Of one game, the order of its events.
    place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id uuid NOT NULL UNIQUE,
    webhook_id uuid NOT NULL,
    game_id uuid NOT NULL,
    event bytea NOT NULL,
    made_at bigint NOT NULL,
    state smallint NOT NULL CHECK (state BETWEEN 1 AND 3),
    attempts integer NOT NULL,
    attempted_at bigint,
    failure smallint NOT NULL,
    status smallint NOT NULL
) WITH (fillfactor = 85);

CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, game_id, place) WHERE state = 1;
CREATE INDEX webhook_deliveries_listed ON webhook_deliveries (webhook_id, state, place);
CREATE INDEX webhook_deliveries_swept ON webhook_deliveries (state, made_at);

-- The games of which events wait at a webhook, and when the first of each is due.
CREATE TABLE webhook_lanes (
    webhook_id uuid NOT NULL,
    game_id uuid NOT NULL,
    due_at bigint NOT NULL,
    PRIMARY KEY (webhook_id, game_id)
) WITH (fillfactor = 50);

CREATE INDEX webhook_lanes_due ON webhook_lanes (webhook_id, due_at);

-- One row: up to where the feed has become deliveries. The version grows with every change.
CREATE TABLE webhook_feed (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    cursor text NOT NULL,
    version bigint NOT NULL
);

INSERT INTO webhook_feed (cursor, version)
    VALUES ('00000000000000000000000000000000.0.00000000000000000000000000000000.0', 0);
