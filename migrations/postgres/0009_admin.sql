-- Who may not play, nor do anything else, until when.
CREATE TABLE bans (
    player_id uuid PRIMARY KEY,
    made_at bigint NOT NULL,
    -- Null for good.
    until bigint,
    reason text NOT NULL
);

-- What administrators have done. Rows are only ever added.
CREATE TABLE audit (
    id uuid PRIMARY KEY,
    made_at bigint NOT NULL,
    -- The API key; null for the command line.
    key_id uuid,
    key_name text NOT NULL,
    act smallint NOT NULL,
    -- The game, player or API key that it was done to.
    subject uuid NOT NULL,
    seat smallint,
    reason text NOT NULL,
    until bigint,
    request_id uuid
);

CREATE UNIQUE INDEX audit_requests ON audit (key_id, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX audit_subject ON audit (subject, id);
CREATE INDEX audit_key ON audit (key_id, id);

-- What has come of an act that isn't written in the transaction of its entry. Rows are only ever added.
CREATE TABLE audit_outcomes (
    audit_id uuid PRIMARY KEY,
    done boolean NOT NULL,
    -- The move by which it was done.
    version integer
);

CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is only added to';
END
$$;

CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_stays();
CREATE TRIGGER audit_outcomes_stay BEFORE UPDATE OR DELETE ON audit_outcomes
    FOR EACH ROW EXECUTE FUNCTION audit_stays();

-- Administrators find players by the beginning of their names, whatever the database's collation is.
CREATE INDEX players_name ON players (name COLLATE "C");
