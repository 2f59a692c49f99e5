use prost_reflect::{DescriptorPool, MessageDescriptor};
use prost_types::source_code_info::Location;

use super::DESCRIPTORS;

fn pool() -> DescriptorPool {
    DescriptorPool::decode(DESCRIPTORS).unwrap()
}

#[test]
fn what_is_published_describes_no_log() {
    let pool = pool();
    assert!(pool.get_message_by_name("remik.v1.GameView").is_some());
    assert!(pool.get_message_by_name("google.rpc.ErrorInfo").is_some());
    assert_eq!(pool.files().filter(|file| file.package_name().starts_with("remik.log")).count(), 0);
}

#[test]
fn every_call_has_its_route() {
    let pool = pool();
    let http = pool.get_extension_by_name("google.api.http").unwrap();
    let mut methods = 0;
    for method in pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()) {
        // A stream of the client's has no form in REST.
        let route = method.options().has_extension(&http);
        assert_ne!(route, method.is_client_streaming(), "{}", method.full_name());
        methods += 1;
    }
    assert_eq!(methods, 101);
    let watch = pool.get_service_by_name("remik.v1.GameService").unwrap();
    let watch = watch.methods().find(|method| method.name() == "WatchGame").unwrap();
    let sse = pool.get_extension_by_name("remik.transcoding.v1.server_sent_events").unwrap();
    let sse = watch.options().get_extension(&sse).into_owned();
    let field =
        |name| sse.as_message().unwrap().get_field_by_name(name).unwrap().as_str().unwrap().to_owned();
    assert!(watch.output().get_field_by_name(&field("id_field")).is_some());
    assert!(watch.input().get_field_by_name(&field("resume_field")).is_some());
}

/// Requests and answers are unique to their call and named after it, as Buf's standard lint has it.
#[test]
fn requests_and_answers_are_named_after_their_call() {
    for service in pool().services() {
        for method in service.methods() {
            let name = |message: MessageDescriptor| message.name().to_owned();
            assert_eq!(name(method.input()), format!("{}Request", method.name()));
            assert_eq!(name(method.output()), format!("{}Response", method.name()));
        }
    }
}

#[test]
fn every_enum_begins_with_its_unspecified_value() {
    for an_enum in pool().all_enums().filter(|an_enum| an_enum.package_name() == "remik.v1") {
        let prefix = an_enum.name().chars().fold(String::new(), |mut name, c| {
            if c.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(c.to_ascii_uppercase());
            name
        });
        assert_eq!(an_enum.get_value(0).unwrap().name(), format!("{prefix}_UNSPECIFIED"));
        assert!(an_enum.values().all(|value| value.name().starts_with(&prefix)), "{prefix}");
    }
}

/// The comments are the API's documentation.
#[test]
fn everything_has_a_comment() {
    let mut commented = 0;
    for file in pool().files().filter(|file| file.package_name() == "remik.v1") {
        let info = file.file_descriptor_proto().source_code_info.as_ref().unwrap();
        // Paths of messages (4), enums (5) and services (6), and of their fields, oneofs, values and methods.
        let declares = |location: &&Location| match location.path[..] {
            [4 | 5 | 6, _] | [4, _, 2 | 8, _] | [5 | 6, _, 2, _] => true,
            _ => false,
        };
        for location in info.location.iter().filter(declares) {
            let at = format!("{}:{}", file.name(), location.span[0] + 1);
            let synthetic = location.leading_comments.is_none() && location.path[2..].first() == Some(&8);
            assert!(synthetic || location.leading_comments.is_some(), "{at} has no comment");
            commented += 1;
        }
    }
    assert!(commented > 400, "{commented}");
}
