//! Bytes read as choices.

use remik_rules::card::{Card, Face};
use remik_rules::command::End;

/// A list that is longer than any hand.
const HUGE: usize = 300;

/// The bytes that are left; zeros when there are none.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub fn byte(&mut self) -> u8 {
        self.next().unwrap_or(0)
    }

    pub fn under(&mut self, bound: usize) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()])) % bound.max(1)
    }

    /// How long a list is: short, or now and then huge.
    pub fn length(&mut self) -> usize {
        match self.byte() {
            255 => HUGE,
            byte => usize::from(byte % 16),
        }
    }

    /// An end of a run, or none.
    pub fn side(&mut self) -> Option<End> {
        [None, Some(End::Low), Some(End::High)][self.under(3)]
    }

    /// A face, the jokers' too.
    pub fn face(&mut self) -> Option<Face> {
        Card::from_byte(self.byte() & 0x7F).map(Card::face)
    }
}
