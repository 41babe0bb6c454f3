"""Are these tiles possible? Shapes of blocks of work, and of the matrix instructions that a target has, checked before building.

    tile = Tile(128, 128, type="bf16")                                            # TileError where a GPU has no use for it
    step = matrix_product(16, 8, 16, a="bf16", d="f32", target="sm_80")           # the instruction, from the table's own rows
    step.steps(128, 128, 32)                                                      # how many make that block: 8 x 16 x 2

Which shapes and types there are is what the rows of mma, wgmma and wmma say (ptxgen/isa/table); of tcgen05.mma an
`InstructionDescriptor` of ptxgen.isa.layouts says it.
"""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import product

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.errors import Error
from ptxgen.isa.forms import forms_of, resolve
from ptxgen.isa.targets import find_target, similar_targets
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.notation import Form
    from ptxgen.isa.targets import Target

__all__ = ["MatrixProduct", "Tile", "TileError", "matrix_product", "matrix_products"]

LARGEST_EXTENT = 4096
LARGEST_TILE = 1 << 24
"""Elements: more do not fit any memory that a tile is for."""

_OPCODES = ("mma", "wgmma", "wmma")
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_ELEMENT = re.compile(r"(?:[subf]\d+|bf16|tf32|e\dm\d)")


class TileError(Error, ValueError):
    """A tile, or a matrix product, that there is not."""


