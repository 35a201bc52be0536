//! The core as fuzzing sees it: without Python, and what its targets share.

#[path = "../../native/src/core/mod.rs"]
pub mod core;

use std::fs;
use std::path::PathBuf;

use arrow_array::RecordBatch;

use crate::core::table::Table;
use crate::core::texts::written_out;

/// A file with this content, which is gone when this is dropped.
pub struct Content(PathBuf);

impl Content {
    /// Writes it; a process has one of a name at a time.
    pub fn new(content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("rankmark-fuzz-{}", std::process::id()));
        fs::write(&path, content).expect("the temporary folder can be written");
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &str {
        self.0.to_str().expect("the temporary folder has a plain name")
    }
}

impl Drop for Content {
    fn drop(&mut self) {
        fs::remove_file(&self.0).expect("the file is there");
    }
}

/// The rows of a table in one batch, however many it was read in; columns that repeat texts are written out.
pub fn rows(table: &Table) -> RecordBatch {
    let plain = written_out(table).expect("what was read can be written out");
    arrow_select::concat::concat_batches(&plain.schema, &plain.batches).expect("batches have one schema")
}
