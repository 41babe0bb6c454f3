"""Calls of functions that the driver defines, which a module only declares: vprintf, malloc, free, and __assertfail, which C++'s
assert() calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.flat import FlatAddress, Op
from ptxgen.cpu.unsupported import undefined
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.cpu.flat import FlatOperand
    from ptxgen.cpu.normalize.call_site import CallSite
    from ptxgen.cpu.normalize.writer import Writer

__all__ = ["SYSTEM", "call_system"]

SYSTEM = {"vprintf": (1, 2), "malloc": (1, 1), "free": (0, 1)}
"""How many results and arguments they have."""


def call_system(f: Writer, site: CallSite, name: str) -> None:
    """An operation of that name: lower/control.py has them. Raises UndefinedSymbolError where the driver has no such function."""
    i = site.instruction
    counts = (len(site.results), len(site.arguments))
    if name == "__assertfail" and site.arguments:
        f.emit(Op("assertfail", (_argument(f, site, 0),), i, site.guard, site.negated))
    elif counts != SYSTEM.get(name):
        raise undefined(f"a call of {name!r}, which this module only declares", i.source)
    elif not site.results:
        f.emit(Op(name, (_argument(f, site, 0),), i, site.guard, site.negated))
    else:
        result, type = site.results[0], TYPES["b32" if name == "vprintf" else "b64"]
        answer = f.reg("answer", type) if isinstance(result, FlatAddress) else result
        arguments = [_argument(f, site, n) for n in range(len(site.arguments))]
        f.emit(Op(name, (answer, *arguments), i, site.guard, site.negated))
        if answer is not result:
            f.emit(Op(f"st.param.{type.name}", (result, answer), i, site.guard, site.negated))


def _argument(f: Writer, site: CallSite, number: int) -> FlatOperand:
    """A 64-bit argument, which may lie in a .param variable."""
    given = site.arguments[number]
    if not isinstance(given, FlatAddress):
        return given
    value = f.reg("argument", TYPES["b64"])
    f.emit(Op("ld.param.b64", (value, given), site.instruction))
    return value
