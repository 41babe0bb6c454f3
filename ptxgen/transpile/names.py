"""Python's names for those of PTX: `%r1` is `r1`, `$L__BB0_2` stays the text of a label."""

from __future__ import annotations

import builtins
import keyword
import re

from ptxgen.builder.values.scalars import SCALARS

__all__ = ["Names", "label_text"]

_RESERVED = frozenset(
    {*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *SCALARS, "k", "px", "module", "Not", "Special", "Symbol"}
    | {"Address", "Element", "Immediate", "Negated", "Register", "Sum", "TYPES"}
)
_NOT_IN_NAMES = re.compile(r"[^0-9A-Za-z_]")
_OF_BUILDER = re.compile(r"\$L_(else|(end)?(if|repeat|while))_\d+")


class Names:
    """Names of one Python scope; each is given once."""

    def __init__(self, outer: Names | None = None) -> None:
        self._taken: set[str] = set(outer._taken) if outer is not None else set(_RESERVED)
        self._next: dict[str, int] = {}

    def new(self, ptx: str) -> str:
        """A Python name near one of PTX, that nothing has yet."""
        plain = _NOT_IN_NAMES.sub("_", ptx.lstrip("%$")) or "_"
        if plain[0].isdigit() or plain.startswith("__"):  # a class's body would mangle it
            plain = f"v{plain}"
        name, number = plain, self._next.get(plain, 0)
        while name in self._taken:  # as Python's own style has it, `lambda_`, `f16_`
            name = f"{plain}_{number or ''}"
            number += 1
        self._next[plain] = number
        self._taken.add(name)
        return name

    def keeps(self, ptx: str) -> bool:
        """Is a name of PTX one of Python, and free?"""
        return ptx.isidentifier() and ptx.isascii() and not ptx.startswith("__") and ptx not in self._taken


def label_text(name: str, taken: set[str]) -> str:
    """A label's name in the program that is written: its own, unless another `{}` has it, or the builder makes such names."""
    base = f"{name}_ptx" if _OF_BUILDER.fullmatch(name) else name
    found, number = base, 0
    while found in taken:
        number += 1
        found = f"{base}_{number}"
    taken.add(found)
    return found
