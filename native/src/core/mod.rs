//! The core: group, match, rank, sort, sum, resample, read. It knows columns, but no Python.

pub mod choices;
pub mod column;
pub mod deal;
pub mod error;
pub mod files;
pub mod group;
pub mod hash;
pub mod ids;
pub mod items;
pub mod lists;
pub mod pool;
pub mod progress;
pub mod resample;
pub mod rows;
pub mod sample;
pub mod scores;
pub mod sets;
pub mod short_text;
pub mod spill;
pub mod standing;
pub mod sums;
pub mod table;
pub mod texts;
pub mod ties;
pub mod wide;
pub mod written;
