"""Aggregates of a frame in one launch (ptxgen.kernels.queries.aggregate)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.builder import f64, pred, u32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.kernels.plan import common_alignment
from ptxgen.kernels.queries import aggregate, described
from ptxgen.kernels.queries.described import Accumulator, Key, Output
from ptxgen.kernels.queries.expressions import Expression
from ptxgen.kernels.queries.project import stored
from ptxgen.kernels.queries.reading import tiling_of
from ptxgen.ops.queries.frames import bind
from ptxgen.ops.scratch import read_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.host import Array
    from ptxgen.ops.queries.expressions import Aggregate, Expr
    from ptxgen.ops.queries.frames import Frame

__all__ = ["Fused", "fits"]


def fits(keys: Mapping[str, Expr]) -> bool:
    """Whether keys are together at most 64 bits wide: then a word tells groups apart."""
    return sum(each.bits for each in keys.values()) <= 64


class Fused:
    """One launch, with memory of its own for the results and for partial ones."""

    def __init__(
        self, frame: Frame, condition: Expr | None, keys: Mapping[str, Expr], aggregates: Mapping[str, Aggregate]
    ) -> None:
        names = [*keys, *aggregates]
        values = [each.value for each in aggregates.values()]
        bound = bind(frame, [condition, *keys.values(), *values])
        tested, *trees = bound.trees
        predicate = tested if bound.valid is None else bound.valid
        if tested is not None and bound.valid is not None:
            predicate = Expression("and", pred, (bound.valid, tested))
        accumulators: dict[Accumulator, int] = {}
        outputs = [Output("key", stored(each.stored), number) for number, each in enumerate(keys.values())]
        for each, tree in zip(aggregates.values(), trees[len(keys) :]):
            outputs.append(_output(each, tree, accumulators))
        query = described.Query(bound.sources, predicate, _keys(keys, trees), tuple(accumulators), tuple(outputs))
        device, self._keyed = frame.device, bool(keys)
        attribute = device.context.device.attribute
        processors = int(attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT))
        shared = int(attribute(CUdevice_attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
        tiling = tiling_of(bound.sources, common_alignment(*bound.arrays))
        shape = described.shape_of(query, frame.rows, processors, shared, tiling)
        self._total = device.zeros(1, u32)
        self._scratch = described.cleared_scratch(device, query, shape)
        self._outputs = {
            name: device.empty(described.PLACES if keys else 1, each.type) for name, each in zip(names, outputs)
        }
        limit = frame.limit
        self._plan = aggregate.plan(
            frame.rows, self._total if limit is None else limit, self._total, self._scratch, bound.arrays,
            list(self._outputs.values()), query=query, shape=shape, tiling=tiling, counted=limit is not None,
        )  # fmt: skip

    def launch(self) -> None:
        """Queue it on the current stream."""
        self._plan.launch()

    def results(self) -> dict[str, Array] | None:
        """Copies of the results, after the launch; None where there are more groups than it can tell apart."""
        rows = read_number(self._total) if self._keyed else 1
        if rows == described.OVERFLOW:
            return None
        return {name: out.device.empty(rows, out.type).copy_from(out[:rows]) for name, out in self._outputs.items()}

    def close(self) -> None:
        """Free its memory."""
        for each in (self._total, self._scratch, *self._outputs.values()):
            each.close()


def _keys(keys: Mapping[str, Expr], trees: list[Expression | None]) -> tuple[Key, ...]:
    """The parts of the key's word, the first in its highest bits."""
    shift, found = sum(each.bits for each in keys.values()), []
    for each, tree in zip(keys.values(), trees):
        assert tree is not None
        shift -= each.bits
        value = Expression("cast", u32, (tree,)) if tree.type is pred else tree
        found.append(Key(value, shift, each.bits))
    return tuple(found)


def _output(each: Aggregate, tree: Expression | None, accumulators: dict[Accumulator, int]) -> Output:
    def number(op: str, value: Expression | None) -> int:
        return accumulators.setdefault(Accumulator(op, value), len(accumulators))

    if each.op == "count" or tree is None or each.value is None:
        return Output("value", u32, number("sum", None))
    value = Expression("cast", u32, (tree,)) if tree.type is pred else tree
    if each.op == "mean":
        return Output("mean", f64, number("sum", value), number("sum", None))
    accumulator = Accumulator(each.op, value)
    kind = accumulator.element if each.op == "sum" else stored(each.value.stored)
    return Output("value", kind, number(each.op, value))
