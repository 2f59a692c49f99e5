//! Commands at a live table, in order, each stored before it is answered.

use std::sync::Arc;

use remik_rules::chance::Millis;
use remik_rules::command::{Actor, Command};
use remik_rules::decide::decide;
use remik_rules::event::{Event, Viewer};
use remik_rules::refusal::Refusal;
use remik_rules::seat::{PlayerId, Seat};
use remik_rules::view::View;
use tokio::task::JoinError;

use super::admission::Guest;
use super::error::Damage;
use super::request::{self, RequestKey};
use super::sight::Sight;
use super::state::Played;
use super::{LiveTable, Next, Onlooker, TableError, alarm, summary};
use crate::codec::log;
use crate::codec::settings::Settings;
use crate::fairness::Fairness;
use crate::store::{self, AlarmChange, Append, AppendError, StoreError};

/// How often a command is decided anew because others were faster.
pub(super) const TRIES: usize = 16;

/// The answer to a command: its move, and the table after it as the player sees it.
pub struct Answer {
    /// The move.
    pub played: Arc<Played>,
    /// Who sees it.
    pub viewer: Viewer,
    /// The table after it.
    pub view: View,
}

impl LiveTable {
    /// Carries out a player's command, or finds the answer that it had. Of a private game only who is seated
    /// or invited learns. Once begun it goes to its end, also if nobody waits for the answer any more: a move
    /// that was stored is always applied and shown.
    ///
    /// # Errors
    /// The rule against it, another command under the same request id, or a store that can't take it.
    pub async fn play(
        self: &Arc<Self>,
        player: PlayerId,
        command: Command,
        key: RequestKey,
        invited: bool,
    ) -> Result<Answer, TableError> {
        self.begin(player, command, key, invited, None).await
    }

    /// Changes what is said of the table, or finds the answer that the same change had. Otherwise as [`LiveTable::play`].
    ///
    /// # Errors
    /// As those of [`LiveTable::play`].
    pub async fn change(
        self: &Arc<Self>,
        player: PlayerId,
        settings: Settings,
        key: RequestKey,
    ) -> Result<Answer, TableError> {
        self.begin(player, Command::ChangeSettings, key, false, Some(settings)).await
    }

    async fn begin(
        self: &Arc<Self>,
        player: PlayerId,
        command: Command,
        key: RequestKey,
        code: bool,
        settings: Option<Settings>,
    ) -> Result<Answer, TableError> {
        let table = Arc::clone(self);
        let whole = tokio::spawn(async move { table.carry_out(player, &command, key, code, settings).await });
        outcome(whole.await)
    }

    async fn carry_out(
        &self,
        player: PlayerId,
        command: &Command,
        key: RequestKey,
        code: bool,
        settings: Option<Settings>,
    ) -> Result<Answer, TableError> {
        let mut told = command.to_string().into_bytes();
        told.extend(settings.iter().flat_map(request::settings));
        let fingerprint = request::fingerprint(player, told);
        let guest = match command {
            Command::Join { .. } => {
                Some(Guest::read(&self.store, self.meta.game, self.meta.preset, player).await?)
            }
            _ => None,
        };
        let invited = guest.as_ref().is_some_and(|guest| guest.invited);
        let who = Onlooker { player, invited: code || invited };
        let _order = self.commands.lock().await;
        if key.known_version > self.version() {
            self.catch_up().await?;
        }
        for _ in 0..TRIES {
            if let Some(played) = self.find_repeat(key, fingerprint).await? {
                return self.answer_again(player, played).await;
            }
            if self.state().sight(&self.meta, who) == Sight::Nothing {
                if self.catch_up().await? {
                    continue;
                }
                return Err(TableError::NotFound);
            }
            // Only now: a stranger learns nothing of a private game, and of none how far it is beyond what he sees.
            let at = self.edge(who);
            if key.known_version > at {
                return Err(TableError::NotThereYet { asked: key.known_version, at });
            }
            let now = self.clock.now();
            if at < self.version() {
                return Err(self.refused_unseen(player, command, at, now).await?.into());
            }
            let decided = self.decide(player, command, now);
            let events = match decided {
                Ok(events) => events,
                // This copy may be stale: only the log's word counts against a command.
                Err(refusal) => {
                    if self.catch_up().await? {
                        continue;
                    }
                    return Err(TableError::Refused(refusal));
                }
            };
            // The same goes for what the rules don't judge.
            if let Some(Err(why)) = guest.as_ref().map(|guest| self.admits(player, guest, code)) {
                if self.catch_up().await? {
                    continue;
                }
                return Err(why.into());
            }
            let seat = self.seat_of(player).or_else(|| visitors_seat(&events, player));
            let request = Some((key.id, fingerprint));
            if let Some(played) = self.append_with(seat, request, events, now, settings.clone()).await? {
                let viewer = seat.map_or(Viewer::Public, Viewer::Seat);
                // Who has given the seat back has a seat's move and the public's view.
                let seated = self.viewer(player);
                return Ok(Answer { played, viewer, view: self.with_table(|table, _| table.view(seated)) });
            }
        }
        Err(TableError::Contended)
    }

