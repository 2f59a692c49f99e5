use std::collections::BTreeSet;

use prost_reflect::DescriptorPool;
use remik_rules::seat::PlayerId;
use uuid::Uuid;

use super::*;
use crate::identity::{Backend, Scopes};
use crate::proto::DESCRIPTORS;

#[test]
fn every_method_has_its_row() {
    let pool = DescriptorPool::decode(DESCRIPTORS).unwrap();
    let methods = pool.services().flat_map(|service| service.methods().collect::<Vec<_>>());
    let there: BTreeSet<String> =
        methods.map(|m| format!("{}/{}", m.parent_service().full_name(), m.name())).collect();
    let rows: BTreeSet<String> = Method::ALL.iter().map(Method::to_string).collect();
    assert_eq!(rows, there);
}

#[test]
fn principals_are_told_what_they_lack() {
    let backend = |scopes: &[Scope], player| {
        let scopes: Scopes = scopes.iter().copied().collect();
        Principal::Backend(Backend { key: Uuid::nil(), scopes, player })
    };
    let player = Some(PlayerId(7));
    let missing = |scope| Err(Denied::ScopeMissing(scope));
    for (method, principal, told) in [
        (Method::CreateGuest, Principal::Player(PlayerId(7)), Ok(())),
        (Method::Draw, Principal::Player(PlayerId(7)), Ok(())),
        (Method::Draw, backend(&[Scope::Games], player), Ok(())),
        (Method::Draw, backend(&[Scope::Games], None), Err(Denied::PlayerRequired)),
        (Method::Draw, backend(&[Scope::Players], player), missing(Scope::Games)),
        (Method::Draw, backend(&[], None), missing(Scope::Games)),
        (Method::GetPlayer, Principal::Player(PlayerId(7)), Ok(())),
        (Method::GetPlayer, backend(&[Scope::Players], None), Ok(())),
        (Method::GetPlayer, backend(&[Scope::Games], player), missing(Scope::Players)),
    ] {
        assert_eq!(method.admits(&principal), told, "{method} {principal:?}");
    }
}
