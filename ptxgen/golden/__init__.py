"""Golden PTX: pin what a kernel is compiled to, compare, and bless a change after a human has read its diff.

A golden is the text of one variant of a kernel for one target. Targets whose texts differ in `.version` and `.target`
alone share a file, `FOLDER/<kernel>/<variant>.<first target>.ptx`, that begins with a line of them (`files.py`); with one
target, the file is its PTX and nothing more. `check` compares a program with its golden; `bless` pins it, once the strict
verifier and an assembler have accepted it, and changes the entry of its target alone; `golden_text` is what is pinned,
for those who want it as an input; `goldens` and `orphans` list what there is. `store.py` holds these.

    programs.py   what can be pinned: one row for each kind of object that compilers give; add the next one there
    levels.py     how closely it must be what was pinned: exact, semantic, resources
    plugin.py     pytest: the options and the fixture; fixture.py is one test, run.py a whole run, review.py the questions

Nothing here knows the kernels of ptxgen: your own project pins its kernels with the same names. May import everything
up to `compare`; loaded on first use, because pytest loads the plugin in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.golden.fixture import Golden
    from ptxgen.golden.programs import NotPtxError
    from ptxgen.golden.store import (
        GoldenDamaged,
        GoldenMismatch,
        Pinned,
        bless,
        check,
        drop,
        golden_text,
        goldens,
        orphans,
    )

__all__ = [
    "Golden",
    "GoldenDamaged",
    "GoldenMismatch",
    "NotPtxError",
    "Pinned",
    "bless",
    "check",
    "drop",
    "golden_text",
    "goldens",
    "orphans",
]

_EXPORTS = {
    "fixture": "Golden",
    "programs": "NotPtxError",
    "store": "GoldenDamaged GoldenMismatch Pinned bless check drop golden_text goldens orphans",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
