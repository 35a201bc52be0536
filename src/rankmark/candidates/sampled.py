"""Candidates that were sampled, as they are shown and written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.errors import FormatError, UsageError
from rankmark.inputs.sampling import METADATA, sampling_of
from rankmark.language.choices import sampled_text
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.files import write_whole
from rankmark.rendering.words import counted
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Fewer", "SampledCandidates", "SamplingMethod", "read_candidates"]

SamplingMethod: TypeAlias = Literal["uniform", "popularity", "stratified"]
Fewer: TypeAlias = Literal["all", "skip", "error"]


@dataclass(frozen=True, slots=True, repr=False)
class SampledCandidates(Saved):
    """The held-out items of each user and others drawn beside them; ``print`` shows how they were drawn.

    It is a table, with ``__arrow_c_stream__``, that every door takes in the place of judgements, and
    `evaluate_model` and `evaluate_factors` as candidates; signatures of what is evaluated by it say its
    `mark`.

    Attributes:
        frame: a row a user and item, ``query``, ``item``, ``relevance`` (0 for one that was drawn) and
            ``probability``, how likely the item was to be there; users ascend by their ids, and so do the
            items of each.
        n: how many are drawn for a user.
        method: ``uniform``, ``popularity`` or ``stratified``.
        seed: of the draws.
        catalogue: how many items there are.
        users: how many users there are.
        held_out: how many items are held out.
        fewer: for how many users there are fewer than `n` to draw.
        exponent: of popularity; None of other methods.
        strata: by what strata are; None of other methods.
        replacement: whether an item could be drawn again, which then counts once.
        notes: what a reader should know.

    """

    frame: pl.DataFrame
    n: int
    method: SamplingMethod
    seed: int
    catalogue: int
    users: int
    held_out: int
    fewer: int
    exponent: float | None = None
    strata: str | None = None
    replacement: bool = False
    notes: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """What `evaluate` takes as `candidates`, which signatures say: ``sampled-99``."""
        return sampled_text(self.n, self.method)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.frame.columns

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<SampledCandidates {self.mark} of {counted(self.users, 'user')}>"

    def sampling(self) -> dict[str, Any]:
        """How they were sampled, as a Parquet file keeps it."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "frame"}

    def to_file(self, path: str | Path) -> None:
        """Writes the rows to a file, whole or not at all.

        The ending says how: ``.parquet``, which keeps in its metadata how they were sampled, ``.csv``,
        ``.tsv``, or ``.txt``, ``.qrels`` and ``.trec`` for TREC's judgements, which have no probabilities.
        ``.rankmark`` is what `save` writes.

        Raises:
            UsageError: another ending, or the file cannot be written.

        """
        write = SampledCandidates.writer(path)
        write(self, path)

    @staticmethod
    def writer(path: str | Path) -> Callable[[SampledCandidates, str | Path], None]:
        """What `to_file` writes such a file with.

        Raises:
            UsageError: its ending says nothing.

        """
        ending = Path(path).suffix.lower()
        if ending == ".rankmark":
            return SampledCandidates.save
        if ending not in _WRITERS:
            raise UsageError(
                f"cannot write {path}: candidates are written as {', '.join(_WRITERS)} or .rankmark"
            )
        return lambda drawn, path: write_whole(path, lambda file: _WRITERS[ending](drawn, file))

    def _write_parquet(self, file: IO[bytes]) -> None:
        self.frame.write_parquet(file, metadata={METADATA: json.dumps(self.sampling())})

    def _write_csv(self, file: IO[bytes]) -> None:
        self.frame.write_csv(file)

    def _write_tsv(self, file: IO[bytes]) -> None:
        self.frame.write_csv(file, separator="\t")

    def _write_trec(self, file: IO[bytes]) -> None:
        import polars as pl

        for column in ("query", "item"):
            ids = self.frame[column].cast(pl.String)
            if strange := ids.filter(ids.str.contains(r"\s") | (ids == "")).to_list()[:1]:
                raise UsageError(
                    f"TREC's files know no ids with blanks, such as {strange[0]!r}; write .parquet"
                )
        rows = self.frame.select("query", pl.lit("0").alias("iteration"), "item", "relevance")
        rows.write_csv(file, include_header=False, separator=" ", quote_style="never")

    def _blocks(self, digits: int) -> Iterator[Block]:  # noqa: ARG002 - there are counts alone
        how = {"method": self.method, "drawn for each user": f"{self.n:,}", "seed": str(self.seed)}
        if self.exponent is not None:
            how["exponent of popularity"] = f"{self.exponent:g}"
        if self.strata is not None:
            how["strata"] = self.strata
        if self.replacement:
            how["with replacement"] = "yes, an item once"
        counts = {
            "items": self.catalogue,
            "users": self.users,
            "held-out items": self.held_out,
            "rows": self.frame.height,
            "users with fewer": self.fewer,
        }
        rows = [*how.items(), *((name, f"{count:,}") for name, count in counts.items())]
        yield Grid(1, [["candidates", self.mark], *map(list, rows)])
        if self.notes:
            yield Notes(list(self.notes))

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _record(self) -> dict[str, Any]:
        return self.sampling() | {"candidates": self.mark, "rows": self.frame.height}


_WRITERS = {
    ".parquet": SampledCandidates._write_parquet,
    ".csv": SampledCandidates._write_csv,
    ".tsv": SampledCandidates._write_tsv,
    **dict.fromkeys((".txt", ".qrels", ".trec"), SampledCandidates._write_trec),
}


def read_candidates(path: str | Path) -> SampledCandidates:
    """Candidates of a file that keeps how they were sampled.

    Raises:
        FormatError: it does not, or is damaged.

    """
    from rankmark.inputs import read_qrels
    from rankmark.loading import is_saved, load

    if is_saved(path):
        found = load(path)
        if isinstance(found, SampledCandidates):
            return found
        raise FormatError(f"{str(path)!r} holds a {type(found).__name__}, and no candidates")
    sampling = sampling_of(path)
    if sampling is None:
        read_qrels(path)  # which says what is wrong with a file that cannot be read
        raise FormatError(
            f"{str(path)!r} does not say how its candidates were sampled: sample them into a file .parquet, "
            "which does; of ranks alone, rm.correct_sampled takes n_items= and n_sampled="
        )
    import polars as pl

    try:
        frame = pl.read_parquet(path, columns=["query", "item", "relevance", "probability"])
        return SampledCandidates(frame, **(sampling | {"notes": tuple(sampling["notes"])}))
    except (KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise FormatError(
            f"{str(path)!r} is not as candidates are written ({type(error).__name__}); sample them again"
        ) from error
