//! The list of rulesets, and that a client may make its form for a new table from nothing else.

use prost::Message;
use remik::proto::v1::{
    ListRulesetsRequest, ListRulesetsResponse, RulesetOption, ruleset_option::Kind,
    ruleset_service_client::RulesetServiceClient,
};
use serde_json::{Value as Json, json};
use tonic::Code;

use crate::{
    client::{Client, Via, fresh_id, from_json, to_json},
    party::Wish,
    service::Service,
    support::database::{Backend, TestDatabase, fresh},
};

/// Nothing of this depends on the database.
async fn start() -> (Service, TestDatabase) {
    let database = fresh(Backend::Sqlite).await;
    (Service::start(&database.url).await, database)
}

async fn listed(service: &Service) -> Json {
    let response = reqwest::get(format!("{}/v1/rulesets", service.url)).await.unwrap();
    assert_eq!(response.status(), 200);
    response.json().await.unwrap()
}

#[tokio::test]
async fn anybody_lists_the_rulesets() {
    let (service, _database) = start().await;
    let mut client = RulesetServiceClient::connect(service.url.clone()).await.unwrap();
    let answer = client.list_rulesets(ListRulesetsRequest {}).await.unwrap().into_inner();
    let json = listed(&service).await;
    assert_eq!(from_json::<ListRulesetsResponse>("ListRulesetsResponse", &json.to_string()), answer);
    let names: Vec<_> = answer.presets.iter().map(|preset| preset.name.as_str()).collect();
    assert_eq!((names.len(), names[0]), (8, "remik-51"));
    let remik = &json["presets"][0];
    assert_eq!(remik["rules"]["openingPoints"], 51);
    assert_eq!(remik["title"], json!({"pl": "Remik 51", "en": "Remik 51"}));
    let options = answer.sections.iter().flat_map(|section| &section.options);
    let opening = options.clone().find(|option| option.json_name == "openingPoints").unwrap();
    assert_eq!(opening.label.as_ref().unwrap().pl, "Punkty na pierwsze wyłożenie");
    assert_eq!(opening.rules, [3]);
    assert_eq!(options.count(), 35);
}

#[tokio::test]
async fn it_is_in_the_openapi_document() {
    let (service, _database) = start().await;
    let document: Json =
        reqwest::get(format!("{}/openapi.json", service.url)).await.unwrap().json().await.unwrap();
    let paths: Vec<_> = document["paths"].as_object().unwrap().keys().collect();
    assert!(paths.iter().any(|path| *path == "/v1/rulesets"), "{paths:?}");
    assert!(paths.iter().any(|path| path.starts_with("/v1/games/{") && path.ends_with("}/suggestions")));
}

/// The values that a form would offer for an option, at the ends of ranges.
fn values(option: &RulesetOption) -> Vec<Json> {
    match option.kind.as_ref().unwrap() {
        Kind::Flag(_) => vec![json!(true), json!(false)],
        Kind::Number(range) => vec![json!(range.least), json!(range.most)],
        Kind::NumbersBySeats(range) => vec![json!(vec![range.least; 5]), json!(vec![range.most; 5])],
        Kind::Choice(kind) => kind.choices.iter().map(|choice| json!(choice.name)).collect(),
        Kind::Alternative(kind) => {
            let fields = kind.alternatives.iter();
            fields.map(|field| json!({&field.name: field.number.as_ref().unwrap().most})).collect()
        }
    }
}

/// Opens a table over REST; its rules, or the reason against it.
async fn opened(service: &Service, token: &str, preset: &str, overrides: &Json) -> Result<Json, String> {
    let body = json!({"requestId": fresh_id().to_string(), "preset": preset, "overrides": overrides});
    let request = reqwest::Client::new().post(format!("{}/v1/games", service.url)).bearer_auth(token);
    let answer: Json = request.json(&body).send().await.unwrap().json().await.unwrap();
    match &answer["view"]["rules"] {
        Json::Null => Err(answer["error"]["details"][0]["reason"].as_str().unwrap().to_owned()),
        rules => Ok(rules.clone()),
    }
}

