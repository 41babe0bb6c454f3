"""A libcuda that does nothing, for the host's part of what calls cost.

rows = rows_at_dummy_library(__file__, rounds, tiny)      # in a benchmark that has `--at-dummy-library`
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["rows_at_dummy_library"]


def rows_at_dummy_library(script: str, rounds: int, tiny: bool, **environment: str) -> list[dict[str, Any]]:
    """Build the library, and run `script --at-dummy-library` where it stands in the driver's place; what that prints, a list in
    JSON. [] without a C compiler.

    `environment` is set for it: DUMMYCUDA_POINTERS makes kernels of so many pointers (else: three pointers and an i32),
    DUMMYCUDA_ANY_KERNEL of whatever parameters their signatures say.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        print("no C compiler here for the dummy library: the host part is left out", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as folder:
        library, source = Path(folder, "libcuda.so.1"), Path(__file__).with_name("libcuda.c")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-w", "-o", str(library), str(source)], check=True)
        place = {
            "PTXGEN_LIBCUDA": str(library),
            "PTXGEN_CACHE_DIR": folder,
            "LD_LIBRARY_PATH": os.pathsep.join([folder, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]),
        }
        done = subprocess.run(
            [sys.executable, script, "--at-dummy-library", "--rounds", str(rounds), *["--tiny"] * tiny],
            env={**os.environ, **place, **environment},
            stdout=subprocess.PIPE,
            check=True,
        )
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows
