//! The core of rankmark, and what Python sees of it.

mod core;
mod python;

#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("MOST_THREADS", crate::core::pool::MOST_THREADS)
    }

    #[pymodule_export]
    use crate::python::arrays::{
        Ordered, apart, around_mean, count_unlike, exact_sum, ratio, segment_below_and_equal,
        segment_below_and_equal_in_turn, segment_below_in_both, segment_count, segment_descending,
        segment_first, segment_kept, segment_pair_counts, segment_ranked, segment_ranks,
        segment_running_product, segment_running_sum, segment_shared_precision, segment_shared_weighted_sum,
        segment_sum, segment_weighted_sum,
    };
    #[pymodule_export]
    use crate::python::files::{
        Progress, TextReader, TrecReader, decompress, expanded_size, has_long_rows, read_as_trec_eval,
        read_plain_rows, read_trec, repeated_name, trec_forms,
    };
    #[pymodule_export]
    use crate::python::items::{
        ItemNumbers, counts_of, different_of, in_sets, owners_of, owners_of_both, sets_of, squared_sums,
        sums_of,
    };
    #[pymodule_export]
    use crate::python::lists::{CompiledMeasure, JudgedLists, judge_lists};
    #[pymodule_export]
    use crate::python::matrices::{count_before, query_seeds, ranked_lists};
    #[pymodule_export]
    use crate::python::objects::set_attributes;
    #[pymodule_export]
    use crate::python::observed::{
        CompiledGroup, ListsInPieces, ObservedQueries, QueryValues, settle, settle_means,
    };
    #[pymodule_export]
    use crate::python::open_items::{open_best_grades, open_best_totals, open_filled, open_totals};
    #[pymodule_export]
    use crate::python::pairs::{CompiledCoefficient, pair_lists};
    #[pymodule_export]
    use crate::python::partitions::{Partitions, places_between, queries_come_back};
    #[pymodule_export]
    use crate::python::predictions::{LabelledRows, LogOdds, QueryErrors, QuerySums, RankedScores};
    #[pymodule_export]
    use crate::python::resampling::{bootstrap_sums, chances_of_sums, permuted_ranges, signed_counts};
    #[pymodule_export]
    use crate::python::sampling::sample_negatives;
    #[pymodule_export]
    use crate::python::tables::{Packed, Table};
    #[pymodule_export]
    use crate::python::written::{are_finite, json_floats, json_numbers};
}
