"""counts[v] += how often v occurs among n values; values of `bins` or more are not counted.

Shapes: x[n] of u8, u16 or u32, counts[bins] of u32. As many bins as fit into shared memory (227 KiB on an H200: 58,112). The
kernel adds to what `counts` holds, so a histogram begins with zeros; sums of integers make the result independent of all order.

Floor: every value is read once; 2^28 u8 are 0.27 GB, 0.062 ms at an H200's 4.3 TB/s; but each value is also an atomic
addition to shared memory, and 132 SMs that do at most 32 words a clock (at 1.98 GHz) need 0.032 ms for them when nothing
collides. Lanes of a warp that use one bank wait for each other; so each bin has `copies` counters, in neighbouring banks, and a
lane uses the one of its own number: with 32 copies no two lanes ever meet, whatever the data. With fewer, lanes that add 1 to one
counter are added up by the hardware (ATOMS.POPC.INC, which ptxas makes of an addition of the constant 1: of 2^27 equal u16 in
16,384 bins an H100 counts 5 times as many a second as with an addend that it does not know). A CTA adds its bins to the result
once, at its end.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, kernel, ptr, u8, u16, u32, u64
from ptxgen.builder.values import Integer
from ptxgen.host.arrays import Array
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.blocks.tiles import as_vectors, load, tail, vector_tiles
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, integers
from ptxgen.kernels.choices import choice
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, using
from ptxgen.kernels.space import Space
from ptxgen.kernels.tunable import Trial, Tunable

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    from ptxgen.host import Device
    from ptxgen.kernels.space import Config
    from ptxgen.kernels.tunable import Prepared

__all__ = ["KERNEL", "SPACE", "TUNABLES", "VARIANTS", "plan"]

E = TypeVar("E", bound=Integer)

THREADS = 1024
UNROLL = 4
CTAS = 264
"""Two CTAs on each of an H200's 132 SMs: more would only flush more bins. On other devices a matter of speed alone."""
ROOM = 64 << 10
"""Bytes of copies of the bins: a lane has one of its own where they fit, or shares it with few others."""


@kernel(max_threads=THREADS)
def histogram(
    k: Builder, n: u64, bins: u32, x: ptr[E], counts: ptr[u32], *, element: type[E], copies: int = 1, words: int = 1
) -> None:
    """`words` 32-bit words of values an access, x aligned to them; 0: a value an access. Dynamic shared memory:
    `shared_bytes(bins, element, copies)`."""
    kept = 1 << element.isa.bits if element is u8 else bins  # every u8 has a counter, so that none need be compared
    mine = k.dynamic_shared(u32).pointer
    for i in k.range(k.tid.x, kept * copies, k.ntid.x):
        mine[i] = 0
    k.barrier()

    own = mine.at(k.lane % copies)
    per_word, mask = 4 // element.isa.bytes, (1 << element.isa.bits) - 1

    def count(value: u32) -> None:
        if element is u8:
            k.reduce_add(own, value * copies, 1)
        else:
            with k.pred(value < bins):
                k.reduce_add(own, value * copies, 1)

    rest: Iterable[u64]
    if words:
        tile = THREADS * UNROLL * words * per_word
        for first in vector_tiles(k, n, tile, THREADS * UNROLL):
            place = as_vectors(x.cast(u32), words).at(first)
            loaded = [word for j in range(UNROLL) for word in load(place, j * THREADS)]
            for word in loaded:
                for part in range(per_word):
                    count(word if per_word == 1 else (word >> element.isa.bits * part) & mask)
        rest = tail(k, n, tile)
    else:
        rest = k.range(k.global_id.x.to(u64), n, k.grid_size.x.to(u64))
    for i in rest:
        count(x[i].to(u32))
    k.barrier()

    # Neighbouring lanes begin with copies in different banks.
    first_copy = k.lane // (WARP // copies)
    for b in k.range(k.tid.x, bins, k.ntid.x):
        total = k.var(u32, 0)
        for c in range(copies):
            total += mine[b * copies + (first_copy + c) % copies]
        with k.if_(total != 0):
            k.reduce_add(counts, b, total)


KERNEL = histogram


