//! Lists: from judgements and results, as tables or as dense scores, to judged lists, and what is computed with these.

pub mod coefficients;
pub mod dense;
pub mod extremes;
pub mod judge;
pub mod judged_lists;
pub mod list;
pub mod matching;
pub mod measures;
pub mod observed;
pub mod open_items;
pub mod order;
pub mod pairs;
pub mod partition;
pub mod places;
pub mod segments;
pub mod short_table;
pub mod values;
