//! Threads.

use std::collections::HashMap;
use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Pools by process and number of threads.
type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

/// A pool of `threads` threads, made once and kept.
///
/// Threads do not survive a fork, so a forked process makes pools of its own.
pub fn pool(threads: usize) -> Arc<ThreadPool> {
    static POOLS: OnceLock<Mutex<Pools>> = OnceLock::new();
    let mut pools = POOLS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let pool = pools.entry((process::id(), threads)).or_insert_with(|| {
        let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("rankmark-{i}"));
        Arc::new(builder.build().expect("the system refuses to start threads"))
    });
    Arc::clone(pool)
}

/// As many threads as there are cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
