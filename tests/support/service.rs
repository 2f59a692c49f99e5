//! The real program as a child process: started, stopped or killed, and always gone when dropped.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use tokio::{sync::oneshot, time};

/// How long the program may take to start, or to end once it is told to.
const BOUND: Duration = Duration::from_secs(30);

pub(crate) struct Service {
    child: Child,
    /// `http://ADDRESS`.
    pub(crate) url: String,
    /// The API key with all scopes that it has made for this run; empty if it hasn't.
    pub(crate) console_key: String,
    stderr: Arc<Mutex<String>>,
}

impl Service {
    /// The service over a database, once it listens.
    pub(crate) async fn start(database_url: &str) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_remik"));
        program.args(Self::arguments(database_url));
        Self::start_by(program).await
    }

    /// The arguments that make the program serve a database, to players who are faster than any and bots that keep
    /// nobody waiting.
    pub(crate) fn arguments(database_url: &str) -> [&str; 12] {
        [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--database-url",
            database_url,
            "--log",
            "warn",
            "--no-caller-limits",
            "--bot-delay-ms",
            "0",
            "--bot-budget-ms",
            "10",
        ]
    }

    /// The service as a command starts it, once it listens.
    pub(crate) async fn start_by(mut program: Command) -> Self {
        // The clients' HTTP library may be built with TLS, and then wants to know by what, even for plain HTTP. A
        // second time does nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut child =
            program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = Arc::new(Mutex::new(String::new()));
        let (lines, kept) = (BufReader::new(child.stderr.take().unwrap()).lines(), Arc::clone(&stderr));
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                kept.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        let (told, address) = oneshot::channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        thread::spawn(move || {
            let mut lines = lines.map_while(Result::ok);
            let mut key = String::new();
            let url = lines.find_map(|line| {
                if line.starts_with("API key for this run") {
                    key = line.rsplit(' ').next().unwrap().to_owned();
                }
                line.strip_prefix("remik listens on ").map(str::to_owned)
            });
            let _ = told.send(url.map(|url| (url, key)));
            // Read on, or the program would find its output closed.
            lines.for_each(drop);
        });
        let mut service = Self { child, url: String::new(), console_key: String::new(), stderr };
        match time::timeout(BOUND, address).await {
            Ok(Ok(Some((url, key)))) => (service.url, service.console_key) = (url, key),
            other => panic!("the service doesn't start: {other:?}\n{}", service.stderr()),
        }
        service
    }

    /// What the service has written to its standard error.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// SIGKILL: nothing of the process runs any more when this returns.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn process_id(&self) -> String {
        self.child.id().to_string()
    }

    /// SIGTERM.
    pub(crate) fn ask_to_stop(&self) {
        let status = Command::new("kill").args(["-TERM", &self.process_id()]).status().unwrap();
        assert!(status.success());
    }

    /// SIGTERM, and the end of the process by itself.
    pub(crate) async fn stop(mut self) {
        self.ask_to_stop();
        let status = self.ended(BOUND).await;
        assert!(status.success(), "{status}\n{}", self.stderr());
    }

    /// Waits for the process to end by itself.
    pub(crate) async fn ended(&mut self, bound: Duration) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < bound, "the service doesn't stop\n{}", self.stderr());
            time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            println!("--- standard error of {}\n{}---", self.url, self.stderr());
        }
    }
}
