-- Whom a host has invited to a table: he may know of it and sit there until the first deal.
CREATE TABLE invitations (
    game_id uuid NOT NULL,
    player_id uuid NOT NULL,
    invited_by uuid NOT NULL,
    made_at bigint NOT NULL,
    PRIMARY KEY (game_id, player_id)
);

CREATE INDEX invitations_player ON invitations (player_id, made_at, game_id);
CREATE INDEX invitations_made_at ON invitations USING brin (made_at);
