"""Statistics of per-query values: intervals, tests, corrections, effect sizes, equivalence and power.

All functions take NumPy arrays of values or of differences, one a query, and serve every measure. NaN stands
for a query that is left out of a measure's mean: it is left out here, too. `rankmark.compare` puts them
together.

What can be chosen by a name stands in tables of records, which say what each is and assumes: `TESTS`,
`CORRECTIONS`, `INTERVALS`, `MCNEMAR`.

Modules, by concept: `resampling` draws, `intervals`, `significance` and `tukey` test, `corrections`, `anova`,
`effects`, `equivalence`, `power`; `crossed` is of queries and seeds, `strata` of several collections,
`friedman` of ranks, `groups` of who is told apart; `bayes` has posteriors; `delong` is of AUC, `calibration`
of probabilities, `mcnemar` of what is right or wrong; `independent` is of two groups of different queries;
`signflips` has exact distributions under random signs, `drawing` p-values by drawing; `bounded` bounds that
hold for few rows, `sequences` intervals for any number of looks; `spread` says what is alike but for
rounding, `chance` what a p-value is; `record` is what can be chosen.
"""

from rankmark.calling import clear_functions as _clear_functions
from rankmark.statistics.anova import Anova, balanced_anova, two_way_anova
from rankmark.statistics.bayes import (
    Posterior,
    RankPosterior,
    bootstrap_posterior,
    posterior,
    signed_rank_posterior,
    student_posterior,
)
from rankmark.statistics.bounded import gaffke_bound
from rankmark.statistics.calibration import SpiegelhalterTest, binned_gaps, spiegelhalter_test
from rankmark.statistics.corrections import CORRECTIONS, corrected
from rankmark.statistics.crossed import Crossed, crossed
from rankmark.statistics.delong import AUCDifference, delong_interval, delong_test, unpaired_delong_test
from rankmark.statistics.effects import (
    cliffs_delta,
    cliffs_delta_interval,
    cohens_d,
    cohens_d_interval,
    probability_of_superiority,
    superiority_interval,
)
from rankmark.statistics.equivalence import Equivalence, equivalence, equivalent, non_inferiority
from rankmark.statistics.friedman import Friedman, critical_difference, friedman_test, nemenyi_test
from rankmark.statistics.groups import RankInterval, groups_of, rank_intervals
from rankmark.statistics.independent import MeanDifference, studentised_permutation, welch
from rankmark.statistics.intervals import (
    CAUTIONS,
    INTERVALS,
    Interval,
    Made,
    auto_interval,
    bca_interval,
    bootstrap_interval,
    exact_interval,
    percentile_interval,
    studentised_interval,
    studentised_ratios,
    t_interval,
    tango_interval,
    wilson_interval,
)
from rankmark.statistics.mcnemar import MCNEMAR, McNemar, mcnemar_test
from rankmark.statistics.power import (
    anova_power,
    detectable_difference,
    detectable_range,
    expected_width,
    power_of,
    queries_for_anova,
    queries_for_width,
    queries_needed,
)
from rankmark.statistics.resampling import bootstrap_means
from rankmark.statistics.sequences import ConfidenceSequence, confidence_sequence
from rankmark.statistics.significance import (
    ALTERNATIVES,
    TESTS,
    bootstrap_shift_test,
    bounded_test,
    paired_t_test,
    randomisation_test,
    sign_test,
    wilcoxon_test,
)
from rankmark.statistics.strata import stratified_interval
from rankmark.statistics.tukey import randomised_tukey

__all__ = [
    "ALTERNATIVES",
    "CAUTIONS",
    "CORRECTIONS",
    "INTERVALS",
    "MCNEMAR",
    "TESTS",
    "AUCDifference",
    "Anova",
    "ConfidenceSequence",
    "Crossed",
    "Equivalence",
    "Friedman",
    "Interval",
    "Made",
    "McNemar",
    "MeanDifference",
    "Posterior",
    "RankInterval",
    "RankPosterior",
    "SpiegelhalterTest",
    "anova_power",
    "auto_interval",
    "balanced_anova",
    "bca_interval",
    "binned_gaps",
    "bootstrap_interval",
    "bootstrap_means",
    "bootstrap_posterior",
    "bootstrap_shift_test",
    "bounded_test",
    "cliffs_delta",
    "cliffs_delta_interval",
    "cohens_d",
    "cohens_d_interval",
    "confidence_sequence",
    "corrected",
    "critical_difference",
    "crossed",
    "delong_interval",
    "delong_test",
    "detectable_difference",
    "detectable_range",
    "equivalence",
    "equivalent",
    "exact_interval",
    "expected_width",
    "friedman_test",
    "gaffke_bound",
    "groups_of",
    "mcnemar_test",
    "nemenyi_test",
    "non_inferiority",
    "paired_t_test",
    "percentile_interval",
    "posterior",
    "power_of",
    "probability_of_superiority",
    "queries_for_anova",
    "queries_for_width",
    "queries_needed",
    "randomisation_test",
    "randomised_tukey",
    "rank_intervals",
    "sign_test",
    "signed_rank_posterior",
    "spiegelhalter_test",
    "stratified_interval",
    "student_posterior",
    "studentised_interval",
    "studentised_permutation",
    "studentised_ratios",
    "superiority_interval",
    "t_interval",
    "tango_interval",
    "two_way_anova",
    "unpaired_delong_test",
    "welch",
    "wilcoxon_test",
    "wilson_interval",
]

_clear_functions(globals())
