//! The exact search for the best melds of a hand: branch and bound over the melds that it can make.
//!
//! Naturals are looked at face by face. Each is the first face of some meld, or left out; so every set of melds
//! is met once. A branch is cut when even all the cards left, at their dearest, couldn't make it the best. A
//! search that takes long also remembers what it has left off at, and doesn't go on from there for less.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use crate::card::{Face, Rank};
use crate::cards::Cards;
use crate::legal::{Making, MeldShape};
use crate::meld::run_value;
use crate::ruleset::{Aces, Ruleset};

/// The most melds that a whole pack makes.
const MOST_MELDS: usize = 36;
/// Looking this many faces up costs less than remembering what is left at each of them.
const MEMORY_AFTER: usize = 4096;

/// The melds chosen.
pub(super) type Chosen = ArrayVec<MeldShape, MOST_MELDS>;

/// What the melds must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Fewest cards left in the hand.
    pub(super) least_left: usize,
    /// Most cards left in the hand.
    pub(super) most_left: usize,
    /// Fewest points.
    pub(super) points: u16,
    /// A run without a joker is among them.
    pub(super) pure_run: bool,
    /// A joker is among them.
    pub(super) joker: bool,
    /// At most one meld.
    pub(super) one_meld: bool,
}

/// One number to compare sets of melds by: points first, then fewest jokers, fewest cards, fewest melds. Each
/// part is too small to reach the one before it.
type Score = i32;
const POINT: Score = 1 << 16;
const JOKER: Score = 1 << 11;
const CARD: Score = 1 << 5;
const MELD: Score = 1;

/// A meld that the hand can make.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// Its natural cards.
    faces: u64,
    score: Score,
    /// What its natural cards are counted for in the bound.
    bound: Score,
    shape: MeldShape,
    jokers: u8,
    len: u8,
}

/// A hand with the melds it can make.
#[derive(Debug)]
pub(super) struct Search {
    /// Sorted by first face, then the most promising first.
    candidates: Vec<Candidate>,
    /// The faces that some candidate begins with.
    firsts: u64,
    /// For each face the index of its first candidate; with one more for the end.
    from: [u32; 65],
    aces: Aces,
    cards: usize,
    start: Node,
    /// What a joker is counted for in the bound.
    joker_bound: Score,
}

/// What is left of a hand at a point of the search.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// Faces of which a copy is left.
    once: u64,
    /// Faces of which both are.
    twice: u64,
    jokers: u8,
    used: u8,
    has_pure_run: bool,
    has_joker: bool,
    score: Score,
    /// What the natural cards left are counted for in the bound.
    rest: Score,
}

/// The best so far.
struct Best {
    goal: Goal,
    /// Only a higher one is better.
    score: Score,
    melds: Option<Chosen>,
    /// Any that meets the goal will do.
    first_will_do: bool,
    /// Faces looked at.
    steps: usize,
    /// How many of them before it remembers.
    memory_after: usize,
    /// The score with which the search has gone on from what was left.
    memory: HashMap<Left, Score>,
}

/// All that the rest of a search depends on, the score aside: cards left, and what the goal asks for.
type Left = (u64, u64, u8, u8, bool, bool);

/// A natural card can be worth this much in the bound.
fn card_bound(face: Face, aces: Aces) -> Score {
    let points = match face.rank() {
        Some(Rank::Ace) if aces != Aces::Low => 11,
        Some(rank) => Score::from(rank.pips()),
        None => 0,
    };
    points * POINT - CARD
}

