"""Functions that an input declares with other results than the one that defines them has.

nvlink joins by names and does not compare: on a GPU, a caller of a function without a result reads what a register holds. Here an
adapter stands between: it calls the definition, drops a result that nobody wants, and leaves one that nobody gives as zeros.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.ir import Function, Variable

_MODULE = ".version 8.0\n.target sm_80\n.address_size 64"

__all__ = ["adapter", "needs_adapter"]


def needs_adapter(declared: Function, defined: Function) -> bool:
    """Do they take the same and give something else?"""
    if declared.is_entry or defined.is_entry or declared.body is not None:
        return False
    if any(each.space != "param" for f in (declared, defined) for each in (*f.parameters, *f.results)):
        return False
    given, taken = (_shapes(each.parameters) for each in (declared, defined))
    return given == taken and _shapes(declared.results) != _shapes(defined.results)


def adapter(declared: Function, defined: Function, name: str) -> Function:
    """A function of that name, as it is declared, that calls the definition. The same results go through."""
    from ptxgen.text.parser import parse

    results = ", ".join(_as_declared(each, f"result{n}") for n, each in enumerate(declared.results))
    parameters = ", ".join(_as_declared(each, f"parameter{n}") for n, each in enumerate(declared.parameters))
    given = [(f"given{n}", each) for n, each in enumerate(defined.parameters)]
    got = [(f"got{n}", each) for n, each in enumerate(defined.results)]
    lines = [f"{_as_declared(each, place)};" for place, each in (*given, *got)]
    for n, each in enumerate(defined.parameters):
        lines += _moves(f"parameter{n}", f"given{n}", each)
    into, of = ", ".join(place for place, _ in got), ", ".join(place for place, _ in given)
    lines.append(f"call.uni {f'({into}), ' if into else ''}{defined.name}{f', ({of})' if of else ''};")
    known = _shapes(defined.results)
    for n, each in enumerate(declared.results):
        lines += _moves(f"got{n}" if known[n : n + 1] == _shapes((each,)) else "", f"result{n}", each)
    head = f".func {f'({results}) ' if results else ''}{name}({parameters})"
    return parse(
        "\n".join([_MODULE, f".extern {_head(defined)};", head, "{", *lines, "ret;", "}"]), "adapter"
    ).function(name)


def _head(function: Function) -> str:
    results = ", ".join(_as_declared(each, f"r{n}") for n, each in enumerate(function.results))
    parameters = ", ".join(_as_declared(each, f"p{n}") for n, each in enumerate(function.parameters))
    return f".func {f'({results}) ' if results else ''}{function.name}({parameters})"


def _shapes(variables: tuple[Variable, ...]) -> list[tuple[int, int]]:
    """(bits of an element, bytes) of each."""
    return [(each.type.bits, each.size) for each in variables]


def _as_declared(variable: Variable, name: str) -> str:
    align = f".align {variable.align} " if variable.align else ""
    count = variable.size // (variable.type.bits // 8)
    size = f"[{count}]" if count > 1 else ""
    return f".param {align}.b{variable.type.bits} {name}{size}"


def _moves(source: str, target: str, variable: Variable) -> list[str]:
    """Statements that copy one parameter to another of its shape, or zeros without a source."""
    step = variable.type.bits // 8
    lines = [f"{{ .reg .b{max(step, 2) * 8} %v;"]
    for at in range(0, variable.size, step):
        lines.append(f"ld.param.b{step * 8} %v, [{source}+{at}];" if source else f"mov.b{max(step, 2) * 8} %v, 0;")
        lines.append(f"st.param.b{step * 8} [{target}+{at}], %v;")
    return [*lines, "}"]
