//! Path templates in the grammar of `google/api/http.proto`.
//!
//! ```text
//! Template = "/" Segments [ Verb ] ;
//! Segments = Segment { "/" Segment } ;
//! Segment  = "*" | "**" | LITERAL | Variable ;
//! Variable = "{" FieldPath [ "=" Segments ] "}" ;
//! FieldPath = IDENT { "." IDENT } ;
//! Verb     = ":" LITERAL ;
//! ```

use std::ops::Range;

use crate::percent;

/// What one segment of a template matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// This text, percent-decoded.
    Literal(String),
    /// `*`: any one segment that isn't empty.
    Any,
    /// `**`: any number of segments, none too; always the last of its template.
    Rest,
}

/// A field that takes its value from a part of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    /// The dotted path of the field.
    pub(crate) field: String,
    /// Which of the template's segments it captures.
    pub(crate) segments: Range<usize>,
}

/// A parsed path template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) segments: Vec<Segment>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) verb: Option<String>,
}

/// Why a path template can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// A template starts with a slash.
    #[error("it doesn't start with `/`")]
    NoLeadingSlash,
    /// Two slashes in a row, a slash at the end, or nothing after the first one.
    #[error("it has an empty segment")]
    EmptySegment,
    /// A variable without its closing brace.
    #[error("a `{{` is never closed")]
    Unclosed,
    /// A variable inside another one.
    #[error("variable `{0}` contains another variable")]
    Nested(String),
    /// A variable whose name isn't a dotted path of identifiers.
    #[error("`{0}` isn't a field path")]
    BadFieldPath(String),
    /// The same variable twice.
    #[error("variable `{0}` occurs twice")]
    Repeated(String),
    /// `**` is only allowed at the end.
    #[error("`**` isn't its last segment")]
    RestNotLast,
    /// A colon with nothing after it.
    #[error("its verb is empty")]
    EmptyVerb,
    /// A character that has to be percent-encoded here.
    #[error("unexpected `{0}`")]
    Unexpected(char),
    /// A literal that isn't percent-encoded UTF-8.
    #[error("literal `{0}` isn't well percent-encoded")]
    BadLiteral(String),
}

impl Template {
    /// Reads a template such as `/v1/{name=games/*}/moves:watch`.
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateError> {
        let rest = text.strip_prefix('/').ok_or(TemplateError::NoLeadingSlash)?;
        let mut parser = Parser { rest, segments: Vec::new(), variables: Vec::new() };
        parser.segments(None)?;
        let verb = if parser.eat(':') {
            match parser.literal()? {
                verb if verb.is_empty() => return Err(TemplateError::EmptyVerb),
                verb => Some(verb),
            }
        } else {
            None
        };
        if let Some(extra) = parser.rest.chars().next() {
            return Err(TemplateError::Unexpected(extra));
        }
        let Parser { segments, variables, .. } = parser;
        if segments.iter().rev().skip(1).any(|s| *s == Segment::Rest) {
            return Err(TemplateError::RestNotLast);
        }
        for (i, variable) in variables.iter().enumerate() {
            if variables[..i].iter().any(|v| v.field == variable.field) {
                return Err(TemplateError::Repeated(variable.field.clone()));
            }
        }
        Ok(Self { segments, variables, verb })
    }

    /// Whether a variable captures more than exactly one segment, so that `%2F` stays encoded in it.
    pub(crate) fn is_multi(&self, variable: &Variable) -> bool {
        variable.segments.len() != 1 || self.segments[variable.segments.start] == Segment::Rest
    }
}

struct Parser<'a> {
    rest: &'a str,
    segments: Vec<Segment>,
    variables: Vec<Variable>,
}

impl Parser<'_> {
    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// One or more segments; `inside` names the variable that they belong to.
    fn segments(&mut self, inside: Option<&str>) -> Result<(), TemplateError> {
        loop {
            self.segment(inside)?;
            if !self.eat('/') {
                return Ok(());
            }
        }
    }

    fn segment(&mut self, inside: Option<&str>) -> Result<(), TemplateError> {
        if self.eat('{') {
            return match inside {
                Some(outer) => Err(TemplateError::Nested(outer.to_owned())),
                None => self.variable(),
            };
        }
        let segment = if self.eat('*') {
            if self.eat('*') { Segment::Rest } else { Segment::Any }
        } else {
            match self.literal()? {
                text if text.is_empty() => {
                    return Err(match self.rest.chars().next() {
                        Some(c) if !matches!(c, '/' | ':' | '}') => TemplateError::Unexpected(c),
                        _ => TemplateError::EmptySegment,
                    });
                }
                text => Segment::Literal(text),
            }
        };
        self.segments.push(segment);
        Ok(())
    }

    fn variable(&mut self) -> Result<(), TemplateError> {
        let end = self.rest.find(['=', '}']).ok_or(TemplateError::Unclosed)?;
        let (field, rest) = self.rest.split_at(end);
        if !field.split('.').all(is_identifier) {
            return Err(TemplateError::BadFieldPath(field.to_owned()));
        }
        let field = field.to_owned();
        self.rest = rest;
        let start = self.segments.len();
        if self.eat('=') {
            self.segments(Some(&field))?;
        } else {
            self.segments.push(Segment::Any);
        }
        if !self.eat('}') {
            return Err(self.rest.chars().next().map_or(TemplateError::Unclosed, TemplateError::Unexpected));
        }
        self.variables.push(Variable { field, segments: start..self.segments.len() });
        Ok(())
    }

    /// The longest literal here, decoded; empty when there is none.
    fn literal(&mut self) -> Result<String, TemplateError> {
        let end = self.rest.find(|c| !is_literal(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        let decoded = percent::decode(text).map_err(|_| TemplateError::BadLiteral(text.to_owned()))?;
        self.rest = rest;
        Ok(decoded.into_owned())
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// RFC 3986's `pchar` without the characters that the grammar uses itself.
fn is_literal(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~!$&'()+,;=@%".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> Segment {
        Segment::Literal(text.to_owned())
    }

    #[test]
    fn reads_what_the_grammar_allows() {
        use Segment::{Any, Rest};
        type Case =
            (&'static str, Vec<Segment>, &'static [(&'static str, Range<usize>)], Option<&'static str>);
        let cases: Vec<Case> = vec![
            ("/v1/games", vec![literal("v1"), literal("games")], &[], None),
            ("/v1/games:list", vec![literal("v1"), literal("games")], &[], Some("list")),
            ("/v1/games/{game_id}", vec![literal("v1"), literal("games"), Any], &[("game_id", 2..3)], None),
            ("/{a.b_1.c}:go", vec![Any], &[("a.b_1.c", 0..1)], Some("go")),
            ("/v1/{name=games/*}", vec![literal("v1"), literal("games"), Any], &[("name", 1..3)], None),
            ("/{x=*}/{y=**}", vec![Any, Rest], &[("x", 0..1), ("y", 1..2)], None),
            ("/{name=a/*/b/**}:v", vec![literal("a"), Any, literal("b"), Rest], &[("name", 0..4)], Some("v")),
            ("/*/**", vec![Any, Rest], &[], None),
            ("/{kind=fixed}", vec![literal("fixed")], &[("kind", 0..1)], None),
            ("/a%3Ab/c%20d", vec![literal("a:b"), literal("c d")], &[], None),
        ];
        for (text, segments, variables, verb) in cases {
            let variables = variables
                .iter()
                .map(|(field, segments)| Variable { field: (*field).to_owned(), segments: segments.clone() })
                .collect();
            let expected = Template { segments, variables, verb: verb.map(str::to_owned) };
            assert_eq!(Template::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        use TemplateError as E;
        let cases = [
            ("", E::NoLeadingSlash),
            ("v1", E::NoLeadingSlash),
            ("/", E::EmptySegment),
            ("/v1/", E::EmptySegment),
            ("//v1", E::EmptySegment),
            ("/v1/:verb", E::EmptySegment),
            ("/v1:", E::EmptyVerb),
            ("/v1:a:b", E::Unexpected(':')),
            ("/v1:a/b", E::Unexpected('/')),
            ("/v1:*", E::EmptyVerb),
            ("/{a", E::Unclosed),
            ("/{a=b", E::Unclosed),
            ("/{a=}", E::EmptySegment),
            ("/{a={b}}", E::Nested("a".to_owned())),
            ("/{}", E::BadFieldPath(String::new())),
            ("/{a..b}", E::BadFieldPath("a..b".to_owned())),
            ("/{1a}", E::BadFieldPath("1a".to_owned())),
            ("/{a}/{a}", E::Repeated("a".to_owned())),
            ("/**/a", E::RestNotLast),
            ("/{a=**}/b", E::RestNotLast),
            ("/a*", E::Unexpected('*')),
            ("/{a}b", E::Unexpected('b')),
            ("/***", E::Unexpected('*')),
            ("/a b", E::Unexpected(' ')),
            ("/a?b", E::Unexpected('?')),
            ("/{a=b:c}", E::Unexpected(':')),
            ("/a%zz", E::BadLiteral("a%zz".to_owned())),
            ("/a%ff", E::BadLiteral("a%ff".to_owned())),
        ];
        for (text, error) in cases {
            assert_eq!(Template::parse(text), Err(error), "{text}");
        }
    }
}
