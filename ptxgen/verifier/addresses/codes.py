"""The diagnostic codes of addresses: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import Code

__all__ = ["CODES"]

CODES = (
    # widths.py: _report
    Code(
        "PTX209",
        "a global or generic address in fewer than 64 bits",
        "global and generic memory has 64-bit addresses; from sm_90 on assemblers refuse 32-bit ones, before they cut the address",
        "a .b64 register; addresses in .shared, .local, .const and .param fit into 32 bits",
        ptx="ld.global.u32 %r1, [%r2];",
        severity="error or warning",
    ),
    # alignment.py: _check_variable
    # ptxgen/verifier/threads/shared_bounds.py: _report
    Code(
        "PTX426",
        "outside its variable",
        "a constant offset goes past the end of a variable or before its beginning, or the index of a thread that .reqntid states",
        "the finding says how large the variable is",
        before=".shared .align 16 .b8 s[64];",
        ptx="ld.shared.f32 %f1, [s+64];",
        severity="warning",
    ),
)
