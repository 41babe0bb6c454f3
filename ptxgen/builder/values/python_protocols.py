"""Python's protocols (operators, truth, float, numpy's functions) on a device value: errors that say what to write instead.

Python and numpy want the number, which is known only on the device."""

from __future__ import annotations

import operator
import re
from collections.abc import Sized
from typing import TYPE_CHECKING, Any, NoReturn

from ptxgen.builder.core.numbers import plain
from ptxgen.builder.core.source import build_error, caller
from ptxgen.errors import OperatorError
from ptxgen.ir import resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.builder.core.function_builder import TypedOperand
    from ptxgen.errors import BuildError
    from ptxgen.ir import PythonSource

__all__ = ["no_lane_wise", "numpy_function", "python_float", "refuse_operators", "truth"]

_OPERATORS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "less": operator.lt, "less_equal": operator.le,
    "greater": operator.gt, "greater_equal": operator.ge, "equal": operator.eq, "not_equal": operator.ne,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
    "left_shift": operator.lshift, "right_shift": operator.rshift,
}  # fmt: skip
_OF_NUMPY = {
    "maximum": "max",
    "minimum": "min",
    "fmax": "max",
    "fmin": "min",
    "absolute": "abs",
    "fabs": "abs",
    "rint": "round",
}
_CALLED = re.compile(r"(?<![\w.])(?:math\.|np\.|numpy\.)?([a-z]\w*)\(")


_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "divmod": "divmod", "pow": "**",
    "matmul": "@", "lshift": "<<", "rshift": ">>", "and": "&", "or": "|", "xor": "^", "eq": "==", "ne": "!=", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=", "neg": "-", "pos": "+", "invert": "~", "abs": "abs", "round": "round",
    "trunc": "math.trunc", "floor": "math.floor", "ceil": "math.ceil",
}  # fmt: skip
"""Python's operators, by the names of their methods."""
_ONE = frozenset({"neg", "pos", "invert", "abs", "round", "trunc", "floor", "ceil"})
_COMPARED = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})


def refuse_operators(root: type[Any]) -> None:
    """Every operator that a value does not have is an OperatorError that says what to write, not Python's TypeError."""
    for name in _SYMBOLS:
        for method in (name,) if name in _ONE or name in _COMPARED else (name, f"r{name}"):
            if f"__{method}__" not in root.__dict__:
                setattr(root, f"__{method}__", _refusal(name, swapped=method != name))


def _refusal(name: str, swapped: bool) -> Callable[..., NoReturn]:
    def refuse(value: TypedOperand, *others: object) -> NoReturn:
        symbol = _SYMBOLS[name]
        kinds = [_described(each) for each in ((*others, value) if swapped else (value, *others))]
        raise build_error(
            "PTX220",
            f"{symbol} of {' and '.join(kinds)}",
            hint=_instead(name, value, swapped),
            kind=OperatorError,
        )

    refuse.__name__ = refuse.__qualname__ = f"__{'r' * swapped}{name}__"
    return refuse


def _described(operand: Any) -> str:
    isa = getattr(operand, "isa", None)
    if isa is None:
        return type(operand).__name__
    return type(operand).__name__ if hasattr(type(operand), "element") else f".{isa.name}"


def _is_vector(value: Any) -> bool:
    return hasattr(type(value), "lanes")


_LANES = "v.map(k.exp), v.map(function, w), or one lane at a time: v[0]"


def _of_lanes(name: str) -> str:
    """What to write where vectors lack an operator."""
    if name not in _COMPARED:
        return _LANES
    symbol = _SYMBOLS[name]
    places = resolve(caller())
    found = (
        next((each for each in _CALLED.findall(places[0].excerpt()) if each in ("max", "min")), "") if places else ""
    )
    return f"k.{found}(v, w), lane by lane" if found else f"lane by lane: (v[0] {symbol} w[0]) & (v[1] {symbol} w[1])"


