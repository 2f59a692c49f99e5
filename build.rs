//! Compiles the API and log protobufs without an installed `protoc`.

use std::path::{Path, PathBuf};
use std::{env, error, fs};

/// The files of the API that nothing imports. `google.rpc` is there for error details, which are written as `Any`
/// and couldn't be shown as JSON without their descriptors.
const API: &[&str] = &[
    "remik/v1/admin_service.proto",
    "remik/v1/chat_service.proto",
    "remik/v1/feed_service.proto",
    "remik/v1/game_service.proto",
    "remik/v1/key_service.proto",
    "remik/v1/lobby_service.proto",
    "remik/v1/matchmaking_service.proto",
    "remik/v1/player_service.proto",
    "remik/v1/profile_service.proto",
    "remik/v1/replay_service.proto",
    "remik/v1/ruleset_service.proto",
    "remik/v1/sandbox_service.proto",
    "remik/v1/standings_service.proto",
    "remik/v1/webhook_service.proto",
    "remik/v1/error.proto",
    "google/rpc/error_details.proto",
    "google/rpc/status.proto",
];

/// The files of the log that nothing imports.
const LOG: [&str; 2] = ["remik/log/v1/move.proto", "remik/log/v1/summary.proto"];

fn main() -> Result<(), Box<dyn error::Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let own = root.join("proto");
    let options = root.join("crates/transcoding/proto");
    // The store embeds its migrations.
    let migrations = root.join("migrations");
    for folder in [&own, &options, &migrations] {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    let third_party = own.join("third_party");
    let includes = [own, options, third_party];

    // Apart from each other, so that what is published describes no stored secret.
    let api = compile(&includes, API)?;
    let log = compile(&includes, &LOG)?;

    // Encoded by protox, the set keeps the extensions (google.api.http); as prost types it loses them.
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), api.encode_file_descriptor_set())?;

    // Sorted maps: the same error is always the same bytes.
    tonic_prost_build::configure()
        .btree_map(".google.rpc")
        .codec_path("crate::codec::message::MessageCodec")
        .compile_fds(api.file_descriptor_set())?;
    tonic_prost_build::configure().skip_debug([".remik.log.v1"]).compile_fds(log.file_descriptor_set())?;
    Ok(())
}

fn compile(includes: &[impl AsRef<Path>], files: &[&str]) -> Result<protox::Compiler, protox::Error> {
    let mut compiler = protox::Compiler::new(includes)?;
    compiler.include_imports(true).include_source_info(true).open_files(files)?;
    Ok(compiler)
}
