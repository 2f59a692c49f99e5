//! What an API key is for.

use std::fmt;
use std::str::FromStr;

/// Declares the scopes, each with its name and meaning.
macro_rules! scopes {
    ($($(#[doc = $meaning:literal])+ $scope:ident = $name:literal;)+) => {
        /// A part of the API that an API key may be made for. A key has the scopes it was made with and no others:
        /// none includes another.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Scope {
            $($(#[doc = $meaning])+ $scope,)+
        }

        impl Scope {
            /// All scopes.
            pub const ALL: &[Self] = &[$(Self::$scope),+];

            /// The name by which a key is made with it, such as `games`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$scope => $name),+ }
            }

            /// What it allows, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$scope => concat!($($meaning),+).trim_ascii()),+ }
            }
        }
    };
}

// A new scope is one more line. Keys are stored with the names, so a name keeps its meaning for ever.
scopes! {
    /// Act for any player, who is named by the header `remik-player`: open tables, play, watch, list.
    Games = "games";
    /// Make, read, change, export and erase players, issue and revoke their tokens, and delete what they have said.
    Players = "players";
    /// Open sandbox games, whose decks the caller chooses.
    Sandbox = "sandbox";
    /// Make, watch and cancel tickets of matchmaking for any players, parties among them.
    Matchmaking = "matchmaking";
    /// Read what happens in all games, private ones too, but no hidden card.
    Feed = "feed";
    /// Make webhooks, to which the service posts what happens in games, private ones too, but no hidden card.
    Webhooks = "webhooks";
    /// Run the service: API keys, any game and any player, the audit trail.
    Admin = "admin";
}

/// There is no scope of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no scope {0:?}")]
pub struct UnknownScope(pub String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.iter().find(|scope| scope.name() == name);
        found.copied().ok_or_else(|| UnknownScope(name.to_owned()))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scopes(u32);

impl Scopes {
    /// Every scope there is.
    pub fn all() -> Self {
        Scope::ALL.iter().copied().collect()
    }

    /// Whether a scope is among them.
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & 1 << scope as u32 != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes, in the order of their table.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.has(*scope))
    }

    /// The scopes of a text as [`Display`](fmt::Display) writes it. A name that this version doesn't know allows
    /// nothing.
    pub fn stored(text: &str) -> Self {
        text.split(' ').filter_map(|name| name.parse::<Scope>().ok()).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | 1 << scope as u32))
    }
}

/// Their names, with a space between them.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Scope::name).collect();
        f.write_str(&names.join(" "))
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_have_names_and_sets_of_them_are_texts() {
        assert!(Scope::ALL.len() < 32, "a set is 32 bits");
        for scope in Scope::ALL {
            assert_eq!(scope.name().parse(), Ok(*scope));
            assert!(scope.meaning().ends_with('.') && !scope.meaning().starts_with(' '), "{scope}");
        }
        assert!("root".parse::<Scope>().is_err());
        let some: Scopes = [Scope::Sandbox, Scope::Games].into_iter().collect();
        assert_eq!(some.to_string(), "games sandbox");
        assert_eq!(Scopes::stored(&some.to_string()), some);
        assert_eq!(Scopes::stored("root games"), [Scope::Games].into_iter().collect());
        assert!(Scopes::stored("").is_empty() && !some.has(Scope::Admin));
        assert_eq!(Scopes::all().iter().count(), Scope::ALL.len());
    }
}
