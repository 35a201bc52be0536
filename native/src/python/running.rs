//! Work of the core: on how many threads, without the GIL, and ended by Ctrl-C.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Once};
use std::time::Duration;

use pyo3::prelude::*;

use crate::core::{error, pool};
use crate::python::errors::{fault, panic_message, raise};

/// Runs `work` on `threads` threads without the GIL, and lets Ctrl-C through while it runs.
///
/// With 0 threads the calling thread does it, and Ctrl-C waits for it: for what takes no longer than a moment, and
/// where the system refuses to start any.
/// `work` is told of an interrupt by its argument and should end soon after; a panic in it becomes a
/// RuntimeError.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&AtomicBool) -> error::Result<T> + Send + 'static,
) -> PyResult<T> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let Some(pool) = (if threads == 0 { None } else { pool::pool(threads) }) else {
        return unlocked(py, || work(&cancelled))?.map_err(|error| raise(py, &error));
    };
    let (sender, receiver) = sync_channel(1);
    let seen = Arc::clone(&cancelled);
    pool.spawn(move || {
        // The receiver waits until it has an answer, so sending cannot fail.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(&seen))));
    });
    let (interrupt, outcome) = py.detach(move || {
        let mut interrupt = None;
        loop {
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Ok(outcome) => return (interrupt, outcome),
                Err(RecvTimeoutError::Timeout) if interrupt.is_none() => {
                    interrupt = Python::attach(|py| py.check_signals()).err();
                    cancelled.store(interrupt.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return (interrupt, Err(Box::new("a worker thread ended")));
                }
            }
        }
    });
    match interrupt {
        Some(interrupt) => Err(interrupt),
        None => outcome.map_err(fault)?.map_err(|error| raise(py, &error)),
    }
}

/// Runs `work` on the calling thread without the GIL; a panic in it becomes a RuntimeError.
pub fn unlocked<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(fault)
}

/// Runs `work`, in which a panic says what is wrong with what was given: it is caught, and not printed.
pub fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let printed = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                printed(panic);
            }
        }));
    });
    let before = QUIET.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    outcome.map_err(|panic| panic_message(panic.as_ref()).to_owned())
}

/// How many threads are to work, if so many are asked for and 0 stands for all cores; none of them but the calling
/// one on `small` work, because waking others costs more.
pub fn threads(asked: usize, small: bool) -> usize {
    match asked {
        _ if small => 0,
        0 => pool::cores(),
        asked => asked,
    }
}

/// Rows below which work is small.
pub const FEW_ROWS: usize = 20_000;
