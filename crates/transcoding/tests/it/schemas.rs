//! What the annotations of fields and oneofs become in the OpenAPI document.

use remik_transcoding::openapi::{Info, document};
use serde_json::{Value as Json, json};

use crate::config::compile_file;

/// The schemas of the fields of a message that is only answered.
fn fields(declared: &str) -> Json {
    let pool = compile_file(format!(
        r#"syntax = "proto3"; package t;
        import "google/api/annotations.proto";
        import "google/api/field_behavior.proto";
        import "remik/transcoding/v1/annotations.proto";
        enum Size {{ SIZE_UNSPECIFIED = 0; SIZE_LARGE = 1; }}
        message In {{}} message Out {{ {declared} }}
        service S {{ rpc A(In) returns (Out) {{ option (google.api.http) = {{ get: "/v1" }}; }} }}"#
    ));
    document(&pool, &Info::default())["components"]["schemas"]["t.Out"].clone()
}

#[test]
fn fields_say_what_values_they_take() {
    let size = "#/components/schemas/t.Size";
    let cases = [
        (r#"string f = 1 [(x) = {format: "uuid"}];"#, json!({"type": "string", "format": "uuid"})),
        (
            r#"string f = 1 [(x) = {pattern: "^a+$" min_length: 1 max_length: 9 examples: "aa"}];"#,
            json!({"type": "string", "pattern": "^a+$", "minLength": 1, "maxLength": 9, "examples": ["aa"]}),
        ),
        (
            r#"uint32 f = 1 [(x) = {minimum: 2 maximum: 6 examples: "4"}];"#,
            json!({"type": "integer", "minimum": 2, "maximum": 6, "examples": [4]}),
        ),
        (
            r#"int32 f = 1 [(x) = {minimum: 2 or_default: true}];"#,
            json!({"type": "integer", "format": "int32", "anyOf": [{"const": 0}, {"minimum": 2}]}),
        ),
        (
            r#"string f = 1 [(x) = {one_of: ["a", "b"] or_default: true}];"#,
            json!({"type": "string", "anyOf": [{"const": ""}, {"enum": ["a", "b"]}]}),
        ),
        (
            r#"repeated string f = 1 [(x) = {max_length: 2 min_items: 1 max_items: 3 also: "{\"uniqueItems\": true}"}];"#,
            json!({
                "type": "array",
                "items": {"type": "string", "maxLength": 2},
                "minItems": 1,
                "maxItems": 3,
                "uniqueItems": true,
            }),
        ),
        // An enum's value for "not given" is for fields that have no other way to say so.
        ("Size f = 1;", json!({"$ref": size})),
        ("optional Size f = 1;", json!({"$ref": size, "not": {"const": "SIZE_UNSPECIFIED"}})),
        (
            "Size f = 1 [(google.api.field_behavior) = REQUIRED];",
            json!({"$ref": size, "not": {"const": "SIZE_UNSPECIFIED"}}),
        ),
        (
            "repeated Size f = 1;",
            json!({"type": "array", "items": {"$ref": size, "not": {"const": "SIZE_UNSPECIFIED"}}}),
        ),
    ];
    for (declared, expected) in cases {
        let declared = declared.replace("(x)", "(remik.transcoding.v1.schema)");
        assert_eq!(fields(&declared)["properties"]["f"], expected, "{declared}");
    }
}

#[test]
fn oneofs_say_which_fields_exclude_each_other() {
    let alone = fields("oneof o { string a = 1; string b = 2; }");
    assert_eq!((&alone["maxProperties"], alone.get("minProperties")), (&json!(1), None));
    let needed =
        fields("oneof o { option (remik.transcoding.v1.needs_one) = true; string a = 1; string b = 2; }");
    assert_eq!((&needed["maxProperties"], &needed["minProperties"]), (&json!(1), &json!(1)));
    let among = fields(
        "string c = 3; oneof o { option (remik.transcoding.v1.needs_one) = true; string a = 1; string b = 2; }",
    );
    assert_eq!(among["not"], json!({"anyOf": [{"required": ["a", "b"]}]}));
    assert_eq!(among["allOf"], json!([{"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}]));
}
