"""From an instruction's name to the layouts of its operands.

A name is an instruction, whole (`mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32`), or some of its words in their order
(`mma.m16n8k16.bf16`), optionally with an operand (`mma.m16n8k16.bf16.a`). Which instructions there are, the table says.
"""

from __future__ import annotations

import difflib
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ptxgen.isa.examples import every_name
from ptxgen.isa.forms import forms_of, resolve
from ptxgen.isa.layouts import fragments, tmem, wmma
from ptxgen.isa.layouts.mixed_radix import Layout, LayoutError
from ptxgen.isa.layouts.numbers import element_bits
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["OPCODES", "Layouts", "layout", "layout_names"]

OPCODES = ("mma", "wgmma", "wmma", "ldmatrix", "stmatrix", "movmatrix", "tcgen05")
OPERANDS = ("a", "b", "c", "d", "r", "metadata", "scale_a", "scale_b")
_SHAPE = re.compile(r"m(\d+)n(\d+)(?:k(\d+))?")
_PATH = re.compile(r"tcgen05\.([a-g])\.n(\d+)(\.upper)?", re.IGNORECASE)


class Layouts:
    """The layouts of an instruction's operands, as attributes: `.a .b .c .d .metadata .scale_a .scale_b` as far as it has them.

    Iterating gives them in the instruction's order.
    """

    __slots__ = ("_of", "name")

    def __init__(self, name: str, found: dict[str, Layout]) -> None:
        self.name: str = name
        self._of = found

    def __getattr__(self, operand: str) -> Layout:
        found = self._of.get(operand)
        if found is None:
            raise AttributeError(f"{self.name} has no layout for {operand!r}; it has {', '.join(self._of)}")
        return found

    def __getitem__(self, operand: str) -> Layout:
        """The same by name; LayoutError where there is none."""
        try:
            return self._of[operand]
        except KeyError:
            raise LayoutError(
                f"{self.name} has no layout for {operand!r}", hint=f"it has {', '.join(self._of)}"
            ) from None

    def __contains__(self, operand: object) -> bool:
        return operand in self._of

    def __iter__(self) -> Iterator[Layout]:
        return iter(self._of.values())

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._of]

    def _repr_html_(self) -> str:
        from ptxgen.markup import box, table

        rows = [(each.operand, f"{each.shape[0]} x {each.shape[1]}", f".{each.type}", each.formula) for each in self]
        return box(f"layouts of {self.name}", table(("operand", "shape", "type", "formula"), rows))

    def __repr__(self) -> str:
        return "\n".join([f"layouts of {self.name}", *(f"  {found!r}" for found in self)])


def layout(
    name: str, *, selector: int = 0, byte_a: int = 0, thread_a: int = 0, byte_b: int = 0, thread_b: int = 0
) -> Any:
    """The `Layouts` of an instruction, or with an operand at the end of the name that operand's `Layout`.

        px.layout("mma.m16n8k16.bf16").d.where(3, 5)            # RegisterPlace(lane=14, register=1, slice=0)
        px.layout("mma.m16n8k16.bf16.a").element(5, 2, 1)       # Element(row=1, column=11)

    Short names mean the first instruction, in the table's order and 32-bit accumulators before 16-bit ones, that has all of
    their words in their order. Tensor memory's data paths are `tcgen05.a.n256` to `tcgen05.g.n256` (manual 9.7.16.10.5), for C
    and F with `.upper`.
    `selector` is the sparsity selector of a sparse mma or wgmma; the others are the selectors of a block-scaled mma's factors.

    Raises LayoutError for a name that means nothing, with the nearest ones.
    """
    text = name.strip().rstrip(";").split(None, 1)[0] if name.strip(" ;") else ""
    options = {"selector": selector, "byte_a": byte_a, "thread_a": thread_a, "byte_b": byte_b, "thread_b": thread_b}
    layouts = _layouts(text, options)
    if layouts is not None:
        return layouts
    head, _, last = text.rpartition(".")
    layouts = _layouts(head, options) if last.lower() in OPERANDS else None
    if layouts is None:
        raise _unknown(text)
    return layouts[last.lower()]


def _layouts(name: str, options: dict[str, int]) -> Layouts | None:
    """The layouts of what a name without an operand means; None if it means nothing."""
    path = _PATH.fullmatch(name)
    if path:
        letter, n, upper = path.groups()
        return Layouts(name, tmem.data_path(name, letter.upper(), int(n), upper=bool(upper)))
    found = _instruction(name)
    return None if found is None else Layouts(found, _MAKERS[found.split(".")[0]](found, options))


def layout_names(opcode: str) -> tuple[str, ...]:
    """The whole names of an opcode's instructions that have layouts, in the table's order."""
    return tuple(name for name in _all_names(opcode) if _has_layout(name))


def _has_layout(name: str) -> bool:
    words = name.split(".")
    if words[0] == "tcgen05":
        return words[1] in ("ld", "st") and "spcompress" not in words
    return words[0] in OPCODES and (words[0] != "wgmma" or words[1] == "mma_async")


@cache
def _all_names(opcode: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for form in forms_of(opcode) for name in every_name(form)))


@lru_cache(maxsize=512)
def _instruction(text: str) -> str | None:
    """The whole name that a whole or short name means."""
    opcode, *words = text.split(".")
    if opcode not in OPCODES or not words:
        return None
    if resolve(text) and _has_layout(text):
        return text
    candidates = [name for name in layout_names(opcode) if _in_order(words, name.split(".")[1:])]
    return min(candidates, key=_preference, default=None)


def _in_order(words: list[str], all_: list[str]) -> bool:
    rest = iter(all_)
    return all(any(_is_word(word, one) for one in rest) for word in words)


def _is_word(word: str, of_name: str) -> bool:
    """`mxf4` stands for `kind::mxf4`, `sp` for `sp::ordered_metadata` too."""
    return word == of_name or of_name.endswith(f"::{word}") or (word == "sp" and of_name.startswith("sp::"))


def _preference(name: str) -> tuple[int, ...]:
    """Dense before sparse, plain before saturating, mma before load and store, A and B of one type, 32-bit sums."""
    words, types = name.split("."), _types(name)
    extra = words.count("satfinite") + ("load" in words) + ("store" in words)
    inputs, sums = types[1:3], {0: (), 3: types[:1]}.get(len(types), (*types[:1], *types[-1:]))
    return (_is_sparse(name), extra, len(set(inputs)) if len(types) > 2 else 0, sums.count("f16"))


def _unknown(text: str) -> LayoutError:
    opcode, _, words = text.partition(".")
    if opcode not in OPCODES:
        close = difflib.get_close_matches(opcode, OPCODES, n=3, cutoff=0.4)
        hint = f"did you mean {', '.join(close)}?" if close else f"one of {', '.join(OPCODES)}"
        return LayoutError(f"no layouts for {text!r}", hint=hint)
    if not words:
        return LayoutError(
            f"{opcode} alone is not an instruction", hint=f"its words too, like {layout_names(opcode)[-1]}"
        )
    head, _, last = text.rpartition(".")
    if len(last) == 1 and (found := _layouts(head, {})):
        return LayoutError(
            f"{found.name} has no operand {last!r}", hint=f"it has {', '.join(one.operand for one in found)}"
        )
    return LayoutError(
        f"no instruction has the words of {text!r} in this order", hint=_nearest(opcode, words.split("."))
    )


def _nearest(opcode: str, words: list[str]) -> str:
    """What to write instead: for a word that no name has, the words like it; else the names with most of the words."""
    names = layout_names(opcode)
    known = dict.fromkeys(word for name in names for word in name.split(".")[1:])
    for word in words:
        if not any(_is_word(word, one) for one in known):
            similar = difflib.get_close_matches(word, known, n=4, cutoff=0.5)
            if opcode == "tcgen05":
                similar.append("a data path, tcgen05.a.n256 to tcgen05.g.n256")
            return f"{opcode} has no {word!r}" + (f"; similar: {', '.join(similar)}" if similar else "")
    fitting = sorted(names, key=lambda name: -sum(any(_is_word(w, one) for one in name.split(".")) for w in words))
    return f"similar: {', '.join(fitting[:3])}"


# ---- one function an opcode: a whole name -> its layouts -----------------------------------------------------------------


def _extent(name: str) -> tuple[int, int, int]:
    found = _SHAPE.search(name)
    assert found is not None
    return int(found[1]), int(found[2]), int(found[3] or 0)


def _types(name: str) -> list[str]:
    return [word for word in name.split(".")[1:] if word in TYPES]


def _is_sparse(name: str) -> bool:
    return any(word == "sp" or word.startswith("sp::") for word in name.split("."))


