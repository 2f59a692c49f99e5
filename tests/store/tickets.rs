use futures::future::join_all;
use remik::store::{
    Act, Claim, GameId, MatchRow, MatchState, Millis, Store, TicketChange, TicketFilter, TicketOutcome,
    TicketPlayer, TicketRow, TicketState,
};
use uuid::Uuid;

use crate::{
    fixture::{act, request, store},
    on_both,
    support::database::Backend,
};

on_both!(
    a_ticket_is_claimed_once,
    a_group_is_claimed_whole_or_not_at_all,
    who_is_kept_apart_isnt_claimed,
    who_is_banned_or_erased_isnt_claimed,
    tickets_end_when_a_player_is_banned_or_erased,
    matches_go_on_from_where_they_are,
    changes_are_made_once,
    what_is_overdue_ends,
);

const NOW: Millis = Millis(1_700_000_000_000);

/// A ticket of one player, whose ids are the same number.
async fn add(store: &Store, number: u128) -> Uuid {
    let id = Uuid::from_u128(number);
    let ticket = TicketRow {
        ticket_id: id,
        holder: id,
        made_by_key: None,
        made_at: NOW,
        changed_at: NOW,
        version: 1,
        state: TicketState::Queued,
        party_size: 1,
        party_code: None,
        queued_at: Some(NOW),
        expires_at: Millis(NOW.0 + 60_000),
        watched_until: None,
        game_id: None,
        wish: b"{}".to_vec(),
    };
    let outcome = store.add_ticket(&ticket, &[player(number, number, 0)], &request(number, number)).await;
    assert_eq!(outcome.unwrap(), TicketOutcome::Done);
    id
}

fn player(ticket: u128, player: u128, place: i16) -> TicketPlayer {
    TicketPlayer {
        ticket_id: Uuid::from_u128(ticket),
        player_id: Uuid::from_u128(player),
        place,
        ratings: vec![],
    }
}

fn claim(tickets: &[(Uuid, i32)]) -> Claim {
    let of = MatchRow {
        game_id: GameId::generate(),
        made_at: NOW,
        state: MatchState::Claimed,
        begins_at: Millis(NOW.0 + 20_000),
        plan: b"{}".to_vec(),
    };
    Claim { of, tickets: tickets.to_vec() }
}

async fn a_ticket_is_claimed_once(backend: Backend) {
    let (store, _database) = store(backend).await;
    let mut ids = Vec::new();
    for number in 1..=20 {
        ids.push((add(&store, number).await, 1));
    }
    // Many who all believe that it is their turn, each with other pairs.
    let claims: Vec<Vec<Claim>> = (0..8)
        .map(|shift| (0..10).map(|at| claim(&[ids[at], ids[10 + (at + shift) % 10]])).collect())
        .collect();
    let outcomes = join_all(claims.iter().map(|claims| store.claim_tickets(claims))).await;
    let mut games = Vec::new();
    for (claims, outcome) in claims.iter().zip(outcomes) {
        // Of two that wait for each other the database undoes one.
        for (claim, claimed) in claims.iter().zip(outcome.unwrap_or_default()) {
            let (one, other) = (claim.tickets[0].0, claim.tickets[1].0);
            for id in [one, other] {
                let ticket = store.ticket(id).await.unwrap().unwrap();
                assert_eq!(ticket.game_id == Some(claim.of.game_id), claimed);
            }
            assert_eq!(store.match_of(claim.of.game_id).await.unwrap().is_some(), claimed);
            games.extend(claimed.then_some(claim.of.game_id));
        }
    }
    assert!(!games.is_empty() && games.len() <= 10, "{games:?}");
}

async fn a_group_is_claimed_whole_or_not_at_all(backend: Backend) {
    let (store, _database) = store(backend).await;
    let ids = [add(&store, 1).await, add(&store, 2).await, add(&store, 3).await];
    let stale = claim(&[(ids[0], 1), (ids[1], 2)]);
    let good = claim(&[(ids[1], 1), (ids[2], 1)]);
    assert_eq!(store.claim_tickets(&[stale, good.clone()]).await.unwrap(), [false, true]);
    let first = store.ticket(ids[0]).await.unwrap().unwrap();
    assert_eq!((first.state, first.version, first.game_id), (TicketState::Queued, 1, None));
    assert_eq!(store.open_ticket_of(ids[0]).await.unwrap(), Some(ids[0]));
    let second = store.ticket(ids[1]).await.unwrap().unwrap();
    assert_eq!((second.state, second.version), (TicketState::Claimed, 2));
    assert_eq!(store.open_ticket_of(ids[1]).await.unwrap(), None, "he may look for another game");
    let (queued, players) = store.queued_tickets().await.unwrap();
    assert_eq!((queued, players), (vec![first], vec![player(1, 1, 0)]));
    assert_eq!(store.claim_tickets(&[claim(&[(ids[1], 2)])]).await.unwrap(), [false]);
}

