"""The editor server: `ptxgen lsp` speaks the Language Server Protocol over standard input and output.

    model/         an open text: lines and columns, statements, scopes, declarations; finished or not
    languages/     where the PTX is in a file: .ptx, templates, Python strings, asm statements of CUDA C++
    document.py    an open file with its regions of PTX
    answers/       hover, completion, rename, ...: pure functions of a document and a place
    background/    syntax errors, the verifier's findings and hints, from a process of their own
    changes.py     what an editor changes, as edits of a document
    session.py     the open files, and when each is checked
    conversion.py  our values <-> those of the protocol
    server.py      the protocol (pygls): each request calls one answer

To answer another question of an editor, write its module in `answers/`, with tests that need no protocol, and its function in
`server.py`. To read PTX in another language, add its row to `languages/`. May import everything up to the runtime. The extra
`lsp` (pygls) is needed by `changes.py`, `session.py`, `conversion.py`, `protocol.py` and `server.py` alone. Nothing else writes
to standard output; what goes wrong is logged to standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.lsp.server import serve

__all__ = ["serve"]

_EXPORTS = {"server": "serve"}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
