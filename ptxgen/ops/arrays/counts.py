"""Histograms in one call."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import f16, f32, f64, u8, u16, u32
from ptxgen.errors import BuildError
from ptxgen.host import Array
from ptxgen.kernels.plan import ceil_div
from ptxgen.ops.arguments import check_count, value_type
from ptxgen.ops.arrays import edges as edging
from ptxgen.ops.arrays.histogram import Histogram
from ptxgen.ops.arrays.reduce import Reduce
from ptxgen.ops.calls import Call, launched_before, read_again
from ptxgen.ops.results import Results
from ptxgen.ops.scratch import HostNumber, read_numbers, send_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.values import Value
    from ptxgen.host import Device

__all__ = ["bincount", "histogram"]


def _edges(given: Iterable[float]) -> tuple[float, ...]:
    try:
        return tuple([float(each) for each in given])
    except (TypeError, ValueError):
        raise BuildError(f"bins is {given!r:.60}", hint="how many, or their edges as numbers") from None


def histogram(x: Any, bins: int | Iterable[float] = 10, range: tuple[float, float] | None = None) -> tuple[Any, Any]:
    """(counts, edges), as `numpy.histogram`: how many elements of x lie in each of `bins` bins of equal width over the `range`,
    or between ascending edges that are given instead of their number. The last bin has its upper edge too.

    x has any shape, of integers of 8 to 64 bits, f16, f32 or f64. Without a range it is that of the elements, which is waited
    for; NaNs, which numpy refuses there, lie in no bin. Counts are u32 (s32 in PyTorch), edges f32 of f16 and f32 elements, else
    f64. BuildError for arrays and edges that it cannot have.
    """
    asked = _edges(bins) if isinstance(bins, Iterable) else bins
    ends: Any = range
    if ends is not None and (not isinstance(ends, (tuple, list)) or len(ends) != 2):
        raise BuildError(f"range is {ends!r:.60}", hint="(low, high)")
    if range is None and asked is bins:
        return _of_all(x, bins)
    key, again, (counts, places) = launched_before(("histogram", asked, range), (x,), (None, None))
    if again is not None:
        return counts, places
    with Call(x=x) as call:
        given = call["x"].reshape(-1)
        element = value_type("x", given)
        if isinstance(asked, tuple):
            edges = list(asked)
            found = call.operation(
                Histogram, 0, element, "ranges", *edges, make=lambda _: Histogram.ranges(call.device, element, edges)
            )  # fmt: skip
        else:
            bins = check_count("bins", asked, least=1)
            assert range is not None
            low, high = range
            edges = edging.evenly(element, bins, low, high)
            found = call.operation(
                Histogram, 0, element, "even", bins, float(low), float(high),
                make=lambda _: Histogram.even(call.device, element, bins, low, high),
            )  # fmt: skip
        counts, into = call.numbers(found.bins)
        found(given, into)
        kind = _type_of_edges(element)
        there = call.operation(
            Array, len(edges), kind, *edges, make=lambda _: call.device.array(edges, kind)
        )  # fmt: skip
        places = call.copied(there)
        call.remember(key, counts, places)
        return counts, places


def _of_all(x: Any, bins: Any) -> tuple[Any, Any]:
    """The histogram between the smallest and the largest element. One object serves all calls with as many bins: it is given the
    edges of each; launches are kept once a range comes again."""
    key, again, _ = launched_before(("extent",), (x,))
    extent: Any = None
    if again is not None:
        ends: Any = again.read
        before, extent = ends.found, read_again(again, x)
        if extent == before:  # a range that comes again: its launches are worth keeping
            return histogram(x, bins, extent)
    with Call(x=x) as call:
        call.waits("histogram without a range")
        given = call["x"].reshape(-1)
        element, count = value_type("x", given), check_count("bins", bins, least=1)
        low, high = _extent(call, given, element, key) if extent is None else extent
        found = call.operation(
            Histogram, 0, element, count, "of all", make=lambda _: Histogram.even(call.device, element, count, 0, 1)
        )  # fmt: skip
        edges = found.move(low, high)
        kind = _type_of_edges(element)
        places, there = call.result(len(edges), kind)
        send_numbers(there, edges)
        counts, into = call.numbers(count)
        found(given, into)
        return counts, places


def _type_of_edges(element: type[Value]) -> type[Value]:
    return f64 if element.isa.bits > 32 or not element.isa.is_float else f32


def bincount(x: Any, minlength: int = 0) -> Any:
    """How often each number occurs, as `numpy.bincount`: a count for each from 0 to the largest one, or to `minlength` - 1 where
    that is more. x has any shape, of u8, u16, u32 or s32 without numbers below 0; counts are u32 (s32 in PyTorch). It waits for
    the largest number. BuildError for arrays that it cannot have."""
    least = check_count("minlength", minlength)
    key, again, _ = launched_before(("bincount", least), (x,))
    if again is not None:
        return read_again(again, x)
    with Call(x=x) as call:
        call.waits("bincount")
        element = value_type("x", call["x"])
        bits, signed = element.isa.bits, element.isa.is_signed
        if element.isa.kind not in "us" or bits > 32 or (signed and bits < 32):
            raise BuildError(f"no bincount of .{element.isa.name}", hint="u8, u16, u32 or s32")
        given = call["x"].reshape(-1)
        if bits < 32:
            kind = u8 if bits == 8 else u16
            return _counted(call, given.view(kind), kind, max(1 << bits, least), least, key)
        number = call.operation(HostNumber, 1, make=lambda _: HostNumber(call.device))
        reduce = call.operation(Reduce, 0, u32, "max", make=partial(_reduction, call.device, u32, "max"))
        reduce(given.view(u32), number.array)
        read = partial(_upto_largest, number, signed, least, given.size)
        call.remember(key, read=read)
        return read(call)


def _upto_largest(number: HostNumber, signed: bool, least: int, n: int, results: Results) -> Any:
    """The counts of 32-bit integers, of which the largest is known when the device has found it; as unsigned ones, those below 0
    are the largest."""
    largest = number.read() if n else -1
    if signed and largest >> 31 == 1:
        raise BuildError("x has numbers below 0", hint="histogram(x, bins, range)")
    x, bins = results.like, max(largest + 1, least)
    key, again, _ = launched_before(("bincount of", bins), (x,))
    if again is not None:
        return read_again(again, x)
    with Call(x=x) as call:
        return _counted(call, call["x"].reshape(-1).view(u32), u32, bins, bins, key)


def _counted(call: Call, x: Array, kind: type[Value], bins: int, least: int, key: Any) -> Any:
    """The counts of so many numbers as a result: all that are not 0, and `least`."""
    found = call.operation(Histogram, bins, kind, make=lambda most: Histogram(call.device, kind, most))
    found(x)

    def read(results: Results) -> Any:
        used = least if least == bins else ceil_div(len(found.counts.bytes().rstrip(b"\0")), u32.isa.bytes)
        return results.copied_numbers(found.counts[: max(used, least)])

    call.remember(key, read=read)
    return read(call)


def _extent(call: Call, x: Array, element: type[Value], key: Any) -> tuple[Any, Any]:
    """(the smallest, the largest) element; NaNs are passed over. Of nothing (0, 1), of one number as numpy has it for a range.
    The launches that find them are kept by the key."""
    if not x.size:
        return 0, 1
    read = _Ends((_ends_by_counts if element.isa.bits <= 16 and element is not f16 else _ends)(call, x, element))
    call.remember(key, read=read)
    return read(call)


class _Ends:
    """Reads the ends of an array; `found` are those that it read last."""

    def __init__(self, read: Callable[[Results], tuple[Any, Any]]) -> None:
        self._read = read
        self.found: tuple[Any, Any] | None = None

    def __call__(self, results: Results) -> tuple[Any, Any]:
        found = self.found = self._read(results)
        return found


def _ends(call: Call, x: Array, element: type[Value]) -> Callable[[Results], tuple[Any, Any]]:
    """Both ends by two reductions, which are waited for once."""
    found = [
        call.operation(Reduce, 0, element, op, make=partial(_reduction, call.device, element, op))
        for op in ("min", "max")
    ]
    out = call.scratch(2, found[0].result)
    for place, each in enumerate(found):
        each(x, out[place : place + 1])

    def read(_: Results) -> tuple[Any, Any]:
        low, high = read_numbers(out)
        if low > high:  # nothing but NaNs
            return 0, 1
        return _outward(low, high) if element.isa.bits == 64 and not element.isa.is_float else (low, high)

    return read


def _outward(low: int, high: int) -> tuple[float, float]:
    """The f64 at or below one number, and at or above another: edges between which both lie."""
    down, up = float(low), float(high)
    return math.nextafter(down, -math.inf) if down > low else down, math.nextafter(up, math.inf) if up < high else up


def _reduction(device: Device, element: type[Value], op: str, _: int) -> Reduce:
    return Reduce(device, element, op=op)


def _ends_by_counts(call: Call, x: Array, element: type[Value]) -> Callable[[Results], tuple[Any, Any]]:
    """The ends of integers of 8 and 16 bits: which ones occur at all."""
    bits = element.isa.bits
    kind = u8 if bits == 8 else u16
    found = call.operation(Histogram, 0, kind, make=lambda _: Histogram(call.device, kind, 1 << bits))
    found(x.view(kind))

    def read(_: Results) -> tuple[Any, Any]:
        counts = memoryview(found.counts.bytes()).cast("I")
        here = [value for value, count in enumerate(counts) if count]
        if element.isa.is_signed:
            here = sorted(value - (1 << bits) if value >> bits - 1 else value for value in here)
        return here[0], here[-1]

    return read
