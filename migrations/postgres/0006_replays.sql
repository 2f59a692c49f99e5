-- Who may see a game's finished deals again; games without a row have what goes with their visibility.
CREATE TABLE replays (
    game_id uuid PRIMARY KEY,
    access smallint NOT NULL,
    -- The code for others to see it by; kept while access is another, until it is renewed.
    share_code text CHECK (share_code <> '') CONSTRAINT replays_share_code UNIQUE
);

-- Games that were played elsewhere, or before.
CREATE TABLE imports (
    game_id uuid PRIMARY KEY,
    imported_by uuid NOT NULL,
    imported_at bigint NOT NULL,
    document text NOT NULL
);

-- What exports are signed with. Two random UUIDs have 244 random bits.
ALTER TABLE secrets ADD COLUMN signing_key bytea CHECK (octet_length(signing_key) = 32);
UPDATE secrets
    SET signing_key = decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
ALTER TABLE secrets ALTER COLUMN signing_key SET NOT NULL;
