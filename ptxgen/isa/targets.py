"""Targets (manual 11.1.2), the PTX version that introduced each, and the limits of the hardware behind them.

Limits are those of the CUDA programming guide's table "Technical Specifications per Compute Capability".
"""

from __future__ import annotations

from driver_ctypes.primitives import cache

__all__ = [
    "ADDRESS_SIZE", "INDEPENDENT_THREADS", "LATEST", "OLDER", "TARGETS", "VERSIONS", "Target", "find_target", "parse_version",
    "similar_targets",
]  # fmt: skip

VERSIONS: tuple[tuple[int, int], ...] = (
    *((6, minor) for minor in range(6)), *((7, minor) for minor in range(9)),
    *((8, minor) for minor in range(9)), *((9, minor) for minor in range(6)),
)  # fmt: skip
"""PTX ISA versions that ptxgen writes: 6.0 (first with sync shuffles) and newer."""

LATEST = (9, 0)
"""The newest version that this table has been certified with."""

ADDRESS_SIZE = (2, 3)
"""The version that `.address_size` came with."""

INDEPENDENT_THREADS = 70
"""The first target whose threads of a warp run each for itself. PTX for older ones keeps them in step on newer GPUs too
(CUDA's Volta tuning guide, "Independent Thread Scheduling")."""


class Target:
    """A `.target`: `sm` is the number, `suffix` "" (baseline), "a" (this architecture only) or "f" (its family).

    `since` is the PTX version that introduced it. Sizes are bytes. `shared_optin` is the largest shared memory one CTA can
    ask for; above `shared_static` it must be dynamic. `shared_total`, `threads_total` and `ctas_total` are what a
    multiprocessor has room for.
    """

    __slots__ = ("ctas_total", "name", "shared_optin", "shared_total", "since", "sm", "suffix", "threads_total")
    max_threads = 1024
    max_block: tuple[int, int, int] = (1024, 1024, 64)
    max_grid: tuple[int, int, int] = (2**31 - 1, 65535, 65535)
    max_registers = 255
    max_predicates = 7
    registers_total = 64 * 1024
    max_barriers = 16
    warp = 32
    constant_bytes = 64 * 1024

    def __init__(
        self,
        sm: int,
        suffix: str,
        since: tuple[int, int],
        shared_optin: int,
        shared_total: int = 0,
        threads_total: int = 2048,
        ctas_total: int = 32,
    ) -> None:
        self.name: str = f"sm_{sm}{suffix}"
        self.sm: int = sm
        self.suffix: str = suffix
        self.since: tuple[int, int] = since
        self.shared_optin: int = shared_optin
        self.shared_total: int = shared_total or shared_optin
        self.threads_total: int = threads_total
        self.ctas_total: int = ctas_total

    @property
    def family(self) -> int:
        """The architecture family (manual 11.1.2): 10 for sm_100, sm_103 and sm_107, 12 for sm_120 and sm_121, ..."""
        return self.number // 10

    @property
    def renamed(self) -> str:
        """The name that PTX 9.0 gave it, "sm_110a" for sm_101a, by which assemblers of today know it; else ""."""
        return f"sm_{_RENAMED[self.sm]}{self.suffix}" if self.sm in _RENAMED else ""

    @property
    def number(self) -> int:
        """sm_101 was renamed to sm_110 by PTX 9.0: it has that one's features."""
        return _RENAMED.get(self.sm, self.sm)

    @property
    def shared_static(self) -> int:
        """Bytes of shared memory a kernel may declare: assemblers lift the 48 KiB only for `a` targets."""
        return self.shared_optin if self.suffix == "a" else 48 * 1024

    def parameter_bytes(self, version: tuple[int, int]) -> int:
        """Most bytes of kernel parameters (manual 5.1.6.1: raised by PTX 8.1 on sm_70 and newer)."""
        return 32764 if version >= (8, 1) and self.sm >= 70 else 4352

    @property
    def shared_reserved(self) -> int:
        """Bytes of shared memory that the system takes for each CTA."""
        return 1024 if self.sm >= 80 else 0

    @property
    def warps_total(self) -> int:
        """Warps that a multiprocessor has room for."""
        return self.threads_total // self.warp

    @property
    def max_cluster(self) -> int:
        """CTAs in a portable cluster; 0 where there are no clusters. Kernels may allow themselves up to `largest_cluster`."""
        return 8 if self.sm >= 90 else 0

    @property
    def largest_cluster(self) -> int:
        """CTAs in a cluster of a kernel that allows itself those that are not portable."""
        return 16 if self.sm >= 90 else 0

    def provides(self, sm: int, suffix: str = "") -> bool:
        """Does this target have what a row states as `sm_<sm><suffix>`?

        A baseline feature is on every newer target; an `a` feature only on that very target; an `f` feature on the family's
        targets of the same or a newer number that carry `a` or `f`.
        """
        if suffix == "":
            return self.sm >= sm
        if suffix == "a":
            return self.number == sm and self.suffix == "a"
        return self.family == sm // 10 and self.number >= sm and self.suffix in ("a", "f")

    def __repr__(self) -> str:
        return self.name


