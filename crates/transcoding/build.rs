//! Compiles the protobufs of this crate's own tests; the library itself needs no generated code.

use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let folders = [here.join("tests/proto"), here.join("proto"), here.join("../../proto/third_party")];
    for folder in &folders {
        println!("cargo:rerun-if-changed={}", folder.display());
    }
    let mut compiler = protox::Compiler::new(folders)?;
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files([
        "testing/v1/library.proto",
        "google/rpc/error_details.proto",
        "google/rpc/status.proto",
    ])?;
    // Encoded by the compiler itself: prost's types would lose the options.
    let descriptors = compiler.encode_file_descriptor_set();
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("testing.bin"), descriptors)?;
    tonic_prost_build::configure()
        .build_client(true)
        .emit_rerun_if_changed(false)
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}