class Tile:
    """A block of elements: every extent a power of two up to 4096, and at most 16,777,216 elements. Making one checks it.

    `type` is the name of a PTX type, for `nbytes`.
    """

    __slots__ = ("shape", "type")

    def __init__(self, *shape: int, type: str = "b8") -> None:
        if not shape:
            raise TileError("a tile without extents", hint="Tile(64, 64)")
        for extent in shape:
            if not _is_extent(extent) or extent < 1 or extent & (extent - 1):
                raise TileError(f"tile {_times(shape)}: {extent!r} is not a power of two", hint=_powers_beside(extent))
            if extent > LARGEST_EXTENT:
                raise TileError(f"tile {_times(shape)}: {extent} is more than {LARGEST_EXTENT}", hint="several tiles")
        if math.prod(shape) > LARGEST_TILE:
            raise TileError(
                f"tile {_times(shape)} has {math.prod(shape)} elements", hint=f"at most {LARGEST_TILE}: several tiles"
            )
        if type not in TYPES:
            raise TileError(f"tile {_times(shape)} of {type!r}, which is not a PTX type", hint="such as f32, bf16, u8")
        self.shape: tuple[int, ...] = shape
        self.type: str = type

    @property
    def elements(self) -> int:
        """How many it has."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Its size in memory; elements of less than a byte are packed."""
        return -(-self.elements * TYPES[self.type].bits // 8)

    def __repr__(self) -> str:
        return f"Tile({', '.join(map(str, self.shape))}, type={self.type!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tile) and (self.shape, self.type) == (other.shape, other.type)

    def __hash__(self) -> int:
        return hash((self.shape, self.type))


def _times(shape: tuple[object, ...]) -> str:
    return "x".join(map(str, shape))


def _is_extent(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _powers_beside(extent: object) -> str:
    if not isinstance(extent, int) or extent < 1:
        return "1, 2, 4, ... 4096"
    below = 1 << extent.bit_length() - 1
    return f"{below} or {2 * below}"


# --- matrix instructions ----------------------------------------------------------------------------------------------


class MatrixProduct(NamedTuple):
    """D = A B + C as one instruction: `name` as `k.ptx[...]` and `px.layout` take it, with A by rows and B by columns where that
    can be chosen. `threads` execute it together. Types are names of PTX types, or of sub-byte ones (u4, s4, b1).
    """

    name: str
    opcode: str
    m: int
    n: int
    k: int
    a: str
    b: str
    c: str
    d: str
    sparse: bool
    threads: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """(m, n, k)"""
        return self.m, self.n, self.k

    @property
    def flops(self) -> int:
        """Multiplications and additions of one instruction."""
        return 2 * self.m * self.n * self.k

    def steps(self, m: int, n: int, k: int) -> tuple[int, int, int]:
        """How many of these instructions make a block of that shape, along each axis. TileError where they do not fit."""
        for name, whole, part in (("M", m, self.m), ("N", n, self.n), ("K", k, self.k)):
            if whole < part or whole % part:
                raise TileError(
                    f"a block of {m}x{n}x{k} is not made of {self.opcode} m{self.m}n{self.n}k{self.k}: {name} = {whole}",
                    hint=f"a multiple of {part}",
                )
        return m // self.m, n // self.n, k // self.k


_THREADS = {"mma": 32, "wmma": 32, "wgmma": 128}


def matrix_products(
    target: Target | str | None = None, *, opcode: str | None = None, sparse: bool = False
) -> list[MatrixProduct]:
    """Every matrix product of the table that a target has (any target, when None), in the manual's order of chapters.

    `opcode` is "mma", "wgmma" or "wmma"; with `sparse`, those whose A is 2:4 sparse.
    """
    if opcode is not None and opcode not in _OPCODES:
        raise TileError(
            f"no matrix products of {opcode!r} in the table's rows",
            hint="mma, wgmma or wmma; InstructionDescriptor checks tcgen05.mma",
        )
    machine = None if target is None else _machine(target)
    found = [p for each in _OPCODES if opcode in (None, each) for p in _of_opcode(each) if p.sparse == sparse]
    return found if machine is None else [p for p in found if _exists(p.name, machine)]


def matrix_product(
    m: int, n: int, k: int, *, a: str, b: str | None = None, c: str | None = None, d: str, target: Target | str,
    opcode: str | None = None, sparse: bool = False,
) -> MatrixProduct:  # fmt: skip
    """The instruction of that shape and those types on a target: B's type is A's, and C's D's, unless given.

    Where several have it, the one with the most threads. TileError names the shapes that there are for the types, or the types
    for the shape.
    """
    machine = _machine(target)
    every = matrix_products(machine, opcode=opcode, sparse=sparse)
    types = (a, b or a, c or d, d)
    fitting = [p for p in every if (p.a, p.b, p.c, p.d) == types]
    found = [p for p in fitting if p.shape == (m, n, k)]
    if found:
        return max(found, key=lambda p: p.threads)
    what = f"{'sparse ' * sparse}{opcode or 'matrix instruction'} m{m}n{n}k{k} with A of {a}, B of {types[1]}, C of {types[2]}"
    raise TileError(f"{machine.name} has no {what} and D of {d}", hint=_hint(fitting, every, (m, n, k), types, machine))


def _machine(target: Target | str) -> Target:
    """The target of that name; TileError for none that there is."""
    if not isinstance(target, str):
        return target
    try:
        return find_target(target)
    except ValueError:
        similar = ", ".join(similar_targets(target))
        raise TileError(f"no target {target!r}", hint=similar or "such as sm_80, sm_90a") from None


def _hint(
    fitting: list[MatrixProduct], every: list[MatrixProduct], shape: tuple[int, int, int], types: tuple[str, ...], machine: Target
) -> str:  # fmt: skip
    if fitting:
        shapes: dict[str, list[str]] = {}
        for p in fitting:
            shapes.setdefault(p.opcode, []).append(f"m{p.m}n{p.n}k{p.k}")
        return "for these types it has " + "; ".join(f"{opcode} {_few(names)}" for opcode, names in shapes.items())
    elsewhere = [p for p in matrix_products() if (p.a, p.b, p.c, p.d) == types and p.shape == shape]
    if elsewhere:
        return f"{elsewhere[0].name} is on other targets: px.explain says which"
    others = [f"{p.opcode} {p.d} = {p.a} {p.b} + {p.c}" for p in every if p.shape == shape]
    if others:
        return f"of this shape it has {_few(others)}"
    return f"px.layout_names() lists what there is; {machine.name} has {len(every)} matrix products"


def _few(names: list[str]) -> str:
    """The first and the last of many."""
    names = list(dict.fromkeys(names))
    return ", ".join(names) if len(names) <= 6 else f"{', '.join(names[:3])}, ... {names[-1]}"


@cache
def _of_opcode(opcode: str) -> tuple[MatrixProduct, ...]:
    found: dict[tuple[object, ...], MatrixProduct] = {}
    for form in forms_of(opcode):
        for name in _names(form):
            made = _read(opcode, name)
            if made is not None:
                found.setdefault(made[2:] if opcode != "wgmma" else made[1:], made)
    return tuple(found.values())


def _names(form: Form) -> Iterator[str]:
    """The names of a form without what is optional; of layouts, A by rows and B by columns."""
    choices = []
    for segment in form.segments:
        if segment.optional:
            choices.append([""])
        elif {"row", "col"} == set(segment.choices):
            choices.append(["col" if segment.name.endswith("b") else "row"])
        else:
            choices.append(list(segment.choices))
    for chosen in product(*choices):
        words = [word for word in chosen if word]
        if not form.forbids(words):
            yield ".".join([form.opcode, *words])


def _read(opcode: str, name: str) -> MatrixProduct | None:
    """The product that an instruction's name says; None for loads, stores, fences."""
    words = name.split(".")
    shape = next((match for word in words if (match := _SHAPE.fullmatch(word))), None)
    if shape is None or (opcode == "wmma" and "mma" not in words) or any(word.startswith("kind::") for word in words):
        return None
    types = [word for word in words if _ELEMENT.fullmatch(word)]
    if len(types) == 2:  # wmma of f16 says D and C
        d, c = types
        a = b = "f16"
    else:
        d, a, b, c = (*types, types[0])[:4]
    m, n, k = map(int, shape.groups())
    sparse = any(word == "sp" or word.startswith("sp::") for word in words)
    return MatrixProduct(name, opcode, m, n, k, a, b, c, d, sparse, _THREADS[opcode])


def _exists(name: str, target: Target) -> bool:
    return any(_provides(target, resolved) for resolved in resolve(name))


def _provides(target: Target, resolved: Resolved) -> bool:
    """Has the target the form and every modifier of it, in some PTX version?"""
    if not all(any(target.provides(each.sm, each.suffix) for each in ways) for ways in resolved.since):
        return False
    until = resolved.form.until
    return until is None or not target.provides(until.sm, until.suffix)
