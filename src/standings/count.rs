//! The arithmetic of a batch of games, on what was known before it.

use std::collections::{BTreeMap, HashMap};

use uuid::Uuid;

use super::{Counted, Finished, Period, SeatResult};
use crate::ratings::{Rating, family, rate};
use crate::store::{Cursor, GameId, Generation, RatingChange, RatingRow, StandingsBatch, StatisticsRow};

/// A player's rating: his, in a family.
type RatingKey = (Uuid, String);

/// A player's sums: his, in a period, in a preset, of a kind.
type SumsKey = (Uuid, String, String, i16);

/// What is known of the players of some games, and what these games make of it.
pub(super) struct Ledger {
    known_ratings: HashMap<RatingKey, RatingRow>,
    known_sums: HashMap<SumsKey, StatisticsRow>,
    games: Vec<(GameId, i16)>,
    /// In order, as they are written: neighbours in a table lie side by side.
    ratings: BTreeMap<RatingKey, RatingRow>,
    changes: Vec<RatingChange>,
    sums: BTreeMap<SumsKey, StatisticsRow>,
}

impl Ledger {
    /// Begins with what is stored of the players.
    pub(super) fn new(ratings: Vec<RatingRow>, sums: Vec<StatisticsRow>) -> Self {
        let rating = |row: RatingRow| ((row.player_id, row.family.clone()), row);
        let sum =
            |row: StatisticsRow| ((row.player_id, row.period.clone(), row.preset.clone(), row.kind), row);
        Self {
            known_ratings: ratings.into_iter().map(rating).collect(),
            known_sums: sums.into_iter().map(sum).collect(),
            games: Vec::new(),
            ratings: BTreeMap::new(),
            changes: Vec::new(),
            sums: BTreeMap::new(),
        }
    }

    /// Notes a game that counts nowhere.
    pub(super) fn pass_over(&mut self, game: GameId, counted: Counted) {
        self.games.push((game, counted as i16));
    }

    /// Counts a game.
    pub(super) fn count(&mut self, game: &Finished) {
        self.games.push((game.game, game.counted as i16));
        match game.counted {
            Counted::Rated => self.rate(game),
            Counted::HouseRules | Counted::WithBots => {}
            Counted::Sandbox | Counted::NotPlayed | Counted::Unreadable | Counted::Voided => return,
        }
        for result in &game.players {
            for period in Period::all_of(game.ended_at) {
                for preset in ["", game.preset.name()] {
                    self.add(result, period, preset, game.counted);
                }
            }
        }
    }

    fn rate(&mut self, game: &Finished) {
        let family = family(game.preset);
        let before: Vec<(Rating, u8)> = game
            .players
            .iter()
            .map(|result| {
                let key = (Uuid::from_u128(result.player.0), family.to_owned());
                let row = self.ratings.get(&key).or_else(|| self.known_ratings.get(&key));
                (row.cloned().map(Rating::from).unwrap_or_default(), result.place)
            })
            .collect();
        for ((result, (before, place)), after) in game.players.iter().zip(&before).zip(rate(&before)) {
            let player_id = Uuid::from_u128(result.player.0);
            let games = i32::try_from(after.games).unwrap_or(i32::MAX);
            self.changes.push(RatingChange {
                player_id,
                family: family.to_owned(),
                number: games,
                game_id: game.game,
                rated_at: game.ended_at,
                place: (*place).into(),
                // There are at most six seats.
                players: game.players.len() as i16,
                mean_before: before.mean,
                deviation_before: before.deviation,
                mean: after.mean,
                deviation: after.deviation,
            });
            let row = RatingRow {
                player_id,
                family: family.to_owned(),
                mean: after.mean,
                deviation: after.deviation,
                games,
                rated_at: game.ended_at,
                points: after.points(),
                provisional: after.is_provisional(),
            };
            self.ratings.insert((player_id, family.to_owned()), row);
        }
    }

    fn add(&mut self, result: &SeatResult, period: Period, preset: &str, counted: Counted) {
        let player_id = Uuid::from_u128(result.player.0);
        let key = (player_id, period.to_string(), preset.to_owned(), counted as i16);
        let known = &mut self.known_sums;
        let row =
            self.sums.entry(key).or_insert_with_key(|key| known.remove(key).unwrap_or_else(|| nothing(key)));
        let add = |sum: &mut i32, more: u32| *sum = sum.saturating_add_unsigned(more);
        let won = result.place == 1;
        add(&mut row.games, 1);
        add(&mut row.wins, won.into());
        add(&mut row.deals, result.deals);
        add(&mut row.deals_won, result.deals_won);
        add(&mut row.rummies, result.rummies);
        row.points = row.points.saturating_add(result.points);
        add(&mut row.timeouts, result.timeouts);
        row.streak = if won { row.streak.saturating_add(1) } else { 0 };
        row.longest_streak = row.longest_streak.max(row.streak);
    }

