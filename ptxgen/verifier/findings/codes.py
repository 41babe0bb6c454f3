"""The diagnostic codes of remarks that take warnings back: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # ptxgen/builder/control/suppression.py: allow
    # silence.py: _judge
    Code(
        "PTX690",
        "a remark takes back a warning that does not exist",
        "ptxgen: ignore[...] or allow[...] names a code that no diagnostic has",
        "a code as in the finding, PTX501, or its whole group, PTX5xx",
        ptx="// ptxgen: ignore[PTX999]\nadd.u32 %r1, %r1, 1;",
        severity="warning",
    ),
    # silence.py: _judge
    Code(
        "PTX691",
        "a remark takes nothing back",
        "ptxgen: ignore[...] or allow[...] stands where there is no such warning, or where it is an error; found with style=True",
        "delete the remark, or write it where the warning is",
        ptx="// ptxgen: ignore[PTX303]\nadd.u32 %r1, %r1, 1;",
        severity="warning",
    ),
)
