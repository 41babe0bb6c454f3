"""What is in loaded code: its kernels and variables by their names, the error for one that does not exist, and what is known of a
kernel's parameters.

Before CUDA 13.2 a driver does not say how many parameters a kernel has, and asking for one too many is an error, which tools like
compute-sanitizer report. The PTX text and cubins say how many there are; only of a fatbin the driver is asked until it fails.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.arguments.signature import Signature
from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.modules.images import LinkedImage, count_parameters, entry_heads, is_cubin
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
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


_INVALID_VALUE = 1


class Declared(NamedTuple):
    """What an image says of its kernels, by their names: the heads of PTX entries, and how many parameters they have."""

    heads: Mapping[str, str]
    counts: Mapping[str, int]


def declared(image: bytes, ptx: str) -> Declared:
    """What PTX text, a cubin, or a cubin that was linked here says; nothing for other images."""
    heads = entry_heads(ptx) if ptx else image.heads if isinstance(image, LinkedImage) else {}
    counts = {name: count_parameters(head) for name, head in heads.items()}
    if not ptx and is_cubin(image):
        from driver_ctypes.modules.cubin import parameter_counts

        counts |= parameter_counts(image)
    return Declared(heads, counts)


def read_parameters(context: Session, kind: str, handle: int, count: int | None) -> tuple[tuple[int, int], ...] | None:
    """(offset, bytes) of each of *count* parameters of a function or a kernel (*kind*: "Func", "Kernel"); of as many as the
    driver says where the count is not known. None where the driver does not tell (before CUDA 12.4).
    """
    symbol = f"cu{kind}GetParamInfo"
    if not context.driver.has(symbol):
        return None
    if count is None and context.driver.has(f"cu{kind}GetParamCount"):
        number = ctypes.c_size_t()
        context.call(f"cu{kind}GetParamCount", handle, ctypes.byref(number))
        count = number.value
    found: list[tuple[int, int]] = []
    offset, size = ctypes.c_size_t(), ctypes.c_size_t()
    while len(found) != count:
        args = (handle, len(found), ctypes.byref(offset), ctypes.byref(size))
        code = context.try_call(symbol, *args)
        if code == _INVALID_VALUE:
            context.driver.new_log()
            break
        if code:
            raise context.error(symbol, code, args)
        found.append((offset.value, size.value))
    return tuple(found)
