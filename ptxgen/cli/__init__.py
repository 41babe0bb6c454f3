"""The `ptxgen` command. It needs click and rich, the extra `cli`; without them it says so.

One file a command; `app.py` lists them. `find.py` finds the program that a command is about, one of the kinds in
`programs.py`; `options.py` has the options that commands share, `arguments.py` those of a launch; `show.py` prints. To add a
command, write its file and its line in `app.py`. May import every room; nothing imports this one.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

__all__ = ["main"]


def main() -> None:
    """The console script. Exit status: 0 well, 1 something is wrong with a program, 2 wrong usage or nothing to run with."""
    missing = [package for package in ("click", "rich") if find_spec(package) is None]
    if missing:
        sys.stderr.write(
            f"ptxgen: the command line needs {' and '.join(missing)}, which this Python does not have ({sys.executable})\n"
            "  Fix: pip install 'ptxgen[cli]'\n"
        )
        sys.exit(2)
    from ptxgen.cli.app import app

    app(prog_name="ptxgen")
