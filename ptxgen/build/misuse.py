"""What is said where a device value is given to Python's or numpy's functions, which want to know its number."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any

from ptxgen.build.numbers import plain
from ptxgen.build.source import build_error, caller
from ptxgen.ir import resolve

if TYPE_CHECKING:
    from ptxgen.build.values import Value
    from ptxgen.errors import BuildError

__all__ = ["called_type", "numpy_function", "python_float", "truth"]

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


def called_type(type: type[Value], given: object) -> BuildError:
    """`f32(n)`."""
    name = type.__name__
    number = isinstance(plain(given), (int, float))
    value, variable = f"x.to({name}) converts a value", f"k.var({name}, x) makes a variable"
    return build_error(
        "PTX220",
        f"{name} is a type, it is not called",
        hint=f"k.const({name}, {given})" if number else f"{value}, {variable}",
    )


def truth(value: Value) -> BuildError:
    """Python's `if`, `and`, `not`, `max` and `min` on a value."""
    found = _method_called(value, ("max", "min"))
    return build_error(
        "PTX320",
        f"the truth of a .{value.isa.name} value is known only on the device",
        hint=f"k.{found}(a, b)"
        if found
        else "with k.if_(condition): ..., k.select(condition, a, b), and & | ~ in place of and, or, not",
    )


def python_float(value: Value) -> BuildError:
    """`float(v)`, and the functions of `math`."""
    found = _method_called(value, None)
    return build_error(
        "PTX320",
        f"a .{value.isa.name} value is no Python float: it is known only on the device",
        hint=f"k.{found}(x)" if found else "x.to(f32), and the functions of k in place of those of math: k.exp(x)",
    )


def numpy_function(value: Value, ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """An operator's ufunc of a value and scalars; arrays of numpy take the value as an object, element by element."""
    name = ufunc.__name__
    if method == "__call__" and not options and name in _OPERATORS:
        given = [plain(each) for each in inputs]
        if not any(hasattr(each, "dtype") for each in given):
            return _OPERATORS[name](*given)
        import numpy as np

        boxes = [np.empty((), object) if each is value else each for each in given]
        for box, each in zip(boxes, given):
            if each is value:
                box[()] = value
        return ufunc(*boxes)
    known = _OF_NUMPY.get(name, name)
    raise build_error(
        "PTX320",
        f"numpy's {name} of a .{value.isa.name} value: it is known only on the device",
        hint=f"k.{known}(...)" if hasattr(type(value.builder), known) else "what the builder k has, such as k.exp(x)",
    )


def _method_called(value: Value, names: tuple[str, ...] | None) -> str:
    """The builder's method of the name of a Python function that the user's line calls; "" where there is none."""
    places = resolve(caller())
    for name in _CALLED.findall(places[0].excerpt()) if places else ():
        if (names is None or name in names) and callable(getattr(type(value.builder), name, None)):
            return str(name)
    return ""
