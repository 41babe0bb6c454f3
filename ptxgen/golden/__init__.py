"""Golden PTX: pin what a kernel is printed as, compare, and bless a change after a human has read its diff.

A golden is a file, `FOLDER/<kernel>/<variant>.<target>.ptx`. `check` compares a module with its golden; `bless` writes
it, once the strict verifier and an assembler have accepted it. `plugin.py` makes both a pytest fixture and `--bless`.
Nothing here knows the kernels of ptxgen: your own project pins its kernels with the same three names. May import
everything up to `ops`; loaded on first use, because pytest loads the plugin in every run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.golden.store import GoldenMismatch, bless, check, golden_path

__all__ = ["GoldenMismatch", "bless", "check", "golden_path"]


_EXPORTS = {
    "store": "GoldenMismatch bless check golden_path",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
