//! The OpenAPI document.

use std::collections::HashSet;

use remik_transcoding::openapi::{ErrorReason, Info, Scope, document};
use serde_json::{Value as Json, json};

use crate::{config::compile, server::pool};

fn library() -> Json {
    let info = Info { title: "Library".to_owned(), version: "1.2.3".to_owned(), ..Info::default() };
    document(&pool(), &info)
}

/// Visits every value of a document.
fn walk(json: &Json, visit: &mut impl FnMut(&Json)) {
    visit(json);
    match json {
        Json::Array(list) => list.iter().for_each(|value| walk(value, visit)),
        Json::Object(map) => map.values().for_each(|value| walk(value, visit)),
        _ => {}
    }
}

/// Every operation, as (path, method, operation).
fn operations(document: &Json) -> Vec<(&str, &str, &Json)> {
    let paths = document["paths"].as_object().unwrap();
    let items = paths.iter().map(|(path, item)| (path.as_str(), item.as_object().unwrap()));
    items.flat_map(|(path, item)| item.iter().map(move |(method, op)| (path, method.as_str(), op))).collect()
}

fn parameter<'d>(operation: &'d Json, name: &str) -> Option<&'d Json> {
    operation["parameters"].as_array().unwrap().iter().find(|p| p["name"] == name)
}

#[test]
fn every_reference_leads_somewhere() {
    let document = library();
    let mut references = 0;
    walk(&document, &mut |value| {
        if let Some(reference) = value.get("$ref") {
            let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some_and(Json::is_object), "{pointer}");
            references += 1;
        }
    });
    assert!(references > 20, "{references}");
}

#[test]
fn it_says_what_it_is() {
    let info = Info {
        title: "Library".to_owned(),
        version: "1".to_owned(),
        description: "Books.".to_owned(),
        servers: vec!["https://library.example".to_owned()],
        bearer: "A reader's token.".to_owned(),
        errors: vec![],
    };
    let document = document(&pool(), &info);
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"], json!({"title": "Library", "version": "1", "description": "Books."}));
    assert_eq!(document["servers"], json!([{"url": "https://library.example"}]));
    let bearer = json!({"type": "http", "scheme": "bearer", "description": "A reader's token."});
    assert_eq!(document["components"]["securitySchemes"]["bearer"], bearer);
    assert_eq!(document["tags"][0]["name"], "LibraryService");
    assert!(
        document["tags"][0]["description"]
            .as_str()
            .unwrap()
            .starts_with("A library, for the tests.\n\nIt gives")
    );
    assert!(library().get("servers").is_none());
}

