"""Can a variable be declared so: its type in its state space, its sizes, its alignment, its initial value (manual 5.1, 5.4)?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxgen.ir import Immediate, Masked

if TYPE_CHECKING:
    from ptxgen.ir import Function, Initializer, RegisterDeclaration, Variable
    from ptxgen.isa.types import ScalarType
    from ptxgen.verifier.program.checked_body import CheckedBody
    from ptxgen.verifier.program.context import VerifierContext

__all__ = ["check_name", "check_variable", "check_variables"]

_NAME = re.compile(r"[A-Za-z%$_][\w$]+|[A-Za-z]", re.ASCII)
"""A name (manual 4.4): programs that were made and not parsed may have others."""

_VECTOR_BYTES = 16
"""The largest vector (manual 5.4.2)."""
_PARAMETER_ALIGNMENT = 128
"""The largest alignment with which something is passed to a function (manual 5.1.6)."""
_ADDRESSES = ("u32", "u64")
"""Types of variables that an address initialises."""


def check_name(context: VerifierContext, named: Function | Variable) -> None:
    """Report a name that PTX cannot have."""
    if not _NAME.fullmatch(named.name):
        context.report(
            "PTX315",
            f"{named.name!r} is no name in PTX",
            named.source,
            expected="ASCII letters, digits, _ and $, no digit first",
        )


def check_variables(context: VerifierContext, function: Function, body: CheckedBody | None) -> None:
    """The parameters, results and own variables of a function. `body` is None for a declaration."""
    for parameter in function.parameters:
        last = parameter is function.parameters[-1]
        _check(context, parameter, unsized=last and not function.is_entry, passed=not function.is_entry)
    for result in function.results:
        _check(context, result, passed=True)
    if body is None:
        return
    for variable in body.variables:
        _check(context, variable, passed=variable.space == "param")
    for declaration in body.vectors:
        _check_registers(context, declaration)
    for prototype in body.prototypes:
        for result in prototype.results:
            _check(context, result, passed=True)
        for parameter in prototype.parameters:
            _check(context, parameter, unsized=parameter is prototype.parameters[-1], passed=True)


def check_variable(context: VerifierContext, variable: Variable) -> None:
    """A variable of the module. Before PTX 3.0 a kernel that calls nothing might use one in .local."""
    if variable.space == "local" and context.module.version >= (3, 0):
        context.report(
            "PTX106",
            f".local {variable.name} stands outside of functions, where calls have no stack",
            variable.source,
            expected=".local variables in the body of the function that uses them",
        )
    _check(context, variable, unsized=variable.linkage == "extern")


def _check(context: VerifierContext, variable: Variable, *, unsized: bool = False, passed: bool = False) -> None:
    if variable.name != "_":  # of a prototype
        check_name(context, variable)
    _check_type(context, variable)
    shape = variable.shape
    if not all(shape) and ((not unsized and not variable.init) or not all(shape[1:])):
        context.report(
            "PTX109",
            f"the array {variable.name} has no size",
            variable.source,
            expected="a size; .extern variables, lists of initial values, and a function's last parameter need none",
            hint=f"{variable.name}[N]",
        )
    align = variable.align
    if align is not None and (align < 1 or align & (align - 1)):
        context.report("PTX425", f".align {align} of {variable.name} is not a power of two", variable.source)
    elif passed and align is not None and align > _PARAMETER_ALIGNMENT:
        context.report(
            "PTX425",
            f".align {align} of {variable.name}, which belongs to a call",
            variable.source,
            expected=f"{_PARAMETER_ALIGNMENT} or less",
        )
    if variable.init is not None:
        _check_init(context, variable)


def _check_type(context: VerifierContext, variable: Variable) -> None:
    type_, vector = variable.type, variable.vector
    message, expected = "", ""
    if variable.space == "reg":
        if vector > 1 and type_.bytes * vector > _VECTOR_BYTES:
            message = f".v{vector} .{type_.name} {variable.name} has {type_.bytes * vector} bytes"
            expected = f"vectors of {_VECTOR_BYTES} bytes at the most"
    elif type_.kind == "p":
        message, expected = f".{variable.space} {variable.name} is a predicate", ".reg .pred, or an integer in memory"
    elif vector > 1 and type_.bytes * vector > _VECTOR_BYTES:
        message = f".v{vector} .{type_.name} {variable.name} has {type_.bytes * vector} bytes"
        expected = f"vectors of {_VECTOR_BYTES} bytes at the most"
    elif variable.space == "param" and (vector > 1 or type_.lanes > 1):
        message = f".param {variable.name} is a vector"
        expected = "a scalar, or an array of bytes with the alignment of the vector"
    if message:
        context.report("PTX107", message, variable.source, expected=expected)


def _check_registers(context: VerifierContext, declaration: RegisterDeclaration) -> None:
    """Registers that are vectors (manual 5.4.2)."""
    type_, vector, names = declaration.type, declaration.vector, ", ".join(declaration.names)
    message, expected = "", ""
    if type_.kind == "p":
        message, expected = (
            f".v{vector} .{type_.name} {names} is a vector of predicates",
            f".reg .{type_.name}, one by one",
        )
    elif vector not in (2, 4):
        message, expected = f".v{vector} .{type_.name} {names}", "vectors of 2 or 4 elements"
    elif type_.bytes * vector > _VECTOR_BYTES:
        message = f".v{vector} .{type_.name} {names} has {type_.bytes * vector} bytes"
        expected = f"vectors of {_VECTOR_BYTES} bytes at the most"
    if message:
        context.report("PTX107", message, declaration.source, expected=expected)


# -- initial values ------------------------------------------------------------------------------------------------


def _check_init(context: VerifierContext, variable: Variable) -> None:
    if variable.type.kind == "o":  # samplers have fields of their own (manual 5.3)
        return
    problem = ""
    if variable.space not in ("global", "const"):
        problem = f"a .{variable.space} variable has no initial value"
    elif variable.linkage == "extern":
        problem = "an .extern variable is initialised where it is defined"
    elif variable.type.name == "f16":
        problem = "a .f16 has no initial value; a .b16 does"
    elif variable.init is not None:
        lanes = (variable.vector,) if variable.vector > 1 else ()
        problem = _misfit(variable.init, (*variable.shape, *lanes), variable.type, exact=bool(lanes))
    if problem:
        context.report("PTX110", f"{variable.name}: {problem}", variable.source)


def _misfit(value: Initializer, shape: tuple[int | None, ...], type_: ScalarType, *, exact: bool) -> str:
    """What is wrong with an initial value, "" for nothing. `exact`: the last dimension is a vector's."""
    if not shape:
        return _wrong_value(value, type_)
    if not isinstance(value, tuple):
        return "an array or a vector is initialised by a list in { }"
    extent, *rest = shape
    if (extent and len(value) > extent) or (exact and not rest and len(value) != extent):
        return f"{len(value)} initial values for {extent} elements"
    return next(filter(None, (_misfit(each, tuple(rest), type_, exact=exact) for each in value)), "")


def _wrong_value(value: Initializer, type_: ScalarType) -> str:
    if isinstance(value, tuple):
        return "a list in { } for a single value"
    if isinstance(value, Immediate):
        if type_.kind == "b" or (value.kind == "int") is not type_.is_float:
            return ""
        return f"{'an integer' if value.kind == 'int' else 'a float'} for a .{type_.name}"
    if type_.name in _ADDRESSES or (isinstance(value, Masked) and type_.name == "u8"):
        return ""
    if isinstance(value, Masked):
        return f"a byte of an address for a .{type_.name}; .u8 takes one"
    return f"an address for a .{type_.name}; .u64 takes one"
