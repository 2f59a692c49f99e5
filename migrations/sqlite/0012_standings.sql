-- What finished games come to: ratings, statistics, leaderboards. All of it follows from the log, so it can be made
-- anew beside what is shown: as another generation, with a cursor of its own in the feed, that is shown from some
-- moment on.
CREATE TABLE standings (
    generation INTEGER NOT NULL PRIMARY KEY,
    -- Up to where in the feed the games are counted.
    cursor TEXT NOT NULL,
    -- 0 while it is being made, 1 while it is shown, 2 when it isn't any more.
    state INTEGER NOT NULL CHECK (state IN (0, 1, 2)),
    -- Something that it has counted turned out to be otherwise: it is to be made anew.
    stale INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX standings_shown ON standings (state) WHERE state = 1;

INSERT INTO standings (generation, cursor, state)
    VALUES (0, '00000000000000000000000000000000.0.00000000000000000000000000000000.0', 1);

-- The finished games that are counted, and as what.
CREATE TABLE counted_games (
    generation INTEGER NOT NULL,
    game_id BLOB NOT NULL,
    counted_as INTEGER NOT NULL,
    PRIMARY KEY (generation, game_id)
) STRICT, WITHOUT ROWID;

-- Nothing has been rated before.
DROP TABLE ratings;

-- How strong a player is in a family of rulesets.
CREATE TABLE ratings (
    generation INTEGER NOT NULL,
    player_id BLOB NOT NULL,
    family TEXT NOT NULL,
    mean REAL NOT NULL,
    deviation REAL NOT NULL CHECK (deviation > 0),
    -- How many rated games it rests on.
    games INTEGER NOT NULL CHECK (games > 0),
    rated_at INTEGER NOT NULL,
    -- What leaderboards go by: the mean on the players' scale, and whether it is sure enough to be shown there.
    points INTEGER NOT NULL,
    provisional INTEGER NOT NULL,
    PRIMARY KEY (generation, player_id, family)
) STRICT, WITHOUT ROWID;

CREATE INDEX ratings_board ON ratings (generation, family, points DESC, player_id) WHERE NOT provisional;

-- What each rated game changed. The number of a change is that of the player's rated game in the family, from 1.
CREATE TABLE rating_changes (
    generation INTEGER NOT NULL,
    player_id BLOB NOT NULL,
    family TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    game_id BLOB NOT NULL,
    rated_at INTEGER NOT NULL,
    place INTEGER NOT NULL,
    players INTEGER NOT NULL,
    mean_before REAL NOT NULL,
    deviation_before REAL NOT NULL,
    mean REAL NOT NULL,
    deviation REAL NOT NULL,
    PRIMARY KEY (generation, player_id, family, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX rating_changes_of_game ON rating_changes (generation, game_id);

-- Sums of a player's games: of one kind, in one preset or all ('') and in one period or all time ('').
CREATE TABLE statistics (
    generation INTEGER NOT NULL,
    player_id BLOB NOT NULL,
    period TEXT NOT NULL,
    preset TEXT NOT NULL,
    kind INTEGER NOT NULL,
    games INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    deals INTEGER NOT NULL,
    deals_won INTEGER NOT NULL,
    rummies INTEGER NOT NULL,
    points INTEGER NOT NULL,
    timeouts INTEGER NOT NULL,
    -- Games won in a row: the last ones, and the most.
    streak INTEGER NOT NULL,
    longest_streak INTEGER NOT NULL,
    PRIMARY KEY (generation, player_id, period, preset, kind)
) STRICT, WITHOUT ROWID;

-- Leaderboards are of rated games, which are of kind 1.
CREATE INDEX statistics_wins ON statistics (generation, preset, period, wins DESC, player_id)
    WHERE kind = 1 AND wins > 0;
CREATE INDEX statistics_deals_won ON statistics (generation, preset, period, deals_won DESC, player_id)
    WHERE kind = 1 AND deals_won > 0;
CREATE INDEX statistics_rummies ON statistics (generation, preset, period, rummies DESC, player_id)
    WHERE kind = 1 AND rummies > 0;
CREATE INDEX statistics_streak ON statistics (generation, preset, period, longest_streak DESC, player_id)
    WHERE kind = 1 AND longest_streak > 0;
