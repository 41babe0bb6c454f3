"""y = x / (1 - rate) where a random number says so, else 0, from templates/dropout.ptx.j2; the same call again gives the
gradient's.

Element i has word i % 4 of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011; Random123's philox4x32) at the counter of 128 bits
(i / 4, offset), the lower 64 bits first, and the key `seed`. It is dropped where the word is below rate * 2^32, rounded. So the
mask follows from (seed, offset, i) alone, whatever the kernel, its grid or the device; `words` gives the same words in numpy.

Floor: x read, y written. Ten rounds of two wide products for four elements: 20 instructions an element.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, f16, f32
from ptxgen.errors import BuildError
from ptxgen.kernels.cases import EXACT, Case, HostArray, Variant, normal, rounded
from ptxgen.kernels.plan import KernelPlan, common_alignment, grid_for, widest_vector
from ptxgen.kernels.templated import TemplateKernel

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["ELEMENTS", "VARIANTS", "dropout", "plan", "threshold", "words"]

THREADS = 256
UNROLL = 2
ELEMENTS: tuple[type[Value], ...] = (f32, bf16, f16)

_kernels: dict[Any, TemplateKernel] = {}


def words(n: int, seed: int, offset: int = 0, high: int = 0) -> np.ndarray[Any, Any]:
    """The first n words of Philox4x32-10, as u32; `high` is added to the upper half of the counter's first 64 bits."""
    import numpy as np

    low = np.uint64(0xFFFFFFFF)
    number = np.arange((n + 3) // 4, dtype=np.uint64)
    c = [
        number & low,
        (number >> np.uint64(32)) + np.uint64(high),
        np.full_like(number, offset & 0xFFFFFFFF),
        np.full_like(number, offset >> 32),
    ]
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        one, other = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            other >> np.uint64(32) ^ c[1] ^ np.uint64(k0), other & low,
            one >> np.uint64(32) ^ c[3] ^ np.uint64(k1), one & low,
        ]  # fmt: skip
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack(c, axis=1).reshape(-1)[:n].astype(np.uint32)


def threshold(rate: float) -> int:
    """Words below it are dropped. BuildError for a rate that is none."""
    if not 0 <= rate < 1:
        raise BuildError(f"a rate of {rate!r}", hint="0 or more, and less than 1")
    return min(round(rate * 2.0**32), 2**32 - 1)


def dropout(element: type[Value] = f32, vector: int = 1) -> TemplateKernel:
    """The kernel, the same object every time. BuildError for a type that there is not."""
    if element not in ELEMENTS:
        raise BuildError(f"dropout of .{element.isa.name}", hint="f32, bf16 or f16")
    if (element, vector) not in _kernels:
        given: dict[str, Any] = {"type": element.isa.name, "vector": vector, "unroll": UNROLL, "threads": THREADS}
        _kernels[element, vector] = TemplateKernel("dropout", "dropout.ptx.j2", **given)
    return _kernels[element, vector]


def plan(
    n: int,
    rate: float,
    seed: int,
    offset: int,
    x: Any,
    y: Any,
    *,
    element: type[Value] = f32,
    vector: int | None = None,
) -> KernelPlan:
    """y[:n] of x[:n]; y may be x."""
    if vector is None:
        wide = widest_vector(element.isa.bytes, common_alignment(x, y))
        vector = wide if wide >= 4 else 1
    launch = dropout(element, vector)
    arguments = (n, seed, offset, threshold(rate), 1 / (1 - rate), x, y)
    return KernelPlan(launch, grid_for(n, THREADS * UNROLL * vector), THREADS, arguments)


def _case(n: int, rng: np.random.Generator, *, element: type[Value], vector: int) -> Case:
    import numpy as np

    rate, seed, offset = 0.3, 0x1234_5678_9ABC_DEF0, 0xFEDC_BA98_0000_0007
    x = normal(rng, n, element)
    kept = words(n, seed, offset) >= threshold(rate)
    scaled = x.values.astype(np.float32) * np.float32(1 / (1 - rate))
    return Case(
        arrays={"x": x, "y": HostArray(np.full(n, 7, np.float32), element)},
        plan=lambda on: plan(n, rate, seed, offset, on["x"], on["y"], element=element, vector=vector),
        expected={"y": rounded(np.where(kept, scaled, 0), element)},
        tolerance=EXACT,
    )


def _variant(element: type[Value], vector: int) -> Variant:
    tile = THREADS * UNROLL * vector
    return Variant(
        "dropout",
        element.isa.name + (".scalar" if vector == 1 else ""),
        dropout(element, vector),
        partial(_case, element=element, vector=vector),
        sizes=(0, 1, 257, tile, tile + 19),
    )


VARIANTS = (_variant(f32, 4), _variant(bf16, 8), _variant(bf16, 1))
