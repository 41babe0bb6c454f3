"""Warp specialisation: warpgroups with different work and different numbers of registers."""

from __future__ import annotations

from contextlib import contextmanager

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder.control import structured
from ptxgen.builder.core.source import build_error
from ptxgen.builder.tiles.barriers import start_barriers
from ptxgen.builder.values.scalars import u32
from ptxgen.ir import Directive, Immediate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.tiles.clusters import TileCluster

__all__ = ["Role", "roles"]

WARPGROUP = 128
"""Threads of a warpgroup (manual 9.7.15.1)."""

_REGISTERS = 65536
"""Registers of a multiprocessor (CUDA guide, compute capabilities)."""


class Role(NamedTuple):
    """`warpgroups` warpgroups that have `registers` registers a thread (24 to 256, in eights; None: as many as all)."""

    warpgroups: int
    registers: int | None = None


@structured.in_with("roles")
def roles(
    k: FunctionBuilder, /, *, cluster: TileCluster | None = None, **shares: Any
) -> Iterator[tuple[AbstractContextManager[u32], ...]]:
    """`with k.roles(producer=(1, 40), consumer=(2, 232)) as (producer, consumer):`, each then the `with` of its own body.

    A role is (warpgroups, registers a thread), in the order of the warps; its body gets the number of the thread's warpgroup in
    it, the same in every lane. Barriers declared so far are made ready first (`k.start_barriers`). The CTA has exactly these
    threads. BuildError where the registers are more than a multiprocessor has.
    """
    parts = {name: Role(*share) if isinstance(share, tuple) else Role(share) for name, share in shares.items()}
    total = sum(part.warpgroups for part in parts.values())
    _check(parts, total)
    k.directives.append(Directive("reqntid", (total * WARPGROUP, 1, 1)))
    if k.unstarted:
        start_barriers(k, cluster=cluster is not None and cluster.size > 1)
    thread = k.read_special(u32, "%tid.x")
    group = k.emit1(u32, "shfl.sync.idx.b32", k.use(thread // WARPGROUP), Immediate(0), Immediate(31), Immediate(-1))
    # What all lanes agree on can be kept in a uniform register.
    bodies = []
    first = 0
    opened: list[str] = []
    share = _REGISTERS // (total * WARPGROUP) // 8 * 8
    for name, part in parts.items():
        bodies.append(_body(k, name, part, group, first, total, opened, share))
        first += part.warpgroups
    yield tuple(bodies)
    if opened != list(parts):
        missing = next(name for name in parts if name not in opened)
        raise build_error(
            "PTX327", f"the role {missing!r} has no body", hint=f"with {missing}: ..., in the order of k.roles"
        )


@contextmanager
def _body(
    k: FunctionBuilder, name: str, part: Role, group: u32, first: int, total: int, opened: list[str], share: int
) -> Iterator[u32]:
    opened.append(name)
    last = first + part.warpgroups
    if part.warpgroups == 1:
        mine = group == first
    elif first == 0:
        mine = group < last
    elif last == total:
        mine = group >= first
    else:
        mine = (group >= first) & (group < last)
    with structured.if_(k, mine):
        if part.registers is not None:
            moved = "inc" if part.registers > share else "dec"
            k.emit(f"setmaxnreg.{moved}.sync.aligned.u32", Immediate(part.registers))
        yield group - first if first else group


def _check(parts: dict[str, Role], total: int) -> None:
    for name, part in parts.items():
        fits = part.registers is None or (24 <= part.registers <= 256 and part.registers % 8 == 0)
        if part.warpgroups < 1 or not fits:
            raise build_error(
                "PTX221", f"the role {name}={tuple(part)}", expected="(warpgroups, registers: 24 to 256 in eights)"
            )
    stated = [part for part in parts.values() if part.registers is not None]
    wanted = sum(part.warpgroups * WARPGROUP * (part.registers or 0) for part in stated)
    if not parts or total * WARPGROUP > 1024 or wanted > _REGISTERS:
        raise build_error(
            "PTX221",
            f"roles of {total * WARPGROUP} threads and {wanted} registers",
            expected=f"at most 1024 threads and {_REGISTERS} registers",
        )
