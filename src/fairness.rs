//! Where the service's shuffles come from, so that anybody can recompute them. `docs/fairness.md` says it for
//! readers without Rust; the two must agree to the bit.

use hmac::{Hmac, KeyInit, Mac};
use remik_rules::card::Card;
use remik_rules::chance::{Chance, Commitment, Purpose, Seed, Stream};
use remik_rules::table::Table;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::store::GameId;

/// What every message of a stream begins with.
const LABEL: &[u8; 8] = b"remik.v1";

/// What the seeds of a sandbox game's deals are derived with.
const SANDBOX_LABEL: &[u8] = b"remik.v1 sandbox";

/// The chance of one game: seeds from the operating system, everything else derived from them. That of a sandbox
/// follows from its own seed alone.
#[derive(Debug, Clone, Copy)]
pub struct Fairness {
    game: GameId,
    /// The next deal's seed, where it isn't chance.
    next: Option<Seed>,
}

impl Fairness {
    /// The chance of a game.
    pub fn of(game: GameId) -> Self {
        Self { game, next: None }
    }

    /// The chance of a sandbox game after so many deals: the same in every game with its seed.
    pub fn of_sandbox(seed: &Seed, deals: u16) -> Self {
        let next = u32::from(deals) + 1;
        let digest = Sha256::new().chain_update(SANDBOX_LABEL).chain_update(seed.0);
        let seed = Seed(digest.chain_update(next.to_be_bytes()).finalize().into());
        Self { game: GameId(Uuid::nil()), next: Some(seed) }
    }

    /// The chance of a game that has got so far.
    pub fn at(game: GameId, table: &Table) -> Self {
        match table.sandbox() {
            Some(sandbox) => Self::of_sandbox(&sandbox.seed, table.deals()),
            None => Self::of(game),
        }
    }
}

/// The commitment to a seed: its SHA-256.
pub fn commitment(seed: &Seed) -> Commitment {
    Commitment(Sha256::digest(seed.0).into())
}

impl Chance for Fairness {
    fn commit(&mut self) -> (Seed, Commitment) {
        let seed = self.next.unwrap_or_else(|| {
            let mut bytes = [0; 32];
            rand::fill(&mut bytes);
            Seed(bytes)
        });
        (seed, commitment(&seed))
    }

    /// Fisher–Yates from the last place down.
    fn shuffle(&mut self, stream: Stream<'_>, cards: &mut [Card]) {
        let mut numbers = Numbers::new(self.game, stream);
        for place in (1..cards.len()).rev() {
            let other = numbers.below(place as u32 + 1) as usize;
            cards.swap(place, other);
        }
    }

    fn below(&mut self, stream: Stream<'_>, bound: u32) -> u32 {
        Numbers::new(self.game, stream).below(bound)
    }
}

/// The numbers of a stream: HMAC-SHA256 blocks of eight, keyed by the server's seed.
struct Numbers {
    /// Keyed by the server's seed, and fed label, game, deal, purpose and the players' seeds; the counter follows.
    begun: Hmac<Sha256>,
    counter: u32,
    block: [u8; 32],
    used: usize,
}

impl Numbers {
    fn new(game: GameId, stream: Stream<'_>) -> Self {
        let (purpose, reuse) = match stream.purpose {
            Purpose::FirstDealer => (0, 0),
            Purpose::Deck => (1, 0),
            Purpose::Reuse(time) => (2, time),
        };
        let mut message = LABEL.to_vec();
        message.extend(game.0.as_bytes());
        message.extend(u32::from(stream.deal).to_be_bytes());
        message.push(purpose);
        message.extend(u32::from(reuse).to_be_bytes());
        message.push(stream.client_seeds.len() as u8);
        for (seat, seed) in stream.client_seeds {
            message.extend([seat.number(), seed.bytes().len() as u8]);
            message.extend(seed.bytes());
        }
        // HMAC pads a shorter key with zeros to its block of 64 bytes.
        let mut key = [0; 64];
        key[..32].copy_from_slice(&stream.seed.0);
        let mut begun = <Hmac<Sha256> as KeyInit>::new(&key.into());
        begun.update(&message);
        Self { begun, counter: 0, block: [0; 32], used: 32 }
    }

    fn next(&mut self) -> u32 {
        if self.used == self.block.len() {
            let mut mac = self.begun.clone();
            mac.update(&self.counter.to_be_bytes());
            self.block = mac.finalize().into_bytes().into();
            self.counter += 1;
            self.used = 0;
        }
        let at = self.used;
        self.used += 4;
        u32::from_be_bytes([self.block[at], self.block[at + 1], self.block[at + 2], self.block[at + 3]])
    }

    /// A number below the bound, each as likely as any other: numbers past the last whole multiple of the
    /// bound are passed over.
    fn below(&mut self, bound: u32) -> u32 {
        let bound = bound.max(1);
        let whole = (1u64 << 32) / u64::from(bound) * u64::from(bound);
        loop {
            let number = self.next();
            if u64::from(number) < whole {
                return number % bound;
            }
        }
    }
}

#[cfg(test)]
mod shuffles;

#[cfg(test)]
mod tests {
    use super::*;
    use remik_rules::chance::ClientSeed;
    use remik_rules::pack::Pack;
    use remik_rules::seat::Seat;

    /// The expected deck was computed by a program in another language from the text of `docs/fairness.md`.
    #[test]
    fn a_deck_is_what_the_document_says() {
        let seed = Seed(std::array::from_fn(|i| i as u8));
        let client_seeds = [
            (Seat::new(0).unwrap(), ClientSeed::new(*b"lucky").unwrap()),
            (Seat::new(2).unwrap(), ClientSeed::default()),
        ];
        let game = GameId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_002a));
        let stream = |purpose| Stream { seed: &seed, client_seeds: &client_seeds, deal: 3, purpose };
        let mut deck = Pack { decks: 2, jokers: 4 }.sorted();
        let mut chance = Fairness::of(game);
        chance.shuffle(stream(Purpose::Deck), &mut deck);
        let codes: Vec<String> = deck.iter().take(12).map(ToString::to_string).collect();
        assert_eq!(codes.join(" "), DECK);
        assert_eq!(chance.below(stream(Purpose::FirstDealer), 4), FIRST_DEALER);
        assert_eq!(hex(&commitment(&seed).0), COMMITMENT);
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    const DECK: &str = "KH 6H 6C2 9S2 4C2 KH2 8D 2H2 X4 JH2 2C2 QS";
    const FIRST_DEALER: u32 = 0;
    const COMMITMENT: &str = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd";

    #[test]
    fn a_sandbox_is_the_same_again() {
        let seed = |byte, deals| Fairness::of_sandbox(&Seed([byte; 32]), deals).commit();
        assert_eq!(seed(1, 0), seed(1, 0));
        assert_ne!(seed(1, 0), seed(1, 1));
        assert_ne!(seed(1, 0), seed(2, 0));
        let known = hex(&seed(0, 0).0.0);
        assert_eq!(known, "490448437173f885fcfa53b7aae79b0a9de355d3627df755d47c11b4187897bb");
    }

    #[test]
    fn seeds_differ() {
        let mut chance = Fairness::of(GameId(Uuid::nil()));
        assert_ne!(chance.commit(), chance.commit());
    }
}