    fn decide(&self, player: PlayerId, command: &Command, now: Millis) -> Result<Vec<Event>, Refusal> {
        let state = self.state();
        let actor = state.table.seat_of(player).map_or(Actor::Player(player), Actor::Seat);
        let mut chance = Fairness::at(self.meta.game, &state.table);
        decide(&state.table, actor, command, now, &mut chance)
    }

    /// Why somebody may not do a thing who doesn't see the table as it is: judged by what he sees, so that he learns
    /// no more from it. Seats are fixed before the first deal, so there is nothing that he may do.
    async fn refused_unseen(
        &self,
        player: PlayerId,
        command: &Command,
        at: u32,
        now: Millis,
    ) -> Result<Refusal, TableError> {
        let then = self.table_after(at).await?;
        let mut chance = Fairness::at(self.meta.game, &then);
        let judged = decide(&then, Actor::Player(player), command, now, &mut chance);
        Ok(judged.err().unwrap_or(Refusal::AlreadyStarted))
    }

    /// Stores a move of a seat, or of the clock, and applies it; `None` if the state has changed under it and must be
    /// judged anew. The caller holds the commands' lock.
    pub(super) async fn append(
        &self,
        seat: Option<Seat>,
        request: Option<(uuid::Uuid, i64)>,
        events: Vec<Event>,
        now: Millis,
    ) -> Result<Option<Arc<Played>>, TableError> {
        self.append_with(seat, request, events, now, None).await
    }

