use std::sync::OnceLock;
static T: OnceLock<Vec<(usize,i32)>> = OnceLock::new();
pub fn t(i: usize, d: i32) -> i32 {
    let v = T.get_or_init(|| std::env::var("TUNE").unwrap_or_default().split(',').filter_map(|p| { let (a,b)=p.split_once('=')?; Some((a.parse().ok()?, b.parse().ok()?)) }).collect());
    v.iter().find(|(a,_)| *a==i).map_or(d, |x| x.1)
}
