"""The diagnostic codes of the CPU device: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # unsupported.py: _finding
    # ptxgen/host/loading.py: _unsupported
    Code(
        "PTX490",
        "the CPU device does not run it",
        "the instruction or feature has no lowering on the CPU device; it assembles and runs on a GPU",
        'px.device("cuda"), or another instruction where the finding names one',
    ),
)
