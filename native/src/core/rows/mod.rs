//! Labelled scores: sums over rows, in their order or that of their scores, of all or query by query.

pub mod bins;
pub mod correlation;
pub mod labelled_rows;
pub mod log_odds;
pub mod query_errors;
pub mod query_sums;
pub mod ranked_scores;
