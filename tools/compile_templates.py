#!/usr/bin/env python3
"""Writes ptxgen/kernels/compiled: the library's Jinja templates as functions of Python (tools/templates says how).

python tools/compile_templates.py            write them
python tools/compile_templates.py --check    fail where they are not what the templates say
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.templates.files import compiled

FOLDER = Path(__file__).resolve().parent.parent / "ptxgen" / "kernels" / "compiled"
OWN = "__init__.py"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    wanted = compiled()
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.py") if path.name != OWN}
    stale = [name for name in sorted({*wanted, *there}) if wanted.get(name) != there.get(name)]
    if options.check:
        raise SystemExit(
            f"not what its template says: {', '.join(stale)}; run tools/compile_templates.py" if stale else 0
        )
    for name in stale:
        if name in wanted:
            Path(FOLDER, name).write_text(wanted[name], "utf-8")
        else:
            Path(FOLDER, name).unlink()


if __name__ == "__main__":
    main()
