//! The messages of `google.protobuf` that have a JSON form of their own.

use prost_reflect::{EnumDescriptor, MessageDescriptor};

/// A well-known type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WellKnown {
    Any,
    Duration,
    Empty,
    FieldMask,
    ListValue,
    Struct,
    Timestamp,
    Value,
    /// `StringValue`, `Int64Value` and so on: a scalar that can be absent.
    Wrapper,
}

impl WellKnown {
    /// Which of them a message is.
    pub(crate) fn of(message: &MessageDescriptor) -> Option<Self> {
        Some(match message.full_name().strip_prefix("google.protobuf.")? {
            "Any" => Self::Any,
            "Duration" => Self::Duration,
            "Empty" => Self::Empty,
            "FieldMask" => Self::FieldMask,
            "ListValue" => Self::ListValue,
            "Struct" => Self::Struct,
            "Timestamp" => Self::Timestamp,
            "Value" => Self::Value,
            "BoolValue" | "BytesValue" | "DoubleValue" | "FloatValue" | "Int32Value" | "Int64Value"
            | "StringValue" | "UInt32Value" | "UInt64Value" => Self::Wrapper,
            _ => return None,
        })
    }

    /// Whether an enum is `google.protobuf.NullValue`, whose JSON is `null`.
    pub(crate) fn is_null(values: &EnumDescriptor) -> bool {
        values.full_name() == "google.protobuf.NullValue"
    }
}
