"""Special registers (manual chapter 10): name, type, first PTX version, first target.

The manual is that of PTX 9.4; what it does not have says so. Every row is certified: accepted at its type, version and target,
refused one version or target below, with another type, and as a destination.
"""

from __future__ import annotations

from ptxgen.isa.types import TYPES, ScalarType, accepts

__all__ = ["SPECIALS", "SpecialRegister", "is_special", "special"]


class SpecialRegister:
    """A read-only register.

    `since` is the PTX version and `target` the least sm number it needs. `narrow`: code of PTX 1 read it in 16 bits, and still
    may. `directive` names the directive without which a kernel may not read it ("" for none). `section` is the manual's.
    """

    __slots__ = ("directive", "name", "narrow", "purpose", "section", "since", "target", "type")

    def __init__(
        self,
        name: str,
        type: ScalarType,
        since: tuple[int, int],
        target: int,
        *,
        section: str = "",
        purpose: str = "",
        narrow: bool = False,
        directive: str = "",
    ) -> None:
        self.name: str = name
        self.type: ScalarType = type
        self.since: tuple[int, int] = since
        self.target: int = target
        self.section: str = section
        self.purpose: str = purpose
        self.narrow: bool = narrow
        self.directive: str = directive

    def reads_as(self, type: ScalarType, *, wider: bool = False) -> bool:
        """May mov (or, with `wider`, cvt) read it in an operand of that type?"""
        if type.is_float:
            return False
        if accepts(type, self.type, wider=wider):
            return True
        smaller = type.kind in "bus" and 16 <= type.bits < self.type.bits
        return self.narrow and smaller

    def __repr__(self) -> str:
        return f"<special register {self.name} .{self.type.name}>"


# name   type, or old forms of it beside   version target ; what it holds
# %x.*: a vector, read as %x.x, .y, .z and .w (0 or 1), or as .r, .g, .b and .a (manual 6.4.3). %x<n>: %x0 to %x(n-1).
_TABLE = """
10.1  %tid.*                       u32|16  1.0   10 ; the thread in its CTA
10.2  %ntid.*                      u32|16  1.0   10 ; threads of a CTA
10.3  %laneid                      u32     1.3   10 ; the lane in its warp, 0 to 31
10.4  %warpid                      u32     1.3   10 ; where the warp runs in its CTA, which may change
10.5  %nwarpid                     u32     2.0   20 ; most warps that a multiprocessor holds
10.6  %ctaid.*                     u32|16  1.0   10 ; the CTA in its grid
10.7  %nctaid.*                    u32|16  1.0   10 ; CTAs of the grid
10.8  %smid                        u32     1.3   10 ; the multiprocessor, which may change
10.9  %nsmid                       u32     2.0   20 ; most multiprocessors, whose numbers may have gaps
10.10 %gridid                      u64|16  1.0   10 ; the grid, one number a launch
10.11 %is_explicit_cluster         pred    7.8   90 ; was the kernel launched with clusters?
10.12 %clusterid.*                 u32     7.8   90 ; the cluster in its grid
10.13 %nclusterid.*                u32     7.8   90 ; clusters of the grid
10.14 %cluster_ctaid.*             u32     7.8   90 ; the CTA in its cluster
10.15 %cluster_nctaid.*            u32     7.8   90 ; CTAs of a cluster
10.16 %cluster_ctarank             u32     7.8   90 ; the CTA in its cluster, as one number
10.17 %cluster_nctarank            u32     7.8   90 ; CTAs of a cluster, as one number
10.18 %lanemask_eq                 u32     2.0   20 ; a mask of this lane
10.19 %lanemask_le                 u32     2.0   20 ; a mask of this lane and the lower ones
10.20 %lanemask_lt                 u32     2.0   20 ; a mask of the lower lanes
10.21 %lanemask_ge                 u32     2.0   20 ; a mask of this lane and the higher ones
10.22 %lanemask_gt                 u32     2.0   20 ; a mask of the higher lanes
10.23 %clock                       u32     1.0   10 ; the lower half of the cycle counter
10.23 %clock_hi                    u32     5.0   20 ; the upper half of the cycle counter
10.24 %clock64                     u64     2.0   20 ; the cycle counter
10.25 %pm<4>                       u32     1.3   10 ; a performance monitor
10.25 %pm<4-8>                     u32     3.0   20 ; a performance monitor
10.26 %pm<8>_64                    u64     4.0   50 ; a performance monitor
10.27 %envreg<32>                  b32     2.1   10 ; what the driver sets before the launch
10.28 %globaltimer                 u64     3.1   30 ; a timer in nanoseconds, for tools
10.28 %globaltimer_lo              u32     3.1   30 ; its lower half
10.28 %globaltimer_hi              u32     3.1   30 ; its upper half
10.29 %reserved_smem_offset_begin  b32     7.6   80 ; where the system's shared memory begins
10.29 %reserved_smem_offset_end    b32     7.6   80 ; where the system's shared memory ends
10.29 %reserved_smem_offset_cap    b32     7.6   80 ; bytes of the system's shared memory
10.29 %reserved_smem_offset_<2>    b32     7.6   80 ; an offset in the system's shared memory
10.30 %total_smem_size             u32     4.1   20 ; bytes of shared memory of a CTA, static and dynamic
10.31 %aggr_smem_size              u32     8.1   90 ; the same with the system's part
10.32 %dynamic_smem_size           u32     4.1   20 ; bytes of dynamic shared memory of a CTA
10.33 %current_graph_exec          u64     8.0   50 ; the graph that the kernel runs in, 0 for none
10.34 %perctamemoryoffset          u64     9.4   80 ; address of the CTA's slice of per-CTA global memory ; .minperctamemory
10.35 %perctamemorysize            u32     9.4   80 ; bytes of that slice ; .minperctamemory
-     %locality_domain_id          u32     9.5  100 ; the locality domain (half of the chip) that the CTA runs in
-     %locality_domain_supplemental_sm u32 9.5  100 ; does the CTA run on a multiprocessor beyond those of its locality domain?
"""


def _names(pattern: str) -> list[str]:
    """ "%tid.*" -> its components, "%pm<4-8>" -> %pm4 to %pm7, any other name -> itself."""
    if pattern.endswith(".*"):
        return [pattern[:-1] + axis for axis in "xyzwrgba"]
    stem, found, rest = pattern.partition("<")
    if not found:
        return [pattern]
    bounds, _, tail = rest.partition(">")
    first, _, last = bounds.rpartition("-")
    return [f"{stem}{index}{tail}" for index in range(int(first or 0), int(last))]


def _build() -> dict[str, SpecialRegister]:
    found: dict[str, SpecialRegister] = {}
    for line in _TABLE.split("\n"):
        if not line:
            continue
        head, purpose, *directive = (part.strip() for part in line.split(";"))
        section, pattern, types, version, target = head.split()
        type_name, _, narrow = types.partition("|")
        major, _, minor = version.partition(".")
        for name in _names(pattern):
            found[name] = SpecialRegister(
                name,
                TYPES[type_name],
                (int(major), int(minor)),
                int(target),
                section="" if section == "-" else section,
                purpose=purpose,
                narrow=bool(narrow),
                directive=directive[0][1:] if directive else "",
            )
    return found


SPECIALS: dict[str, SpecialRegister] = _build()
"""Every scalar special register by full name; `%tid` alone (a .v4) is not among them."""


def is_special(name: str) -> bool:
    """True for a special register's full name, such as "%tid.x" or "%laneid"."""
    return name in SPECIALS


def special(name: str) -> SpecialRegister | None:
    """The special register of that name; None when there is none."""
    return SPECIALS.get(name)
