//! Threads.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hint::black_box;
use std::iter::successors;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Pools by process and number of threads.
type Pools = HashMap<(u32, usize), Arc<ThreadPool>>;

/// Threads that can be asked for: more than any machine has, and few enough to start in a moment.
pub const MOST_THREADS: usize = 1 << 10;

/// Bytes given back of which an allocator may keep twice as many.
const KEPT: usize = 1 << 23;

/// A pool of `threads` threads, made once and kept.
///
/// It has fewer where the system refuses so many, and is none where it refuses any: the calling thread can do
/// the work then, with the same result. Threads do not survive a fork, so a forked process makes pools of its
/// own.
pub fn pool(threads: usize) -> Option<Arc<ThreadPool>> {
    static POOLS: OnceLock<Mutex<Pools>> = OnceLock::new();
    let mut pools = POOLS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    match pools.entry((process::id(), threads)) {
        Entry::Occupied(pool) => Some(Arc::clone(pool.get())),
        Entry::Vacant(place) => {
            let fewer = successors(Some(threads.min(MOST_THREADS)), |&refused| Some(refused / 2));
            let made = fewer.take_while(|&threads| threads > 0).find_map(started)?;
            Some(Arc::clone(place.insert(Arc::new(made))))
        }
    }
}

/// A pool of so many threads, unless the system refuses them.
fn started(threads: usize) -> Option<ThreadPool> {
    have_memory_kept();
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("rankmark-{i}"));
    builder.build().ok()
}

/// Has the system's allocator keep a little of what is given back: results of a call would else be memory that the
/// system gives anew for the next call, page by page, which takes a tenth of the time of that.
///
/// The allocator of glibc, unless it has been told otherwise, takes what is given back of a size as a sign that
/// such a size is asked for again, and keeps up to twice as much from then on. Nobody writes to this, so it is no memory.
fn have_memory_kept() {
    drop(black_box(Vec::<u8>::with_capacity(KEPT)));
}

/// As many threads as there are cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Threads of the pool that this is called in; 1 outside of any.
pub fn threads() -> usize {
    rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads())
}

/// What `task` gives for each number below `tasks`, on the threads of the pool that this is called in.
pub fn map<T: Send>(tasks: usize, task: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    map_init(tasks, || (), |&mut (), number| task(number))
}

/// The same, with working memory that a thread keeps from task to task.
pub fn map_init<S, T: Send>(
    tasks: usize,
    init: impl Fn() -> S + Sync + Send,
    task: impl Fn(&mut S, usize) -> T + Sync + Send,
) -> Vec<T> {
    let workers = threads().min(tasks);
    if workers <= 1 {
        let mut scratch = init();
        return (0..tasks).map(|number| task(&mut scratch, number)).collect();
    }
    // Each worker takes the next task whenever it has done one: none is left with several while another is idle.
    let next = AtomicUsize::new(0);
    let done = (0..workers).into_par_iter().with_max_len(1).map(|_| {
        let mut scratch = init();
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let own = numbers.take_while(|&number| number < tasks);
        own.map(|number| (number, task(&mut scratch, number))).collect::<Vec<_>>()
    });
    let mut done: Vec<(usize, T)> = done.collect::<Vec<_>>().into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, done)| done).collect()
}

/// What two tasks give, on the threads of the pool that this is called in.
pub fn both<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    if threads() == 1 { (first(), second()) } else { rayon::join(first, second) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_is_done_once_and_what_it_gives_is_in_its_place() {
        for threads in [1, 3] {
            for tasks in [0, 1, 2, 3, 100] {
                let squares = pool(threads).unwrap().install(|| map(tasks, |number| number * number));
                assert_eq!(squares, (0..tasks).map(|number| number * number).collect::<Vec<_>>());
            }
        }
    }
}
