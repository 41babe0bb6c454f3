"""Rewrites of programs: ir -> ir, each small, each proven by running before and after.

    from ptxgen import passes
    better = passes.run(module)                                   # the passes of DEFAULT, in that order
    better = passes.run(module, ["constants", "dead"])            # those and no others
    better = passes.run(module, [*passes.DEFAULT, "fma"])         # with one that must be asked for

A pass is a function of an `Edit`: a function's body as the verifier sees it (instructions, their forms, what they read and
write, control flow) and what shall stand in place of its instructions. To add one, write a file with such a function and a row
in `pipeline.py`. What several share: `editing.py` (may it be dropped, may it be computed once), `effects.py` and `regions.py`
(what must keep its order, and where order may change), `pressure.py` (what is alive where), `latency.py`, `facts.py` (the walk
over control flow), `arithmetic.py` (what integer instructions compute). A module that is given in is never changed, nor its
registers, which programs share. May import check, text, ir and isa.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.passes.editing import Edit
    from ptxgen.passes.pipeline import DEFAULT, PASSES, PassStep, Remark, run

__all__ = ["DEFAULT", "PASSES", "Edit", "PassStep", "Remark", "run"]

_EXPORTS = {
    "editing": "Edit",
    "pipeline": "DEFAULT PASSES PassStep Remark run",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
