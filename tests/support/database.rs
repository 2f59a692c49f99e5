//! A fresh database for each test. PostgreSQL is found by `TEST_DATABASE_URL` (a role that may create databases), else
//! in Docker, else from the installed binaries; each test process has one server.

use std::{
    process::{Child, Command, Stdio},
    thread,
};

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tempfile::TempDir;
use testcontainers::{
    ContainerAsync, GenericImage, ImageExt,
    core::{IntoContainerPort, WaitFor},
    runners::AsyncRunner,
};
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::cluster::Cluster;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

/// An empty database, gone when this is dropped.
pub(crate) struct TestDatabase {
    pub(crate) url: String,
    _place: Place,
}

enum Place {
    Folder { _folder: TempDir },
    Server { server: &'static Server, name: String },
}

pub(crate) async fn fresh(backend: Backend) -> TestDatabase {
    match backend {
        Backend::Sqlite => {
            let folder = tempfile::tempdir().unwrap();
            let url = format!("sqlite:{}", folder.path().join("data").join("remik.db").display());
            TestDatabase { url, _place: Place::Folder { _folder: folder } }
        }
        Backend::Postgres => {
            static SERVER: OnceCell<Server> = OnceCell::const_new();
            let server = SERVER.get_or_init(Server::find).await;
            let name = format!("remik_test_{}", Uuid::now_v7().simple());
            server.run(format!("CREATE DATABASE {name}")).await;
            TestDatabase { url: server.url(&name), _place: Place::Server { server, name } }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Self::Server { server: Server { admin, owner: Owner::Somebody }, name } = self else { return };
        // A thread, as this one may be inside of a runtime.
        let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        let admin = admin.clone();
        let _ = thread::spawn(|| block_on(run(admin, drop))).join();
    }
}

struct Server {
    /// The URL of a database from which others can be made.
    admin: String,
    owner: Owner,
}

/// Who stops the server, and with it all databases.
enum Owner {
    Somebody,
    Docker { _container: Box<ContainerAsync<GenericImage>>, _guardian: Child },
    Us { _cluster: Cluster },
}

impl Server {
    async fn find() -> Self {
        if let Ok(admin) = std::env::var("TEST_DATABASE_URL") {
            return Self { admin, owner: Owner::Somebody };
        }
        if let Some(server) = Self::in_docker().await {
            return server;
        }
        let cluster = tokio::task::spawn_blocking(Cluster::start).await.unwrap();
        let cluster = cluster.unwrap_or_else(|error| panic!("{error}"));
        Self { admin: cluster.url.clone(), owner: Owner::Us { _cluster: cluster } }
    }

    /// `None` without a Docker daemon, at once.
    async fn in_docker() -> Option<Self> {
        let container = GenericImage::new("postgres", "17-alpine")
            .with_exposed_port(5432.tcp())
            // The first of the two is the server that makes the database, without a network.
            .with_wait_for(WaitFor::message_on_stderr("listening on IPv4 address"))
            .with_wait_for(WaitFor::message_on_stderr("database system is ready to accept connections"))
            .with_env_var("POSTGRES_HOST_AUTH_METHOD", "trust")
            .with_cmd(["-c", "max_connections=300", "-c", "fsync=off", "-c", "synchronous_commit=off"])
            .start()
            .await
            .ok()?;
        // Statics are never dropped, so this removes the container when the test process ends.
        let guardian = Command::new("sh")
            .args(["-c", "cat; docker rm --force --volumes \"$1\"", "guardian", container.id()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let host = container.get_host().await.unwrap();
        let port = container.get_host_port_ipv4(5432).await.unwrap();
        let admin = format!("postgres://postgres@{host}:{port}/postgres");
        Some(Self { admin, owner: Owner::Docker { _container: Box::new(container), _guardian: guardian } })
    }

    async fn run(&self, sql: String) {
        run(self.admin.clone(), sql).await;
    }

    /// The admin's URL with another database.
    fn url(&self, name: &str) -> String {
        let (base, query) = self.admin.split_once('?').unwrap_or((&self.admin, ""));
        let (server, _) = base.rsplit_once('/').unwrap();
        format!("{server}/{name}?{query}")
    }
}

async fn run(url: String, sql: String) {
    let mut connection = PgConnection::connect(&url).await.unwrap();
    connection.execute(AssertSqlSafe(sql)).await.unwrap();
    connection.close().await.unwrap();
}

fn block_on(future: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future);
}
