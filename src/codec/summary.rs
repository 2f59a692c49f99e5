//! What lists tell about a game, besides what the store finds it by.

use bytes::Bytes;
use prost::Message;
use remik_rules::event::GameOver;
use remik_rules::preset::Preset;
use remik_rules::ruleset::GameEnd;
use remik_rules::seat::PlayerId;
use remik_rules::strength::Strength;
use remik_rules::view::{Stage, View};

use super::log::{DecodeError, choice, decode_end, encode_end, narrow, player};
use super::settings::Settings;
use crate::proto::log as proto;

/// The longest delay that spectators may have, in seconds: a day.
pub const LONGEST_DELAY: u32 = 86_400;

/// Who may look on without a seat, once the first deal has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spectators {
    /// Nobody.
    Nobody,
    /// Whoever may know of the game.
    Anybody {
        /// How much later than a move they see it, in seconds: up to [`LONGEST_DELAY`].
        delay_seconds: u32,
    },
}

/// The part of a game's summary that the store keeps without looking inside. Everybody may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// The game's rules differ from its preset's.
    pub house_rules: bool,
    /// When the game is over.
    pub end: GameEnd,
    /// Seconds a player has for a turn; `None` for no clock.
    pub turn_seconds: Option<u32>,
    /// All seats, in order.
    pub seats: Vec<SeatDetail>,
    /// How many deals have begun.
    pub deals: u16,
    /// Who may look on.
    pub spectators: Spectators,
    /// Somebody has chosen its decks.
    pub sandbox: bool,
    /// Why it is over; `None` while it isn't.
    pub over: Option<GameOver>,
    /// What the host says of it.
    pub settings: Settings,
}

/// A seat in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatDetail {
    /// Who sits there.
    pub player: Option<PlayerId>,
    /// The bot that plays.
    pub bot: Option<Strength>,
    /// Points of the finished deals.
    pub total: i32,
    /// The place when the game is over, from 1; else 0.
    pub place: u8,
    /// It is free, and kept for somebody.
    pub kept: bool,
}

impl Detail {
    /// What lists tell about a game that was made from a preset and allows these spectators.
    pub fn of(view: &View, preset: Preset, spectators: Spectators, settings: &Settings) -> Self {
        let (places, over): (&[u8], _) = match &view.stage {
            Stage::Over { places, cause, .. } => (places, Some(*cause)),
            Stage::Waiting | Stage::Playing(_) | Stage::Between { .. } => (&[], None),
        };
        let seat = |(index, seat): (usize, &remik_rules::view::SeatView)| SeatDetail {
            player: seat.player,
            bot: seat.bot,
            total: seat.total,
            place: places.get(index).copied().unwrap_or(0),
            kept: view.lobby.offers.iter().any(|offer| offer.seat.index() == index),
        };
        Self {
            house_rules: *view.rules != preset.ruleset(),
            end: view.rules.end,
            turn_seconds: view.rules.turn_seconds,
            seats: view.seats.iter().enumerate().map(seat).collect(),
            deals: view.deals,
            spectators,
            sandbox: view.sandbox,
            over,
            settings: settings.clone(),
        }
    }

    /// How many seats anybody may take, as long as the first deal is to come.
    pub fn free_seats(&self) -> usize {
        let free = |seat: &&SeatDetail| seat.player.is_none() && seat.bot.is_none() && !seat.kept;
        if self.deals == 0 { self.seats.iter().filter(free).count() } else { 0 }
    }

    /// As the store keeps it.
    pub fn encode(&self) -> Bytes {
        let seat = |seat: &SeatDetail| proto::SummarySeat {
            player: seat.player.map_or_else(Vec::new, |id| id.0.to_be_bytes().to_vec()),
            total: seat.total,
            place: seat.place.into(),
            bot: seat.bot.map_or_else(Default::default, proto::BotStrength::from).into(),
            kept: seat.kept,
        };
        let (no_spectators, spectator_delay_seconds) = match self.spectators {
            Spectators::Nobody => (true, 0),
            Spectators::Anybody { delay_seconds } => (false, delay_seconds),
        };
        let mut summary = proto::Summary {
            house_rules: self.house_rules,
            end: Some(encode_end(self.end)),
            turn_seconds: self.turn_seconds,
            seats: self.seats.iter().map(seat).collect(),
            deals: self.deals.into(),
            no_spectators,
            spectator_delay_seconds,
            sandbox: self.sandbox,
            over: self.over.map_or_else(Default::default, proto::GameOverCause::from).into(),
            ..Default::default()
        };
        self.settings.write(&mut summary);
        summary.encode_to_vec().into()
    }

