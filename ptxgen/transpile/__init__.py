"""PTX to Python: a program of the builder whose module assembles to the same machine code.

`program.py` writes a module, in steps that each have a file: `flat.py` makes a body one list of nodes (`nodes.py`), `raising.py`
finds ifs and loops in it, `registers.py` says which register is a value and which a variable, `heads.py` writes the head,
`writing.py` the lines: a natural form of the builder where `natural.py` has one that emits the same instruction, else the exact
one (`spelling.py`). `lines.py` folds them and splits long functions. `check.py` runs a program that was written and compares what
it builds. To raise one more form, add its row in `natural.py`; to say in Python what nothing can say yet, extend the builder's
exact layer.

May import everything up to `golden`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.transpile.check import differences, rebuilt
    from ptxgen.transpile.program import transpile

__all__ = ["differences", "rebuilt", "transpile"]

_EXPORTS = {"program": "transpile", "check": "differences rebuilt"}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
