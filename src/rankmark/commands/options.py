"""The options that several commands take, each once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import click
from click.core import ParameterSource

from rankmark._native import MOST_THREADS
from rankmark.engines.selection import ENGINES
from rankmark.errors import UsageError
from rankmark.language.choices import Choices, values_of

__all__ = [
    "is_said",
    "together",
    "with_aspect_weights",
    "with_attributes",
    "with_choice",
    "with_choices",
    "with_choices_of_rows",
    "with_clusters",
    "with_columns",
    "with_conditions",
    "with_confidence",
    "with_engine",
    "with_intervals",
    "with_item",
    "with_items",
    "with_known",
    "with_label",
    "with_like",
    "with_margins",
    "with_per_query",
    "with_positive",
    "with_posterior",
    "with_query",
    "with_resamples",
    "with_rope",
    "with_signatures",
    "with_significance",
    "with_strict",
    "with_systems",
    "with_threads",
    "with_weight",
    "with_weights",
    "with_words",
]

METAVARS = {"seed": "N", "candidates": "all|sampled-N"}
"""How choices are shown that are no words of a table."""

Command = Callable[..., None]
Option = Callable[[Command], Command]

CHOICES = {
    "ties": "Order of equal scores.",
    "seed": "Of --ties random, and of resamples.",
    "missing": "Judged queries without results.",
    "unjudged_queries": "Queries with results but no judgements.",
    "no_relevant": "Queries for which nothing is relevant.",
    "duplicates": "The same item twice in one query.",
    "unjudged": "Items without a judgement.",
    "scores": "Precision in which scores are compared.",
    "short_lists": "Queries with fewer items than the cutoff.",
    "candidates": "What was ranked: all items, or N sampled ones beside the relevant.",
}


def together(*options: Option) -> Option:
    """Several options as one, in the order in which the help lists them."""
    return lambda command: functools.reduce(lambda made, option: option(made), reversed(options), command)


# --- Words that stand in tables ---------------------------------------------------------------------------


class _Words(click.Option):
    """An option whose values stand in a table that is read when they are shown or used, and not at once.

    The tables of statistics take NumPy with them, which the help of all commands does without.
    """

    def __init__(self, *given: Any, words: Callable[[], Iterable[str]], **others: Any) -> None:
        super().__init__(*given, **others)
        self.words = words

    def make_metavar(self, *_: Any, **__: Any) -> str:
        return "|".join(self.words())


def with_words(name: str, words: Callable[[], Iterable[str]], help_: str, *, needed: bool = True) -> Option:
    """Gives a command an option of one of these words; of the first, if one is needed and none said."""
    # No click.Choice: a wrong word is for the function to refuse, which says what comes near.
    default = (lambda: next(iter(words()))) if needed else None
    return click.option(name, cls=_Words, words=words, default=default, help=help_)


def _alternatives() -> Iterable[str]:
    from rankmark.statistics.significance import ALTERNATIVES

    return ALTERNATIVES


def with_significance(corrections: Callable[[], Iterable[str]]) -> Option:
    """Gives a command the options --alternative, --correction, of these, and --alpha."""

    def none_last() -> Iterable[str]:
        return sorted(corrections(), key=lambda name: name == "none")

    return together(
        with_words("--alternative", _alternatives, "Which differences count: of a system less its baseline."),
        with_words("--correction", none_last, "Of p-values, for several systems and measures."),
        click.option(
            "--alpha",
            type=float,
            default=0.05,
            show_default=True,
            metavar="P",
            help="What is significant.",
        ),
    )


# --- What decides values ----------------------------------------------------------------------------------


def with_choice(name: str) -> Option:
    """Gives a command the option for one choice."""
    return click.option(
        f"--{name.replace('_', '-')}",
        type=type(getattr(Choices(), name)),
        default=None,  # the convention's, or without one the standard's
        # No click.Choice: a wrong value is for Choices to refuse, which says what comes near.
        metavar="|".join(values_of(name)) or METAVARS[name],
        help=CHOICES[name],
    )


with_choices = together(*map(with_choice, CHOICES))
"""Gives a command an option for each choice."""


def _one(_: click.Context, __: click.Parameter, said: tuple[str, ...]) -> str | None:
    """The tool; refuses several, of which click would take the last."""
    if len(said) > 1:
        raise UsageError(f"--like is said {len(said)} times; only `rankmark eval` compares several tools")
    return next(iter(said), None)


with_like = click.option(
    "--like", multiple=True, callback=_one, metavar="TOOL", help="Compute as this tool does."
)
"""Gives a command the option --like, of one tool."""

with_columns = click.option(
    "--column",
    multiple=True,
    metavar="ROLE=NAME",
    help="A column by its name, such as query=user_id; repeat it.",
)
"""Gives a command the option --column, for `column_names`."""


with_aspect_weights = click.option(
    "--aspect-weights", metavar="FILE", help="How much each aspect of a query weighs: query, aspect, weight."
)
"""Gives a command the option --aspect-weights, for `judged_in`."""

with_label = click.option("--label", metavar="NAME", help="The column of what happened.")
with_weight = click.option("--weight", metavar="NAME", help="The column of weights.")
with_positive = click.option(
    "--positive", metavar="LABEL", help="The label of positive rows, if not 1 or true."
)
"""Give a command the options of labelled rows."""


with_query = click.option("--query", metavar="NAME", help="The column of the query, user or session.")
with_item = click.option("--item", metavar="NAME", help='The column of the item; "" for none.')
with_systems = click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME=COLUMN",
    help="A system's scores; repeat it to compare several, or where several tables have other columns.",
)
with_choices_of_rows = together(
    click.option(
        "--ties",
        metavar="|".join(values_of("ties")),
        help="Order of equal scores in lists.  [default: item-desc with items, else expected]",
    ),
    with_choice("no_relevant"),
    with_choice("duplicates"),
    with_choice("short_lists"),
)
"""Gives a command what decides of measures of lists."""


def with_confidence(of: str) -> Option:
    """Gives a command the option --confidence, of some intervals."""
    return click.option(
        "--confidence", type=float, default=0.95, show_default=True, metavar="P", help=f"Of {of}."
    )


with_rope = click.option(
    "--rope",
    type=float,
    metavar="D",
    help="Show how likely differences are below, within and above ±D (Bayes).",
)
"""Gives a command the option --rope."""


def with_posterior(names: Callable[[], Iterable[str]]) -> Option:
    """Gives a command the option --posterior, of these."""
    return with_words("--posterior", names, "By which --rope goes.  [default: the first]", needed=False)


def _posteriors() -> Iterable[str]:
    from rankmark.comparing.posteriors import POSTERIORS

    return POSTERIORS


with_margins = together(
    click.option(
        "--margin", type=float, metavar="D", help="Show which differences are within ±D (equivalence)."
    ),
    with_rope,
    with_posterior(_posteriors),
    click.option("--anova", is_flag=True, help="Show the analysis of variance by system and query."),
)
"""Gives a command the options for tables beside those of pairs."""

with_clusters = click.option(
    "--clusters",
    multiple=True,
    metavar="COLUMN",
    help="Take queries together that have the same value, such as a user, in a column of FILE, QRELS or RUN; "
    "repeat it for clusters of two kinds.",
)
"""Gives a command the option --clusters."""

with_weights = click.option(
    "--weights",
    metavar="COLUMN",
    help="Let queries count in means as much as a column of FILE, QRELS or RUN says.",
)
"""Gives a command the option --weights."""

with_resamples = click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    metavar="N",
    help="How many.",
)
"""Gives a command the option --resamples."""


with_intervals = together(
    click.option("--intervals/--no-intervals", help="Give confidence intervals over queries."),
    with_confidence("intervals"),
    with_weights,
    with_clusters,
    with_resamples,
)
"""Gives a command the options for intervals of values of queries, and what these weigh and belong to."""

with_attributes = click.option(
    "--attributes", metavar="FILE", help="Queries with columns for --by, --weights and --clusters."
)
"""Gives a command the option --attributes."""

with_strict = click.option(
    "--strict", is_flag=True, help="Exit with 1 if anything serious is found, 2 if nothing can be checked."
)
"""Gives a command the option --strict."""

with_conditions = together(
    click.option(
        "-m",
        "--measure",
        multiple=True,
        metavar="MEASURE",
        help="What may not drop; repeat it, or give several in one: all must pass.",
    ),
    click.option(
        "--max-drop",
        metavar="D|P%",
        help="How much worse it may be than the baseline: 0.005, or 0.5% of its value.",
    ),
    click.option(
        "--at-least", multiple=True, metavar="MEASURE=VALUE", help="Pass only from this value on; repeat it."
    ),
    click.option(
        "--at-most",
        multiple=True,
        metavar="MEASURE=VALUE",
        help="Pass only up to this value, of measures of which more is not better; repeat it.",
    ),
    click.option(
        "--confidence", type=float, metavar="P", help="Pass only if all else is excluded so surely."
    ),
)
"""Gives a command the options of gates."""

# --- How it is done, and what is shown --------------------------------------------------------------------

with_threads = click.option(
    "--threads", type=click.IntRange(1, MOST_THREADS), metavar="N", help="How many to use, if not all."
)
"""Gives a command the option --threads."""

with_known = together(
    click.option(
        "--items", metavar="FILE", help="The items that can be recommended, and what they are like."
    ),
    click.option("--open-catalogue", is_flag=True, help="Others than those of --items can be, too."),
    click.option("--train", metavar="FILE", help="Who (query) had which items before."),
)
"""Gives a command the options of what is known of items."""
with_items = together(
    click.option("--no-qrels", is_flag=True, help="All files are runs, for measures without judgements."),
    with_known,
)
"""Gives a command the same, and --no-qrels."""

with_engine = together(
    click.option(
        "--engine", metavar="|".join(ENGINES), help="In memory or in batches; by itself for large files."
    ),
    click.option("--memory", metavar="SIZE", help="What --engine stream may use.  [default: 2GiB]"),
)
"""Gives a command the options --engine and --memory."""

with_per_query = click.option("-q", "--per-query", is_flag=True, help="Show each query's values, too.")
"""Gives a command the option --per-query."""


def with_signatures(short: str) -> Option:
    """Gives a command --signature and --short-signature, as `signatures`: True, False or ``short``."""

    def give(command: Command) -> Command:
        @functools.wraps(command)
        def told(*given: object, signature: bool, short_signature: bool, **others: object) -> None:
            command(*given, signatures="short" if short_signature else signature, **others)

        return told

    return together(
        click.option("--signature", is_flag=True, help="Show what each number depends on."),
        click.option("--short-signature", is_flag=True, help=short),
        give,
    )


def is_said(name: str) -> bool:
    """Whether an option of the command that runs is on the command line."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE
