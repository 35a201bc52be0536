//! Files that are read where the system keeps them, without a copy.

use std::fs::File;
use std::io;

use arrow_buffer::Buffer;

/// The first so many bytes of a file, as many as it has or fewer.
///
/// # Errors
/// They cannot be had so: on this system, of this file, or because there are none.
///
/// # Safety
/// Nobody writes to the file or shortens it as long as the buffer is there.
#[cfg(all(target_os = "linux", not(miri)))]
pub unsafe fn mapped(file: &File, bytes: usize) -> io::Result<Buffer> {
    use std::os::fd::AsRawFd;
    use std::ptr::{self, NonNull};
    use std::sync::Arc;

    // All pages at once: they are in memory, and each by itself would be asked for.
    let flags = libc::MAP_PRIVATE | libc::MAP_POPULATE;
    // SAFETY: the system chooses where, so nothing else is there.
    let begin = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ, flags, file.as_raw_fd(), 0) };
    if begin == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let begin = NonNull::new(begin.cast::<u8>()).ok_or(io::ErrorKind::Unsupported)?;
    let pages = Pages { begin, bytes };
    // SAFETY: so many bytes can be read there as long as the pages are, and nobody writes to them, as the caller says.
    Ok(unsafe { Buffer::from_custom_allocation(begin, bytes, Arc::new(pages)) })
}

/// Elsewhere they cannot.
///
/// # Errors
/// Always.
///
/// # Safety
/// Nothing is done.
#[cfg(not(all(target_os = "linux", not(miri))))]
pub unsafe fn mapped(_: &File, _: usize) -> io::Result<Buffer> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Where a file is in memory.
#[cfg(all(target_os = "linux", not(miri)))]
struct Pages {
    begin: std::ptr::NonNull<u8>,
    bytes: usize,
}

// SAFETY: the pages belong to the process, and can be read and given back by any of its threads.
#[cfg(all(target_os = "linux", not(miri)))]
unsafe impl Send for Pages {}
// SAFETY: as above; nobody writes to them.
#[cfg(all(target_os = "linux", not(miri)))]
unsafe impl Sync for Pages {}

#[cfg(all(target_os = "linux", not(miri)))]
impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: they were made so, and whoever read them is gone.
        unsafe { libc::munmap(self.begin.as_ptr().cast(), self.bytes) };
    }
}