impl Search {
    pub(super) fn new(hand: Cards, most: usize, rules: &Ruleset) -> Self {
        let mut candidates = Vec::new();
        let mut joker_points = 0;
        Making::new(hand, most, rules).each(|shape| {
            let faces = shape.faces();
            let (len, jokers) = (shape.size(), shape.jokers());
            let score = Score::from(shape.points(rules.aces)) * POINT
                - jokers as Score * JOKER
                - len as Score * CARD
                - MELD;
            joker_points = joker_points.max(dearest_joker(&shape, rules.aces));
            candidates.push(Candidate {
                faces,
                score,
                bound: 0,
                shape,
                jokers: jokers as u8,
                len: len as u8,
            });
        });
        let first = |c: &Candidate| c.faces.trailing_zeros();
        candidates.sort_unstable_by_key(|c| (first(c), -c.score, c.faces));
        // Of runs of the same cards only the dearest counts.
        candidates.dedup_by_key(|c| (c.faces, c.jokers));

        let useful = candidates.iter().fold(0, |set, c| set | c.faces);
        let mut start = Node {
            once: hand.faces() & useful,
            twice: hand.pairs() & useful,
            jokers: hand.jokers().len() as u8,
            used: 0,
            has_pure_run: false,
            has_joker: false,
            score: 0,
            rest: 0,
        };
        start.rest = bound_of(start.once, rules.aces) + bound_of(start.twice, rules.aces);
        let mut from = [0u32; 65];
        let mut firsts = 0;
        for candidate in &mut candidates {
            candidate.bound = bound_of(candidate.faces, rules.aces);
            let first = candidate.faces.trailing_zeros();
            firsts |= 1 << first;
            from[first as usize + 1] += 1;
        }
        for i in 1..from.len() {
            from[i] += from[i - 1];
        }
        Self {
            candidates,
            firsts,
            from,
            aces: rules.aces,
            cards: hand.len(),
            start,
            joker_bound: joker_points * POINT - JOKER - CARD,
        }
    }

    /// The best melds that meet a goal; perhaps none at all, if the goal allows that.
    pub(super) fn best(&self, goal: Goal) -> Option<Chosen> {
        self.run(goal, false, MEMORY_AFTER)
    }

    /// Whether some melds meet a goal.
    pub(super) fn exists(&self, goal: Goal) -> bool {
        self.run(goal, true, MEMORY_AFTER).is_some()
    }

    fn run(&self, goal: Goal, first_will_do: bool, memory_after: usize) -> Option<Chosen> {
        let score = (Score::from(goal.points) - 1) * POINT;
        let mut best =
            Best { goal, score, melds: None, first_will_do, steps: 0, memory_after, memory: HashMap::new() };
        self.visit(self.start, 0, &mut Chosen::new(), &mut best);
        best.melds
    }

    fn visit(&self, mut node: Node, from: usize, chosen: &mut Chosen, best: &mut Best) {
        best.consider(&node, self.cards, chosen);
        if best.is_enough() || best.goal.one_meld && !chosen.is_empty() {
            return;
        }
        let mut from = from;
        while node.once & self.firsts != 0 {
            let face = (node.once & self.firsts).trailing_zeros();
            node.leave_out((1 << face) - 1, self.aces);
            if !self.promises(&node, best) {
                return;
            }
            let bucket = self.from[face as usize] as usize..self.from[face as usize + 1] as usize;
            if from <= bucket.start && best.was_here(&node) {
                return;
            }
            for index in from.max(bucket.start)..bucket.end {
                let candidate = &self.candidates[index];
                if candidate.faces & !node.once != 0
                    || candidate.jokers > node.jokers
                    || usize::from(node.used + candidate.len) + best.goal.least_left > self.cards
                {
                    continue;
                }
                chosen.push(candidate.shape);
                // A twin of the first face begins this meld or a later one, so that no pair is met twice.
                self.visit(node.with(candidate), index, chosen, best);
                chosen.pop();
                if best.is_enough() {
                    return;
                }
            }
            from = 0;
            node.leave_out(1 << face, self.aces);
        }
    }

    /// Whether a better choice may still come of it.
    fn promises(&self, node: &Node, best: &Best) -> bool {
        let bound = node.score + node.rest + Score::from(node.jokers) * self.joker_bound.max(0);
        let left = usize::from(node.jokers) + (node.once.count_ones() + node.twice.count_ones()) as usize;
        let left_out = self.cards - usize::from(node.used) - left;
        if left_out > best.goal.most_left {
            return false;
        }
        bound > best.score
    }
}

