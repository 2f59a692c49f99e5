//! The rounds in which tickets are matched. Whoever holds the duty makes them; if two believe that they do, the claims
//! decide.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use remik_matchmaking::simulate::TICK;
use remik_matchmaking::{Apart, Group, Ticket, TicketId, find};
use remik_rules::chance;
use remik_rules::seat::PlayerId;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::kept::{self, Plan, write};
use super::{Matchmaking, MatchmakingError};
use crate::store::{Claim, GameId, MatchRow, MatchState, Millis, StoreError, TicketPlayer};
use crate::tables::TableError;

/// The name of the duty.
const DUTY: &str = "matchmaking";

/// For how long the duty is taken, and how often that is renewed.
const LAPSE: Duration = Duration::from_secs(3);
const RENEW: Duration = Duration::from_secs(1);

/// How often it is looked whether tickets have changed that are watched here.
const LISTEN: Duration = Duration::from_millis(200);

/// How late a change may show up behind the time that it carries, in milliseconds.
const LATE: i64 = 10_000;

/// How many groups are claimed in one transaction, and how many unfinished matches are looked at in a round.
const CLAIMS: usize = 32;
const UNFINISHED: u32 = 1024;

/// How many games are opened at the same time.
const OPENING: usize = 16;

/// When the duty was last renewed, if it is this instance's.
struct Duty {
    instance: Uuid,
    renewed: Option<Instant>,
}