#[test]
fn each_route_is_an_operation_with_its_parameters() {
    let document = library();
    let mut found: Vec<String> =
        operations(&document).iter().map(|(path, method, _)| format!("{method} {path}")).collect();
    found.sort();
    let expected = [
        "delete /v1/any/{path}:raw",
        "get /v1/any/{path}:raw",
        "get /v1/books",
        "get /v1/books/{book_id}",
        "get /v1/counters/{counter_id}:watch",
        "get /v1/files/{path}",
        "get /v1/shelves/{shelve}/books/{book}",
        "patch /v1/any/{path}:raw",
        // Named like the other template of this path.
        "patch /v1/books/{book_id}",
        "post /v1/any/{path}:raw",
        "post /v1/books",
        "post /v1/books/{book_id}:lend",
        "post /v1/failures/{code}",
        "put /v1/any/{path}:raw",
        "put /v1/tags",
    ];
    assert_eq!(found, expected);

    let mut ids = HashSet::new();
    for (path, method, operation) in operations(&document) {
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{method} {path}");
        assert_eq!(operation["tags"], json!(["LibraryService"]));
        assert_eq!(operation["responses"]["default"]["$ref"], "#/components/responses/error");
        let in_path: Vec<String> = operation["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|p| p["in"] == "path")
            .map(|p| format!("{{{}}}", p["name"].as_str().unwrap()))
            .collect();
        assert_eq!(path.matches('{').count(), in_path.len(), "{path}");
        assert!(in_path.iter().all(|name| path.contains(name)), "{path} {in_path:?}");
        let mut names = HashSet::new();
        for parameter in operation["parameters"].as_array().unwrap() {
            assert!(names.insert((&parameter["in"], &parameter["name"])), "{path} {parameter}");
        }
    }
}

#[test]
fn an_operation_tells_what_its_comment_tells() {
    let document = library();
    let get = &document["paths"]["/v1/books/{book_id}"]["get"];
    assert_eq!(get["operationId"], "GetBook");
    assert_eq!(get["summary"], "Gets a book");
    assert_eq!(
        get["description"],
        "Gets a book.\n\nThe second paragraph of its description.\n\nError reasons: `BOOK_NOT_FOUND`, `BOOK_LOST`."
    );
    assert_eq!(get["x-error-reasons"], json!(["BOOK_NOT_FOUND", "BOOK_LOST"]));
}

#[test]
fn fields_outside_path_and_body_are_query_parameters() {
    let document = library();
    let names = |path: &str, method: &str| -> Vec<String> {
        let parameters = document["paths"][path][method]["parameters"].as_array().unwrap();
        let query = parameters.iter().filter(|p| p["in"] == "query");
        query.map(|p| p["name"].as_str().unwrap().to_owned()).collect()
    };
    let expected = [
        "title",
        "minPages",
        "tags",
        "bindings",
        "author.fullName",
        "since",
        "lent",
        "token",
        "available",
        "byField",
        "random",
        "weight",
        "serial",
        "mask",
        "readingTime",
    ];
    assert_eq!(names("/v1/books", "get"), expected);
    assert_eq!(names("/v1/books/{book_id}", "get"), ["name", "revision"]);
    assert_eq!(names("/v1/books/{book_id}", "patch"), ["mask"]);
    assert_eq!(names("/v1/books/{book_id}:lend", "post"), Vec::<String>::new());
    let find = &document["paths"]["/v1/books"]["get"];
    assert_eq!(
        parameter(find, "tags").unwrap()["schema"],
        json!({"type": "array", "items": {"type": "string"}})
    );
    let watch = &document["paths"]["/v1/counters/{counter_id}:watch"]["get"];
    assert_eq!(parameter(watch, "after").unwrap()["description"], "The last number that the client has.");
    assert_eq!(parameter(watch, "Last-Event-ID").unwrap()["in"], "header");
    assert!(parameter(find, "Last-Event-ID").is_none());
    // A path parameter has its field's type.
    let fail = &document["paths"]["/v1/failures/{code}"]["post"];
    assert_eq!(parameter(fail, "code").unwrap()["schema"], json!({"type": "integer", "format": "int32"}));
    assert_eq!(parameter(fail, "code").unwrap()["description"], "A gRPC code.");
}

#[test]
fn bodies_hold_what_is_not_in_the_path() {
    let document = library();
    let body = |path: &str, method: &str| document["paths"][path][method]["requestBody"].clone();
    let schema = |body: &Json| body["content"]["application/json"]["schema"].clone();
    let create = body("/v1/books", "post");
    assert_eq!(create["required"], true);
    assert_eq!(schema(&create)["$ref"], "#/components/schemas/testing.v1.CreateBookRequest");
    let lend = body("/v1/books/{book_id}:lend", "post");
    assert_eq!(lend["required"], false);
    let fields: Vec<_> = schema(&lend)["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["days", "reader"]);
    assert_eq!(schema(&body("/v1/books/{book_id}", "patch"))["$ref"], "#/components/schemas/testing.v1.Book");
    assert_eq!(schema(&body("/v1/tags", "put")), json!({"type": "array", "items": {"type": "string"}}));
    assert_eq!(body("/v1/books", "get"), Json::Null);
}

#[test]
fn answers_have_their_media_types() {
    let document = library();
    let content =
        |path: &str, method: &str| document["paths"][path][method]["responses"]["200"]["content"].clone();
    let get = content("/v1/books/{book_id}", "get");
    let reference = "#/components/schemas/testing.v1.GetBookResponse";
    assert_eq!(get, json!({"application/json": {"schema": {"$ref": reference}}}));
    let tags = content("/v1/tags", "put");
    assert_eq!(tags["application/json"]["schema"]["type"], "array");
    let watch = content("/v1/counters/{counter_id}:watch", "get");
    let kinds: Vec<_> = watch.as_object().unwrap().keys().cloned().collect();
    assert_eq!(kinds, ["application/x-ndjson", "text/event-stream"]);
    let item = &watch["text/event-stream"]["x-item-schema"]["$ref"];
    assert_eq!(item, "#/components/schemas/testing.v1.WatchResponse");
    let error = &document["components"]["schemas"]["error-answer"]["properties"]["error"];
    assert_eq!(error["required"], json!(["code", "status", "message", "details"]));
    let details = error["properties"]["details"]["items"]["anyOf"].as_array().unwrap();
    assert!(details.contains(&json!({"$ref": "#/components/schemas/google.rpc.ErrorInfo"})));
}

/// The schema of a field that may be `null`.
fn or_null(mut schema: Json) -> Json {
    if let Some(kind) = schema["type"].as_str().filter(|kind| *kind != "null") {
        schema["type"] = json!([kind, "null"]);
    } else if let Some(reference) = schema.as_object_mut().unwrap().remove("$ref") {
        schema["anyOf"] = json!([{"$ref": reference}, {"type": "null"}]);
    }
    if schema["type"].is_null() {
        schema.as_object_mut().unwrap().remove("type");
    }
    schema
}

#[test]
fn schemas_are_those_of_canonical_json() {
    let document = library();
    let schemas = &document["components"]["schemas"];
    let book = &schemas["testing.v1.Book"];
    assert_eq!(book["required"], json!(["name"]));
    assert_eq!(book["description"], "A book.\n\nAt most one of `shelf`, `reader` is given.");
    assert_eq!(book["x-oneofs"], json!({"place": ["shelf", "reader"]}));
    let cases = [
        ("name", json!({"type": "string", "minLength": 1, "description": "Its name."})),
        ("pages", json!({"type": "integer", "format": "int32", "description": "How many pages it has."})),
        ("cover", json!({"type": "string", "contentEncoding": "base64", "description": "Not for the eyes."})),
        ("binding", json!({"$ref": "#/components/schemas/testing.v1.Binding"})),
        (
            "names",
            json!({
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Names for each language.",
            }),
        ),
        (
            "sequels",
            json!({
                "type": "object",
                "additionalProperties": {"$ref": "#/components/schemas/testing.v1.Book"},
                "propertyNames": {"pattern": "^-?[0-9]+$"},
            }),
        ),
        ("authors", json!({"type": "array", "items": {"$ref": "#/components/schemas/testing.v1.Author"}})),
        ("printedAt", json!({"type": "string", "format": "date-time", "readOnly": true})),
        ("readingTime", json!({"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$"})),
        ("price", json!({"type": "string", "format": "int64", "pattern": "^-?[0-9]+$"})),
        ("note", json!({"type": "string"})),
        ("extra", json!({"type": "object"})),
        ("anything", json!({})),
        ("mask", json!({"type": "string"})),
        ("signed", json!({"type": "boolean"})),
        ("serialNumber", json!({"type": "string", "format": "uint64", "pattern": "^[0-9]+$"})),
        ("weight", json!({"type": "number", "format": "double"})),
        ("height", json!({"type": "number", "format": "float"})),
        ("nothing", json!({"type": "null"})),
        (
            "balance",
            json!({"type": "string", "format": "int64", "pattern": "^-?[0-9]+$", "deprecated": true}),
        ),
        ("copies", json!({"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32})),
        ("list", json!({"type": "array", "items": {}})),
    ];
    for (field, expected) in cases {
        // A client that gives a book may give `null` for what it doesn't give.
        let expected = if field == "name" { expected } else { or_null(expected) };
        assert_eq!(book["properties"][field], expected, "{field}");
    }
    assert_eq!(book["additionalProperties"], false);
    let answer = &schemas["testing.v1.GetBookResponse"];
    assert_eq!(answer.get("additionalProperties"), None);
    assert_eq!(
        answer["properties"]["request"],
        json!({"$ref": "#/components/schemas/testing.v1.GetBookRequest"})
    );
    assert_eq!(book["not"], json!({"anyOf": [{"required": ["shelf", "reader"]}]}));
    let binding = &schemas["testing.v1.Binding"];
    assert_eq!(binding["enum"], json!(["BINDING_UNSPECIFIED", "BINDING_HARD", "BINDING_SOFT"]));
    assert_eq!(
        binding["description"],
        "How a book is bound.\n* `BINDING_UNSPECIFIED`: Not said.\n* `BINDING_HARD`: In boards.\n* `BINDING_SOFT`: In paper."
    );
}

#[test]
fn a_pool_of_faults_still_gives_a_document() {
    let pool = compile(r#"rpc A(In) returns (Out) { option (google.api.http) = { get: "no" }; }"#);
    assert_eq!(document(&pool, &Info::default())["paths"], json!({}));
}

#[test]
fn each_operation_has_its_errors_by_status() {
    let error = |reason: &str, status: u16, scope| ErrorReason {
        reason: reason.to_owned(),
        status: http::StatusCode::from_u16(status).unwrap(),
        description: format!("It is {reason}."),
        retry: status == 503,
        scope,
    };
    let errors = vec![
        error("BOOK_NOT_FOUND", 404, Scope::Listed),
        error("BOOK_LOST", 404, Scope::Listed),
        error("BOOK_BURNT", 410, Scope::Listed),
        error("BUSY", 503, Scope::All),
        error("WHO", 401, Scope::WithCredentials),
        error("TOO_LARGE", 413, Scope::WithBody),
    ];
    let document = document(&pool(), &Info { errors, ..Info::default() });
    let operation = |path: &str, method: &str| document["paths"][path][method].clone();
    let statuses = |operation: &Json| -> Vec<String> {
        operation["responses"].as_object().unwrap().keys().cloned().collect()
    };
    let get = operation("/v1/books/{book_id}", "get");
    assert_eq!(statuses(&get), ["200", "401", "404", "503"]);
    let lost = &get["responses"]["404"];
    assert_eq!(
        lost["description"],
        "* `BOOK_NOT_FOUND`: It is BOOK_NOT_FOUND.\n* `BOOK_LOST`: It is BOOK_LOST."
    );
    assert_eq!(lost["x-error-reasons"], json!(["BOOK_NOT_FOUND", "BOOK_LOST"]));
    assert_eq!(lost["content"]["application/json"]["schema"]["$ref"], "#/components/schemas/error-answer");
    assert!(get["responses"]["503"]["headers"]["Retry-After"].is_object());
    assert!(get["responses"]["401"]["headers"]["WWW-Authenticate"].is_object());
    assert_eq!(get.get("security"), None);
    // This one needs no credentials.
    let tags = operation("/v1/tags", "put");
    assert_eq!(statuses(&tags), ["200", "413", "503"]);
    assert_eq!(tags["security"], json!([]));
    assert_eq!(document["security"], json!([{"bearer": []}]));
}