    /// From what the store keeps.
    ///
    /// # Errors
    /// Why the bytes are no detail.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let summary = proto::Summary::decode(bytes)?;
        let seat = |seat: proto::SummarySeat| {
            let id = (!seat.player.is_empty()).then(|| player("SummarySeat.player", &seat.player));
            Ok(SeatDetail {
                player: id.transpose()?,
                bot: (seat.bot != 0)
                    .then(|| choice::<proto::BotStrength, _>("SummarySeat.bot", seat.bot))
                    .transpose()?,
                total: seat.total,
                place: narrow("SummarySeat.place", seat.place)?,
                kept: seat.kept,
            })
        };
        let delay_seconds = summary.spectator_delay_seconds;
        let settings = Settings::read(&summary)?;
        Ok(Self {
            house_rules: summary.house_rules,
            end: decode_end("Summary.end", summary.end)?,
            turn_seconds: summary.turn_seconds,
            seats: summary.seats.into_iter().map(seat).collect::<Result<_, DecodeError>>()?,
            deals: narrow("Summary.deals", summary.deals)?,
            spectators: if summary.no_spectators {
                Spectators::Nobody
            } else {
                Spectators::Anybody { delay_seconds }
            },
            sandbox: summary.sandbox,
            over: (summary.over != 0)
                .then(|| choice::<proto::GameOverCause, _>("Summary.over", summary.over))
                .transpose()?,
            settings,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use remik_rules::event::Viewer;
    use remik_rules::view::{SeatView, Standing};

    use super::*;
    use crate::codec::settings::Admission;

    fn seat(player: Option<u128>, total: i32) -> SeatView {
        let player = player.map(PlayerId);
        SeatView {
            player,
            bot: player.is_none().then_some(Strength::Hard),
            total,
            ready: false,
            standing: Standing::In,
            timeouts: 0,
        }
    }

    #[test]
    fn a_finished_game_is_summed_up_and_read_back() {
        let mut rules = Preset::Remik51.ruleset();
        rules.turn_seconds = Some(60);
        let view = View {
            viewer: Viewer::Public,
            rules: Box::new(rules),
            rules_version: 1,
            sandbox: true,
            seats: vec![seat(Some(7), -5), seat(None, 0), seat(Some(u128::MAX), 104)],
            deals: 6,
            next_commitment: None,
            sheet: vec![],
            stage: Stage::Over { last: None, cause: GameOver::LimitReached, places: vec![1, 0, 2] },
            stopped: None,
            lobby: Default::default(),
            rematch: None,
        };
        let spectators = Spectators::Anybody { delay_seconds: 90 };
        let settings = Settings {
            title: "Piątek".to_owned(),
            language: "pl".to_owned(),
            admission: Admission::Rated { least: 1400, most: 1600 },
        };
        let detail = Detail::of(&view, Preset::Remik51, spectators, &settings);
        let seats = [(Some(7), -5, 1), (None, 0, 0), (Some(u128::MAX), 104, 2)];
        let seats = seats.map(|(id, total, place)| SeatDetail {
            player: id.map(PlayerId),
            bot: id.is_none().then_some(Strength::Hard),
            total,
            place,
            kept: false,
        });
        assert_eq!(
            detail,
            Detail {
                house_rules: true,
                end: GameEnd::Total(100),
                turn_seconds: Some(60),
                seats: seats.to_vec(),
                deals: 6,
                spectators,
                sandbox: true,
                over: Some(GameOver::LimitReached),
                settings,
            }
        );
        assert_eq!(Detail::decode(&detail.encode()), Ok(detail));
    }

    #[test]
    fn without_its_end_it_is_no_detail() {
        assert_eq!(Detail::decode(&[]), Err(DecodeError::Missing("Summary.end")));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_detail_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Ok(detail) = Detail::decode(&bytes) {
                prop_assert_eq!(Detail::decode(&detail.encode()), Ok(detail));
            }
        }
    }
}
