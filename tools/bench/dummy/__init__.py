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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["dummy_library", "rows_at_dummy_library"]


@contextmanager
def dummy_library() -> Iterator[dict[str, str]]:
    """Build the library. What is to be set for a process that finds it in the driver's place; {} without a C compiler.

    Besides, DUMMYCUDA_POINTERS makes kernels of so many pointers (else: three pointers and an i32), DUMMYCUDA_ANY_KERNEL of
    whatever parameters their signatures say; DUMMYCUDA_LOAD_MS is what a load takes.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        print("no C compiler here for the dummy library: its part is left out", file=sys.stderr)
        yield {}
        return
    with tempfile.TemporaryDirectory() as folder:
        library, source = Path(folder, "libcuda.so.1"), Path(__file__).with_name("libcuda.c")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-w", "-o", str(library), str(source)], check=True)
        yield {
            "PTXGEN_LIBCUDA": str(library),
            "PTXGEN_CACHE_DIR": folder,
            "LD_LIBRARY_PATH": os.pathsep.join([folder, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]),
        }


def rows_at_dummy_library(script: str, rounds: int, tiny: bool, **environment: str) -> list[dict[str, Any]]:
    """Run `script --at-dummy-library` where the library stands in the driver's place, with `environment` set; what that prints, a
    list in JSON. [] without a C compiler."""
    with dummy_library() as place:
        if not place:
            return []
        done = subprocess.run(
            [sys.executable, script, "--at-dummy-library", "--rounds", str(rounds), *["--tiny"] * tiny],
            env={**os.environ, **place, **environment},
            stdout=subprocess.PIPE,
            check=True,
        )
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows
