//! Path templates as OpenAPI writes them: one named parameter for each wildcard.

use std::collections::HashMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    route::Route,
    template::{Segment, Template},
};

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The paths of a document. Those that differ only in the names of their parameters are one path to OpenAPI:
/// they get the names of the first.
#[derive(Default)]
pub(super) struct Paths(HashMap<String, (String, Vec<String>)>);

impl Paths {
    /// The path of a route, and the names of its parameters in their order.
    pub(super) fn add(&mut self, route: &Route) -> (String, Vec<String>) {
        let names = names(&route.template);
        let shape = write(&route.template, &vec![String::new(); names.len()]);
        let (path, names) =
            self.0.entry(shape).or_insert_with(|| (write(&route.template, &names), names)).clone();
        (path, names)
    }
}

/// The positions of the wildcards among the segments.
pub(super) fn wildcards(template: &Template) -> impl Iterator<Item = usize> + '_ {
    let is_wildcard =
        |(i, segment): (usize, &Segment)| (!matches!(segment, Segment::Literal(_))).then_some(i);
    template.segments.iter().enumerate().filter_map(is_wildcard)
}

fn write(template: &Template, names: &[String]) -> String {
    let mut path = String::new();
    let mut names = names.iter();
    for segment in &template.segments {
        path.push('/');
        match (segment, names.len()) {
            (Segment::Literal(text), _) => path.extend(utf8_percent_encode(text, UNRESERVED)),
            _ => path += &format!("{{{}}}", names.next().map_or("", String::as_str)),
        }
    }
    if let Some(verb) = &template.verb {
        path.push(':');
        path.extend(utf8_percent_encode(verb, UNRESERVED));
    }
    path
}

/// A variable of one segment gives its own name. In `{name=games/*}` the wildcard is only a part of the
/// variable, and is named after its collection: `game`.
fn names(template: &Template) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for i in wildcards(template) {
        let variable = template.variables.iter().find(|v| v.segments.contains(&i));
        let collection = match i.checked_sub(1).and_then(|before| template.segments.get(before)) {
            Some(Segment::Literal(text)) => text.strip_suffix('s').unwrap_or(text),
            _ => "",
        };
        let base = match variable {
            Some(variable) if variable.segments.len() == 1 || collection.is_empty() => &variable.field,
            _ if collection.is_empty() => "segment",
            _ => collection,
        };
        let mut name = base.to_owned();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wildcard_has_a_name() {
        let cases = [
            ("/v1/games", "/v1/games"),
            ("/v1/games/{game_id}:draw", "/v1/games/{game_id}:draw"),
            ("/v1/{name=games/*}", "/v1/games/{game}"),
            ("/v1/{name=games/*/moves/*}:undo", "/v1/games/{game}/moves/{move}:undo"),
            ("/v1/{a.b}/{c=**}", "/v1/{a.b}/{c}"),
            ("/{name=games/*/games/*/*}", "/games/{game}/games/{game_2}/{name}"),
            ("/a%20b/*/*", "/a%20b/{a b}/{segment}"),
            ("/{kind=fixed}", "/fixed"),
        ];
        for (text, expected) in cases {
            let template = Template::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(write(&template, &names(&template)), expected, "{text}");
        }
    }
}
