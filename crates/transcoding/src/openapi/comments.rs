//! The comments of protobuf files.

use std::collections::HashMap;

use prost_reflect::{
    DescriptorPool, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, MessageDescriptor,
    MethodDescriptor, ServiceDescriptor,
};

/// Comments by file and by the path of what they belong to; empty for a pool without source information.
pub(super) struct Comments(HashMap<String, HashMap<Vec<i32>, String>>);

impl Comments {
    pub(super) fn of(pool: &DescriptorPool) -> Self {
        let mut files = HashMap::new();
        for file in pool.files() {
            let mut comments = HashMap::new();
            let info = file.file_descriptor_proto().source_code_info.as_ref();
            for location in info.iter().flat_map(|info| &info.location) {
                let text = location.leading_comments.as_ref().or(location.trailing_comments.as_ref());
                if let Some(text) = text.map(|text| clean(text)).filter(|text| !text.is_empty()) {
                    comments.insert(location.path.clone(), text);
                }
            }
            files.insert(file.name().to_owned(), comments);
        }
        Self(files)
    }

    fn at(&self, file: &str, path: &[i32]) -> &str {
        self.0.get(file).and_then(|comments| comments.get(path)).map_or("", String::as_str)
    }

    pub(super) fn of_service(&self, service: &ServiceDescriptor) -> &str {
        self.at(service.parent_file().name(), service.path())
    }

    pub(super) fn of_method(&self, method: &MethodDescriptor) -> &str {
        self.at(method.parent_file().name(), method.path())
    }

    pub(super) fn of_message(&self, message: &MessageDescriptor) -> &str {
        self.at(message.parent_file().name(), message.path())
    }

    pub(super) fn of_field(&self, field: &FieldDescriptor) -> &str {
        self.at(field.parent_file().name(), field.path())
    }

    pub(super) fn of_enum(&self, values: &EnumDescriptor) -> &str {
        self.at(values.parent_file().name(), values.path())
    }

    pub(super) fn of_value(&self, value: &EnumValueDescriptor) -> &str {
        self.at(value.parent_file().name(), value.path())
    }
}

/// Without the space after `//`, and without lines that speak to a linter.
fn clean(comment: &str) -> String {
    let lines = comment.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("buf:lint")).collect();
    lines.join("\n").trim().to_owned()
}

/// The first sentence, without its full stop.
pub(super) fn summary(comment: &str) -> String {
    let paragraph = comment.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let sentence = paragraph.split_once(". ").map_or(paragraph.as_str(), |(first, _)| first);
    sentence.trim_end_matches(['.', ':']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_cleaned_and_summed_up() {
        assert_eq!(clean(" One\n two.\n\n   code\n buf:lint:ignore X\n"), "One\ntwo.\n\n  code");
        let cases = [
            ("", ""),
            ("One.", "One"),
            ("One\ntwo. Three.", "One two"),
            ("One of v1.2 games\n\nMore.", "One of v1.2 games"),
        ];
        for (comment, expected) in cases {
            assert_eq!(summary(comment), expected, "{comment}");
        }
    }
}
