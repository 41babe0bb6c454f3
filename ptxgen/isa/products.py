"""Devices behind the targets: one well-known product for each compute capability, and what it adds to its target's limits.

`Target` has the limits of an architecture; a `Product` has those that differ from chip to chip. The CPU device of a target is
that product: its occupancy, launch checks, special registers and device attributes all come from here.
"""

from __future__ import annotations

from driver_ctypes.primitives import cache
from driver_ctypes.typing import NamedTuple
from ptxgen.isa.targets import TARGETS, Target

__all__ = ["PLAIN", "PRODUCTS", "Product", "find_product"]


class Product(NamedTuple):
    """A device. `sm` is the number of its target; sizes are bytes, clocks kHz.

    `l2_persisting` is the largest part of the L2 cache that can be set aside for persisting accesses; `bus` the bits of the
    memory's bus; `f64_ratio` how many f32 instructions take the time of one of f64. `clusters` are the multiprocessors that
    clusters can use, where they were recorded: of 3 to 8 CTAs and of more, each by clusters that take up to two
    multiprocessors, and wider ones.
    """

    name: str
    sm: int
    multiprocessors: int
    l2: int
    l2_persisting: int
    clock: int
    memory_clock: int
    bus: int
    f64_ratio: int
    clusters: tuple[int, int, int, int] | None = None

    @property
    def target(self) -> Target:
        """The target with all that the device has: with its architecture's own features where there are some."""
        return TARGETS.get(f"sm_{self.sm}a") or TARGETS[f"sm_{self.sm}"]

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability: (9, 0)."""
        return divmod(self.sm, 10)

    @property
    def resident_ctas(self) -> int:
        """CTAs that the whole device holds at once, when they are small."""
        return self.multiprocessors * self.target.ctas_total

    def takes(self, target: Target) -> bool:
        """Does a driver compile programs for that target on this device? Plain ones up to the device's own, those of a family
        on its later members too, those of one architecture there alone (manual 11.1.2)."""
        return self.target.provides(target.number if target.suffix else target.sm, target.suffix)


# Data sheets, and what cuDeviceGetAttribute answers on them. The H200's row was recorded under driver 580. Parts of L2 for
# persisting accesses that nobody here has seen are the H200's five eighths.
# sm  SMs  L2 KiB  persisting  MHz   memory MHz  bus  f64  name
_TABLE = """
50    5    2048       0   1137   2700   128  32  GTX 750 Ti
60   56    4096       0   1480    715  4096   2  P100
70   80    6144       0   1530    877  4096   2  V100
75   40    4096       0   1590   5001   256  32  T4
80  108   40960   30720   1410   1593  5120   2  A100
86   84    6144    4224   1740   7251   384  64  A40
89  142   98304   67584   2520   9001   384  64  L40S
90  132   61440   38400   1980   3201  6016   2  H200
100 148  129536   80960   1965   3996  8192   2  B200
120 170   98304   61440   2407  14001   512  64  RTX 5090
"""
_H200_CLUSTERS = (124, 120, 116, 112)


def _build() -> dict[int, Product]:
    found = {}
    for line in _TABLE.strip().splitlines():
        *numbers, name = line.split(maxsplit=8)
        sm, multiprocessors, l2, persisting, clock, memory_clock, bus, f64_ratio = map(int, numbers)
        found[sm] = Product(
            name, sm, multiprocessors, l2 << 10, persisting << 10, 1000 * clock, 1000 * memory_clock, bus, f64_ratio,
            _H200_CLUSTERS if sm == 90 else None,
        )  # fmt: skip
    return found


PRODUCTS: dict[int, Product] = _build()
"""By the number of their targets."""

PLAIN = PRODUCTS[90]
"""What the CPU device is where nobody says anything else."""


@cache
def find_product(name: str) -> Product:
    """The product of a target: "sm_80", "sm_90a"; a suffix changes nothing. One whose architecture has no row is its family's
    product, or that of the family before, with limits of its own. Raises ValueError, naming all products, for what is no target.
    """
    architecture, _, digits = name.partition("_")
    digits = digits[:-1] if digits.endswith(("a", "f")) else digits
    sm = int(digits) if architecture in ("sm", "compute") and digits.isdecimal() else 0
    if not any(target.sm == sm for target in TARGETS.values()):
        known = ", ".join(f"{each.target.name} ({each.name})" for each in PRODUCTS.values())
        raise ValueError(f"no device {name!r}; known: {known}, and those of other targets")
    nearest = PRODUCTS[max(number for number in PRODUCTS if number <= sm)]
    return nearest if nearest.sm == sm else nearest._replace(sm=sm, name=f"sm_{sm}, like {nearest.name}", clusters=None)
