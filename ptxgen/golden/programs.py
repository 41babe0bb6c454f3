"""What can be pinned: whatever has PTX text. One row of `SOURCES` for each kind of object that compilers give.

An object is known by what it has, never by its class, so that no compiler is imported here. To pin what another
compiler gives, write a function from an object to its text (str or bytes, None for other objects) and add its row.
The text is kept as it came, but for the NUL at the end of a C string: what one compiler wrote is not printed anew here.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ptxgen.errors import PtxError
from ptxgen.golden.files import split, variant_name
from ptxgen.ir import Module

__all__ = ["SOURCES", "Emitted", "NotPtxError", "emitted", "ptx_of"]


class NotPtxError(PtxError):
    """An object that has no PTX, or other PTX than was asked for."""


class Emitted(NamedTuple):
    """PTX of one target, and under which names it is pinned. `module`, where there is one, knows the lines that it came from."""

    name: str
    variant: str
    target: str
    ptx: str
    module: Module | None = None


class Source(NamedTuple):
    """A kind of object that has PTX: what messages call it, and how to get the text; None for an object of another kind."""

    kind: str
    text: Callable[[Any], str | bytes | None]


def _text(program: Any) -> str | bytes | None:
    return program if isinstance(program, (str, bytes, bytearray, memoryview)) else None  # type: ignore[return-value]


def _file(program: Any) -> bytes | None:
    return program.read_bytes() if isinstance(program, Path) else None


def _module(program: Any) -> str | None:
    return str(program) if isinstance(program, Module) else None


def _triton(program: Any) -> str | bytes | None:
    texts = getattr(program, "asm", None)
    if not isinstance(texts, Mapping):
        return None
    if "ptx" not in texts:
        raise NotPtxError(f"the .asm of this {type(program).__name__} has no ptx, but {', '.join(map(str, texts))}")
    found = texts["ptx"]
    return found if isinstance(found, (str, bytes)) else None


def _cute(program: Any) -> str | bytes | None:
    if not hasattr(program, "__ptx__"):
        return None
    if program.__ptx__ is None:
        raise NotPtxError(f"this {type(program).__name__} kept no PTX", hint="compile it with CUTE_DSL_KEEP_PTX=1")
    found = program.__ptx__
    return found if isinstance(found, (str, bytes)) else None


def _numba(program: Any) -> str | None:
    if not callable(getattr(program, "inspect_asm", None)):
        return None
    texts = program.inspect_asm()
    if isinstance(texts, Mapping):
        if len(texts) != 1:
            known = ", ".join(map(str, texts)) or "none: call it, or compile it for a signature, first"
            raise NotPtxError(
                f"it is compiled for {len(texts)} signatures ({known})", hint="pin kernel.inspect_asm(signature)"
            )
        (texts,) = texts.values()
    return texts if isinstance(texts, str) else None


def _numba_pair(program: Any) -> str | None:
    """`numba.cuda.compile_ptx` returns (PTX, type of the result)."""
    return program[0] if isinstance(program, tuple) and len(program) == 2 and isinstance(program[0], str) else None


def _object_code(program: Any) -> str | bytes | None:
    kind = getattr(program, "code_type", None)
    if not isinstance(kind, str):
        return None
    if kind != "ptx":
        raise NotPtxError(f"this {type(program).__name__} is {kind}, not PTX", hint='Program.compile("ptx")')
    found = program.code
    return found if isinstance(found, (str, bytes)) else None


SOURCES = (
    Source("PTX text, as str or bytes", _text),
    Source("the pathlib.Path of a PTX file", _file),
    Source("a module of ptxgen", _module),
    Source("a kernel that Triton compiled (.asm['ptx'])", _triton),
    Source("a function that CuTe DSL compiled (.__ptx__)", _cute),
    Source("a kernel that Numba compiled (.inspect_asm())", _numba),
    Source("what numba.cuda.compile_ptx returns", _numba_pair),
    Source("the ObjectCode of cuda.core", _object_code),
)
"""Every kind of object that has PTX, asked in this order."""


def ptx_of(program: object) -> str:
    """The PTX text of an object of one of the kinds of `SOURCES`. NotPtxError for any other object, and for what is no
    text."""
    for source in SOURCES:
        found = source.text(program)
        if found is not None:
            return _decoded(found)
    kinds = "\n  ".join(source.kind for source in SOURCES)
    raise NotPtxError(
        f"{type(program).__name__} has no PTX that is known of; what has:\n  {kinds}",
        hint="compile it first, or take the PTX text out of it",
    )


def _decoded(found: str | bytes) -> str:
    if isinstance(found, str):
        return found.removesuffix("\0")
    from ptxgen.text.files import refuse_binary

    data = bytes(found).removesuffix(b"\0")
    refuse_binary(data, "the program")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise NotPtxError(f"the PTX is not UTF-8 text ({error.reason} at byte {error.start})") from None


def emitted(
    name: str,
    variant: str | Mapping[str, object],
    program: object,
    targets: str | Sequence[str] | None = None,
) -> list[Emitted]:
    """What there is to pin: one `Emitted` for each target.

    `program` has PTX (`ptx_of`) or makes it: a kernel of ptxgen, whose `module` is called with the parameters and
    `target=`, or a function that is called so. `variant` is a name, or the parameters themselves. NotPtxError where
    `targets` are not those of a program that has its PTX already.
    """
    parameters: Mapping[str, object] = {} if isinstance(variant, str) else variant
    label = variant if isinstance(variant, str) else variant_name(variant)
    wanted = [targets] if isinstance(targets, str) else None if targets is None else list(targets)
    if wanted is not None and not wanted:
        raise NotPtxError(f"{name}/{label}: no targets")
    make = _maker(program)
    if make is None:
        made = [_emitted(name, label, program)]
        if wanted is not None and wanted != [made[0].target]:
            raise NotPtxError(
                f"{name}/{label} is compiled for {made[0].target}, not for {', '.join(wanted)}",
                hint="give a function that compiles it for target=",
            )
        return made
    if wanted is None:
        return [_emitted(name, label, make(**parameters))]
    found = [_emitted(name, label, make(target=target, **parameters)) for target in wanted]
    for target, each in zip(wanted, found):
        if each.target != target:
            raise NotPtxError(f"{name}/{label} was asked for {target} and made PTX for {each.target}")
    return found


def _maker(program: object) -> Callable[..., object] | None:
    """What makes the PTX from parameters, where the object does not have it yet."""
    if inspect.isfunction(program) or inspect.ismethod(program) or isinstance(program, functools.partial):
        return program
    from ptxgen.builder import Kernel

    return program.module if isinstance(program, Kernel) else None


def _emitted(name: str, variant: str, program: object) -> Emitted:
    try:
        ptx = ptx_of(program)
        return Emitted(name, variant, split(ptx)[1], ptx, program if isinstance(program, Module) else None)
    except (PtxError, ValueError) as wrong:
        raise NotPtxError(f"{name}/{variant}: {wrong}") from None
