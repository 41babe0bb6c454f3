"""Scans and reductions of segments, runs of equal keys or pieces between offsets (ptxgen.kernels.arrays.segmented_scan)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import u32, u64
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import segmented_reduce
from ptxgen.kernels.arrays import segmented_scan as kernels
from ptxgen.kernels.arrays.prefix import computed
from ptxgen.ops.arguments import (
    MOST_ROWS,
    check_apart,
    check_array,
    check_column,
    check_count,
    check_device,
    check_element,
)
from ptxgen.ops.borrowing import Launches, result_like

if TYPE_CHECKING:
    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.ops.launches import Plans

__all__ = ["SegmentedReduce", "SegmentedScan"]


class _Segmented:
    """What both have in common: the type, how many elements a call may have at most, and the launches."""

    def __init__(self, device: Device, element: type[Value], most: int, op: str) -> None:
        check_element("segmented scan", element, bits=(8, 16, 32, 64))
        if op not in ("sum", "min", "max"):
            raise BuildError(f"no scan by {op!r}", hint='op="sum", "min" or "max"')
        self.most = check_count("most", most, most=MOST_ROWS)
        self.device, self.element, self.op = check_device(device), element, op
        self._scratch: list[Array] = []
        self.launches = Launches(device)

    def _check(self, x: Array, offsets: Array) -> tuple[int, int]:
        """(elements, segments)."""
        n = check_array("x", x, self.element, device=self.device, most=self.most)
        return n, check_array("offsets", offsets, u32, device=self.device, least=1) - 1

    def close(self) -> None:
        """Free the scratch memory."""
        self.launches.close()
        for each in self._scratch:
            each.close()

    def __exit__(self, *_: object) -> None:
        self.close()


class SegmentedScan(_Segmented):
    """`SegmentedScan(device, f32, most)(x, offsets, y)`: y[i] = x[offsets[s]] + ... + x[i] where segment s, from offsets[s] to
    before offsets[s + 1], has place i; `exclusive`: all of the segment before x[i]. `by_key(x, keys, y)`: segments are runs of
    neighbours whose keys have equal bits. y may be x.

    Elements, `op` and what is said of sums are as of `Scan`; at most `most` a call. Offsets are u32, ascending; what lies before
    the first one, and from the last one on, is a segment too. Keys have 1, 2, 4 or 8 bytes.
    """

    def __init__(
        self, device: Device, element: type[Value], most: int, *, op: str = "sum", exclusive: bool = False
    ) -> None:
        super().__init__(device, element, most, op)
        self._way = "exclusive" if exclusive else "inclusive"
        words = kernels.scratch_words(self.most, element)
        states = device.zeros(words, u64)
        self._scratch = [states, states[words - 1 :]]

    def __call__(self, x: Any, offsets: Any, y: Any = None) -> Any:
        """Launch on the current stream, or on the arrays'; returns y, which is a new array of x's library where it is None."""
        y = result_like(x, self.device, self.element) if y is None else y
        self.launches.run(self.plans, (False,), x, offsets, y)
        return y

    def by_key(self, x: Any, keys: Any, y: Any = None) -> Any:
        """The same of runs of equal keys, of which there is one for each element."""
        y = result_like(x, self.device, self.element) if y is None else y
        self.launches.run(self.plans, (True,), x, keys, y)
        return y

    def plans(self, x: Array, heads: Array, y: Array, keyed: bool) -> Plans:
        """The launch; `heads` are keys, or offsets."""
        name = "keys" if keyed else "offsets"
        if keyed:
            n = check_array("x", x, self.element, device=self.device, most=self.most)
            size = check_column(name, heads, device=self.device).size
            if size != n:
                raise BuildError(f"keys has {size} elements, x {n}")
        else:
            n, size = self._check(x, heads)
        check_array("y", y, self.element, device=self.device, least=n)
        if x._here != y._here:
            check_apart("y", y, "x", x)
        check_apart("y", y, name, heads)
        plan = kernels.plan(
            n, x, y, heads, size, *self._scratch, element=self.element, op=self.op, way=self._way, keyed=keyed
        )  # fmt: skip
        return (plan,)

    def __enter__(self) -> SegmentedScan:
        return self


class SegmentedReduce(_Segmented):
    """`SegmentedReduce(device, f32, most)(x, offsets, out)`: out[s] = the sum of x[offsets[s] : offsets[s + 1]]; `op` "min" or
    "max": its smallest or largest element. As of `SegmentedScan`; a segment of nothing has what `Reduce` gives of nothing.

    `result` is the type of `out`: that of the elements, or of narrower ones u32, s32 or f32. One pass, whatever the segments are,
    and the same bits in every run.
    """

    def __init__(self, device: Device, element: type[Value], most: int, *, op: str = "sum") -> None:
        super().__init__(device, element, most, op)
        self.result, pieces = computed(element), segmented_reduce.pieces_of(self.most)
        self._scratch = [device.empty(pieces, kind) for kind in (self.result, self.result, u32)]

    def __call__(self, x: Any, offsets: Any, out: Any = None) -> Any:
        """Launch on the current stream, or on the arrays'; returns out, which is a new array of x's library where it is None."""
        if out is None:
            out = result_like(x, self.device, self.result, max(0, int(offsets.shape[0]) - 1))
        self.launches.run(self.plans, (), x, offsets, out)
        return out

    def plans(self, x: Array, offsets: Array, out: Array) -> Plans:
        """The launches."""
        n, segments = self._check(x, offsets)
        check_array("out", out, self.result, device=self.device, least=segments)
        for name, array in (("x", x), ("offsets", offsets)):
            check_apart("out", out, name, array)
        return segmented_reduce.plans(n, x, out, offsets, segments, *self._scratch, element=self.element, op=self.op)

    def __enter__(self) -> SegmentedReduce:
        return self