impl Matchmaking {
    /// Makes rounds and tells those who watch, until `stop`.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut duty = Duty { instance: Uuid::new_v4(), renewed: None };
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.make_rounds(&mut duty) => {}
            () = self.listen() => {}
            () = self.hold() => {}
        }
        if duty.renewed.is_some()
            && let Err(error) = self.store().give_back_duty(DUTY, duty.instance).await
        {
            tracing::warn!(%error, "the duty to match isn't given back; it lapses soon");
        }
    }

    async fn make_rounds(&self, duty: &mut Duty) {
        loop {
            let began = Instant::now();
            if let Err(error) = self.round_on_duty(duty).await {
                tracing::warn!(%error, "a round of matchmaking failed; the next one follows");
            }
            // A long round is followed by as long a pause: players come before matches.
            sleep(began.elapsed().max(Duration::from_millis(TICK.unsigned_abs()))).await;
        }
    }

    async fn round_on_duty(&self, duty: &mut Duty) -> Result<(), MatchmakingError> {
        if duty.renewed.is_none_or(|at| at.elapsed() >= RENEW) {
            let taken = self.store().take_duty(DUTY, duty.instance, LAPSE).await?;
            duty.renewed = taken.then(Instant::now);
        }
        if duty.renewed.is_some() { self.round().await } else { Ok(()) }
    }

    /// Ends what is overdue, finishes what was begun, and matches who waits.
    async fn round(&self) -> Result<(), MatchmakingError> {
        let now = self.now();
        self.store().end_overdue_tickets(now).await?;
        self.finish(self.store().unfinished_matches(now, UNFINISHED).await?).await?;
        let (rows, players) = self.store().queued_tickets().await?;
        if rows.is_empty() {
            return Ok(());
        }
        let apart = self.store().blocks_among_waiting().await?;
        let player = |id: Uuid| PlayerId(id.as_u128());
        let apart: Apart = apart.into_iter().map(|(one, other)| (player(one), player(other))).collect();
        let mut members: HashMap<Uuid, Vec<TicketPlayer>> = HashMap::new();
        for player in players {
            members.entry(player.ticket_id).or_default().push(player);
        }
        let mut versions = HashMap::new();
        let mut tickets = Vec::with_capacity(rows.len());
        for row in rows.iter().filter(|row| row.expires_at > now) {
            let Some(players) = members.get_mut(&row.ticket_id) else { continue };
            players.sort_by_key(|player| player.place);
            match kept::ticket(row, players) {
                Ok(ticket) => {
                    versions.insert(ticket.id, row.version);
                    tickets.push(ticket);
                }
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(ticket = %row.ticket_id, error, "a ticket can't be read; it waits in vain");
                }
            }
        }
        let curve = self.settings.window.clone();
        let found = tokio::task::spawn_blocking(move || {
            let groups = find(&tickets, &apart, &curve, chance::Millis(now.0));
            (tickets, groups)
        });
        // It ends only when the runtime does.
        let Ok((tickets, groups)) = found.await else { return Ok(()) };
        let of: HashMap<TicketId, &Ticket> = tickets.iter().map(|ticket| (ticket.id, ticket)).collect();
        let claims: Vec<Claim> = groups.iter().map(|group| self.claim(group, &of, &versions)).collect();
        for claims in claims.chunks(CLAIMS) {
            let claimed = self.store().claim_tickets(claims).await?;
            let matches = claims.iter().zip(claimed).filter(|(_, claimed)| *claimed);
            self.finish(matches.map(|(claim, _)| claim.of.clone()).collect()).await?;
        }
        Ok(())
    }

    /// The claim for a group, of the versions that were looked at.
    fn claim(
        &self,
        group: &Group,
        of: &HashMap<TicketId, &Ticket>,
        versions: &HashMap<TicketId, i32>,
    ) -> Claim {
        let now = self.now();
        let tickets: Vec<&Ticket> = group.tickets.iter().filter_map(|id| of.get(id)).copied().collect();
        let ready = i64::from(self.settings.ready_seconds) * 1000;
        let of = MatchRow {
            game_id: GameId::generate(),
            made_at: now,
            state: MatchState::Claimed,
            begins_at: Millis(now.0.saturating_add(ready)),
            plan: write(&Plan::of(group, &tickets)),
        };
        // No ticket has version 0: one that isn't known isn't claimed.
        let version = |id: &TicketId| versions.get(id).copied().unwrap_or_default();
        // In one order everywhere, so that two who claim at the same time don't wait for each other.
        let mut tickets: Vec<_> =
            group.tickets.iter().map(|id| (Uuid::from_u128(id.0), version(id))).collect();
        tickets.sort_unstable();
        Claim { of, tickets }
    }

    /// Takes matches further: opens their games, and lets those begin whose time has come. What fails is tried again in
    /// the next round.
    async fn finish(&self, matches: Vec<MatchRow>) -> Result<(), StoreError> {
        let steps = matches.into_iter().map(|of| async move {
            let done = self.step(&of).await;
            if let Err(error) = &done {
                let error = error as &dyn std::error::Error;
                tracing::warn!(game = %of.game_id, error, "a match isn't finished; it is tried again");
            }
            done.ok().map(|()| (of.game_id, of.state))
        });
        let done: Vec<_> = futures::stream::iter(steps).buffer_unordered(OPENING).collect().await;
        let done = |wanted| done.iter().flatten().filter(move |(_, state)| *state == wanted);
        let opened: Vec<GameId> = done(MatchState::Claimed).map(|(game, _)| *game).collect();
        if !opened.is_empty() {
            self.store().matches_made(&opened, self.now()).await?;
        }
        for (game, _) in done(MatchState::Made) {
            self.store().match_begun(*game).await?;
        }
        Ok(())
    }

    async fn step(&self, of: &MatchRow) -> Result<(), StepError> {
        let plan: Plan = kept::read(&of.plan)?;
        match of.state {
            MatchState::Claimed => {
                self.tables.open_matched(&plan.game(of.game_id)).await?;
            }
            MatchState::Made => self.tables.get(of.game_id).await?.begin_game(plan.strength).await?,
            MatchState::Begun => {}
        }
        Ok(())
    }

    /// Tells who watches here of what has changed, at whichever instance.
    async fn listen(&self) {
        let mut since = None;
        loop {
            sleep(LISTEN).await;
            if self.attendance.is_empty() {
                since = None;
                continue;
            }
            // Whoever begins to watch looks for himself.
            let now = self.now();
            let from = since.unwrap_or(Millis(now.0 - LATE));
            match self.store().changed_tickets(from).await {
                Ok(versions) => {
                    self.attendance.tell(&versions);
                    since = Some(Millis(now.0 - LATE));
                }
                Err(error) => tracing::warn!(%error, "changes of tickets can't be read; it is tried again"),
            }
        }
    }

    /// Keeps tickets from ending as long as their holders watch them here.
    async fn hold(&self) {
        loop {
            sleep(Duration::from_secs(self.settings.grace_seconds.get().into()) / 3).await;
            let held = self.attendance.held();
            if held.is_empty() {
                continue;
            }
            if let Err(error) = self.keep_watched(&held).await {
                tracing::warn!(%error, "tickets that are watched can't be kept; it is tried again");
            }
        }
    }
}

/// Why a match isn't taken further.
#[derive(Debug, thiserror::Error)]
enum StepError {
    #[error(transparent)]
    Kept(#[from] MatchmakingError),
    #[error(transparent)]
    Table(#[from] TableError),
}
