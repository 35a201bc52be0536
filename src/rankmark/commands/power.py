"""`rankmark power`."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.compare_matrix import matrix_in
from rankmark.commands.names import column_names, items_known, measures_in, name_and_path, named_paths
from rankmark.commands.options import is_said, with_columns, with_items, with_weights, with_words
from rankmark.commands.output import Output, with_output_of
from rankmark.errors import UsageError

__all__ = ["show_power"]

KNOWN = ("no_qrels", "items", "train", "open_catalogue")
"""The options of what is known of items, and of runs without judgements."""
COMPARED = ("measure", "baseline", "weights", "clusters", "attributes", "column", *KNOWN)
"""The options that are of runs."""


def _designs() -> Any:
    from rankmark.comparing.powers import DESIGNS

    return DESIGNS


def _alternatives() -> Any:
    from rankmark.statistics.significance import ALTERNATIVES

    return ALTERNATIVES


@click.command("power")
@click.argument("file", nargs=-1, metavar="[QRELS|MATRIX] [[NAME=]RUN...]")
@click.option("-m", "--measure", multiple=True, metavar="MEASURE", help="Of which measures, with runs.")
@click.option("--baseline", multiple=True, metavar="NAME", help="With which run all others are compared.")
@with_words("--design", _designs, "What is planned for; --width, --max-drop and --systems imply theirs.")
@click.option("--difference", type=float, metavar="D", help="To be found by t or anova.")
@click.option("--width", type=float, metavar="W", help="Of the whole interval.")
@click.option("--max-drop", metavar="D", help="What a gate allows, in the measure's unit, or as 0.5%.")
@click.option("--deviation", type=float, metavar="S", help="Of differences (anova: values), without runs.")
@click.option("--queries", type=click.IntRange(min=2), metavar="N", help="How many there are, without runs.")
@click.option("--systems", type=click.IntRange(min=2), metavar="M", help="How many there are, for anova.")
@click.option(
    "--design-effect",
    type=float,
    metavar="F",
    help="Of clusters, without runs: 1 + (size - 1) * correlation.",
)
@click.option("--alpha", type=float, metavar="P", help="Of the test.  [default: 0.05]")
@click.option("--power", type=float, metavar="P", help="The chance of finding it.  [default: 0.8]")
@click.option("--confidence", type=float, metavar="P", help="Of interval or gate.  [default: 0.95]")
@with_words("--alternative", _alternatives, "Of the t test.")
@with_weights
@click.option(
    "--clusters",
    metavar="COLUMN",
    help="Count queries together with the same value in a column of the files.",
)
@click.option("--attributes", metavar="FILE", help="Queries with columns for --weights and --clusters.")
@with_items
@with_columns
@with_output_of("TopicSetSize")
def show_power(file: tuple[str, ...], *, output: Output, **options: Any) -> None:
    """Say how many queries it takes.

    Planned is for a paired t test, a one-way analysis of variance of several
    systems, the width of an interval, or a gate (topic set size design, Sakai
    2016). The standard deviation is given, or estimated from runs or from what
    `rankmark eval -o NAME.rankmark` saved of them, on these queries. One file is
    a matrix, as for `rankmark compare-matrix`, or a comparison that was saved;
    where every file is called NAME=, they are values of queries, too, such as
    `trec_eval -q` prints. Measures of what is recommended know the items by --items
    and --train; with --no-qrels all files are runs.

    \b
    rankmark power --deviation .2 --difference .05
    rankmark power --deviation .2 --queries 50
    rankmark power qrels.txt old.run new.run -m nDCG@10 --difference .02
    rankmark power old.rankmark new.rankmark -m AP --max-drop .01
    rankmark power ap.csv -m AP --difference .02
    rankmark power old=old.eval new=new.eval -m map --difference .02
    rankmark power --no-qrels a.run b.run --train train.csv -m Novelty --width 1
    """  # noqa: D301
    from rankmark.comparing.powering import power

    output.check()
    own = {name: options.pop(name) for name in COMPARED}
    given = {name: value for name, value in options.items() if value is not None}
    if not is_said("design"):
        del given["design"]
    if not file and any(own.values()):
        named = next(name for name, value in own.items() if value)
        raise UsageError(f"{_option(named)} is of runs, and none are given")
    compared = _compared(file, own, options, output) if file else None
    output.write(power(compared, **given))


def _compared(file: tuple[str, ...], own: dict[str, Any], options: dict[str, Any], output: Output) -> Any:
    """The runs, compared as far as spreads need it."""
    from rankmark.commands.eval import MEASURES
    from rankmark.comparing.compare import compare, compare_results
    from rankmark.loading import is_saved, load

    how: dict[str, Any] = {"baseline": own["baseline"] or None, "interval": "t", "test": "t"}
    how |= {"alternative": options["alternative"] or "two-sided", "correction": "none"}
    measures = measures_in(own["measure"])
    first_name, first = name_and_path(file[0])
    unjudged = own["no_qrels"]
    if len(file) == 1 and not unjudged:
        output.keep(first)
        return _of_one(first, own, how, measures)
    alone = is_saved(first) and not unjudged
    if first_name and not alone and not unjudged:
        return _of_values(file, own, how, output)
    runs = named_paths(file if alone or unjudged else file[1:], "runs")
    if len(runs) < 2:
        if unjudged:
            raise UsageError(f"--no-qrels: {first} is a run, and the only one; give two or more")
        raise UsageError(
            f"{first} is taken for judgements, and of runs there is one; give two or more. Values of "
            f"queries, as trec_eval -q prints them, are given by names: rankmark power old={first} "
            f"new={file[1]}"
        )
    paths = [path for each in runs.values() for path in each]
    output.keep(*([] if alone else file[:1]), *paths, own["attributes"], own["items"], own["train"])
    systems: dict[str, Any] = {
        name: [load(path) if is_saved(path) else path for path in each] for name, each in runs.items()
    }
    if alone:
        if own["clusters"] or (own["attributes"] and not own["weights"]):
            raise UsageError("--clusters is of evaluations, and these are results: give judgements and runs")
        _refuse(own, tuple(name for name in COMPARED if name not in KNOWN), "results that were saved")
        return compare_results(systems, measures or None, **_weighing(own), **how)
    how |= {name: own[name] for name in ("weights", "clusters", "attributes")}
    columns = column_names(own["column"])
    known = items_known(own["items"], own["train"], columns, closed=not own["open_catalogue"])
    judgements = None if unjudged else file[0]
    return compare(judgements, systems, measures or MEASURES, columns=columns, items=known, **how)


def _weighing(own: dict[str, Any]) -> dict[str, Any]:
    """What says how much queries count, where there are no judgements and runs."""
    return {name: own[name] for name in ("weights", "attributes")} if own["weights"] else {}


def _of_values(file: tuple[str, ...], own: dict[str, Any], how: dict[str, Any], output: Output) -> Any:
    """The comparison of values of queries that others computed, of each system a file."""
    from rankmark.comparing.matrix import compare_matrix

    weighing = _weighing(own)
    _refuse(own, ("measure", "baseline", "column", *weighing), "values of queries, a file a system")
    matrix = matrix_in(file)
    assert isinstance(matrix, dict)
    output.keep(*matrix.values(), own["attributes"])
    columns = column_names(own["column"])
    return compare_matrix(matrix, list(own["measure"]) or None, columns=columns, **weighing, **how)


def _refuse(own: dict[str, Any], known: tuple[str, ...], what: str) -> None:
    """Refuses options that say nothing of what is given."""
    if said := [name for name in COMPARED if own[name] and name not in known]:
        raise UsageError(f"{_option(said[0])} says nothing of {what}: leave it out")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _of_one(path: str, own: dict[str, Any], how: dict[str, Any], measures: list[str]) -> Any:
    """A comparison that was saved, or that of a matrix."""
    from rankmark.comparing.comparison import Comparison
    from rankmark.comparing.matrix import compare_matrix
    from rankmark.loading import is_saved, load

    saved = is_saved(path)
    if saved:
        _refuse(own, (), "a comparison that was saved")
    else:
        how |= _weighing(own)
        _refuse(own, ("measure", "baseline", "column", *_weighing(own)), "one matrix of values")
        return compare_matrix(path, measures or None, columns=column_names(own["column"]), **how)
    found = load(path)
    if not isinstance(found, Comparison):
        raise UsageError(f"{path} holds a {type(found).__name__}; give two or more results, or a Comparison")
    return found