def _mma(name: str, options: dict[str, int]) -> dict[str, Layout]:
    m, n, k = _extent(name)
    words, (type_d, type_a, type_b, type_c, *rest) = name.split("."), _types(name)
    if (m, n, k) == (8, 8, 4) and type_a == "f16":
        layout_a, layout_b = (word for word in words if word in ("row", "col"))
        made4 = fragments.m8n8k4_f16(name, layout_a, layout_b, type_d, type_c)
        return {one.operand: one for one in made4}
    sparse, container = _is_sparse(name), any(word.endswith("f8f6f4") for word in words)
    source = _section(name, type_a, k, container=container)
    stored = k // 2 if sparse else k
    made = {
        "d": fragments.accumulator(name, "d", type_d, m, n, source=source),
        "a": fragments.multiplicand_a(name, type_a, m, stored, container=container, source=source),
        "b": fragments.multiplicand_b(name, type_b, k, container=container, source=source),
        "c": fragments.accumulator(name, "c", type_c, m, n, source=source),
    }
    if sparse:
        made["metadata"] = fragments.metadata(
            name, type_a, k, selector=options.get("selector", 0), container=container, source=source
        )
    if rest:
        vector = _vector(words)
        made["scale_a"] = fragments.scale_a(
            name, rest[0], vector, byte=options.get("byte_a", 0), thread=options.get("thread_a", 0)
        )
        made["scale_b"] = fragments.scale_b(
            name, rest[0], vector, byte=options.get("byte_b", 0), thread=options.get("thread_b", 0)
        )
    return made


def _vector(words: list[str]) -> int:
    """Scale factors a row: stated, or what the kind has where nothing is stated (manual 9.7.14.3, table 36)."""
    stated = next((word for word in words if word.startswith("scale_vec::")), None)
    return int(stated[-2]) if stated else 1 if "kind::mxf8f6f4" in words else 2


_SECTIONS = {
    "m8n8k4": 2, "m8n8k16": 3, "m8n8k32": 4, "m8n8k128": 5, "m16n8k4": 6, "m16n8k8": 7, "m16n8k16": 8, "m16n8k32": 10,
    "m16n8k64": 11, "m16n8k128": 12, "m16n8k256": 13,
}  # fmt: skip
_SPARSE_SECTIONS = {(16, 16): 1, (16, 32): 2, (32, 16): 3, (32, 8): 4, (8, 32): 5, (8, 64): 6, (4, 64): 7, (4, 128): 8}


def _section(name: str, type_a: str, k: int, *, container: bool) -> str:
    """The manual's section with the fragments of an mma."""
    bits = 8 if container else element_bits(type_a)
    if _is_sparse(name):
        return f"9.7.14.6.2.{_SPARSE_SECTIONS[bits, k]}"
    found = _SHAPE.search(name)
    assert found is not None
    return f"9.7.14.5.{9 if found[0] == 'm16n8k16' and bits == 8 else _SECTIONS[found[0]]}"


def _wgmma(name: str, options: dict[str, int]) -> dict[str, Layout]:
    m, n, k = _extent(name)
    type_d, type_a, _ = _types(name)
    sparse = _is_sparse(name)
    source = "9.7.15.6.2" if sparse else "9.7.15.5.1.1"
    made = {
        "d": fragments.accumulator(name, "d", type_d, m // 4, n, warps=4, source=source),
        "a": fragments.multiplicand_a(name, type_a, m // 4, k // 2 if sparse else k, warps=4, source=source),
    }
    if sparse:
        made["metadata"] = fragments.metadata(
            name, type_a, k, warps=4, selector=options.get("selector", 0), source=source
        )
    return made


def _wmma(name: str, options: dict[str, int]) -> dict[str, Layout]:
    return wmma.fragments(name, _extent(name), _types(name))


def _matrices(name: str, options: dict[str, int]) -> dict[str, Layout]:
    words = name.split(".")
    shape = next(word for word in words if _SHAPE.fullmatch(word))
    count = int(next(word for word in words if re.fullmatch(r"x\d+", word))[1:])
    operand = "d" if words[0] == "ldmatrix" else "r"
    type_ = "b8" if shape != "m8n8" else "b16"
    return {operand: fragments.stored(name, operand, shape, count, trans="trans" in words, type=type_)}


def _movmatrix(name: str, options: dict[str, int]) -> dict[str, Layout]:
    return {one.operand: one for one in fragments.moved(name)}


def _tcgen05(name: str, options: dict[str, int]) -> dict[str, Layout]:
    words = name.split(".")
    shape = next(word for word in words if re.fullmatch(r"\d+x\d+b(x2)?", word))
    count = int(next(word for word in words if re.fullmatch(r"x\d+", word))[1:])
    operand = "d" if words[1] == "ld" else "r"
    packed = any(word.endswith("pack::16b") for word in words)
    return {operand: tmem.moved_by(name, operand, shape, count, packed=packed)}


_MAKERS: dict[str, Callable[[str, dict[str, int]], dict[str, Layout]]] = {
    "mma": _mma, "wgmma": _wgmma, "wmma": _wmma, "ldmatrix": _matrices, "stmatrix": _matrices, "movmatrix": _movmatrix,
    "tcgen05": _tcgen05,
}  # fmt: skip
