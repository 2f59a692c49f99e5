-- Players have tokens of limited life, several at a time, and perhaps an account of the integrator's. A token from
-- before can't say when it ends, so it ends here.
ALTER TABLE players
    DROP COLUMN token_hash,
    -- The id of the player's account at the integrator; a guest has none.
    ADD COLUMN external_id text CHECK (external_id <> '') CONSTRAINT players_external_id UNIQUE,
    -- A language tag; empty if unknown.
    ADD COLUMN locale text NOT NULL DEFAULT '',
    -- How new the name and the locale are: an older token doesn't bring an older name back.
    ADD COLUMN named_at bigint NOT NULL DEFAULT 0,
    -- Tokens of the integrator's that were issued before don't count any more.
    ADD COLUMN revoked_at bigint;

-- The tokens that players have from the service, as hashes. A session is what one sign-in has brought forth: it has one
-- token that refreshes, and of those that call some at a time.
CREATE TABLE tokens (
    hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    player_id uuid NOT NULL,
    session_id uuid NOT NULL,
    refreshes boolean NOT NULL,
    expires_at bigint NOT NULL
);

CREATE INDEX tokens_player ON tokens (player_id);
CREATE INDEX tokens_session ON tokens (session_id);
CREATE INDEX tokens_expires_at ON tokens (expires_at);

-- The backends' API keys, as hashes. A revoked one stays, so that it is listed.
CREATE TABLE keys (
    id uuid PRIMARY KEY,
    hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    name text NOT NULL,
    -- The names of the scopes, with a space between them.
    scopes text NOT NULL,
    made_at bigint NOT NULL,
    -- Some use of it in the hour of its last use.
    used_at bigint,
    revoked_at bigint
);

-- The sessions, players and keys that were revoked lately, for instances to look what they remember over.
CREATE TABLE revocations (
    subject uuid PRIMARY KEY,
    at bigint NOT NULL
);

CREATE INDEX revocations_at ON revocations (at);

-- One row: what all instances sign tickets with.
CREATE TABLE secrets (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    ticket_key bytea NOT NULL CHECK (octet_length(ticket_key) = 32)
);

-- Two random UUIDs have 244 random bits.
INSERT INTO secrets (ticket_key)
    SELECT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
