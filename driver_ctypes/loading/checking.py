"""The arguments of a driver function, checked before the driver is called: how many arguments, numbers in the range of
their C types, and pointers to what the function reads or writes there. ctypes alone would cut numbers off, take any
object of its own for any pointer, and let the driver write into a Python string.

A call that is right is found so by one packing of its numbers; the pointers are the prototype's business.
"""

from __future__ import annotations

import ctypes
import re
import struct
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi.functions import FUNCTIONS, parameter_types
from driver_ctypes.errors import ArgumentCountError, ArgumentError, ArgumentRangeError, ArgumentTypeError
from driver_ctypes.validate import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# token -> the number in the struct module's language; handles and addresses are numbers of 64 bits
_NUMBERS = {
    "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "f32": "f", "size": "Q", "dev": "i", "enum": "i",
    "ptr": "Q",
}  # fmt: skip

WRONG = (ctypes.ArgumentError, TypeError, struct.error, OverflowError)
"""The error of a call with wrong arguments, from `check` or from ctypes; `corrected` says what is wrong."""


@cache
def check(symbol: str) -> Callable[[tuple[Any, ...]], object]:
    """A function of a call's arguments that raises one of `WRONG` where they are not all plain numbers in range at the
    places of numbers, handles and addresses; what is something else there goes to `corrected`.
    """
    parameters = FUNCTIONS[symbol].args
    codes = [(i, _NUMBERS.get(token) or "Q" * token.endswith("_h")) for i, (_name, token) in enumerate(parameters)]
    places = [i for i, code in codes if code]
    pack = struct.Struct("<" + "".join([code for _i, code in codes])).pack
    count = len(parameters)
    if not places:

        def numberless(args: tuple[Any, ...]) -> object:
            return pack() if len(args) == count else pack(args)

        return numberless
    pick = itemgetter(*places)
    if len(places) == 1:
        return lambda args: pack(pick(args) if len(args) == count else args)
    return lambda args: pack(*(pick(args) if len(args) == count else args), *args[count:])


def corrected(symbol: str, args: Sequence[Any]) -> list[Any]:
    """*args* as ctypes takes them, where `check` or ctypes raised for what they could not see to be right: None for a null
    handle, ctypes objects, numpy's integers, addresses as ints for typed pointers. Raises ArgumentCountError,
    ArgumentTypeError, ArgumentRangeError, which name function and parameter.
    """
    parameters = FUNCTIONS[symbol].args
    if len(args) != len(parameters):
        names = ", ".join([name for name, _token in parameters])
        raise ArgumentCountError(
            f"{symbol} takes {len(parameters)} argument(s), {len(args)} were given", hint=f"pass {names or 'none'}"
        )
    found = []
    for index, ((name, token), kind, value) in enumerate(zip(parameters, parameter_types(symbol), args)):
        try:
            right = _converted(token, kind, value)
            kind.from_param(right)
        except ArgumentError as problem:
            raise type(problem)(
                f"{symbol}: {name} {problem.args[0]}", name=name, index=index, hint=problem.hint
            ) from None
        except (ctypes.ArgumentError, TypeError, OverflowError):
            raise ArgumentTypeError(
                f"{symbol}: {name} cannot be {_shown(value)}; it is a {token}", name=name, index=index
            ) from None
        found.append(right)
    return found


def mistyped(symbol: str, args: Sequence[Any], error: Exception) -> ArgumentError:
    """What ctypes says of an argument that `corrected` found nothing wrong with."""
    found = re.match(r"argument (\d+)", str(error))
    index = int(found[1]) - 1 if found else -1
    if not 0 <= index < len(args):
        return ArgumentTypeError(f"{symbol}: {error}")
    name, token = FUNCTIONS[symbol].args[index]
    return ArgumentTypeError(
        f"{symbol}: {name} cannot be {_shown(args[index])}; it is a {token}", name=name, index=index
    )


def unknown_symbol(symbol: Any) -> ArgumentError:
    """The error for a function that is not in the table."""
    closest = nearest(symbol, FUNCTIONS) if isinstance(symbol, str) else None
    return ArgumentError(
        f"{symbol!r:.80} is not a function of the driver's table",
        name=str(symbol),
        hint=f"{closest} is meant?"
        if closest
        else "exported symbols are meant, such as cuMemAlloc_v2; see abi.functions",
    )


def _converted(token: str, kind: Any, value: Any) -> Any:
    code = _NUMBERS.get(token) or "Q" * token.endswith("_h")
    if token == "f32":
        return value if isinstance(value, ctypes.c_float) else float(value)
    if hasattr(type(value), "__index__"):
        number = int(value.__index__())
        low, high = _range(code or "Q")
        if not low <= number <= high:
            raise ArgumentRangeError(f"cannot be {number}; it is a {token}, from {low} to {high}")
        typed = not code and issubclass(kind, ctypes._Pointer)
        return ctypes.cast(number, kind) if typed else number
    if code and code != "Q" and not isinstance(value, ctypes._SimpleCData):
        raise ArgumentTypeError(f"cannot be {_shown(value)}; it is a {token}")
    bytes_of = isinstance(value, (bytes, bytearray)) and token != "cstr" and not token.startswith(("ptr", "char"))
    if isinstance(value, str) or bytes_of:  # ctypes would pass the address of its characters
        raise ArgumentTypeError(f"cannot be {_shown(value)}; it is a {token}")
    return value


def _range(code: str) -> tuple[int, int]:
    bits = 8 * struct.calcsize("<" + code)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)


def _shown(value: Any) -> str:
    pointee = getattr(value, "_obj", None)  # of byref
    return f"byref({type(pointee).__name__})" if pointee is not None else f"{type(value).__name__} {value!r:.60}"
