"""State spaces (manual 5.1)."""

from __future__ import annotations

__all__ = ["ADDRESSABLE", "MODULE_SPACES", "SPACES", "WINDOW"]

SPACES: tuple[str, ...] = ("reg", "sreg", "const", "global", "local", "param", "shared", "tex")
"""Names without the dot; `shared::cta`, `shared::cluster`, `param::entry` and `param::func` are sub-qualifiers."""

MODULE_SPACES = frozenset({"const", "global", "shared", "tex"})
"""Spaces in which a variable may be declared outside functions."""

ADDRESSABLE = frozenset({"const", "global", "local", "param", "shared"})
"""Spaces that ld may name."""

WINDOW: dict[str, str] = {
    "shared::cta": "shared", "shared::cluster": "shared", "param::entry": "param", "param::func": "param",
}  # fmt: skip
"""Sub-qualified space -> the space its variables are declared in."""