async fn who_is_kept_apart_isnt_claimed(backend: Backend) {
    let (store, _database) = store(backend).await;
    let ids = [(add(&store, 1).await, 1), (add(&store, 2).await, 1)];
    store.block(ids[1].0, ids[0].0, NOW).await.unwrap();
    assert_eq!(store.blocks_among_waiting().await.unwrap(), [(ids[1].0, ids[0].0)]);
    assert_eq!(store.claim_tickets(&[claim(&ids)]).await.unwrap(), [false]);
    store.unblock(ids[1].0, ids[0].0).await.unwrap();
    assert_eq!(store.claim_tickets(&[claim(&ids)]).await.unwrap(), [true]);
}

async fn who_is_banned_or_erased_isnt_claimed(backend: Backend) {
    let (store, _database) = store(backend).await;
    // Tickets that were being made at that moment.
    let until = Millis(NOW.0 + 1000);
    store.ban_player(&Act { until: Some(until), ..act(5, 1, NOW.0) }).await.unwrap();
    store.erase(Uuid::from_u128(2), NOW).await.unwrap();
    let mut ids = Vec::new();
    for number in 1..=4 {
        ids.push((add(&store, number).await, 1));
    }
    let at = |tickets: &[(Uuid, i32)], made_at| {
        let claim = claim(tickets);
        Claim { of: MatchRow { made_at, ..claim.of }, ..claim }
    };
    let claims = [at(&[ids[0], ids[2]], NOW), at(&[ids[1], ids[2]], NOW), at(&[ids[0], ids[3]], until)];
    assert_eq!(store.claim_tickets(&claims).await.unwrap(), [false, false, true], "the ban is over at last");
    let kept = store.ticket(ids[2].0).await.unwrap().unwrap();
    assert_eq!((kept.state, kept.version), (TicketState::Queued, 1));
    assert_eq!(store.open_ticket_of(ids[2].0).await.unwrap(), Some(ids[2].0));
    // The next round ends what is left of them.
    assert_eq!(store.end_overdue_tickets(NOW).await.unwrap(), 1);
    let ended = store.ticket(ids[1].0).await.unwrap().unwrap();
    assert_eq!((ended.state, ended.version), (TicketState::Cancelled, 2));
    assert_eq!(store.open_ticket_of(ids[1].0).await.unwrap(), None);
}

async fn tickets_end_when_a_player_is_banned_or_erased(backend: Backend) {
    let (store, _database) = store(backend).await;
    for number in 1..=4 {
        add(&store, number).await;
    }
    // With him everybody of his party waits no more.
    let joins = TicketChange {
        ticket_id: Uuid::from_u128(1),
        version: 1,
        state: TicketState::Queued,
        queued_at: Some(NOW),
        joins: Some(player(1, 9, 1)),
        leaves: None,
        now: NOW,
    };
    assert_eq!(store.change_ticket(&joins).await.unwrap(), TicketOutcome::Done);
    let claim = claim(&[(Uuid::from_u128(3), 1)]);
    assert_eq!(store.claim_tickets(&[claim]).await.unwrap(), [true]);
    let then = Millis(NOW.0 + 5);
    store.ban_player(&act(5, 9, then.0)).await.unwrap();
    store.ban_player(&act(5, 3, then.0)).await.unwrap();
    for _ in 0..2 {
        store.erase(Uuid::from_u128(2), then).await.unwrap();
    }
    for (number, state, version) in [
        (1, TicketState::Cancelled, 3),
        (2, TicketState::Cancelled, 2),
        (3, TicketState::Claimed, 2),
        (4, TicketState::Queued, 1),
    ] {
        let ticket = store.ticket(Uuid::from_u128(number)).await.unwrap().unwrap();
        assert_eq!((ticket.state, ticket.version), (state, version), "{number}");
    }
    for number in [1, 2, 9] {
        assert_eq!(store.open_ticket_of(Uuid::from_u128(number)).await.unwrap(), None, "{number}");
    }
    let mut told = store.changed_tickets(then).await.unwrap();
    told.sort_unstable();
    assert_eq!(told, [(Uuid::from_u128(1), 3), (Uuid::from_u128(2), 2)], "watchers hear of it");
}

