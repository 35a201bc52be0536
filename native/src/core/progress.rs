//! How far a running read is, for a progress bar on another thread.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes done and bytes in all (0 while unknown).
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Says how many bytes there are in all.
    pub fn start(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Adds bytes that have been read.
    pub fn advance(&self, bytes: u64) {
        self.done.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes done so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Bytes in all, 0 while unknown.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}
