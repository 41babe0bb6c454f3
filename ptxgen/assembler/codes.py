"""The diagnostic code of what an assembler gives up: see `ptxgen.codes`. The comments above the rows are written by tools/index_codes.py."""

from __future__ import annotations

from ptxgen.codes.code import HEADER, Code

__all__ = ["CODES"]

CODES = (
    # log.py: _loss
    Code(
        "PTX630",
        "the assembler gives up speed, or repairs the program",
        "ptxas and nvJitLink say so in a message (C75xx) and go on: setmaxnreg is ignored (C7504, C7508), wgmma is serialised "
        "(C7509, C7512), or a wait or a fence for it is inserted (C7517, C7519). nvJitLink assembles a program as a part of a larger one, and gives up more; said by ptxgen.resources.advise, "
        "ptxgen stat and ptxgen check --style, and among the messages of ptxgen.assemble",
        "assemble the program as a whole, with ptxas (the extra `ptxas`); else what the message asks for",
        module=HEADER + ".visible .entry k()\n{\n\tsetmaxnreg.dec.sync.aligned.u32 40;\n\tret;\n}\n",
        severity="warning",
    ),
)