_RENAMED = {101: 110}
_KIB = 1024
# KiB of shared memory that one CTA may opt in to and that a multiprocessor has; threads and CTAs that a multiprocessor
# holds (from sm_75 on, what nvJitLink takes of .minnctapersm); then suffix:version.
# sm  CTA   SM  threads CTAs
_TABLE = """
50    48   64  2048  32  :4.0
52    48   96  2048  32  :4.1
53    48   64  2048  32  :4.2
60    48   64  2048  32  :5.0
61    48   96  2048  32  :5.0
62    48   64  2048  32  :5.0
70    96   96  2048  32  :6.0
72    96   96  2048  32  :6.1
75    64   64  1024  16  :6.3
80   163  164  2048  32  :7.0
86    99  100  1536  16  :7.1
87   163  164  1536  16  :7.4
88   163  164  1536  16  :9.0
89    99  100  1536  24  :7.8
90   227  228  2048  32  :7.8 a:8.0
100  227  228  2048  32  :8.6 a:8.6 f:8.8
101  227  228  1536  24  :8.6 a:8.6 f:8.8
103  227  228  2048  32  :8.8 a:8.8 f:8.8
107  227  228  1024  16  :9.4 a:9.4 f:9.4
110  227  228  1536  24  :9.0 a:9.0 f:9.0
120   99  100  1536  24  :8.7 a:8.7 f:8.8
121   99  100  1536  24  :8.8 a:8.8 f:8.8
"""


# Targets that assemblers of today do not know: programs for them are read, checked and run, and none are written.
_OLDER = """
10    16   16   768   8  :1.0
11    16   16   768   8  :1.0
12    16   16  1024   8  :1.2
13    16   16  1024   8  :1.2
20    48   48  1536   8  :2.0
21    48   48  1536   8  :2.0
30    48   48  2048  16  :3.0
32    48   48  2048  16  :4.0
35    48   48  2048  16  :3.1
37    48  112  2048  16  :4.1
"""


def parse_version(text: str) -> tuple[int, int]:
    """ "8.0" -> (8, 0); ValueError for anything else."""
    major, dot, minor = text.partition(".")
    if not dot or not major.isdigit() or not minor.isdigit():
        raise ValueError(f"a PTX version looks like '8.0', not {text!r}")
    return int(major), int(minor)


def _build(table: str) -> dict[str, Target]:
    found: dict[str, Target] = {}
    for line in table.split("\n"):
        if not line:
            continue
        sm, shared, total, threads, ctas, *suffixes = line.split()
        for entry in suffixes:
            suffix, _, version = entry.partition(":")
            sizes = (int(shared) * _KIB, int(total) * _KIB, int(threads), int(ctas))
            target = Target(int(sm), suffix, parse_version(version), *sizes)
            found[target.name] = target
    return found


TARGETS: dict[str, Target] = _build(_TABLE)
"""Every target by name that ptxgen writes programs for, oldest first."""

OLDER: dict[str, Target] = _build(_OLDER)
"""The targets before them."""


@cache
def find_target(name: str) -> Target:
    """The target of that name (`compute_90a` is a synonym for `sm_90a`); ValueError, naming similar ones, when unknown."""
    spelt = name.replace("compute_", "sm_")
    target = TARGETS.get(spelt) or OLDER.get(spelt)
    if target is None:
        similar = similar_targets(name)
        raise ValueError(f"no target {name!r}; {'similar' if similar else 'known'}: {', '.join(similar or TARGETS)}")
    return target


def similar_targets(name: str, count: int = 3) -> list[str]:
    """The targets whose number is nearest to that of an unknown one, those of its family first; [] for a name without one."""
    import re

    meant = re.fullmatch(r"(?:sm|compute)?[_-]?(\d{2,3})([a-z]?)", name.lower())
    if meant is None:
        return []
    number, suffix = int(meant[1]), meant[2]
    return [
        target.name
        for target in sorted(
            TARGETS.values(),
            key=lambda t: (t.sm // 10 != number // 10, abs(t.sm - number), t.suffix != suffix, t.suffix),
        )
    ][:count]
