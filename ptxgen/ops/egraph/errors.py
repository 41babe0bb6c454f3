"""What can be wrong with an e-graph, its plan or its run. Every text has the form "what. Fix: how."

One table row a kind: what is wrong, with the fields of the error in braces, and what to do about it.
"""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar, TypeVar

from ptxgen.errors import BuildError

__all__ = ["EGraphError", "IntegrityError", "PlanError", "RunError", "expect", "expect_count"]

T = TypeVar("T")

Texts = dict[str, tuple[str, str]]


class EGraphError(BuildError):
    """Root of this operation's errors. `kind` is a stable name, `fields` what it is about; both show in the text."""

    texts: ClassVar[Texts] = {}

    def __init__(self, kind: str, **fields: object) -> None:
        what, how = self.texts[kind]
        super().__init__(what.format_map(fields), hint=how.format_map(fields))
        self.kind, self.fields = kind, fields

    def __str__(self) -> str:
        what = str(self.args[0])
        return f"{what}. Fix: {self.hint}." if what else f"Fix: {self.hint}."


class IntegrityError(EGraphError):
    """A snapshot that is not an e-graph: `fields["context"]`, `["row"]` and `["value"]` say where and what."""

    texts: ClassVar[Texts] = {
        "InvalidRow": (
            "e-graph snapshot: {context} at row {row}: {value}",
            "build the snapshot from rows whose operators are interned and whose children are e-classes of the snapshot",
        ),
        "DoesNotFit": (
            "e-graph snapshot {context} {value} does not fit u32",
            "split the e-graph before packing it for a device",
        ),
        "NotIntegers": (
            "e-graph snapshot {context} of {found}",
            "a list or a one-dimensional array of integers",
        ),
        "UnequalColumns": (
            "e-graph snapshot columns of unequal length: {context} {found}, e-class ids {expected}",
            "a value a row in every column but the children",
        ),
    }


class PlanError(EGraphError):
    """A plan that cannot be made."""

    texts: ClassVar[Texts] = {
        "ByteSizeOverflow": (
            "e-graph device image of {words} words has no 64-bit byte size",
            "split the e-graph before uploading it",
        ),
        "ZeroThreadsPerBlock": (
            "e-graph kernel launch has {found} threads per block",
            "use a positive threads_per_block, 256 unless measured otherwise",
        ),
        "ZeroMaxBlocksPerLaunch": (
            "e-graph kernel launch has {found} blocks per launch",
            "use a positive max_blocks_per_launch, 65535 unless measured otherwise",
        ),
        "CountOverflow": (
            "e-graph kernel plan counter {field} overflows 64 bits",
            "split the signature buckets before planning",
        ),
        "InvalidPtxTarget": (
            "e-graph kernel cannot be generated for sm_{target_sm}",
            "probe the device and pass its compute capability",
        ),
        "ImageViewMismatch": (
            "e-graph image and device view disagree about {field}: image {image}, view {view}",
            "make the view from the resident upload of the same image",
        ),
        "ImageColumnOutOfBounds": (
            "e-graph image column {column} of row {row} spans words {start} to {end} of {len}",
            "pack the image again from a snapshot that passes validate_integrity",
        ),
        "SignaturePairOrdinalOutOfBounds": (
            "pair ordinal {pair_ordinal} of signature bucket {bucket_index} is outside its {candidate_pair_count} pairs",
            "launch only pairs that the bucket's waves cover",
        ),
        "SignatureBucketRowsOutOfBounds": (
            "signature bucket {bucket_index} spans rows {first_bucket_row} + {row_count} of a table of {bucket_rows_len}",
            "plan the buckets and their row table together",
        ),
        "StorageReserveFailed": (
            "e-graph plan cannot reserve {requested} entries for {field}: {message}",
            "split the e-graph, or free host memory",
        ),
    }


class RunError(EGraphError):
    """A run that cannot go on, or whose result cannot be read."""

    texts: ClassVar[Texts] = {
        "NullFunction": (
            "",
            "CUDA e-graph structural-equivalence kernel loaded but resolved a null `main` function. "
            "Inspect generated PTX entry metadata before launch",
        ),
        "WaveTooLarge": (
            "",
            "CUDA e-graph structural-equivalence wave pair count {pairs} does not fit u32 launch accounting: "
            "{message}. Split the wave before launch",
        ),
        "NoCounter": (
            "",
            "CUDA e-graph fused scratch readback did not contain the 8-byte structural equivalence counter",
        ),
        "NoPairs": (
            "",
            "CUDA e-graph fused scratch readback did not contain the planned structural equivalence output-pair range",
        ),
        "SpanOutOfBounds": (
            "e-graph column {column} ends at byte {end} of a resident image of {byte_len} bytes",
            "upload the image again with the layout that it was packed with",
        ),
        "WrongDevice": (
            "the e-graph lies on {found}, this operation was made for {expected}",
            "make both on the same device",
        ),
        "TooLarge": (
            "an e-graph of {rows} rows and {children} children, this operation was made for at most {most_rows} and "
            "{most_children}",
            "make it for the largest e-graph that it will see",
        ),
        "OutputOverflow": (
            "{reported} structural equivalences for an output of {capacity} pairs",
            "give it room for {reported} pairs, or take the {capacity} that were written",
        ),
        "TooManyPairs": (
            "{reported} pairs of equal rows, of which {most} can be numbered",
            "merge them without writing pairs, by fixed_point or rebuild_on, or take those that there is room for (grow=False)",
        ),
        "BadCount": (
            "{name} is {found}",
            "an integer of {least} to {most}",
        ),
        "WrongArgument": (
            "{name} is {found}",
            "pass {expected}",
        ),
        "BadReadback": (
            "unknown readback policy {policy!r}",
            "use None, 'signatures' or 'full'",
        ),
    }  # fmt: skip


def expect(name: str, value: Any, kind: type[T]) -> T:
    """RunError unless a value is of a kind."""
    if not isinstance(value, kind):
        raise RunError("WrongArgument", name=name, found=type(value).__name__, expected=f"a {kind.__name__}")
    return value


def expect_count(name: str, value: Any, *, least: int = 0, most: int = (1 << 32) - 1) -> int:
    """An integer in bounds. RunError for anything else."""
    try:
        found = index(value)
    except TypeError:
        found = least - 1
    if not least <= found <= most:
        raise RunError("BadCount", name=name, found=repr(value), least=least, most=most)
    return found
