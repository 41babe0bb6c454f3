"""Two ways to one place in memory: multimem addresses, and the non-coherent cache (manual 8.6, 9.7.9.14, 9.7.9.9).

Accesses to one location by different virtual addresses, or through another cache, are of different proxies. Which addresses are
aliases does not show in a program's text, so that a missing fence.proxy.alias is not looked for; what shows is the address
that is used in both ways.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.dataflow.values.alignment import access_size
from ptxgen.ir import Address
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.values.value_numbers import SymbolicAddress
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_multimem", "check_noncoherent"]

_ACCESSES = opcodes_with("load", "store", "atomic")
_STORES = opcodes_with("store", "atomic")


class _Use(NamedTuple):
    """An access to global or generic memory: `size` in bytes, 0 where it does not show."""

    position: int
    place: SymbolicAddress
    size: int = 0


def check_multimem(view: View) -> None:
    """Report multimem addresses that ld, st, atom or red use: only multimem instructions may (undefined otherwise)."""
    multicast = [use for use in _uses(view, view.at("multimem")) if use.place.terms]
    if not multicast:
        return
    reported: set[frozenset[int]] = set()
    plain = [p for p in view.body.memory if view.body.instructions[p].opcode in _ACCESSES]
    for use in _uses(view, plain):
        other = next((m for m in multicast if _same_pointer(use.place.terms, m.place.terms)), None)
        if other is not None and other.place.terms not in reported:
            reported.add(other.place.terms)
            view.body.report(
                "PTX564",
                f"{view.op(use.position)} uses a multimem address: it is that of {view.body.line_of(other.position)}",
                use.position,
                expected="the unicast address of the memory, and fence.proxy.alias between accesses by the one and by the other",
                hint="fence.proxy.alias;",
            )


def _same_pointer(one: frozenset[int], other: frozenset[int]) -> bool:
    """Are two addresses made from one pointer? An address of one term is that pointer; else all their terms must be the same."""
    return one == other or (bool(one & other) and 1 in (len(one), len(other)))


def check_noncoherent(view: View) -> None:
    """Report ld.global.nc of what the thread itself has stored before: that cache does not see stores of the same kernel."""
    loads = list(_uses(view, view.at("ld.nc")))
    stores = [p for p in view.body.memory if view.body.instructions[p].opcode in _STORES]
    written: dict[frozenset[int], list[_Use]] = {}
    for use in _uses(view, stores):
        written.setdefault(use.place.terms, []).append(use)
    for load in loads:
        for store in written.get(load.place.terms, ()):
            if (
                _overlap(load, store)
                and _lasts(view, load.place)
                and _comes_before(view, store.position, load.position)
            ):
                view.body.report(
                    "PTX565",
                    f"{view.op(load.position)} reads what this thread has stored: {view.body.line_of(store.position)}",
                    load.position,
                    expected="memory that nothing writes while the kernel runs; the cache of .nc is not coherent",
                    hint=view.op(load.position).replace(".nc", ""),
                )
                break


def _uses(view: View, positions: list[int]) -> Iterator[_Use]:
    """The accesses there whose memory may be global."""
    for position in positions:
        instruction, form = view.body.instructions[position], view.body.forms[position]
        if form is None or not {"shared", "shared::cta", "shared::cluster", "local", "param", "const"}.isdisjoint(
            instruction.op.split(".")
        ):
            continue
        address = next((operand for operand in instruction.operands if isinstance(operand, Address)), None)
        if address is not None:
            yield _Use(position, view.values.place(address, position), access_size(form))


def _overlap(one: _Use, other: _Use) -> bool:
    low, high = sorted((one, other), key=lambda use: use.place.offset)
    return high.place.offset < low.place.offset + max(low.size, 1)


def _lasts(view: View, place: SymbolicAddress) -> bool:
    """Is the address one value as long as the thread runs: no register in it is written twice?"""
    return all(key[0] != "reg" for key in view.values.leaves(place.terms))


def _comes_before(view: View, first: int, second: int) -> bool:
    """May control come from the one instruction to the other?"""
    flow = view.body.flow
    one, other = flow.block_at(first), flow.block_at(second)
    return (one is other and first < second) or view.reaches_from_end(one.index, other.index)