impl Node {
    fn with(&self, candidate: &Candidate) -> Self {
        Self {
            once: self.once & !candidate.faces | self.twice & candidate.faces,
            twice: self.twice & !candidate.faces,
            jokers: self.jokers - candidate.jokers,
            used: self.used + candidate.len,
            has_pure_run: self.has_pure_run || candidate.shape.is_pure_run(),
            has_joker: self.has_joker || candidate.jokers > 0,
            score: self.score + candidate.score,
            rest: self.rest - candidate.bound,
        }
    }

    /// Leaves both copies of some faces out for good.
    fn leave_out(&mut self, faces: u64, aces: Aces) {
        self.rest -= bound_of(self.once & faces, aces) + bound_of(self.twice & faces, aces);
        self.once &= !faces;
        self.twice &= !faces;
    }
}

impl Best {
    fn consider(&mut self, node: &Node, cards: usize, chosen: &Chosen) {
        let left = cards - usize::from(node.used);
        if node.score > self.score
            && (self.goal.least_left..=self.goal.most_left).contains(&left)
            && (node.has_pure_run || !self.goal.pure_run)
            && (node.has_joker || !self.goal.joker)
        {
            self.score = node.score;
            self.melds = Some(chosen.clone());
        }
    }

    /// Whether the search has gone on from the same cards with no lower score; remembers it if not.
    fn was_here(&mut self, node: &Node) -> bool {
        self.steps += 1;
        if self.steps <= self.memory_after {
            return false;
        }
        let left = (node.once, node.twice, node.jokers, node.used, node.has_pure_run, node.has_joker);
        let score = self.memory.entry(left).or_insert(Score::MIN);
        let was_here = *score >= node.score;
        *score = node.score.max(*score);
        was_here
    }

    fn is_enough(&self) -> bool {
        self.first_will_do && self.melds.is_some()
    }
}

fn bound_of(mut faces: u64, aces: Aces) -> Score {
    let mut sum = 0;
    while faces != 0 {
        sum += card_bound(Face::from_bit(faces.trailing_zeros()), aces);
        faces &= faces - 1;
    }
    sum
}

/// The most that a joker of a meld counts.
fn dearest_joker(shape: &MeldShape, aces: Aces) -> Score {
    match *shape {
        MeldShape::Run { low, jokers, .. } => (0..13)
            .filter(|i| jokers & 1 << i != 0)
            .map(|i| Score::from(run_value(low + i)))
            .max()
            .unwrap_or(0),
        MeldShape::Group { jokers: 0, .. } => 0,
        MeldShape::Group { .. } => Score::from(shape.points(aces)) / shape.size() as Score,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::card::Card;
    use crate::preset::Preset;

    /// What the search sorts by.
    fn worth(chosen: &Chosen, rules: &Ruleset) -> (u16, usize, usize, usize) {
        let sum = |of: fn(&MeldShape) -> usize| chosen.iter().map(of).sum();
        let points = chosen.iter().map(|shape| shape.points(rules.aces)).sum();
        (points, sum(MeldShape::jokers), sum(MeldShape::size), chosen.len())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn memory_changes_nothing(
            naturals in prop::collection::vec((0u8..9, 0u8..7), 6..20),
            jokers in 0u8..4,
            pure_run in any::<bool>(),
            most_left in 0usize..5,
        ) {
            let natural = |(rank, lane)| Card::from_byte(rank + 16 * lane);
            let hand: Cards =
                naturals.into_iter().filter_map(natural).chain((1..=jokers).filter_map(Card::joker)).collect();
            let rules = Preset::Remi30.ruleset();
            let search = Search::new(hand, hand.len(), &rules);
            let goal =
                Goal { least_left: 1, most_left, points: 0, pure_run, joker: false, one_meld: false };
            let [always, never] = [0, usize::MAX]
                .map(|after| search.run(goal, false, after).map(|chosen| worth(&chosen, &rules)));
            prop_assert_eq!(always, never);
        }
    }
}
