"""A query that can be run, again and again."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from ptxgen.ops.queries.frames import Selected, Steps
from ptxgen.ops.queries.fused import Fused, fits
from ptxgen.ops.queries.grouping import Grouped
from ptxgen.ops.queries.nodes import Base, Filtered, pushed, tables_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ptxgen.host import Array
    from ptxgen.host.capture import Graph
    from ptxgen.ops.queries.expressions import Aggregate, Expr
    from ptxgen.ops.queries.frames import Count, Frame
    from ptxgen.ops.queries.nodes import Node

__all__ = ["Query"]


class Query:
    """`q()` runs it and returns its columns by name, new arrays on the device; it waits, because how many rows there are says the
    device. `q.numpy()` gives them as numpy arrays.

    The arrays that the tables were made of are read anew each time: change them in place, and run the query again. From the
    second run on, a query is one launch or one captured graph. The graph has room for the rows that the first run found, rounded
    up to a power of two; where there are more, the query is run step by step again. So is one for more groups than one launch
    tells apart, of rows that were filtered or joined: groups are found in as many rows as the host knows of.
    """

    def __init__(
        self,
        node: Node,
        columns: Mapping[str, Expr],
        aggregates: Mapping[str, Aggregate] | None,
        *,
        ordered: bool = True,
    ) -> None:
        self._node, self._columns, self._aggregates = pushed(node), dict(columns), aggregates
        self._ordered = ordered
        self._device = tables_of(node)[0].device
        self._many = False  # whether groups were too many for one launch
        self._rooms: list[int] | None = None
        self._again: _Repeated | None = None

    def __repr__(self) -> str:
        return f"<query for {', '.join([*self._columns, *(self._aggregates or ())])}>"

    def numpy(self) -> dict[str, Any]:
        """Run it; the columns as numpy arrays."""
        return {name: array.numpy() for name, array in self().items()}

    def __call__(self) -> dict[str, Array]:
        """Run it; the columns as new device arrays."""
        again = self._repeated()
        if again is not None:
            again.launch()
            found = again.read()
            if found is not None:
                return found
            self._forget()
        return self._step_by_step()

    def launch(self) -> bool:
        """Queue it on the current stream without waiting, where it ran before and is one launch or one graph, and False where
        it is not. `read()` gives what it found."""
        again = self._repeated()
        if again is not None:
            again.launch()
        return again is not None

    def read(self) -> dict[str, Array]:
        """The columns of the last `launch()`, as new device arrays; waits for it. Runs it again where there was no room."""
        found = self._again.read() if self._again is not None else None
        return self() if found is None else found

    def _repeated(self) -> _Repeated | None:
        if self._again is None and self._rooms is not None:
            self._again = self._recorded(self._rooms)
        return self._again

    def close(self) -> None:
        """Free what it keeps for the next run."""
        self._forget()

    def __enter__(self) -> Query:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _forget(self) -> None:
        again, self._again, self._rooms = self._again, None, None
        if again is not None:
            again.close()

    @property
    def _fused(self) -> bool:
        return self._aggregates is not None and not self._many and fits(self._columns)

    def _split(self) -> tuple[Node, Expr | None]:
        """The rows to find first, and the condition that is tested while they are aggregated."""
        node = self._node
        return (node.source, node.condition) if isinstance(node, Filtered) and self._fused else (node, None)

    def _last_step(self, steps: Steps, frame: Frame, condition: Expr | None) -> Fused | Grouped | Selected:
        """What makes the result of the rows that were found."""
        if self._aggregates is None:
            return Selected(steps, frame, self._columns)
        if self._fused:
            return Fused(frame, condition, self._columns, self._aggregates)
        return Grouped(steps, frame, self._columns, self._aggregates, ordered=self._ordered)

    def _step_by_step(self) -> dict[str, Array]:
        node, condition = self._split()
        with closing(Steps(self._device)) as steps:
            frame = steps.frame(node)
            last = self._last_step(steps, frame, condition)
            last.launch()
            found = last.results()
            if found is not None and isinstance(last, Fused) and isinstance(node, Base):
                self._again = _Repeated(None, last, None, [])  # nothing to record: it is one launch
                return found
            last.close()
            if found is not None and (isinstance(node, Base) or not isinstance(last, Grouped)):
                self._rooms = [count.room for count in steps.counts]
        if found is None:  # too many groups for one launch
            self._many = True
            return self._step_by_step()
        return found

    def _recorded(self, rooms: list[int]) -> _Repeated:
        node, condition = self._split()
        steps = Steps(self._device, rooms)
        last = self._last_step(steps, steps.frame(node), condition)
        steps.launch()  # what a first call makes, a capture may not
        last.launch()
        self._device.synchronize()
        with self._device.capture() as graph:
            steps.launch()
            last.launch()
        return _Repeated(graph, last, steps, steps.counts)


class _Repeated:
    """A query that ran before: one launch, or a graph with its steps."""

    def __init__(
        self, graph: Graph | None, last: Fused | Grouped | Selected, steps: Steps | None, counts: list[Count]
    ) -> None:
        self._graph, self._last, self._steps, self._counts = graph, last, steps, counts

    def launch(self) -> None:
        """Queue it."""
        if self._graph is None:
            self._last.launch()
        else:
            self._graph.launch()

    def read(self) -> dict[str, Array] | None:
        """Its columns; None where there was no room for all rows, or for all groups."""
        if any(count.read() > count.room for count in self._counts):
            return None
        return self._last.results()

    def close(self) -> None:
        for each in (self._graph, self._last, self._steps):
            if each is not None:
                each.close()
