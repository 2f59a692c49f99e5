//! Faults in annotations come up at start-up, all of them at once.

use std::path::Path;

use prost_reflect::DescriptorPool;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver};
use remik_transcoding::{ConfigError, Options, Transcoder};

/// The one file under test.
struct Source(String);

impl FileResolver for Source {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name == "test.proto" {
            File::from_source(name, &self.0)
        } else {
            Err(protox::Error::file_not_found(name))
        }
    }
}

/// Compiles a service `t.S` with these methods over a few messages.
pub(crate) fn compile(methods: &str) -> DescriptorPool {
    let source = format!(
        r#"
        syntax = "proto3";
        package t;
        import "google/api/annotations.proto";
        import "remik/transcoding/v1/annotations.proto";
        message In {{
            string id = 1;
            Inner inner = 2;
            repeated string list = 3;
            map<string, string> map = 4;
            string other_id = 5;
        }}
        message Inner {{ string id = 1; Inner inner = 2; }}
        message Out {{ uint64 number = 1; Inner inner = 2; }}
        message Ends {{ oneof event {{ Inner status = 1; Inner open = 2; Inner fine = 3; }} string error = 4; }}
        service S {{ {methods} }}
        "#
    );
    compile_file(source)
}

/// Compiles a file.
pub(crate) fn compile_file(source: String) -> DescriptorPool {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut resolver = ChainFileResolver::new();
    resolver.add(Source(source));
    resolver.add(IncludeFileResolver::new(here.join("proto")));
    resolver.add(IncludeFileResolver::new(here.join("../../proto/third_party")));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(true);
    compiler.open_file("test.proto").unwrap_or_else(|e| panic!("{e:?}"));
    DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice()).unwrap()
}

pub(crate) fn faults(pool: DescriptorPool) -> Vec<String> {
    let result: Result<_, ConfigError> = Transcoder::new(pool, (), Options::new("t"));
    result.err().map(|e| e.faults().iter().map(ToString::to_string).collect()).unwrap_or_default()
}

/// One method for each rule, called A, B and so on.
pub(crate) fn rules(rules: &[&str]) -> String {
    let method = |(i, rule): (usize, &&str)| {
        let name = char::from(b'A' + u8::try_from(i).unwrap());
        format!("rpc {name}(In) returns (Out) {{ option (google.api.http) = {{ {rule} }}; }}\n")
    };
    rules.iter().enumerate().map(method).collect()
}

#[test]
fn good_annotations_have_no_faults() {
    let pool = compile(&rules(&[
        r#"get: "/a/{id}""#,
        r#"post: "/a/{id}" body: "*""#,
        r#"get: "/a/fixed""#,
        r#"get: "/a/{id}:verb""#,
        r#"get: "/a/{inner.id}/b" body: "inner" response_body: "number""#,
        r#"get: "/a/{inner.inner.id=b/**}" additional_bindings { custom { kind: "BREW" path: "/**" } }"#,
        r#"custom { kind: "*" path: "/a/{id}" }"#,
    ]));
    assert_eq!(faults(pool), Vec::<String>::new());
}

