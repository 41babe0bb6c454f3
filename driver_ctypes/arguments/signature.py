"""A kernel's parameters in order, their offsets in a packed argument buffer, and the conversion of Python values to it.

Every argument is checked before anything reaches the driver: number, type, range.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

from driver_ctypes.arguments.parameter import MAYBE_POINTER, SIZED, Parameter, takes_arrays
from driver_ctypes.arguments.values import convert_argument, decode
from driver_ctypes.errors import ArgumentCountError, ArgumentError
from driver_ctypes.validate import instance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from driver_ctypes.session.session import Session


class Signature:
    """A kernel's parameters in order, and their offsets in a packed argument buffer."""

    __slots__ = ("arrays", "offsets", "packing", "params", "pointers", "size")

    def __init__(self, params: Iterable[Parameter]) -> None:
        hint = 'Signature([Parameter("n", "u32"), Parameter("x", "pointer")])'
        self.params: tuple[Parameter, ...] = tuple(
            [instance(param, Parameter, "a signature", hint) for param in params]
        )
        names = [param.name for param in self.params]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError(
                f"two parameters are called {twice!r}", name=twice, hint="arguments are identified by name"
            )
        offsets, codes, end = [], ["<"], 0
        for param in self.params:
            start = -(-end // param.align) * param.align
            codes.append(f"{start - end}x{param.code}" if start > end else param.code)
            offsets.append(start)
            end = start + param.size
        self.offsets: tuple[int, ...] = tuple(offsets)
        self.size: int = end
        self.packing: struct.Struct = struct.Struct("".join(codes))
        self.pointers: tuple[int, ...] = tuple(
            [i for i, p in enumerate(self.params) if p.kind == "pointer" or (p.size, p.kind) == MAYBE_POINTER]
        )
        """Positions of the parameters that take an array's address: pointers, and opaque values that may be one."""
        self.arrays: tuple[int, ...] = tuple(
            [i for i, p in enumerate(self.params) if i in self.pointers or takes_arrays(p)]
        )
        """Positions of all that take an array: those, and tensor maps that a launch makes of arrays."""

    def __eq__(self, other: object) -> bool:
        return self.params == other.params if isinstance(other, Signature) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:  # a `struct.Struct` is not pickled
        return Signature, (self.params,)

    def __hash__(self) -> int:
        return hash(self.params)

    def __str__(self) -> str:
        return "(" + ", ".join([f"{param.name}: {_shown(param)}" for param in self.params]) + ")"

    def __repr__(self) -> str:
        return f"Signature{self}"

    def convert(self, args: Sequence[Any], context: Session, kernel: str = "kernel") -> list[Any]:
        """What `packing` takes for *args*.

        Raises ArgumentCountError, ArgumentTypeError, ArgumentRangeError, each naming the parameter; ArgumentError for a
        buffer of another context; ClosedError for a closed one.
        """
        if len(args) != len(self.params):
            raise self.miscounted(len(args), kernel)
        return [
            convert_argument(arg, param, index, context, kernel)
            for index, (arg, param) in enumerate(zip(args, self.params))
        ]

    def miscounted(self, found: int, kernel: str) -> ArgumentCountError:
        """The error for *found* arguments."""
        missing = ", ".join([p.name for p in self.params[found:]])
        return ArgumentCountError(
            f"{kernel}{self} takes {len(self.params)} argument(s), {found} were given",
            hint=f"also pass {missing}" if missing else f"leave out the last {found - len(self.params)}",
        )

    def read(self, pointers: int) -> tuple[tuple[str, Any], ...]:
        """(name, value) of each argument behind a ``kernelParams`` array at address *pointers*."""
        if not self.params:
            return ()
        addresses = (ctypes.c_void_p * len(self.params)).from_address(pointers)
        return tuple(
            [
                (param.name, decode(param, ctypes.string_at(address, param.size) if address else b"\0" * param.size))
                for param, address in zip(self.params, addresses)
            ]
        )


def _shown(param: Parameter) -> str:
    if param.structure is not None:
        return param.structure.__name__
    return f"{param.kind}{param.size if param.kind in SIZED else ''}"


def signature_from_sizes(sizes: Iterable[int]) -> Signature:
    """The signature of a kernel of which the driver reports only the sizes."""
    return Signature([Parameter(f"param_{i}", "opaque", size, min(size & -size, 16)) for i, size in enumerate(sizes)])
