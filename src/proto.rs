//! The types that `proto/` describes, as generated. Only [`codec`](crate::codec) turns them into the rules' types
//! and back.
#![allow(missing_docs, unreachable_pub, clippy::all, rustdoc::all, reason = "generated")]

/// Nested as the packages are: they refer to each other by these paths.
mod remik {
    pub mod v1 {
        tonic::include_proto!("remik.v1");
    }
}

mod google {
    pub mod rpc {
        tonic::include_proto!("google.rpc");
    }
}

/// Details of errors, `google.rpc`.
pub use google::rpc;
/// The API, `remik.v1`.
pub use remik::v1;

/// What is stored, `remik.log.v1`: with all cards and secrets, so nobody but the codec gets at it, and it can't
/// be printed.
pub(crate) mod log {
    tonic::include_proto!("remik.log.v1");
}

/// The descriptors of the API and what it refers to, with comments and HTTP rules, as an encoded
/// `google.protobuf.FileDescriptorSet`.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

#[cfg(test)]
mod tests;
