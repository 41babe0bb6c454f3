"""Special registers (manual chapter 10): name, type, first PTX version, first target."""

from __future__ import annotations

from ptxgen.isa.types import TYPES, ScalarType

__all__ = ["SPECIALS", "SpecialRegister", "is_special", "special"]


class SpecialRegister:
    """A read-only register: `since` is the PTX version and `target` the least sm number it needs."""

    __slots__ = ("name", "since", "target", "type")

    def __init__(self, name: str, type: ScalarType, since: tuple[int, int], target: int) -> None:
        self.name = name
        self.type = type
        self.since = since
        self.target = target

    def __repr__(self) -> str:
        return f"<special register {self.name} .{self.type.name}>"


# name                        type  version target; a name ending in .* is a vector with components x, y, z (w reads 0)
_TABLE = """
%tid.*                        u32   1.0   10
%ntid.*                       u32   1.0   10
%ctaid.*                      u32   1.0   10
%nctaid.*                     u32   1.0   10
%laneid                       u32   1.3   10
%warpid                       u32   1.3   10
%nwarpid                      u32   2.0   20
%smid                         u32   1.3   10
%nsmid                        u32   2.0   20
%gridid                       u64   1.0   10
%is_explicit_cluster          pred  7.8   90
%clusterid.*                  u32   7.8   90
%nclusterid.*                 u32   7.8   90
%cluster_ctaid.*              u32   7.8   90
%cluster_nctaid.*             u32   7.8   90
%cluster_ctarank              u32   7.8   90
%cluster_nctarank             u32   7.8   90
%lanemask_eq                  u32   2.0   20
%lanemask_le                  u32   2.0   20
%lanemask_lt                  u32   2.0   20
%lanemask_ge                  u32   2.0   20
%lanemask_gt                  u32   2.0   20
%clock                        u32   1.0   10
%clock_hi                     u32   5.0   20
%clock64                      u64   2.0   20
%globaltimer                  u64   3.1   30
%globaltimer_lo               u32   3.1   30
%globaltimer_hi               u32   3.1   30
%reserved_smem_offset_begin   b32   7.6   80
%reserved_smem_offset_end     b32   7.6   80
%reserved_smem_offset_cap     b32   7.6   80
%reserved_smem_offset_0       b32   7.6   80
%reserved_smem_offset_1       b32   7.6   80
%total_smem_size              u32   4.1   20
%aggr_smem_size               u32   8.1   90
%dynamic_smem_size            u32   4.1   20
%current_graph_exec           u64   8.0   50
"""


def _build() -> dict[str, SpecialRegister]:
    found: dict[str, SpecialRegister] = {}
    for line in _TABLE.split("\n"):
        if not line:
            continue
        name, type_name, version, target = line.split()
        major, _, minor = version.partition(".")
        names = [name[:-1] + axis for axis in "xyzw"] if name.endswith(".*") else [name]
        for each in names:
            found[each] = SpecialRegister(each, TYPES[type_name], (int(major), int(minor)), int(target))
    for index in range(32):
        found[f"%envreg{index}"] = SpecialRegister(f"%envreg{index}", TYPES["b32"], (2, 1), 10)
    for index in range(8):
        found[f"%pm{index}"] = SpecialRegister(f"%pm{index}", TYPES["u32"], (1, 3), 10)
        found[f"%pm{index}_64"] = SpecialRegister(f"%pm{index}_64", TYPES["u64"], (4, 0), 50)
    return found


SPECIALS: dict[str, SpecialRegister] = _build()
"""Every scalar special register by full name; `%tid` alone (a .v4) is not among them."""


def is_special(name: str) -> bool:
    """True for a special register's full name, such as "%tid.x" or "%laneid"."""
    return name in SPECIALS


def special(name: str) -> SpecialRegister | None:
    """The special register of that name; None when there is none."""
    return SPECIALS.get(name)
