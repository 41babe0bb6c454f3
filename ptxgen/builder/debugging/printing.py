"""`k.print`: threads print a text. The call that C++'s printf() makes, of vprintf, which every driver defines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder.control.structured import only_where
from ptxgen.builder.core.module_builder import Callee
from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error
from ptxgen.builder.values.scalars import u32, u64
from ptxgen.ir import Address, Arguments, Function, Immediate, Symbol, Variable
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.builder.core.function_builder import FunctionBuilder
    from ptxgen.builder.values.scalars import Value, pred

__all__ = ["place_values", "print_"]

VPRINTF = "vprintf"
_VALUES = "_ptxgen_printed"
"""The local array in which a function's calls pass their values."""


def print_(k: FunctionBuilder, text: str, *values: Any, when: pred | bool | None = None) -> None:
    """Each thread, or with `when` each where that holds, prints a line: `text` with the values in its fields, and a newline.

    The fields are those of Python's format: `k.print("row {}: {:8.3f}", i, x[i], when=k.tid.x == 0)`. A float is shown to six
    digits where its field says nothing else, an integer's `{:x}` shows its bits, a predicate is 0 or 1, a pointer its address.
    Python's own values are put in while the kernel is built. At most 32 values of the device.
    """
    from ptxgen.builder.debugging.formats import printed_text  # its patterns take time, and few kernels print

    printed = printed_text(text, values)
    when = plain(when)
    if when is None or when is True:
        _call(k, printed.form, printed.values, uniform=k.guard is None and k.scope.parent is None)
    elif when is not False:
        if k.guard is not None:
            raise build_error(
                "PTX328", "k.print with when= inside k.pred", hint="k.pred(a & b), and k.print without when="
            )
        with only_where(k, k.truth(when)):
            _call(k, printed.form, printed.values, uniform=False)


def _call(k: FunctionBuilder, form: str, values: Sequence[Callable[[], Value]], *, uniform: bool) -> None:
    """A call of vprintf."""
    arguments: Any = Immediate(0)
    if values:
        used = place_values(k, [make() for make in values], "local", _buffer(k))
        _buffer(k, used)
        arguments = k.use(_generic(k, _VALUES, "local"))
    name = k.use(_generic(k, k.module.text(f"{form}\n"), "global"))
    _declare(k)
    results, passed = Arguments((k.register(u32.storage),)), Arguments((name, arguments))
    k.emit("call.uni" if uniform else "call", results, Symbol(VPRINTF), passed)


def place_values(k: FunctionBuilder, values: Sequence[Value], space: str, base: Any, offset: int = 0) -> int:
    """Store values, of 4 or 8 bytes, as vprintf reads them: each at a multiple of its size. Returns where they end."""
    for value in values:
        nbytes = value.isa.bytes
        offset = -(-offset // nbytes) * nbytes
        k.emit(f"st.{space}.{value.isa.name}", Address(base, offset), k.use(value))
        offset += nbytes
    return offset


def _buffer(k: FunctionBuilder, nbytes: int = 0) -> Symbol:
    """The function's array for values, which has so many bytes at least."""
    known = next((variable for variable in k.variables if variable.name == _VALUES), None)
    if known is None:
        known = Variable("local", TYPES["b8"], _VALUES, shape=(0,), align=8)
        k.variables.append(known)
    known.shape = (max(known.size, -(-nbytes // 8) * 8),)
    return Symbol(_VALUES)


def _generic(k: FunctionBuilder, name: str, space: str) -> u64:
    """The generic address of a variable."""
    place = k.emit1(u64, "mov.u64", Symbol(name))
    return k.emit1(u64, f"cvta.{space}.u64", k.use(place))


def _declare(k: FunctionBuilder) -> None:
    """`.extern .func (.param .b32 status) vprintf (.param .b64 format, .param .b64 arguments);`, once a module."""
    if VPRINTF in k.module.functions:
        return
    if k.module.unique(VPRINTF) != VPRINTF:
        raise build_error(
            "PTX302", f"{VPRINTF} is the function behind k.print, and a kernel of this name", hint="rename it"
        )
    parameters = (Variable("param", TYPES["b64"], "format"), Variable("param", TYPES["b64"], "arguments"))
    results = (Variable("param", TYPES["b32"], "status"),)
    declared = Function(VPRINTF, is_entry=False, parameters=parameters, results=results, linkage="extern")
    k.module.functions[VPRINTF] = Callee(declared, (0, 0))
