//! The routing table: a tree of path segments, so that a look-up doesn't depend on the number of routes.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use http::Method;

use crate::{
    percent,
    route::Route,
    template::{Segment, Template},
};

/// All routes. Where several templates match a path, each segment from the left decides: a literal wins over
/// `*`, which wins over `**`.
#[derive(Debug, Default)]
pub(crate) struct Router {
    root: Node,
}

#[derive(Debug, Default)]
struct Node {
    literals: BTreeMap<String, Node>,
    any: Option<Box<Node>>,
    /// Routes that end here.
    here: Vec<Arc<Route>>,
    /// Routes whose `**` starts here.
    rest: Vec<Arc<Route>>,
}

/// The path of a request, split but not decoded.
#[derive(Debug)]
pub(crate) struct Path<'p> {
    segments: Vec<&'p str>,
    verb: Option<Cow<'p, str>>,
}

/// What the table knows of a method and a path.
#[derive(Debug)]
pub(crate) enum Found<'r> {
    /// This route takes it.
    Route(&'r Arc<Route>),
    /// The path is known, the method isn't: these are the ones that it takes.
    OtherMethods(Vec<Method>),
    /// No route has this path.
    Nothing,
}

impl Router {
    /// Adds a route; gives back the one that is there already for the same paths and method.
    pub(crate) fn add(&mut self, route: Arc<Route>) -> Result<(), Arc<Route>> {
        let Template { segments, verb, .. } = &route.template;
        let mut node = &mut self.root;
        let mut ends = None;
        for segment in segments {
            match segment {
                Segment::Literal(text) => node = node.literals.entry(text.clone()).or_default(),
                Segment::Any => node = node.any.get_or_insert_default(),
                Segment::Rest => ends = Some(&mut node.rest),
            }
            // `**` is always the last segment.
            if ends.is_some() {
                break;
            }
        }
        let ends = match ends {
            Some(ends) => ends,
            None => &mut node.here,
        };
        if let Some(other) = ends.iter().find(|r| r.method == route.method && r.template.verb == *verb) {
            return Err(Arc::clone(other));
        }
        ends.push(route);
        Ok(())
    }

    /// Finds the route of a request. HEAD is answered by the GET route of a unary method.
    pub(crate) fn find(&self, method: &Method, path: &Path<'_>) -> Found<'_> {
        let mut matching = Vec::new();
        self.root.collect(&path.segments, path.verb.as_deref(), &mut matching);
        if matching.is_empty() {
            return Found::Nothing;
        }
        let by_method =
            |wanted: &Method| matching.iter().find(|r| r.method.as_ref() == Some(wanted)).copied();
        let by_head = || by_method(&Method::GET).filter(|r| *method == Method::HEAD && r.stream.is_none());
        let by_any = || matching.iter().find(|r| r.method.is_none()).copied();
        if let Some(route) = by_method(method).or_else(by_head).or_else(by_any) {
            return Found::Route(route);
        }
        let mut methods = vec![Method::OPTIONS];
        for route in matching {
            methods.extend(route.method.clone());
            if route.method == Some(Method::GET) && route.stream.is_none() {
                methods.push(Method::HEAD);
            }
        }
        methods.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        methods.dedup();
        Found::OtherMethods(methods)
    }
}

impl Node {
    /// Every route that matches, the most specific first. Ends: each step goes one level down the tree.
    fn collect<'r>(&'r self, segments: &[&str], verb: Option<&str>, into: &mut Vec<&'r Arc<Route>>) {
        let has_verb = |route: &&Arc<Route>| route.template.verb.as_deref() == verb;
        match segments {
            [] => into.extend(self.here.iter().filter(has_verb)),
            [first, rest @ ..] => {
                if let Ok(text) = percent::decode(first)
                    && let Some(node) = self.literals.get(text.as_ref())
                {
                    node.collect(rest, verb, into);
                }
                if let Some(node) = &self.any
                    && !first.is_empty()
                {
                    node.collect(rest, verb, into);
                }
            }
        }
        into.extend(self.rest.iter().filter(has_verb));
    }
}

impl<'p> Path<'p> {
    /// Splits a path. A colon in its last segment starts the verb: one that belongs to a value is to be
    /// percent-encoded. None when it doesn't start with a slash.
    pub(crate) fn parse(path: &'p str) -> Option<Self> {
        let mut path = path.strip_prefix('/')?;
        let mut verb = None;
        let last = path.rfind('/').map_or(0, |slash| slash + 1);
        if let Some(colon) = path[last..].rfind(':') {
            // A verb that isn't well encoded is compared as it is, and matches nothing.
            let text = &path[last + colon + 1..];
            verb = Some(percent::decode(text).unwrap_or(Cow::Borrowed(text)));
            path = &path[..last + colon];
        }
        Some(Self { segments: path.split('/').collect(), verb })
    }

    /// The part of the path that a variable captures, not yet decoded.
    pub(crate) fn capture(&self, segments: std::ops::Range<usize>, to_the_end: bool) -> Cow<'p, str> {
        let end = if to_the_end { self.segments.len() } else { segments.end };
        match self.segments.get(segments.start..end) {
            Some([one]) => Cow::Borrowed(one),
            Some(several) => Cow::Owned(several.join("/")),
            // `**` that matched no segment.
            None => Cow::Borrowed(""),
        }
    }
}
