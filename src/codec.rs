//! Where the rules' types and protobuf types meet, and the only such place.
//!
//! [`log`] is for what is stored: everything, secrets too. [`wire`] is for what is sent: it encodes nothing but
//! what was made for a viewer, and reads commands.

/// Pairs the variants of a rules enum with those of a generated one, both ways. The generated enum's own
/// `Unspecified` pairs with nothing.
macro_rules! pair {
    ($($rules:ty => $proto:ty { $($variant:ident),+ $(,)? })+) => { $(
        impl From<$rules> for $proto {
            fn from(value: $rules) -> Self {
                match value {
                    $(<$rules>::$variant => Self::$variant,)+
                }
            }
        }

        impl From<$proto> for Option<$rules> {
            fn from(value: $proto) -> Self {
                match value {
                    <$proto>::Unspecified => None,
                    $(<$proto>::$variant => Some(<$rules>::$variant),)+
                }
            }
        }
    )+ };
}

pub mod json;
pub mod log;
pub mod message;
pub mod settings;
pub mod summary;
pub mod wire;

#[cfg(test)]
mod arbitrary;
