-- Whether anybody may list the game now: a public one that allows no spectators only until its first deal.
ALTER TABLE games ADD COLUMN listed INTEGER NOT NULL DEFAULT 0 CHECK (listed IN (0, 1));

-- Until when others than its players list it as it was before; null if they see it as it is.
ALTER TABLE games ADD COLUMN settles_at INTEGER;

UPDATE games SET listed = public;

DROP INDEX games_open;
CREATE INDEX games_open ON games (status, game_id) WHERE listed;
