-- Whether anybody may list the game now: a public one that allows no spectators only until its first deal.
ALTER TABLE games ADD COLUMN listed boolean NOT NULL DEFAULT false;

-- Until when others than its players list it as it was before; null if they see it as it is.
ALTER TABLE games ADD COLUMN settles_at bigint;

UPDATE games SET listed = public;

DROP INDEX games_open;
CREATE INDEX games_open ON games (status, game_id) WHERE listed;