/// A value as canonical JSON leaves it out.
fn is_default(value: &Json) -> bool {
    *value == json!(false) || *value == json!(0)
}

#[tokio::test]
async fn a_table_is_opened_with_any_value_that_the_list_offers() {
    let (service, _database) = start().await;
    let token = Client::guest(&service.url, Via::Rest, "Ola").await.unwrap().token;
    let list: ListRulesetsResponse = from_json("ListRulesetsResponse", &listed(&service).await.to_string());
    let (mut accepted, mut refused) = (0, 0);
    for option in list.sections.iter().flat_map(|section| &section.options) {
        let name = &option.json_name;
        let mut some = false;
        for value in values(option) {
            let mut overrides = json!({name: value});
            if name == "timeBankSeconds" {
                // It takes a clock, as its explanation says.
                overrides["turnSeconds"] = json!(30);
            }
            match opened(&service, &token, "remik-51", &overrides).await {
                Ok(rules) => {
                    let given = &rules[name];
                    assert!(*given == value || given.is_null() && is_default(&value), "{name}: {rules}");
                    accepted += 1;
                    some = true;
                }
                Err(reason) => {
                    let together = ["RULESET_INCONSISTENT", "RULESET_PACK_TOO_SMALL", "RULESET_OUT_OF_RANGE"];
                    assert!(together.contains(&reason.as_str()), "{name} {value}: {reason}");
                    refused += 1;
                }
            }
        }
        assert!(some, "{name} can be chosen");
    }
    assert!(accepted > 60 && refused < 15, "{accepted} {refused}");
}

#[tokio::test]
async fn what_is_outside_its_range_is_named_as_in_the_list() {
    let (service, _database) = start().await;
    for via in [Via::Grpc, Via::Rest] {
        let guest = Client::guest(&service.url, via, "Ola").await.unwrap();
        let mut wish = Wish::seats(2);
        wish.overrides.opening_points = Some(201);
        let refused = guest.create(wish.request()).await.unwrap_err().refused();
        assert_eq!((refused.code, refused.reason.as_str()), (Code::InvalidArgument, "RULESET_OUT_OF_RANGE"));
        assert_eq!(refused.fields, ["overrides.opening_points"]);
        let told = ["option", "value", "least", "most"].map(|key| refused.metadata[key].as_str());
        assert_eq!(told, ["opening_points", "201", "0", "200"]);
    }
}

/// Choosing what the list says is the preset's own changes nothing, and what follows from a choice is what it
/// says.
#[tokio::test]
async fn what_the_list_says_of_presets_is_what_tables_have() {
    let (service, _database) = start().await;
    let token = Client::guest(&service.url, Via::Rest, "Ola").await.unwrap().token;
    let list: ListRulesetsResponse = from_json("ListRulesetsResponse", &listed(&service).await.to_string());
    for preset in &list.presets {
        let rules = opened(&service, &token, &preset.name, &json!({})).await.unwrap();
        let told = preset.rules.as_ref().unwrap();
        assert_eq!(from_json::<remik::proto::v1::Ruleset>("Ruleset", &rules.to_string()), *told);
        for consequence in &preset.consequences {
            let implies = consequence.implies.as_ref().unwrap();
            assert_ne!(implies.encoded_len(), 0);
            let chosen = json!({&consequence.option: consequence.choice});
            let Ok(rules) = opened(&service, &token, &preset.name, &chosen).await else {
                // Elimination goes with penalty points only.
                assert_eq!((preset.name.as_str(), consequence.option.as_str()), ("remi-30", "scoring"));
                continue;
            };
            for (name, value) in to_json("RulesetOverrides", implies).as_object().unwrap() {
                assert_eq!(&rules[name], value, "{} {} {name}", preset.name, consequence.choice);
            }
        }
    }
}
