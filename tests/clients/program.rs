//! Runs other programs.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{process::Command, time::timeout};

/// No program takes longer; the first run installs things.
const BOUND: Duration = Duration::from_secs(300);

/// A folder of the examples.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// A folder under `target/`, for what is installed once.
pub(crate) fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Runs a program to its good end, and gives what it has written to its output. `missing` is what is said if there is
/// no such program, or it fails.
pub(crate) async fn run(command: &mut Command, missing: &str) -> String {
    let shown = format!("{:?}", command.as_std());
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let child = child.spawn().unwrap_or_else(|error| panic!("{shown}: {error}\n{missing}"));
    let output = timeout(BOUND, child.wait_with_output()).await;
    let output = output.unwrap_or_else(|_| panic!("{shown} takes too long")).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, errors) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{shown}: {}\n{out}\n{errors}\n{missing}", output.status);
    out
}

/// Installs something into a folder under `target/`, if it isn't there as `wanted` says.
pub(crate) async fn install(home: &Path, wanted: &str, by: impl AsyncFnOnce()) {
    let installed = home.join("installed.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|there| there == wanted) {
        return;
    }
    by().await;
    std::fs::write(installed, wanted).unwrap();
}
