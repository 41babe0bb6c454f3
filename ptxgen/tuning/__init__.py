"""Which configuration of a kernel is the fastest on this device: candidates of its space are pruned, assembled in parallel,
checked, and timed in rounds; what won is kept as data that the kernel reads through `ptxgen.kernels.choices`.

`search` is `tune` itself; `candidates` prunes before anything is assembled, `assembly` after it, `timing` is the clock, `race`
the rounds, `results` what comes out, `shipping` writes the defaults that the package brings along. The space, the rules and
the records are `ptxgen.kernels.space` and `ptxgen.kernels.winners`, since kernels stand below this room. A new reason to drop
a candidate is a line in `candidates` or `assembly`. May import everything up to `ops`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.tuning.errors import TuneError
    from ptxgen.tuning.results import ClassResult, Progress, Row, TuneResult
    from ptxgen.tuning.search import tune
    from ptxgen.tuning.shipping import write_shipped
    from ptxgen.tuning.timing import sets_of

__all__ = ["ClassResult", "Progress", "Row", "TuneError", "TuneResult", "sets_of", "tune", "write_shipped"]

_EXPORTS = {
    "errors": "TuneError",
    "results": "ClassResult Progress Row TuneResult",
    "search": "tune",
    "shipping": "write_shipped",
    "timing": "sets_of",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