def no_lane_wise(value: Any, name: str | None, asked_here: bool, source: PythonSource | None) -> BuildError:
    """A vector has no attribute `name`: the user asked for it, or this room did, of what should be one value."""
    kind = type(value).__name__
    if not asked_here:
        return build_error("PTX220", f"{kind} has no {name}", expected=".x, .y, .z, .w or v[i]", source=source)
    return build_error("PTX220", f"{kind} is used where one value is wanted", hint=_LANES, source=source)


def _instead(name: str, value: Any, swapped: bool) -> str | None:
    """What to write where a value lacks an operator."""
    if _is_vector(value):
        return _of_lanes(name)
    isa = value.isa
    if hasattr(type(value), "element"):
        return "x.at(i) is a pointer further on, x.address the address as a number"
    if isa.kind == "p":
        return "& | ^ ~ of predicates, or p.to(u32) as a number"
    if isa.kind == "b":
        return f"x.bits(u{isa.bits}) are the bits as a number"
    if isa.name in ("e4m3", "e5m2"):
        return "x.to(f32)"
    if name == "pow":
        return "a product for a whole power; k.exp2(y * k.log2(x)) for x above 0"
    if swapped and name in ("lshift", "rshift"):
        return f"k.const({isa.name}, 1) {_SYMBOLS[name]} n"
    if isa.is_float:
        known = {"floordiv": "k.floor(a / b)", "mod": "a - k.floor(a / b) * b", "divmod": "k.floor(a / b)"}
        known |= {each: f"k.{each}(x)" for each in ("round", "trunc", "floor", "ceil")}
        return known.get(name, f"x.bits(b{isa.bits}) are its bits")
    return {"truediv": "// truncates; or convert: a.to(f32) / b.to(f32)", "divmod": "a // b and a % b"}.get(name)


def truth(value: Any) -> BuildError:
    """Python's `if`, `and`, `not`, `max` and `min` on a value; a vector has no truth at all."""
    if isinstance(value, Sized):
        return build_error(
            "PTX320",
            f"a {type(value).__name__} has no truth, and its lanes are known only on the device",
            hint="k.select(v[0] > 0, v, w), with k.if_(v[0] == w[0]): ..., and & | ~ in place of and, or, not",
        )
    found = _method_called(value, ("max", "min"))
    return build_error(
        "PTX320",
        f"the truth of a .{value.isa.name} value is known only on the device",
        hint=f"k.{found}(a, b)"
        if found
        else "with k.if_(condition): ..., k.select(condition, a, b), and & | ~ in place of and, or, not",
    )


def python_float(value: TypedOperand) -> BuildError:
    """`float(v)`, and the functions of `math`."""
    found = _method_called(value, None)
    return build_error(
        "PTX320",
        f"a .{value.isa.name} value is not a Python float: it is known only on the device",
        hint=f"k.{found}(x)" if found else "x.to(f32), and the functions of k in place of those of math: k.exp(x)",
    )


def numpy_function(
    value: TypedOperand, ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]
) -> Any:
    """An operator's ufunc of a value and scalars; arrays of numpy take the value as an object, element by element."""
    name = ufunc.__name__
    if method == "__call__" and not options and name in _OPERATORS:
        operands = [plain(each) for each in inputs]
        if not any(hasattr(each, "dtype") for each in operands):
            return _OPERATORS[name](*operands)
        import numpy as np

        boxes = [np.empty((), object) if each is value else each for each in operands]
        for box, each in zip(boxes, operands):
            if each is value:
                box[()] = value
        return ufunc(*boxes)
    known = _OF_NUMPY.get(name, name)
    raise build_error(
        "PTX320",
        f"numpy's {name} of a .{value.isa.name} value: it is known only on the device",
        hint=f"k.{known}(...)" if hasattr(type(value.builder), known) else "what the builder k has, such as k.exp(x)",
    )


def _method_called(value: TypedOperand, names: tuple[str, ...] | None) -> str:
    """The builder's method of the name of a Python function that the user's line calls; "" where there is none."""
    places = resolve(caller())
    for name in _CALLED.findall(places[0].excerpt()) if places else ():
        if (names is None or name in names) and callable(getattr(type(value.builder), name, None)):
            return str(name)
    return ""
