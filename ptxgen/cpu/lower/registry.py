"""Which function lowers which instruction.

A lowering is registered under the instruction's syntax in the manual's notation: `.name` is one of the alternatives that the
keyword `name` lists, or itself when there is no such keyword; `{...}` is optional. To add an instruction, write

    @lowers("popc.type", type="b32 b64", writes="u32")
    def popc(k, form, a):
        return k.e.intrinsic("llvm.ctpop", a)

in the chapter's file. `reads` gives the type of each source ("type" is that of the form; one entry serves all) and `writes` that
of the result; the sources arrive as values of these types, and the result is written back, guarded by the predicate. With
`raw=True` the function gets the operation itself and does both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Form", "Lowering", "find", "lowers"]

CHAPTERS = {
    "integer": "add sub mul mad div rem min max abs neg sad popc clz brev bfe bfi bfind mul24 mad24",
    "extended": "addc subc madc",
    "logic": "and or xor not shl shr shf lop3 prmt",
    "floating": "add sub mul fma div min max abs neg sqrt rcp",
    "transcendental": "rcp rsqrt sqrt sin cos lg2 ex2 div tanh",
    "half": "",
    "compare": "setp set selp slct",
    "convert": "cvt",
    "move": "mov cvta isspacep",
    "memory": "ld st",
    "copies": "cp",
    "atomic": "atom red",
    "control": "trap",
    "warp": "shfl vote",
    "barrier": "",
    "mbarrier": "mbarrier",
    "bulk": "cp",
    "tensor": "cp",
    "reductions": "cp",
    "remote": "",
    "cluster": "mapa getctarank",
    "hints": "",
    "matrix": "mma ldmatrix stmatrix movmatrix",
    "matrix_wmma": "wmma",
    "matrix_wgmma": "wgmma",
}
"""The files of this folder that register lowerings, in the manual's order, and opcodes for which they are looked at first.

A start is quicker when not all files are loaded. An instruction that is not found in those files loads all of them, so this
table needs no care: it may lack an opcode, and may not be wrong.
"""


class Form:
    """The modifiers of one instruction: `form.rnd` is "rn" or None, `form.type` a ScalarType; a literal one is its own slot."""

    __slots__ = ("_values", "op", "slots")

    def __init__(self, op: str, slots: dict[str, str | None]) -> None:
        self.op = op
        self.slots = slots
        self._values: dict[str, Any] = {
            name: TYPES[text] if text is not None and name.endswith("type") else text for name, text in slots.items()
        }

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"{self.op} has no modifier slot {name!r}") from None

    def get(self, name: str) -> Any:
        """The modifier of that slot; None when it is absent or the syntax has no such slot."""
        return self._values.get(name)


class Lowering:
    """A registered function and what the executor must know to call it."""

    __slots__ = ("_parts", "destinations", "function", "pattern", "raw", "reads", "sync", "updates", "writes")

    def __init__(
        self,
        pattern: str,
        slots: Mapping[str, str],
        function: Callable[..., Any],
        *,
        reads: str,
        writes: str,
        raw: bool,
        sync: bool,
        destinations: int,
        updates: bool,
    ) -> None:
        self.pattern = pattern
        self._parts = [_part(optional or needed, bool(optional), slots) for optional, needed in _PARTS.findall(pattern)]
        self.function = function
        self.reads = reads.split()
        self.writes = writes
        self.raw = raw
        self.sync = sync
        self.destinations = destinations
        self.updates = updates

    def match(self, op: str) -> Form | None:
        """The form of an instruction of this syntax; None for any other."""
        words = op.split(".")[1:]
        slots: dict[str, str | None] = {}
        if not _fit(self._parts, 0, words, 0, slots):
            return None
        if "type" not in slots:  # the last literal type is
            literal = [word for word in words if word in TYPES]
            slots["type"] = literal[-1] if literal else None
        return Form(op, slots)

    def source_types(self, form: Form, count: int) -> list[ScalarType]:
        names = self.reads if len(self.reads) > 1 else self.reads * count
        return [_type(form, name) for name in names[:count]]

    def result_type(self, form: Form) -> ScalarType:
        return _type(form, self.writes)


def _type(form: Form, name: str) -> ScalarType:
    found = form.get(name)
    return found if isinstance(found, ScalarType) else TYPES[name]


_by_opcode: dict[str, list[Lowering]] = {}


def lowers(
    *patterns: str,
    reads: str = "type",
    writes: str = "type",
    raw: bool = False,
    sync: bool = False,
    destinations: int = 1,
    updates: bool = False,
    slots: Mapping[str, str] | None = None,
    **more_slots: str,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a lowering under each pattern.

    `sync` operations involve several lanes: they get a block of their own and run when the lanes they need have arrived.
    `destinations` is how many leading operands the operation writes; with `updates` it reads them too. Keywords, or a mapping
    `slots`, list the alternatives.
    """
    choices = {**(slots or {}), **more_slots}

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for pattern in patterns:
            entry = Lowering(
                pattern,
                choices,
                function,
                reads=reads,
                writes=writes,
                raw=raw,
                sync=sync,
                destinations=destinations,
                updates=updates,
            )
            _by_opcode.setdefault(re.split(r"[.{]", pattern, maxsplit=1)[0], []).append(entry)
        return function

    return register


_PARTS = re.compile(r"\{\.([\w:]+)\}|\.([\w:]+)")
_Part = tuple[str, bool, "tuple[str, ...]"]


def _part(name: str, optional: bool, slots: Mapping[str, str]) -> _Part:
    """(name of the slot, may it be absent, its alternatives)."""
    return name, optional, tuple(slots[name].split()) if name in slots else (name,)


def _fit(parts: list[_Part], i: int, words: list[str], j: int, slots: dict[str, str | None]) -> bool:
    """Do the words from j on fit the parts from i on? Fills the slots; a literal type fills none."""
    if i == len(parts):
        return j == len(words)
    name, optional, choices = parts[i]
    if j < len(words) and words[j] in choices and _fit(parts, i + 1, words, j + 1, slots):
        if choices != (name,) or name not in TYPES:
            slots[name] = words[j]
        return True
    if optional and _fit(parts, i + 1, words, j, slots):
        slots.setdefault(name, None)
        return True
    return False


@lru_cache(maxsize=4096)
def find(op: str) -> tuple[Lowering, Form] | None:
    """The lowering of an instruction by its whole dotted name; None when there is none."""
    opcode = op.partition(".")[0]
    for chapters in ([c for c, opcodes in CHAPTERS.items() if opcode in opcodes.split()], CHAPTERS):
        for chapter in chapters:
            import_module(f"ptxgen.cpu.lower.{chapter}")
        for entry in _by_opcode.get(opcode, ()):
            form = entry.match(op)
            if form is not None:
                return entry, form
    return None
