//! Where in a JSON text an error happened.

use std::cell::RefCell;

/// Collects the steps to an error while it travels outwards; costs nothing as long as there is none.
#[derive(Default)]
pub(super) struct Trail {
    /// The innermost step first.
    steps: RefCell<Vec<Step>>,
}

enum Step {
    Field(String),
    Key(String),
    Index(usize),
}

impl Trail {
    /// Notes that an error came from a field.
    pub(super) fn in_field<T, E>(&self, name: &str, result: Result<T, E>) -> Result<T, E> {
        result.inspect_err(|_| self.push(Step::Field(name.to_owned())))
    }

    /// Notes that an error came from an entry of a map.
    pub(super) fn in_entry<T, E>(&self, key: &str, result: Result<T, E>) -> Result<T, E> {
        result.inspect_err(|_| self.push(Step::Key(key.to_owned())))
    }

    /// Notes that an error came from an element of a list.
    pub(super) fn in_element<T, E>(&self, index: usize, result: Result<T, E>) -> Result<T, E> {
        result.inspect_err(|_| self.push(Step::Index(index)))
    }

    fn push(&self, step: Step) {
        self.steps.borrow_mut().push(step);
    }

    /// For example `table.seats[2].name`; none for an error at the outermost level.
    pub(super) fn path(&self) -> Option<String> {
        let mut path = String::new();
        for step in self.steps.borrow().iter().rev() {
            match step {
                Step::Field(name) if path.is_empty() => path += name,
                Step::Field(name) => path += &format!(".{name}"),
                Step::Key(key) => path += &format!("[{key}]"),
                Step::Index(index) => path += &format!("[{index}]"),
            }
        }
        (!path.is_empty()).then_some(path)
    }
}
