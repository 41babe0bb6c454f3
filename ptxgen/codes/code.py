"""What a diagnostic code is: a row with its meaning, its cause, its remedy and an example; and the groups of the codes."""

from __future__ import annotations

from driver_ctypes.typing import NamedTuple

__all__ = ["GROUPS", "HEADER", "Code", "IndexEntry", "group"]

GROUPS = {
    "1": "syntax of PTX text and templates",
    "2": "forms, operands and types",
    "3": "names and control flow",
    "4": "targets, versions and limits",
    "5": "protocols, memory ordering and divergence",
    "6": "style",
}
"""What the first digit of a code says."""

HEADER = ".version 8.0\n.target sm_90a\n.address_size 64\n"
"""The first lines of most examples that are whole modules."""


class Code(NamedTuple):
    """A diagnostic code.

    `meaning` is one line, `cause` how a program comes to have it, `remedy` what to do. Its example is one of: `ptx`, lines of a
    kernel's body, with `before` standing in front of the kernel and `head` between its parameters and its body; `module`, a whole
    PTX file; `template`, a whole Jinja template; `python`, the body of a kernel `def kernel(k, n: u32, a: f32, x: px.ptr[f32])`.
    `header` is the version and target with which the example gives the code. `severity` is "error", "warning" or both.
    """

    code: str
    meaning: str
    cause: str
    remedy: str
    ptx: str = ""
    before: str = ""
    head: str = ""
    module: str = ""
    template: str = ""
    python: str = ""
    header: str = "8.0 sm_90a"
    severity: str = "error"


class IndexEntry(NamedTuple):
    """What the index has of a code: the module with its row, its meaning, and the functions that report it, by file."""

    module: str
    meaning: str
    rules: dict[str, tuple[str, ...]]


def group(code: str) -> str:
    """What the code's first digit stands for."""
    return GROUPS[code[3]]