    /// The same, with what is said of the table from then on, if that changes.
    async fn append_with(
        &self,
        seat: Option<Seat>,
        request: Option<(uuid::Uuid, i64)>,
        events: Vec<Event>,
        now: Millis,
        said: Option<Settings>,
    ) -> Result<Option<Arc<Played>>, TableError> {
        let (number, changed, alarm) = {
            let state = self.state();
            let settings = || said.clone().unwrap_or_else(|| state.settings.clone());
            let changed = summary::changes(&events).then(|| (state.after(&events), settings()));
            let idle = alarm::next(&state, self.idle) == Next::Players;
            // A game that waits for nobody has nothing to turn off.
            let alarm = alarm::change(&state.table, now, &events, self.idle)
                .filter(|change| !(idle && *change == AlarmChange::Off));
            (state.version + 1, changed, alarm)
        };
        let mv = store::Move {
            game: self.meta.game,
            number,
            seat: seat.map(Seat::number),
            request_id: request.map(|(id, _)| id),
            fingerprint: request.map(|(_, fingerprint)| fingerprint),
            made_at: store::Millis(now.0),
            format: log::FORMAT,
            events: log::encode_move(&events),
        };
        let summary =
            changed.map(|(table, settings)| summary::of(&self.meta, &settings, &table, number, mv.made_at));
        match self.store.append(Append { mv, summary, request: None, alarm }).await {
            Ok(()) => {}
            // Who was faster is found in the log.
            Err(AppendError::Conflict) => {
                self.catch_up().await?;
                return Ok(None);
            }
            // So is an own move whose outcome was lost; if there is none, the client sends the command again.
            Err(AppendError::Unknown(cause)) => {
                if self.catch_up().await? {
                    return Ok(None);
                }
                return Err(TableError::Unavailable(StoreError::Unavailable(cause)));
            }
            Err(AppendError::Overloaded) => return Err(TableError::Overloaded),
            Err(AppendError::Closed) => return Err(TableError::Stopping),
            Err(
                error @ (AppendError::Rejected(_) | AppendError::InviteTaken | AppendError::RequestTaken),
            ) => return Err(TableError::Damaged(Damage::Append(error))),
        }
        let played = {
            let mut state = self.state();
            if let Some(settings) = said {
                state.settings = settings;
            }
            state.apply(Played { number, seat, made_at: now, events, request })
        };
        self.version.send_replace(number);
        if let Some(AlarmChange::At(at)) = alarm {
            self.tell_alarm(Millis(at.0), now);
        }
        Ok(Some(played))
    }

    /// The move that this command made before, if it did. A repeat lies behind the last move that the client
    /// had seen when it asked.
    async fn find_repeat(
        &self,
        key: RequestKey,
        fingerprint: i64,
    ) -> Result<Option<Arc<Played>>, TableError> {
        let (in_tail, tail_begins, seats) = {
            let state = self.state();
            let same = |played: &&Arc<Played>| played.request.is_some_and(|(id, _)| id == key.id);
            let found = state.tail.iter().rev().find(same).cloned();
            let begins = state.tail.front().map_or(state.version + 1, |played| played.number);
            (found, begins, state.table.seat_count())
        };
        let judge = |played: Arc<Played>| match played.request {
            Some((_, of)) if of == fingerprint => Ok(Some(played)),
            _ => Err(TableError::RequestReused),
        };
        if let Some(played) = in_tail {
            return judge(played);
        }
        if key.known_version.saturating_add(1) >= tail_begins {
            return Ok(None);
        }
        // A player may have given the seat back since, so every seat is asked for.
        for seat in 0..seats {
            let found = self.store.find_request(self.meta.game, seat, key.id, key.known_version).await?;
            if let Some(mv) = found {
                return judge(Arc::new(Played::decode(mv)?));
            }
        }
        Ok(None)
    }

    /// The first answer once more: the table as it was after that move.
    async fn answer_again(&self, player: PlayerId, played: Arc<Played>) -> Result<Answer, TableError> {
        let then = self.table_after(played.number).await?;
        let seated = then.seat_of(player).map_or(Viewer::Public, Viewer::Seat);
        let viewer = played.seat.map_or(Viewer::Public, Viewer::Seat);
        Ok(Answer { played, viewer, view: then.view(seated) })
    }
}

/// The outcome of a task of its own, which goes to its end also if nobody waits for it any more.
///
/// # Errors
/// The task's own, or the service is stopping.
pub fn outcome<T>(ended: Result<Result<T, TableError>, JoinError>) -> Result<T, TableError> {
    match ended.map_err(JoinError::try_into_panic) {
        Ok(outcome) => outcome,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        // The runtime ends.
        Err(Err(_)) => Err(TableError::Stopping),
    }
}

/// The seat that a player without one takes with these events, or lets go.
fn visitors_seat(events: &[Event], player: PlayerId) -> Option<Seat> {
    events.iter().find_map(|event| match event {
        Event::SeatTaken { seat, player: who } if *who == player => Some(*seat),
        Event::OfferEnded { seat } => Some(*seat),
        _ => None,
    })
}
