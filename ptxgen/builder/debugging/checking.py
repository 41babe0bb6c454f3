"""`k.check`: a condition that holds in every thread, or the launch ends with an error that says where it did not.

The first thread in which a condition fails writes a record into page-locked memory of the host, whose address the host puts into
the module: what lies there outlives the context, which the trap that follows takes down. `ptxgen.host.checks` reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control.structured import only_where
from ptxgen.builder.core.guards import guarded
from ptxgen.builder.core.module_builder import text_variable
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.debugging.printing import place_values
from ptxgen.builder.values import arithmetic
from ptxgen.builder.values.scalars import u32, u64
from ptxgen.ir import Address, Immediate, Register, Symbol, Variable
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.debugging.formats import PrintedText
    from ptxgen.builder.values.scalars import pred

__all__ = ["check"]

_WHERE = tuple(f"%{name}.{axis}" for name in ("ctaid", "tid") for axis in "xyz")


def check(k: FunctionBuilder, condition: pred | bool, text: str = "", *values: Any) -> None:
    """The condition holds in every thread, or the launch ends: the next call that waits for it raises `px.CheckFailedError`,
    with the text and its values (see `k.print`), the CTA and the thread, and this line. Where several threads fail, it tells
    of one. As after every fault the context is lost. Where the condition holds, this is a test and a branch not taken.
    """
    from ptxgen.builder.debugging.formats import printed_text

    failure = printed_text(text, values)
    condition = plain(condition)
    if condition is True:
        return
    if condition is False:
        raise build_error(
            "PTX221", f"the condition of k.check is False while the kernel is built: {text}", hint="correct it"
        )
    holds = k.truth(condition)
    if k.guard is not None:
        raise build_error("PTX328", "k.check inside k.pred", hint="k.check(~a | b): b holds where a does")
    with only_where(k, arithmetic.inverse(holds)):
        _fail(k, failure)


def _fail(k: FunctionBuilder, failure: PrintedText) -> None:
    """The first thread of the grid writes the record; all that come here wait until it is there, and trap."""
    from ptxgen.host.checks import CHECKS, STATE, VALUES_AT  # takes the driver's binding with it

    number = _enter(k, failure.form)
    state = Address(Symbol(CHECKS), STATE)
    first = k.emit1(u32, "atom.global.cas.b32", state, Immediate(0), Immediate(1)) == 0
    record = k.emit1(u64, "ld.global.u64", Address(Symbol(CHECKS)))
    writes = k.truth(first & (record != 0))  # 0: the host that loaded the module reads no records
    place = k.use(record)
    assert isinstance(place, Register)
    where = [k.read_special(u32, name) for name in _WHERE]
    values = [make() for make in failure.values]
    with guarded(k, writes):
        place_values(k, where, "global", place, 4)
        place_values(k, values, "global", place, VALUES_AT)
        k.emit("membar.sys")
        k.emit("st.global.u32", Address(place), Immediate(number))
        k.emit("membar.sys")
    with guarded(k, k.truth(first)):
        k.emit("st.volatile.global.u32", state, Immediate(2))
    again = k.label("recorded")
    k.place(again)
    waits = k.emit1(u32, "ld.volatile.global.u32", state) == 1
    k.emit("bra", Symbol(again)).pred = k.truth(waits)
    k.emit("trap")


def _enter(k: FunctionBuilder, form: str) -> int:
    """A number for the check, from 1; its text and its function are in the module under that number."""
    from ptxgen.host.checks import CHECK, CHECKS

    module = k.module
    module.declare(Variable("global", TYPES["u64"], CHECKS, shape=(2,), align=8, linkage="weak"))  # one, where linked
    module.checks += 1
    module.declare(text_variable(f"{CHECK}{module.checks}", f"{form}\0{k.name}", k.callers.find()))
    return module.checks