#[test]
fn each_fault_is_named() {
    let cases = [
        (r#"get: "a""#, "template `a`: it doesn't start with `/`"),
        (r#"get: "/{id"  "#, "template `/{id`: a `{` is never closed"),
        (r#"get: "/{what}""#, "path variable `what`: there is no field `what`"),
        (r#"get: "/{inner.what}""#, "path variable `inner.what`: there is no field `what`"),
        (r#"get: "/{id.what}""#, "path variable `id.what`: `id` has no fields inside"),
        (r#"get: "/{map.key}""#, "path variable `map.key`: `map` has no fields inside"),
        (r#"get: "/{inner}""#, "path variable `inner` is not a single scalar field"),
        (r#"get: "/{list}""#, "path variable `list` is not a single scalar field"),
        (r#"get: "/{map}""#, "path variable `map` is not a single scalar field"),
        (r#"post: "/" body: "*""#, "template `/`: it has an empty segment"),
        (r#"post: "/a" body: "what""#, "body `what`: there is no field `what`"),
        (r#"post: "/a" body: "inner.id""#, "body `inner.id`: there is no field `inner.id`"),
        (r#"get: "/a" response_body: "what""#, "response body `what`: there is no field `what`"),
        (r#"body: "*""#, "an HTTP rule has no pattern"),
        (r#"custom { kind: "A B" path: "/a" }"#, "`A B` isn't an HTTP method"),
        (
            r#"get: "/a" additional_bindings { get: "/b" additional_bindings { get: "/c" } }"#,
            "additional bindings are nested",
        ),
        (
            r#"get: "/a" additional_bindings { get: "/b/{what}" }"#,
            "path variable `what`: there is no field `what`",
        ),
    ];
    for (rule, fault) in cases {
        assert_eq!(faults(compile(&rules(&[rule]))), [format!("t.S.A: {fault}")], "{rule}");
    }
}

#[test]
fn bindings_of_the_same_requests_conflict() {
    let cases = [
        (r#"get: "/a/{id}""#, r#"get: "/a/{other_id}""#),
        (r#"get: "/a/{id}""#, r#"get: "/a/*""#),
        (r#"get: "/{id=a/*}""#, r#"get: "/a/{id}""#),
        (r#"get: "/a/{id=**}""#, r#"get: "/a/**""#),
        (r#"get: "/a/{id}:v""#, r#"get: "/a/*:v""#),
        (r#"get: "/a%20b""#, r#"get: "/{id=a%20b}""#),
        (r#"custom { kind: "*" path: "/a" }"#, r#"custom { kind: "*" path: "/a" }"#),
        (r#"get: "/a""#, r#"custom { kind: "GET" path: "/a" }"#),
    ];
    for (first, second) in cases {
        let faults = faults(compile(&rules(&[first, second])));
        assert_eq!(faults.len(), 1, "{first} {second}: {faults:?}");
        assert!(faults[0].starts_with("t.S.B: ") && faults[0].ends_with(" of t.S.A"), "{faults:?}");
        assert!(faults[0].contains("takes the same requests"), "{faults:?}");
    }
}

#[test]
fn faults_of_streams_are_named() {
    let http = |path: &str| format!("option (google.api.http) = {{ get: \"{path}\" }};");
    let sse = |o: &str| format!("option (remik.transcoding.v1.server_sent_events) = {{ {o} }};");
    let server = |options: String| format!("rpc A(In) returns (stream Out) {{ {options} }}");
    let cases = [
        (server(http("/a") + &sse(r#"id_field: "what""#)), "id field `what`: there is no field `what`"),
        (server(http("/a") + &sse(r#"id_field: "inner""#)), "id field `inner` is not a single scalar field"),
        (
            server(http("/a") + &sse(r#"resume_field: "what""#)),
            "resume field `what`: there is no field `what`",
        ),
        (
            server(http("/a") + &sse(r#"resume_field: "list""#)),
            "resume field `list` is not a single scalar field",
        ),
        (
            server(http("/a/{id}") + &sse(r#"resume_field: "id""#)),
            "resume field `id` is also a path variable",
        ),
        (
            format!("rpc A(In) returns (Out) {{ {}{} }}", http("/a"), sse(r#"id_field: "number""#)),
            "only a server-streaming method has server-sent events",
        ),
        (
            format!("rpc A(stream In) returns (Out) {{ {} }}", http("/a")),
            "a method with a client stream can't have an HTTP rule",
        ),
        (
            format!("rpc A(stream In) returns (stream Out) {{ {} }}", http("/a")),
            "a method with a client stream can't have an HTTP rule",
        ),
    ];
    for (method, fault) in cases {
        assert_eq!(faults(compile(&method)), [format!("t.S.A: {fault}")], "{method}");
    }
    let reserved = format!("rpc A(In) returns (stream Ends) {{ {} }}", http("/a"));
    let expected = ["status", "open", "error"]
        .map(|field| format!("t.S.A: field `{field}` of the streamed `t.Ends` has a reserved name"));
    assert_eq!(faults(compile(&reserved)), expected);
    // They mean nothing in a single answer.
    assert!(faults(compile(&format!("rpc A(In) returns (Ends) {{ {} }}", http("/a")))).is_empty());
}

#[test]
fn all_faults_are_reported_together() {
    let pool = compile(&rules(&[r#"get: "/{x}/{y}""#, r#"get: "b""#, r#"get: "/c""#, r#"get: "/c""#]));
    let error = Transcoder::new(pool, (), Options::new("t")).err().unwrap();
    assert_eq!(error.faults().len(), 4);
    assert_eq!(error.to_string().lines().count(), 5, "{error}");

    assert_eq!(
        faults(DescriptorPool::global()),
        ["google/api/annotations.proto isn't in the descriptor pool"]
    );
}