def plan(
    n: int,
    bins: int,
    x: Any,
    counts: Any,
    *,
    element: type[Integer],
    copies: int | None = None,
    words: int | None = None,
) -> KernelPlan:
    """counts[v] += occurrences of v in x[:n], of u8, u16 or u32. Copies of the bins as tuned, else up to 8 in 16 KiB; words as
    x is aligned. Bins that no u8 falls into stay as they are: a CTA has no counters for them.

    Over 48 KiB of bins, the launch asks for what the device allows at most; it refuses more than that.
    """
    if element is u8:
        bins = min(bins, 1 << u8.isa.bits)
    if words is None:
        words = min(16, common_alignment(x)) // 4
    if copies is None:
        copies = _tuned(n, bins, x, element, words) or _by_size(bins, element)
    launch = using(histogram, element=element, copies=copies, words=words)
    tile = THREADS * UNROLL * max(1, words * 4 // element.isa.bytes)
    return KernelPlan(
        launch, grid_for(n, tile, CTAS), THREADS, (n, bins, x, counts), shared=shared_bytes(bins, element, copies)
    )


def shared_bytes(bins: int, element: type[Integer], copies: int) -> int:
    """Dynamic shared memory of a CTA."""
    return 4 * copies * (1 << u8.isa.bits if element is u8 else bins)


def _by_size(bins: int, element: type[Integer]) -> int:
    """As many copies, up to one for each lane, as leave room for CTAS on their SMs."""
    copies = WARP
    while copies > 1 and shared_bytes(bins, element, copies) > ROOM:
        copies //= 2
    return copies


# Tuning

SPACE = Space(
    copies=(1, 2, 4, 8, 16, 32), where=lambda copies, shape, target: 4 * shape[1] * copies <= target.shared_optin
)
"""Sums of integers: every number of copies gives the same counts."""


def _tuned(n: int, bins: int, x: Any, element: type[Integer], words: int) -> int | None:
    if not isinstance(x, Array):
        return None
    found = choice(histogram, SPACE, (n, bins), x.device, element=element, words=words)
    return int(found.config["copies"]) if found is not None else None


def _make(element: type[Integer], words: int, device: Device, shape: Any) -> Prepared:
    import numpy as np

    n, bins = shape
    drawn = np.random.default_rng(0).integers(0, bins, n, dtype=numpy_name(element.isa))
    expected = np.bincount(drawn, minlength=bins)
    x, counts = device.array(drawn), device.zeros(bins, u32)

    def prepared(config: Config) -> Trial:
        counts.fill(0)
        launch = plan(n, bins, x, counts, element=element, words=words, **config).bind(device)
        return Trial(launch, lambda: np.array_equal(counts.numpy(), expected))

    return prepared


def _tunable(element: type[Integer], bins: int) -> Tunable:
    return Tunable(
        using(histogram, element=element, words=4),
        SPACE,
        partial(_make, element, 4),
        shapes=tuple((1 << log, bins) for log in (20, 24, 28)),
        small=((5000, bins),),
        build=lambda config: using(histogram, element=element, words=4, **config),
        shared=lambda copies, shape: 4 * shape[1] * copies,
    )


TUNABLES = (_tunable(u8, 256), _tunable(u16, 1024), _tunable(u32, 4096))


def _case(
    size: tuple[int, int], rng: np.random.Generator, *, element: type[Integer], copies: int, words: int, skewed: bool
) -> Case:
    """Values a little past the bins, so that some are left out; skewed: half of them one value."""
    import numpy as np

    n, bins = size
    x = integers(rng, n, element, 0, min(bins + 3, (1 << element.isa.bits) - 1))
    if skewed:
        x.values[: n // 2] = bins // 2
    before = integers(rng, bins, u32, 0, 100)
    found = np.bincount(x.values, minlength=bins)[:bins].astype(np.uint32)
    return Case(
        arrays={"x": x, "counts": HostArray(before.values, u32)},
        plan=lambda on: plan(n, bins, on["x"], on["counts"], element=element, copies=copies, words=words),
        expected={"counts": before.values + found},
        tolerance=EXACT,
    )


def _variant(name: str, element: type[Integer], copies: int, words: int, bins: int, *, skewed: bool = False) -> Variant:
    tile = THREADS * UNROLL * max(1, words * 4 // element.isa.bytes)
    chosen: dict[str, Any] = {"element": element, "copies": copies, "words": words}
    return Variant(
        "histogram",
        name,
        using(histogram, **chosen),
        partial(_case, **chosen, skewed=skewed),
        sizes=((0, bins), (1, bins), (tile - 1, 1), (tile + 5, bins), (3 * tile + 77, bins)),
    )


VARIANTS = (
    _variant("u8", u8, 32, 4, 256, skewed=True),
    _variant("u8.words-1", u8, 8, 1, 256),
    _variant("u16.words-0", u16, 4, 0, 1000),
    _variant("u16", u16, 4, 4, 1000),
    _variant("u32", u32, 1, 4, 4096),
    _variant("u32.copies-4", u32, 4, 4, 1000, skewed=True),
)
