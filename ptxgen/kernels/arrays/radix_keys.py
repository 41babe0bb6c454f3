"""Keys as unsigned integers in the order to sort by, their digits, and what one sort's work memory holds.

Order: Knuth's for signed integers; IEEE 754-2019 5.10 (totalOrder) for floats: -0.0 before 0.0, NaNs by their bits.

Work memory, in u32: the count of CTAs that have arrived; how many keys there are, and how many of them the last pass writes;
each pass's tickets; a route for each pass, which says from where to where it moves the keys; counts[pass, digit];
offsets[pass, digit]; two halves of states[tile, digit], which passes use in turn. What is before `offsets` is zero before a
sort, and all of it that must be is so again after the first kernel: no call clears it.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import u32
from ptxgen.errors import BuildError
from ptxgen.host.formats import numpy_name
from ptxgen.kernels.blocks.digits import BITS, DIGITS
from ptxgen.kernels.plan import ceil_div

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder import Builder
    from ptxgen.builder.values import Value

__all__ = [
    "LIMIT", "SIZE", "TICKETS", "WRITTEN", "Work", "check_size", "digit_of", "ordered_bits", "original", "passes_of",
    "random_keys", "reference_bits", "reference_order",
]  # fmt: skip

LIMIT = 1 << 30
"""Keys: a tile's state is a count in 30 bits and a status in two."""


def ordered_bits(k: Builder, key: Any, descending: bool) -> Any:
    """The key's bits as an unsigned integer in the order to sort by."""
    isa = type(key).isa
    unsigned = k.types[f"u{isa.bits}"]
    top = 1 << (isa.bits - 1)
    bits: Any = key.bits(unsigned) if type(key) is not unsigned else key
    if isa.is_float:
        bits = bits ^ (_sign(k, bits) | top)
    elif isa.is_signed:
        bits = bits ^ top
    return ~bits if descending else bits


def original(k: Builder, bits: Any, element: type[Value], descending: bool) -> Any:
    """The key of `ordered_bits`."""
    isa = element.isa
    top = 1 << (isa.bits - 1)
    if descending:
        bits = ~bits
    if isa.is_float:
        bits = bits ^ (~_sign(k, bits) | top)
    elif isa.is_signed:
        bits = bits ^ top
    return bits if type(bits) is element else bits.bits(element)


def _sign(k: Builder, bits: Any) -> Any:
    """All ones where the top bit is set, else 0."""
    unsigned = type(bits)
    return (bits.bits(k.types[f"s{unsigned.isa.bits}"]) >> (unsigned.isa.bits - 1)).bits(unsigned)


def digit_of(bits: Any, shift: u32 | int) -> u32:
    """The digit of ordered bits at a bit position."""
    if bits.isa.bits < 32:
        bits = bits.to(u32)
    found: u32 = (bits >> shift).to(u32) & (DIGITS - 1)
    return found


def passes_of(element: type[Value], bits: int | None = None) -> int:
    """Passes for keys of which only the lowest `bits` differ (default: all of them)."""
    return ceil_div(bits or element.isa.bits, BITS)


SIZE, WRITTEN, TICKETS = 1, 2, 3
"""Where in the work memory it says how many keys there are, how many the last pass writes, and where the tickets begin."""


class Work(NamedTuple):
    """Where in the work memory everything begins, for a sort of so many passes."""

    passes: int

    @property
    def routes(self) -> int:
        return TICKETS + self.passes

    @property
    def counts(self) -> int:
        return self.routes + self.passes

    @property
    def offsets(self) -> int:
        return self.counts + self.passes * DIGITS

    @property
    def cleared(self) -> int:
        """u32 that are zero before a sort: all before the offsets."""
        return self.offsets

    @property
    def states(self) -> int:
        return -(-(self.offsets + self.passes * DIGITS) // 4) * 4

    def size(self, tiles: int) -> int:
        """u32 in all."""
        return self.states + 2 * tiles * DIGITS


def check_size(n: int) -> None:
    """BuildError when there are too many keys."""
    if not 0 <= n < LIMIT:
        raise BuildError(f"a radix sort of {n} keys", hint=f"fewer than {LIMIT} (2^30) at a time")


def random_keys(rng: np.random.Generator, n: int, element: type[Value]) -> Any:
    """Any bits, half of which share their second byte: NaNs of both signs, infinities and -0.0 among floats."""
    import numpy as np

    unsigned = np.dtype(f"u{element.isa.bytes}")
    bits = rng.integers(0, 256, n * element.isa.bytes, dtype=np.uint8).view(unsigned)
    bits[::2] &= np.array(0xFFFF_FFFF_FFFF_00FF & (1 << element.isa.bits) - 1, unsigned)
    return bits.view(numpy_name(element.isa))


def reference_bits(keys: Any, element: type[Value], descending: bool) -> Any:
    """`ordered_bits` by numpy."""
    import numpy as np

    isa = element.isa
    bits = keys.view(f"u{isa.bytes}")
    top = bits.dtype.type(1 << (isa.bits - 1))
    if isa.is_float:
        bits = np.where(bits & top, ~bits, bits | top)
    elif isa.is_signed:
        bits = bits ^ top
    return ~bits if descending else bits


def reference_order(keys: Any, element: type[Value], descending: bool, low: int = 0, bits: int | None = None) -> Any:
    """The stable order of keys by some bits, from bit `low` on."""
    import numpy as np

    ordered = reference_bits(keys, element, descending) >> np.array(low, f"u{element.isa.bytes}")
    mask = (1 << (bits or element.isa.bits)) - 1
    return np.argsort(ordered & np.array(mask, ordered.dtype), kind="stable")
