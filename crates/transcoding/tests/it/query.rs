//! Query parameters.

use serde_json::{Value as Json, json};

use crate::server::Server;

#[tokio::test]
async fn parameters_set_fields() {
    let server = Server::start().await;
    let cases: Vec<(&str, &str, Json)> = vec![
        ("title=Pan%20Tadeusz", "title", json!("Pan Tadeusz")),
        ("title=Pan+Tadeusz%2B", "title", json!("Pan Tadeusz+")),
        ("title=", "title", json!("")),
        ("title", "title", json!("")),
        ("title=a=b", "title", json!("a=b")),
        ("&&title=a&", "title", json!("a")),
        ("min_pages=-7", "minPages", json!(-7)),
        ("minPages=7", "minPages", json!(7)),
        ("minPages=1e3", "minPages", json!(1000)),
        ("m%69nPages=7", "minPages", json!(7)),
        ("tags=a&tags=b&tags=", "tags", json!(["a", "b", ""])),
        (
            "bindings=BINDING_HARD&bindings=2&bindings=77",
            "bindings",
            json!(["BINDING_HARD", "BINDING_SOFT", 77]),
        ),
        (
            "author.full_name=A&author.teacher.fullName=B",
            "author",
            json!({"fullName": "A", "teacher": {"fullName": "B"}}),
        ),
        ("since=2020-01-02T03:04:05%2B01:00", "since", json!("2020-01-02T02:04:05Z")),
        ("lent=false", "lent", json!(false)),
        ("token=-_8%3D", "token", json!("+/8=")),
        ("token=%2B/8", "token", json!("+/8=")),
        ("available=true", "available", json!(true)),
        ("random=false", "random", json!(false)),
        ("weight=-1.5e2", "weight", json!(-150.0)),
        ("weight=NaN", "weight", json!("NaN")),
        ("serial=18446744073709551615", "serial", json!("18446744073709551615")),
        ("mask=a.bC,d", "mask", json!("a.bC,d")),
        ("reading_time=1.5s", "readingTime", json!("1.500s")),
    ];
    for (query, field, expected) in cases {
        let answer = server.get(&format!("/v1/books?{query}")).await;
        assert_eq!(answer.json()["request"][field], expected, "{query}: {}", answer.text);
    }
}

#[tokio::test]
async fn faulty_parameters_are_refused_by_name() {
    let server = Server::start().await;
    let cases = [
        ("unknown=1", "unknown", "there is no field `unknown`"),
        ("author.unknown=1", "author.unknown", "there is no field `unknown`"),
        ("Title=a", "Title", "there is no field `Title`"),
        ("=a", "", "there is no field ``"),
        ("author..teacher=a", "author..teacher", "there is no field ``"),
        ("title=a&title=b", "title", "given more than once"),
        ("min_pages=1&minPages=1", "minPages", "given more than once"),
        ("min_pages=", "min_pages", "expected a 32-bit integer, not ``"),
        ("min_pages=1.5", "min_pages", "expected a 32-bit integer, not `1.5`"),
        ("min_pages=%2B1", "min_pages", "expected a 32-bit integer, not `+1`"),
        ("min_pages=2147483648", "min_pages", "expected a 32-bit integer, not `2147483648`"),
        ("serial=-1", "serial", "expected a 64-bit integer of 0 or more, not `-1`"),
        (
            "serial=18446744073709551616",
            "serial",
            "expected a 64-bit integer of 0 or more, not `18446744073709551616`",
        ),
        ("weight=inf", "weight", "expected a number, not `inf`"),
        ("weight=1e999", "weight", "expected a number, not `1e999`"),
        ("available=1", "available", "expected true or false, not `1`"),
        ("lent=yes", "lent", "expected true or false, not `yes`"),
        ("bindings=HARD", "bindings", "expected the name or number of an enum value, not `HARD`"),
        ("token=%25", "token", "expected base64, not `%`"),
        ("author=x", "author", "this field can't be given as text: give the fields inside it"),
        ("authors=x", "authors", "this field can't be given as text: give the fields inside it"),
        ("authors.full_name=x", "authors.full_name", "`authors` has no fields inside"),
        ("title.x=a", "title.x", "`title` has no fields inside"),
        ("labels=a", "labels", "a map can't be a query parameter"),
        ("labels.a=b", "labels.a", "`labels` has no fields inside"),
        ("extra=a", "extra", "this field can't be given as text: give the fields inside it"),
        ("by_field=a&random=true", "random", "another field of `order` is given too"),
        ("title=%ff", "title", "isn't percent-encoded UTF-8"),
        ("title=%", "title", "isn't percent-encoded UTF-8"),
    ];
    for (query, field, description) in cases {
        let answer = server.get(&format!("/v1/books?{query}")).await;
        assert_eq!((answer.status, answer.reason().as_str()), (400, "MALFORMED_REQUEST"), "{query}");
        assert_eq!(answer.violations(), [(field.to_owned(), description.to_owned())], "{query}");
    }
    let answer = server.get("/v1/books?since=yesterday").await;
    assert_eq!(answer.violations()[0].0, "since");
    let deep = format!("/v1/books?author.{}full_name=x", "teacher.".repeat(500));
    assert_eq!(server.get(&deep).await.violations()[0].1, "the path is too deep");
}

#[tokio::test]
async fn every_fault_is_told_at_once() {
    let server = Server::start().await;
    let answer = server.get("/v1/books/%ff?revision=x&what=1").await;
    let fields: Vec<String> = answer.violations().into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, ["revision", "what", "book_id"]);
    // But the answer stays small.
    let answer = server.get(&format!("/v1/books?{}", "x&".repeat(5000))).await;
    assert_eq!(answer.violations().len(), 16);
    let answer = server.get(&format!("/v1/books?{}=1", "x".repeat(5000))).await;
    assert!(answer.text.len() < 2000, "{}", answer.text);
}

#[tokio::test]
async fn what_is_elsewhere_is_no_parameter() {
    let server = Server::start().await;
    let json = |method, path| server.json(method, path, "{}");
    let cases = [
        (server.get("/v1/books/a?book_id=b").await, "book_id", "this field is in the path"),
        (server.get("/v1/books/a?bookId=a").await, "bookId", "this field is in the path"),
        (
            json("POST", "/v1/books/a:lend?reader=b").await,
            "reader",
            "this method takes no query parameters: its fields are in the body",
        ),
        (json("PATCH", "/v1/books/a?book.pages=1").await, "book.pages", "this field is in the body"),
        (json("PATCH", "/v1/books/a?book.name=a").await, "book.name", "this field is in the path"),
    ];
    for (answer, field, description) in cases {
        assert_eq!(answer.status, 400, "{}", answer.text);
        assert_eq!(answer.violations(), [(field.to_owned(), description.to_owned())]);
    }
}
