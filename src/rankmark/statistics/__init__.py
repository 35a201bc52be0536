"""Statistics of per-query values: intervals, tests, corrections, effect sizes, equivalence and power.

All functions take NumPy arrays of values or of differences, one a query, and serve every measure. NaN stands
for a query that is left out of a measure's mean: it is left out here, too. `rankmark.compare` puts them
together.

What can be chosen by a name stands in tables of records, which say what each is and assumes: `TESTS`,
`CORRECTIONS`, `INTERVALS`, `MCNEMAR`.

Modules, by concept: `resampling` draws, `intervals`, `significance` and `tukey` test, `corrections`, `anova`,
`effects`, `margins` of equivalence, `power`; `seeds` is of queries and their seeds, `strata` of several
collections, `friedman` of ranks, `groups` of who is told apart; `bayes` has posteriors; `delong` is of AUC,
`calibration` of probabilities, `mcnemar` of what is right or wrong; `independent` is of two groups of
different queries, `disparity` of several, and of how unequal values are; `signflips` has exact distributions
under random signs, `drawing` p-values by drawing; `bounded` bounds that hold for few rows, `sequences`
intervals for any number of looks; `spread` says what is alike but for rounding, `chance` what a p-value is;
`record` is what can be chosen.
"""

from __future__ import annotations

from rankmark.naming import face_of as _face_of

_HOME = {
    "ALTERNATIVES": "statistics.significance",
    "CAUTIONS": "statistics.intervals",
    "CORRECTIONS": "statistics.corrections",
    "INTERVALS": "statistics.intervals",
    "MCNEMAR": "statistics.mcnemar",
    "TESTS": "statistics.significance",
    "AUCDifference": "statistics.delong",
    "Anova": "statistics.anova",
    "ConfidenceSequence": "statistics.sequences",
    "Crossed": "statistics.seeds",
    "Equivalence": "statistics.margins",
    "Friedman": "statistics.friedman",
    "GroupDisparity": "statistics.disparity",
    "Interval": "statistics.intervals",
    "Made": "statistics.intervals",
    "McNemar": "statistics.mcnemar",
    "MeanDifference": "statistics.independent",
    "Posterior": "statistics.bayes",
    "RankInterval": "statistics.groups",
    "RankPosterior": "statistics.bayes",
    "SpiegelhalterTest": "statistics.calibration",
    "anova_power": "statistics.power",
    "auto_interval": "statistics.intervals",
    "balanced_anova": "statistics.anova",
    "bca_interval": "statistics.intervals",
    "binned_gaps": "statistics.calibration",
    "bootstrap_interval": "statistics.intervals",
    "bootstrap_means": "statistics.resampling",
    "bootstrap_posterior": "statistics.bayes",
    "bootstrap_shift_test": "statistics.significance",
    "bounded_test": "statistics.significance",
    "cliffs_delta": "statistics.effects",
    "cliffs_delta_interval": "statistics.effects",
    "cohens_d": "statistics.effects",
    "cohens_d_interval": "statistics.effects",
    "confidence_sequence": "statistics.sequences",
    "corrected": "statistics.corrections",
    "critical_difference": "statistics.friedman",
    "crossed": "statistics.seeds",
    "delong_interval": "statistics.delong",
    "delong_test": "statistics.delong",
    "detectable_difference": "statistics.power",
    "detectable_range": "statistics.power",
    "equivalence": "statistics.margins",
    "equivalent": "statistics.margins",
    "exact_interval": "statistics.intervals",
    "expected_width": "statistics.power",
    "friedman_test": "statistics.friedman",
    "gaffke_bound": "statistics.bounded",
    "gini": "statistics.disparity",
    "gini_interval": "statistics.disparity",
    "group_disparity": "statistics.disparity",
    "groups_of": "statistics.groups",
    "low_share": "statistics.disparity",
    "low_share_interval": "statistics.disparity",
    "mcnemar_test": "statistics.mcnemar",
    "nemenyi_test": "statistics.friedman",
    "non_inferiority": "statistics.margins",
    "paired_t_test": "statistics.significance",
    "percentile_interval": "statistics.intervals",
    "posterior": "statistics.bayes",
    "power_of": "statistics.power",
    "probability_of_superiority": "statistics.effects",
    "queries_for_anova": "statistics.power",
    "queries_for_width": "statistics.power",
    "queries_needed": "statistics.power",
    "randomisation_test": "statistics.significance",
    "randomised_tukey": "statistics.tukey",
    "rank_intervals": "statistics.groups",
    "sign_test": "statistics.significance",
    "signed_rank_posterior": "statistics.bayes",
    "spiegelhalter_test": "statistics.calibration",
    "stratified_interval": "statistics.strata",
    "student_posterior": "statistics.bayes",
    "studentised_interval": "statistics.intervals",
    "studentised_permutation": "statistics.independent",
    "studentised_ratios": "statistics.intervals",
    "superiority_interval": "statistics.effects",
    "t_interval": "statistics.intervals",
    "tango_interval": "statistics.intervals",
    "two_way_anova": "statistics.anova",
    "unpaired_delong_test": "statistics.delong",
    "welch": "statistics.independent",
    "wilcoxon_test": "statistics.significance",
    "wilson_interval": "statistics.intervals",
}
"""The module of every name."""

__getattr__, __dir__ = _face_of(__name__, _HOME)
