//! A PostgreSQL server for this test process alone, from the installed binaries. It listens on a socket in its own
//! folder only, and a small shell script outlives the tests just long enough to stop it: the script waits for its
//! standard input to end, which happens however the test process ends.

use std::{
    fs,
    io::{BufRead, BufReader, Error, Result},
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The server's own default is to answer before a commit is on disk, so that durability is the sessions' doing.
const SETTINGS: &str = "-c listen_addresses= -c max_connections=300 -c shared_buffers=64MB -c fsync=off \
     -c full_page_writes=off -c synchronous_commit=off";

const GUARDIAN: &str = r#"
    bin=$1 dir=$2 settings=$3
    "$bin/pg_ctl" start --wait --silent -D "$dir/data" -l "$dir/log" -o "-k $dir $settings" && echo ready
    cat >/dev/null
    "$bin/pg_ctl" stop --silent --mode immediate -D "$dir/data"
    rm -rf "$dir"
"#;

pub(crate) struct Cluster {
    pub(crate) url: String,
    /// Holds the other end of the guardian's standard input.
    _guardian: Child,
}

impl Cluster {
    pub(crate) fn start() -> Result<Self> {
        let bin = binaries().ok_or_else(|| {
            Error::other(
                "no PostgreSQL for the tests: set TEST_DATABASE_URL, start Docker, or install the server \
                 (apt-get install postgresql, brew install postgresql)",
            )
        })?;
        // A socket's path is short on every system, so not in TMPDIR.
        let dir = tempfile::Builder::new().prefix("remik-pg-").tempdir_in("/tmp")?.keep();
        let user = unprivileged()?;
        let command = |program: &Path| {
            let mut command = Command::new(program);
            if let Some((uid, gid)) = user {
                command.uid(uid).gid(gid);
            }
            // A group of its own, so that Ctrl-C reaches the tests alone and the guardian then cleans up.
            command.current_dir("/").process_group(0);
            command
        };
        if let Some((uid, gid)) = user {
            chown(&dir, Some(uid), Some(gid))?;
        }
        let initdb = command(&bin.join("initdb"))
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"])
            .arg(dir.join("data"))
            .output()?;
        if !initdb.status.success() {
            return Err(Error::other(String::from_utf8_lossy(&initdb.stderr)));
        }
        let mut guardian = command(Path::new("/bin/sh"))
            .args(["-c", GUARDIAN, "guardian"])
            .args([bin.as_path(), dir.as_path(), Path::new(SETTINGS)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = guardian.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        if line.trim() != "ready" {
            return Err(Error::other(fs::read_to_string(dir.join("log"))?));
        }
        let url = format!("postgres:///postgres?host={}&user=postgres", dir.display());
        Ok(Self { url, _guardian: guardian })
    }
}

/// The folder of the server's programs: on the path, or the newest where Debian, Homebrew and Postgres.app put it.
fn binaries() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let has_server = |dir: &PathBuf| dir.join("initdb").exists() && dir.join("pg_ctl").exists();
    std::env::split_paths(&path).find(has_server).or_else(|| {
        let mut found = Vec::new();
        for (parent, below) in [
            ("/usr/lib/postgresql", "bin"),
            ("/opt/homebrew/opt", "bin"),
            ("/usr/local/opt", "bin"),
            ("/Applications/Postgres.app/Contents/Versions", "bin"),
        ] {
            for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let version = name.trim_start_matches("postgresql@").parse::<u32>();
                found.extend(version.ok().map(|version| (version, entry.path().join(below))));
            }
        }
        found.retain(|(_, dir)| has_server(dir));
        found.into_iter().max().map(|(_, dir)| dir)
    })
}

/// The server refuses to run as root: then as the `postgres` user, whom its package has made.
fn unprivileged() -> Result<Option<(u32, u32)>> {
    let id = |args: &[&str]| -> Result<u32> {
        let output = Command::new("id").args(args).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().map_err(|_| Error::other(format!("no user for PostgreSQL: id {args:?}")))
    };
    Ok(match id(&["-u"])? {
        0 => Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)),
        _ => None,
    })
}
