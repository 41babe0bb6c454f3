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

CHAPTERS = (
    "integer", "extended", "logic", "floating", "transcendental", "half", "compare", "convert", "move", "memory",
    "atomic", "control", "warp", "barrier", "hints",
)  # fmt: skip
"""The files of this folder that register lowerings, in the manual's order of chapters."""


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

    __slots__ = ("destinations", "function", "pattern", "raw", "reads", "slots", "sync", "writes")

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
    ) -> None:
        self.pattern = pattern
        self.slots = slots
        self.function = function
        self.reads = reads.split()
        self.writes = writes
        self.raw = raw
        self.sync = sync
        self.destinations = destinations

    def match(self, op: str) -> Form | None:
        """The form of an instruction of this syntax; None for any other."""
        found = re.fullmatch(_regex(self.pattern, self.slots), op)
        if found is None:
            return None
        slots = found.groupdict()
        literals = [name for name in _NEEDED.findall(re.sub(r"{.*?}", "", self.pattern)) if name not in self.slots]
        slots.update((name, name) for name in literals if name not in TYPES and name not in slots)
        if "type" not in slots:  # the last literal type is
            literal = [name for name in op.split(".")[1:] if name in TYPES]
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
_loaded = False


def lowers(
    *patterns: str,
    reads: str = "type",
    writes: str = "type",
    raw: bool = False,
    sync: bool = False,
    destinations: int = 1,
    slots: Mapping[str, str] | None = None,
    **more_slots: str,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a lowering under each pattern.

    `sync` operations involve several lanes: they get a block of their own and run when the lanes they need have arrived.
    `destinations` is how many leading operands the operation writes. Keywords, or a mapping `slots`, list the alternatives.
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
            )
            _by_opcode.setdefault(re.split(r"[.{]", pattern, maxsplit=1)[0], []).append(entry)
        return function

    return register


_NEEDED = re.compile(r"\.([\w:]+)")


def _regex(pattern: str, slots: Mapping[str, str]) -> str:
    """A regular expression for a syntax; its groups are the slots."""

    def part(match: re.Match[str]) -> str:
        name = match.group("optional") or match.group("needed")
        group = re.sub(r"\W", "_", name)
        if name in slots:
            choice = "|".join(re.escape(word) for word in slots[name].split())
            body = rf"\.(?P<{group}>{choice})"
        elif match.group("optional"):
            body = rf"\.(?P<{group}>{re.escape(name)})"
        else:
            body = rf"\.{re.escape(name)}"
        return f"(?:{body})?" if match.group("optional") else body

    return re.sub(r"\{\.(?P<optional>[\w:]+)\}|\.(?P<needed>[\w:]+)", part, pattern)


@lru_cache(maxsize=4096)
def find(op: str) -> tuple[Lowering, Form] | None:
    """The lowering of an instruction by its whole dotted name; None when there is none."""
    global _loaded
    if not _loaded:
        for chapter in CHAPTERS:
            import_module(f"ptxgen.cpu.lower.{chapter}")
        _loaded = True
    for entry in _by_opcode.get(op.partition(".")[0], ()):
        form = entry.match(op)
        if form is not None:
            return entry, form
    return None
