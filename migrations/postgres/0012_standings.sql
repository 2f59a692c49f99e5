-- What finished games come to: ratings, statistics, leaderboards. All of it follows from the log, so it can be made
-- anew beside what is shown: as another generation, with a cursor of its own in the feed, that is shown from some
-- moment on.
CREATE TABLE standings (
    generation integer PRIMARY KEY,
    -- Up to where in the feed the games are counted.
    cursor text NOT NULL,
    -- 0 while it is being made, 1 while it is shown, 2 when it isn't any more.
    state smallint NOT NULL CHECK (state IN (0, 1, 2)),
    -- Something that it has counted turned out to be otherwise: it is to be made anew.
    stale boolean NOT NULL DEFAULT false
);

CREATE UNIQUE INDEX standings_shown ON standings (state) WHERE state = 1;

INSERT INTO standings (generation, cursor, state)
    VALUES (0, '00000000000000000000000000000000.0.00000000000000000000000000000000.0', 1);

-- The finished games that are counted, and as what.
CREATE TABLE counted_games (
    generation integer NOT NULL,
    game_id uuid NOT NULL,
    counted_as smallint NOT NULL,
    PRIMARY KEY (generation, game_id)
);

-- Nothing has been rated before.
DROP TABLE ratings;

-- How strong a player is in a family of rulesets.
CREATE TABLE ratings (
    generation integer NOT NULL,
    player_id uuid NOT NULL,
    family text NOT NULL,
    mean double precision NOT NULL,
    deviation double precision NOT NULL CHECK (deviation > 0),
    -- How many rated games it rests on.
    games integer NOT NULL CHECK (games > 0),
    rated_at bigint NOT NULL,
    -- What leaderboards go by: the mean on the players' scale, and whether it is sure enough to be shown there.
    points integer NOT NULL,
    provisional boolean NOT NULL,
    PRIMARY KEY (generation, player_id, family)
);

CREATE INDEX ratings_board ON ratings (generation, family, points DESC, player_id) WHERE NOT provisional;

-- What each rated game changed. The number of a change is that of the player's rated game in the family, from 1.
CREATE TABLE rating_changes (
    generation integer NOT NULL,
    player_id uuid NOT NULL,
    family text NOT NULL,
    number integer NOT NULL CHECK (number > 0),
    game_id uuid NOT NULL,
    rated_at bigint NOT NULL,
    place smallint NOT NULL,
    players smallint NOT NULL,
    mean_before double precision NOT NULL,
    deviation_before double precision NOT NULL,
    mean double precision NOT NULL,
    deviation double precision NOT NULL,
    PRIMARY KEY (generation, player_id, family, number)
);

CREATE INDEX rating_changes_of_game ON rating_changes (generation, game_id);

-- Sums of a player's games: of one kind, in one preset or all ('') and in one period or all time ('').
CREATE TABLE statistics (
    generation integer NOT NULL,
    player_id uuid NOT NULL,
    period text NOT NULL,
    preset text NOT NULL,
    kind smallint NOT NULL,
    games integer NOT NULL,
    wins integer NOT NULL,
    deals integer NOT NULL,
    deals_won integer NOT NULL,
    rummies integer NOT NULL,
    points bigint NOT NULL,
    timeouts integer NOT NULL,
    -- Games won in a row: the last ones, and the most.
    streak integer NOT NULL,
    longest_streak integer NOT NULL,
    PRIMARY KEY (generation, player_id, period, preset, kind)
);

-- Leaderboards are of rated games, which are of kind 1.
CREATE INDEX statistics_wins ON statistics (generation, preset, period, wins DESC, player_id)
    WHERE kind = 1 AND wins > 0;
CREATE INDEX statistics_deals_won ON statistics (generation, preset, period, deals_won DESC, player_id)
    WHERE kind = 1 AND deals_won > 0;
CREATE INDEX statistics_rummies ON statistics (generation, preset, period, rummies DESC, player_id)
    WHERE kind = 1 AND rummies > 0;
CREATE INDEX statistics_streak ON statistics (generation, preset, period, longest_streak DESC, player_id)
    WHERE kind = 1 AND longest_streak > 0;
