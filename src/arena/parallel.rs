//! Many plays at the same time.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does the work of the numbers below `count` on so many threads, one a processor if it isn't said, and calls `done` after
/// each. The results come in the order of the numbers.
///
/// # Errors
/// The first that any work has; no more is begun then.
pub(super) fn in_parallel<T: Send + Clone, E: Send>(
    count: u32,
    threads: Option<u16>,
    work: impl Fn(u32) -> Result<T, E> + Sync,
    mut done: impl FnMut(),
) -> Result<Vec<T>, E> {
    let threads = threads
        .map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
        .min(count as usize);
    let (next, work) = (AtomicU32::new(0), &work);
    let (told, results) = mpsc::channel();
    let mut all: Vec<Option<T>> = vec![None; count as usize];
    thread::scope(|scope| {
        for _ in 0..threads {
            let (told, next) = (told.clone(), &next);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    // After a fault nobody listens any more.
                    if number >= count || told.send((number, work(number))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(told);
        for (number, result) in results {
            all[number as usize] = Some(result?);
            done();
        }
        Ok(())
    })?;
    Ok(all.into_iter().flatten().collect())
}