    /// All that is to be written, for a stretch of the feed from the generation's cursor on.
    pub(super) fn into_batch(self, generation: &Generation, to: Cursor, stale: bool) -> StandingsBatch {
        StandingsBatch {
            generation: generation.number,
            from: generation.cursor,
            to,
            stale,
            games: self.games,
            ratings: self.ratings.into_values().collect(),
            changes: self.changes,
            statistics: self.sums.into_values().collect(),
        }
    }
}

fn nothing((player_id, period, preset, kind): &SumsKey) -> StatisticsRow {
    StatisticsRow {
        player_id: *player_id,
        period: period.clone(),
        preset: preset.clone(),
        kind: *kind,
        games: 0,
        wins: 0,
        deals: 0,
        deals_won: 0,
        rummies: 0,
        points: 0,
        timeouts: 0,
        streak: 0,
        longest_streak: 0,
    }
}

#[cfg(test)]
mod tests {
    use remik_rules::preset::Preset;
    use remik_rules::seat::PlayerId;

    use super::*;
    use crate::store::Millis;

    fn game(counted: Counted, ended_at: i64, places: &[u8]) -> Finished {
        let result = |(player, place): (u128, &u8)| SeatResult {
            player: PlayerId(player),
            place: *place,
            deals: 3,
            deals_won: 1,
            rummies: 1,
            points: -20,
            timeouts: 2,
        };
        Finished {
            game: GameId::generate(),
            counted,
            preset: Preset::Rummy200,
            ended_at: Millis(ended_at),
            players: (1..).zip(places).map(result).collect(),
        }
    }

    fn batch(ledger: Ledger) -> StandingsBatch {
        let generation = Generation { number: 3, cursor: Cursor::START, stale: false };
        ledger.into_batch(&generation, Cursor::START, false)
    }

    fn sums<'a>(batch: &'a StandingsBatch, period: &str, preset: &str) -> Vec<&'a StatisticsRow> {
        let wanted = |row: &&StatisticsRow| row.period == period && row.preset == preset;
        batch.statistics.iter().filter(wanted).collect()
    }

    #[test]
    fn games_are_summed_up_by_period_preset_and_kind() {
        const YEAR: i64 = 366 * 24 * 3600 * 1000;
        let mut ledger = Ledger::new(vec![], vec![]);
        for (ended_at, places) in [(0, [1, 2]), (1, [1, 1]), (2, [2, 1]), (YEAR, [1, 2])] {
            ledger.count(&game(Counted::Rated, ended_at, &places));
        }
        ledger.count(&game(Counted::WithBots, 5, &[1]));
        ledger.count(&game(Counted::Sandbox, 6, &[1, 2]));
        let batch = batch(ledger);
        assert_eq!((batch.games.len(), batch.changes.len(), batch.ratings.len()), (6, 8, 2));
        for preset in ["", "rummy-200"] {
            let all = sums(&batch, "", preset);
            let [first, with_bots, second] = all[..] else { panic!("{all:?}") };
            assert_eq!((first.kind, with_bots.kind, second.kind), (1, 3, 1));
            assert_eq!((first.games, first.wins, first.deals, first.deals_won), (4, 3, 12, 4));
            assert_eq!((first.points, first.timeouts, first.rummies), (-80, 8, 4));
            assert_eq!((first.streak, first.longest_streak), (1, 2));
            assert_eq!((second.wins, second.streak, second.longest_streak), (2, 0, 2));
            assert_eq!((with_bots.games, with_bots.wins), (1, 1));
            let [first, _, _] = sums(&batch, "1970", preset)[..] else { panic!() };
            assert_eq!((first.games, first.streak, first.longest_streak), (3, 0, 2));
            let [first, second] = sums(&batch, "1971-01", preset)[..] else { panic!() };
            assert_eq!((first.games, first.streak, second.streak), (1, 1, 0));
        }
        assert!(sums(&batch, "", "remik-51").is_empty());
    }

    #[test]
    fn it_doesnt_matter_how_games_are_cut_into_batches() {
        let games: Vec<_> = (0..20)
            .map(|n| game(Counted::Rated, n, if n % 3 == 0 { &[1, 2, 3] } else { &[2, 3, 1] }))
            .collect();
        let mut whole = Ledger::new(vec![], vec![]);
        games.iter().for_each(|game| whole.count(game));
        let whole = batch(whole);
        let (mut ratings, mut statistics, mut changes) = (vec![], vec![], vec![]);
        for games in games.chunks(7) {
            let mut part = Ledger::new(ratings, statistics);
            games.iter().for_each(|game| part.count(game));
            let part = batch(part);
            (ratings, statistics) = (part.ratings, part.statistics);
            changes.extend(part.changes);
        }
        assert_eq!((ratings, statistics, changes), (whole.ratings, whole.statistics, whole.changes));
    }
}
