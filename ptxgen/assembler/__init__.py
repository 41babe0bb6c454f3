"""PTX to cubin on a machine without a GPU: ptxas, and nvJitLink in worker processes that survive its crashes.

Nothing here knows an instruction: a program goes in as text, and a cubin, or the tool's messages with the PTX lines
they are about, come out. `choice` says which tool is taken: ptxas where it is, since it assembles whole programs. Imports
`ptxgen.errors`, and of driver_ctypes the reader of cubins and the places of libcuda; `worker.py` runs alone and imports nothing.
"""

from __future__ import annotations

from ptxgen.assembler.assembly import Assembled, AssemblerCrashed, AssemblerMissing, assemble, assemble_many
from ptxgen.assembler.pool import shutdown
from ptxgen.assembler.tools import Assembler, assemblers
from ptxgen.errors import AssembleError

__all__ = [
    "AssembleError",
    "Assembled",
    "Assembler",
    "AssemblerCrashed",
    "AssemblerMissing",
    "assemble",
    "assemble_many",
    "assemblers",
    "shutdown",
]
