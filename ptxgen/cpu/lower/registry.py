"""Which function lowers which instruction.

A lowering is registered under the instruction's syntax in the manual's notation: `.name` is one of the alternatives that the
keyword `name` lists, or itself when there is no such keyword; `{...}` is optional. To add an instruction, write

    @lowers("popc.type", type="b32 b64", writes="u32")
    def popc(k, form, a):
        return k.e.intrinsic("llvm.ctpop", a)

in the chapter's file; nothing else names it. `reads` gives the type of each source ("type" is that of the form; one entry serves
all) and `writes` that of the result; the sources arrive as values of these types, and the result is written back, guarded by the
predicate. With `raw=True` the function gets the operation itself and does both.

In optimised code a value may be a vector, of several lanes (value.py). A function of operators, casts, intrinsics and helpers
serves those as it is; whatever else it asks for has its block run lane by lane.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from ptxgen.cpu.lower.index import INDEX
from ptxgen.isa.types import TYPES, ScalarType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["FormModifiers", "Lowering", "find", "lowers"]


class FormModifiers:
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

    def match(self, op: str) -> FormModifiers | None:
        """The form of an instruction of this syntax; None for any other."""
        words = op.split(".")[1:]
        slots: dict[str, str | None] = {}
        if not _fit(self._parts, 0, words, 0, slots):
            return None
        if "type" not in slots:  # the last literal type is
            literal = [word for word in words if word in TYPES]
            slots["type"] = literal[-1] if literal else None
        return FormModifiers(op, slots)

    def source_types(self, form: FormModifiers, count: int) -> list[ScalarType]:
        names = self.reads if len(self.reads) > 1 else self.reads * count
        return [_type(form, name) for name in names[:count]]

    def result_type(self, form: FormModifiers) -> ScalarType:
        return _type(form, self.writes)


def _type(form: FormModifiers, name: str) -> ScalarType:
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
def find(op: str) -> tuple[Lowering, FormModifiers] | None:
    """The lowering of an instruction by its whole dotted name; None when there is none.

    A start is quicker when not all files are loaded: those that the index names for the opcode come first, and all others only
    when none of them has it, so that a lowering works before tools/index_isa.py has written the index again.
    """
    opcode = op.partition(".")[0]
    for module in (*INDEX.get(opcode, "").split(), *_files()):
        import_module(f"{__package__}.{module}")
        for entry in _by_opcode.get(opcode, ()):
            form = entry.match(op)
            if form is not None:
                return entry, form
    return None


def _files() -> Iterator[str]:
    """Every file of this folder."""
    yield from (module.name for module in iter_modules(import_module(__package__).__path__))
