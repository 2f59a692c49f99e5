use remik_rules::event::Event;
use remik_rules::ruleset::Aces;
use remik_rules::seat::{PlayerId, Seat};

use crate::tables::Damage;

/// Who has a seat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedSeat {
    /// Who sits there.
    pub player: Option<PlayerId>,
    /// Whether a bot plays.
    pub bot: bool,
}

/// Who had which seat of a game when. It only ever grows: what it says of a move stays true.
#[derive(Debug, Clone)]
pub struct Seating {
    /// The name of the game's preset.
    pub preset: String,
    /// The game's option, by which melds are worth their points.
    pub aces: Aces,
    seats: u8,
    read_to: u32,
    /// The changes by the moves that made them.
    changes: Vec<(u32, Seat, Change)>,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Taken(PlayerId),
    Left,
    Bot,
    Back,
}

impl Seating {
    /// A game of which no move is known yet.
    pub fn new(preset: String) -> Self {
        Self { preset, aces: Aces::Low, seats: 0, read_to: 0, changes: Vec::new() }
    }

    /// The last move that was taken in.
    pub fn read_to(&self) -> u32 {
        self.read_to
    }

    /// Takes in the next move.
    ///
    /// # Errors
    /// It isn't the next one.
    pub fn take_in(&mut self, number: u32, events: &[Event]) -> Result<(), Damage> {
        if number != self.read_to + 1 {
            return Err(Damage::OutOfPlace(self.read_to + 1));
        }
        self.read_to = number;
        for event in events {
            if let Event::GameCreated { rules, seats, .. } = event {
                (self.aces, self.seats) = (rules.aces, *seats);
            }
            let change = match event {
                Event::SeatTaken { seat, player } => (*seat, Change::Taken(*player)),
                Event::SeatLeft { seat } | Event::PlayerRemoved { seat } | Event::ReadyMissed { seat } => {
                    (*seat, Change::Left)
                }
                Event::BotSeated { seat, .. } => (*seat, Change::Bot),
                Event::SeatResumed { seat } => (*seat, Change::Back),
                _ => continue,
            };
            self.changes.push((number, change.0, change.1));
        }
        Ok(())
    }

    /// The seats, in order, as a move has left them.
    pub fn seats_after(&self, number: u32) -> Vec<FeedSeat> {
        let mut seats = vec![FeedSeat::default(); self.seats.into()];
        for (_, seat, change) in self.changes.iter().take_while(|(at, ..)| *at <= number) {
            let Some(seat) = seats.get_mut(usize::from(seat.number())) else { continue };
            *seat = match change {
                Change::Taken(player) => FeedSeat { player: Some(*player), bot: false },
                Change::Left => FeedSeat::default(),
                Change::Bot => FeedSeat { bot: true, ..*seat },
                Change::Back => FeedSeat { bot: false, ..*seat },
            };
        }
        seats
    }
}

#[cfg(test)]
mod tests {
    use remik_rules::event::Forfeit;
    use remik_rules::preset::Preset;
    use remik_rules::strength::Strength;

    use super::*;

    #[test]
    fn what_was_is_told_as_it_was() {
        let seat = |number| Seat::new(number).unwrap();
        let (ala, ola) = (PlayerId(7), PlayerId(8));
        let rules = Box::new(Preset::Remik51.ruleset());
        let moves = [
            vec![
                Event::GameCreated { rules, rules_version: 1, seats: 2 },
                Event::SeatTaken { seat: seat(0), player: ala },
            ],
            vec![Event::SeatTaken { seat: seat(1), player: ola }],
            vec![Event::SeatLeft { seat: seat(1) }],
            vec![Event::BotSeated { seat: seat(1), strength: Strength::Easy, absent: None }],
            vec![Event::BotSeated { seat: seat(0), strength: Strength::Easy, absent: Some(Forfeit::Left) }],
            vec![Event::SeatResumed { seat: seat(0) }],
        ];
        let mut seating = Seating::new("remik-51".to_owned());
        for (number, events) in (1..).zip(&moves) {
            seating.take_in(number, events).unwrap();
        }
        assert!(seating.take_in(9, &[]).is_err());
        let told: Vec<[(Option<PlayerId>, bool); 2]> = (1..=6)
            .map(|number| {
                let seats = seating.seats_after(number);
                [0, 1].map(|at: usize| (seats[at].player, seats[at].bot))
            })
            .collect();
        let (ala, ola) = (Some(ala), Some(ola));
        assert_eq!(
            told,
            [
                [(ala, false), (None, false)],
                [(ala, false), (ola, false)],
                [(ala, false), (None, false)],
                [(ala, false), (None, true)],
                [(ala, true), (None, true)],
                [(ala, false), (None, true)],
            ]
        );
    }
}
