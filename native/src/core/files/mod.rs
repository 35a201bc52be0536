//! Files: plain and compressed text, and TREC text as tables.

pub mod json_names;
pub mod plain_rows;
pub mod text_reader;
pub mod trec_reader;