async fn matches_go_on_from_where_they_are(backend: Backend) {
    let (store, _database) = store(backend).await;
    let claim = claim(&[(add(&store, 1).await, 1)]);
    let game = claim.of.game_id;
    store.claim_tickets(std::slice::from_ref(&claim)).await.unwrap();
    assert_eq!(store.unfinished_matches(NOW, 9).await.unwrap(), std::slice::from_ref(&claim.of));
    store.match_begun(game).await.unwrap();
    for _ in 0..2 {
        store.matches_made(&[game], NOW).await.unwrap();
        let ticket = store.ticket(claim.tickets[0].0).await.unwrap().unwrap();
        assert_eq!(
            (ticket.state, ticket.version),
            (TicketState::Matched, 3),
            "a second time nothing changes"
        );
    }
    assert_eq!(store.unfinished_matches(NOW, 9).await.unwrap(), []);
    let due = store.unfinished_matches(claim.of.begins_at, 9).await.unwrap();
    assert_eq!(due, [MatchRow { state: MatchState::Made, ..claim.of.clone() }]);
    store.match_begun(game).await.unwrap();
    assert_eq!(store.unfinished_matches(claim.of.begins_at, 9).await.unwrap(), []);
    assert_eq!(store.sweep_tickets(NOW).await.unwrap(), 0);
    assert_eq!(store.sweep_tickets(Millis(NOW.0 + 1)).await.unwrap(), 1);
    assert_eq!(
        (store.ticket(claim.tickets[0].0).await.unwrap(), store.match_of(game).await.unwrap()),
        (None, None)
    );
}

async fn changes_are_made_once(backend: Backend) {
    let (store, _database) = store(backend).await;
    let (one, other) = (add(&store, 1).await, add(&store, 2).await);
    let change = TicketChange {
        ticket_id: one,
        version: 1,
        state: TicketState::Queued,
        queued_at: Some(NOW),
        joins: Some(player(1, 3, 1)),
        leaves: None,
        now: Millis(NOW.0 + 5),
    };
    let taken = TicketChange { joins: Some(player(1, 2, 1)), ..change.clone() };
    assert_eq!(store.change_ticket(&taken).await.unwrap(), TicketOutcome::PlayerTaken(other));
    let outcomes = join_all((0..6).map(|_| store.change_ticket(&change))).await;
    let done = outcomes.into_iter().filter(|outcome| *outcome.as_ref().unwrap() == TicketOutcome::Done);
    assert_eq!(done.count(), 1);
    let changed = store.changed_tickets(Millis(NOW.0 + 5)).await.unwrap();
    assert_eq!(changed, [(one, 2)]);
    let close = TicketChange {
        version: 2,
        state: TicketState::Cancelled,
        joins: None,
        leaves: Some(Uuid::from_u128(3)),
        ..change
    };
    assert_eq!(store.change_ticket(&close).await.unwrap(), TicketOutcome::Done);
    assert_eq!(store.ticket_players(one).await.unwrap(), [player(1, 1, 0)]);
    assert_eq!(store.open_ticket_of(one).await.unwrap(), None);
    assert_eq!(store.count_open_tickets(None).await.unwrap(), 1);
    let filter = TicketFilter { player: None, open_only: false, below: Uuid::max(), limit: 9 };
    let listed = async |filter| -> Vec<Uuid> {
        store.tickets(filter).await.unwrap().iter().map(|ticket| ticket.ticket_id).collect()
    };
    assert_eq!(listed(filter).await, [other, one]);
    assert_eq!(listed(TicketFilter { open_only: true, ..filter }).await, [other]);
    assert_eq!(listed(TicketFilter { player: Some(one), ..filter }).await, [one]);
    assert_eq!(listed(TicketFilter { below: other, ..filter }).await, [one]);
}

async fn what_is_overdue_ends(backend: Backend) {
    let (store, _database) = store(backend).await;
    let one = add(&store, 1).await;
    assert_eq!(store.end_overdue_tickets(Millis(NOW.0 + 59_999)).await.unwrap(), 0);
    assert_eq!(store.end_overdue_tickets(Millis(NOW.0 + 60_000)).await.unwrap(), 1);
    let ended = store.ticket(one).await.unwrap().unwrap();
    assert_eq!((ended.state, ended.version), (TicketState::Expired, 2));
    assert_eq!(store.open_ticket_of(one).await.unwrap(), None);
    // One that isn't tied to a stream doesn't become so.
    let two = add(&store, 2).await;
    store.keep_tickets_watched(&[one, two], Millis(NOW.0 + 9)).await.unwrap();
    assert_eq!(store.ticket(two).await.unwrap().unwrap().watched_until, None);
}
