"""Golden PTX: pin what a kernel is printed as, compare, and bless a change after a human has read its diff.

A golden is the text of one variant of a kernel for one target. Targets whose texts differ in `.version` and `.target`
alone share a file, `FOLDER/<kernel>/<variant>.<first target>.ptx`, that begins with a line of them (`files.py`); with one
target, the file is its PTX and nothing more. `check` compares a module with its golden; `bless` pins it, once the strict
verifier and an assembler have accepted it, and changes the entry of its target alone; `golden_text` is what is pinned,
for those who want it as an input; `goldens` and `orphans` list what there is. `store.py` holds these; `plugin.py` makes a
pytest fixture and `--bless` of them, and says how a failure is shown.

Nothing here knows the kernels of ptxgen: your own project pins its kernels with the same names. May import everything
up to `tuning`; loaded on first use, because pytest loads the plugin in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
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

__all__ = ["GoldenDamaged", "GoldenMismatch", "Pinned", "bless", "check", "drop", "golden_text", "goldens", "orphans"]

_EXPORTS = {
    "store": "GoldenDamaged GoldenMismatch Pinned bless check drop golden_text goldens orphans",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
