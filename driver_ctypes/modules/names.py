"""Kernels and variables of loaded code by their names: which exist, and the error for one that does not."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from driver_ctypes.arguments.signature import Signature
from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.validate import instance, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from driver_ctypes.errors import CudaError
    from driver_ctypes.session.session import Session

NOT_FOUND = 500


def c_name(name: str, what: str) -> bytes:
    """The name of a kernel or variable (*what*) for the driver. Raises ArgumentTypeError for what is not text, ArgumentError for
    one with a NUL, at which C ends it.
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"the name of a {what} is a str, not {type(name).__name__} {name!r:.60}")
    if "\0" in name or not name:
        raise ArgumentError(f"{name!r:.60} cannot be the name of a {what}", hint="C ends a name at its first NUL")
    return name.encode(errors="replace")


def checked_signatures(signatures: Mapping[str, Signature]) -> dict[str, Signature]:
    """The signatures of a load. Raises ArgumentTypeError for what is not a mapping from names to them."""
    hint = "signatures={name: Signature([Parameter(...), ...])}"
    if not hasattr(signatures, "items"):
        raise ArgumentTypeError(f"signatures are a mapping, not {type(signatures).__name__}", hint=hint)
    return {name: instance(each, Signature, f"the signature of {name!r}", hint) for name, each in signatures.items()}


def check_known(signatures: Iterable[str], names: Iterable[str], wanted: str) -> None:
    """For a kernel *wanted* that has no signature: raise ArgumentError if a signature was passed for a kernel that is not
    among the code's *names*, probably by a misspelling.
    """
    there = set(names)
    strangers = [name for name in signatures if name not in there]
    if there and strangers:
        closest = nearest(strangers[0], there)
        raise ArgumentError(
            f"a signature was given for {strangers[0]!r}, which is not a kernel of the code, and none for {wanted!r}",
            name=strangers[0],
            hint=f"{closest} is meant?" if closest else f"kernels are {', '.join(sorted(there))}",
        )


def kernel_names(
    context: Session, count: str, enumerate_: str, name: str, owner: int, otherwise: Iterable[str]
) -> tuple[str, ...]:
    """Names of the kernels of the module or library *owner*, by the three functions of its kind; *otherwise* where the
    driver lacks one of them (before CUDA 12.4).
    """
    if not all(map(context.driver.has, (count, enumerate_, name))):
        return tuple(otherwise)
    number = ctypes.c_uint()
    context.call(count, ctypes.byref(number), owner)
    handles = (ctypes.c_void_p * number.value)()
    if number.value:
        context.call(enumerate_, handles, number.value, owner)
    names = []
    for handle in handles:
        text = ctypes.c_char_p()
        context.call(name, ctypes.byref(text), handle)
        names.append((text.value or b"").decode(errors="replace"))
    return tuple(names)


def not_found(context: Session, symbol: str, what: str, name: str, names: Iterable[str]) -> CudaError:
    """The exception for a kernel or variable (*what*) that loaded code does not have."""
    known = ", ".join(names)
    detail = f"no {what} is called {name!r}" + (f"; there are: {known}" if known else "")
    return context.error(
        symbol, NOT_FOUND, detail=detail, hint=f'a {what} must be .visible; C++ names are mangled unless extern "C"'
    )
