-- What is said at tables, in the order of each one's own numbers. A line that was removed stays without its words, so that
-- numbers keep their meaning; a line that removes others tells streams so.
CREATE TABLE chat (
    game_id uuid NOT NULL,
    number integer NOT NULL CHECK (number >= 1),
    -- Who has said it, or whose lines are removed.
    player_id uuid NOT NULL,
    made_at bigint NOT NULL,
    request_id uuid,
    body text,
    -- The key of a quick phrase.
    phrase text CHECK (phrase IS NULL OR body IS NULL),
    -- The number of the line that is removed; 0 for all of the player's before.
    removes integer CHECK (removes IS NULL OR (body IS NULL AND phrase IS NULL AND request_id IS NULL)),
    PRIMARY KEY (game_id, number),
    UNIQUE (player_id, request_id)
);

CREATE INDEX chat_player ON chat (player_id, game_id, number);
CREATE INDEX chat_made_at ON chat (made_at);

-- What may be said at a table, where it is less than everywhere.
CREATE TABLE chat_modes (
    game_id uuid PRIMARY KEY,
    mode smallint NOT NULL
);

-- Whom players don't want to hear: at one table, or everywhere if the game's id is all zeros.
CREATE TABLE mutes (
    player_id uuid NOT NULL,
    muted_id uuid NOT NULL CHECK (muted_id <> player_id),
    game_id uuid NOT NULL,
    made_at bigint NOT NULL,
    PRIMARY KEY (player_id, muted_id, game_id)
);

CREATE INDEX mutes_muted ON mutes (muted_id);

-- Whose data were erased. Kept for ever: nothing of them may come back.
CREATE TABLE erasures (
    player_id uuid PRIMARY KEY,
    erased_at bigint NOT NULL,
    -- When all of it was carried out; null if it has to be done again.
    done_at bigint
);
