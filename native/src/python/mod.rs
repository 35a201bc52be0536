//! What Python sees: Arrow columns go in, NumPy arrays come out. A file a subject.

pub mod arrays;
pub mod choices;
pub mod errors;
pub mod files;
pub mod items;
pub mod lists;
pub mod matrices;
pub mod objects;
pub mod observed;
pub mod open_items;
pub mod pairs;
pub mod partitions;
pub mod predictions;
pub mod resampling;
pub mod running;
pub mod sampling;
pub mod tables;
pub mod written;
