//! Plays that cases describe in prose: RULES 4, 5, 10.

use remik_rules::command::{Command, MeldId};
use remik_rules::event::{Event, Outcome};
use remik_rules::meld::MeldFault;
use remik_rules::preset::Preset;
use remik_rules::refusal::{LayOffFault, Refusal};
use remik_rules::ruleset::{GoingRummy, Ruleset};
use remik_rules::situation::Situation;

use super::support::{Game, card, cards, meld, named, seat};

fn at_a_run_with_a_joker(hand: &str, run: &str) -> Game {
    let rules = Preset::Remik51.ruleset();
    let mut situation = Situation::new(rules.clone(), 2);
    situation.hands = vec![Some(cards(hand)), None];
    situation.melds = vec![(seat(1), meld(run, &rules))];
    situation.opened = [seat(0), seat(1)].into_iter().collect();
    Game::arranged(situation)
}

/// Case sw-25: only a swap swaps. A meld that isn't whole takes no joker from the table, whatever fits there.
#[test]
fn a_draft_of_a_meld_takes_no_joker() {
    let mut game = at_a_run_with_a_joker("JH TC JC KS", "TH X1=JH QH");
    let before = game.table.clone();
    for (draft, fault) in
        [("TC JC", MeldFault::TooShort(2)), ("TC JC JH", MeldFault::Mixed), ("JC JH", MeldFault::TooShort(2))]
    {
        let refused = game.by(0, Command::Meld(vec![named(draft)]));
        let cards = named(draft).iter().map(|named| named.card).collect();
        assert_eq!(refused, Err(Refusal::NotAMeld { index: 0, fault, cards }));
    }
    let joker = game.by(0, Command::Meld(vec![named("TC JC X1")]));
    assert_eq!(joker, Err(Refusal::NotInHand(card("X1"))));
    assert_eq!(game.table, before);
}

/// Case sw-26: the player names the card, and no other takes the joker's place.
#[test]
fn a_swap_lays_the_card_that_is_named() {
    let swap = |code| Command::SwapJoker { meld: MeldId(1), card: card(code), joker: None };
    for (mine, other) in [("6H", "6H2"), ("6H2", "6H")] {
        let mut game = at_a_run_with_a_joker("6H 6H2 7C 7D KS", "5H X1=6H 7H");
        let events = game.by(0, swap(mine)).unwrap();
        assert!(matches!(events[..], [Event::JokerSwapped { card: laid, .. }] if laid == card(mine)));
        assert!(game.table.melds()[0].meld.cards.contains(&card(mine)));
        assert!(game.table.hand(seat(0)).contains(card(other)));
    }
    let mut game = at_a_run_with_a_joker("6H KS 7C 7D", "5H X1=6H 7H");
    let misfit = Refusal::NotTheJokersPlace { card: card("KS"), meld: MeldId(1) };
    assert_eq!(game.by(0, swap("KS")), Err(misfit));
    assert_eq!(game.by(0, swap("6H2")), Err(Refusal::NotInHand(card("6H2"))));
}

/// Basic rummy: one meld a turn, in one command or in two; one that was taken back doesn't count (RULES 18).
#[test]
fn one_meld_a_turn_is_all() {
    let mut situation = Situation::new(Preset::BasicRummy.ruleset(), 2);
    situation.hands = vec![Some(cards("7C 7D 7H 8S 9S TS KC")), Some(cards("2D"))];
    let mut game = Game::arranged(situation);
    let (sevens, spades) = (named("7C 7D 7H"), named("8S 9S TS"));
    let both = Command::Meld(vec![sevens.clone(), spades.clone()]);
    assert_eq!(game.by(0, both), Err(Refusal::OneMeldPerTurn));
    game.by(0, Command::Meld(vec![sevens])).unwrap();
    let second = Command::Meld(vec![spades]);
    assert_eq!(game.by(0, second.clone()), Err(Refusal::OneMeldPerTurn));
    game.by(0, Command::Undo).unwrap();
    assert!(game.by(0, second).is_ok());
}

/// RULES 2, 5: in a group any missing suit takes the joker's place, and nothing else does.
#[test]
fn a_group_gives_its_joker_for_a_missing_suit_only() {
    let swap = |code| Command::SwapJoker { meld: MeldId(1), card: card(code), joker: None };
    let mut game = at_a_run_with_a_joker("8S2 9D 8D 7C 7D 7H KS", "8S 8H X1");
    for code in ["8S2", "9D", "7C"] {
        let misfit = Refusal::NotTheJokersPlace { card: card(code), meld: MeldId(1) };
        assert_eq!(game.by(0, swap(code)), Err(misfit));
    }
    for code in ["X2", "8S"] {
        let named = Command::SwapJoker { meld: MeldId(1), card: card("8D"), joker: Some(card(code)) };
        let stranger = Refusal::NoSuchJoker { joker: card(code), meld: MeldId(1) };
        assert_eq!(game.by(0, named), Err(stranger));
    }
    assert!(game.by(0, swap("8D")).is_ok());
}

/// Case lo-20: what lies on the table stays where it is; no command moves it to another meld.
#[test]
fn melds_are_never_rearranged() {
    let rules = Preset::BasicRummy.ruleset();
    let mut situation = Situation::new(rules.clone(), 3);
    situation.hands = vec![Some(cards("AS 7D")), None, None];
    situation.melds = vec![(seat(1), meld("2C 2H 2D 2S", &rules)), (seat(2), meld("3S 4S 5S", &rules))];
    situation.opened = [seat(0), seat(1), seat(2)].into_iter().collect();
    let mut game = Game::arranged(situation);
    let before = game.table.clone();
    let lay_off = |codes| Command::LayOff { meld: MeldId(2), cards: named(codes), end: None };
    for codes in ["2S", "AS 2S"] {
        assert_eq!(game.by(0, lay_off(codes)), Err(Refusal::NotInHand(card("2S"))));
    }
    assert_eq!(game.by(0, Command::Meld(vec![named("AS 2S 3S")])), Err(Refusal::NotInHand(card("2S"))));
    let fault = LayOffFault::NotNext(card("AS"));
    let refusal = Refusal::DoesNotFit { meld: MeldId(2), fault, cards: vec![card("AS")] };
    assert_eq!(game.by(0, lay_off("AS")), Err(refusal));
    assert_eq!(game.table, before);
}

/// Case gr-06: a card laid off in an earlier turn is enough to spoil going rummy, without an own meld.
#[test]
fn an_earlier_lay_off_spoils_going_rummy() {
    let rules = Ruleset { going_rummy: GoingRummy::Double, ..Preset::BasicRummy.ruleset() };
    for (laid_before, winner) in [(false, 30), (true, 15)] {
        let mut situation = Situation::new(rules.clone(), 2);
        situation.hands = vec![Some(cards("8C 9C TC 2S")), Some(cards("5H KD"))];
        if laid_before {
            situation.laid = [seat(0)].into_iter().collect();
        }
        let mut game = Game::arranged(situation);
        let events = game.by(0, Command::Meld(vec![named("8C 9C TC")])).unwrap();
        assert!(matches!(events[..], [Event::Melded { opening: true, .. }]));
        let events = game.by(0, Command::Discard(card("2S"))).unwrap();
        let Event::DealEnded(ended) = &events[1] else { panic!("{events:?}") };
        assert_eq!(ended.scores, [(seat(0), winner), (seat(1), 0)]);
        assert_eq!(ended.outcome, Outcome::WentOut { seat: seat(0), rummy: !laid_before });
    }
}

/// Case gr-06 played through: the lay-off of one turn counts in the next.
#[test]
fn a_lay_off_counts_in_the_turns_after_it() {
    let rules = Ruleset { going_rummy: GoingRummy::Double, ..Preset::BasicRummy.ruleset() };
    let mut situation = Situation::new(rules.clone(), 2);
    situation.hands = vec![Some(cards("8C 9C 3S 2S")), Some(cards("5H KD"))];
    situation.melds = vec![(seat(1), meld("3C 3H 3D", &rules))];
    situation.opened = [seat(1)].into_iter().collect();
    situation.stock = Some(vec![card("6D"), card("TC")]);
    let mut game = Game::arranged(situation);
    game.by(0, Command::LayOff { meld: MeldId(1), cards: named("3S"), end: None }).unwrap();
    game.by(0, Command::Discard(card("2S"))).unwrap();
    let draw = Command::Draw(remik_rules::command::Source::Stock);
    game.by(1, draw.clone()).unwrap();
    game.by(1, Command::Discard(card("6D"))).unwrap();
    game.by(0, draw).unwrap();
    let events = game.by(0, Command::Meld(vec![named("8C 9C TC")])).unwrap();
    let Event::DealEnded(ended) = &events[1] else { panic!("{events:?}") };
    assert_eq!(ended.outcome, Outcome::WentOut { seat: seat(0), rummy: false });
    assert_eq!(ended.scores, [(seat(0), 15), (seat(1), 0)]);
}
