"""nvJitLink, asked through worker processes (`worker.py`): 5 ms a small module once a worker runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ptxgen.assembler.pool import WorkerDied, WorkerHung, pool

__all__ = ["about", "command", "run"]

_ABOUT_LIMIT = 30.0  # seconds; it takes 10 ms


def command(path: str) -> tuple[str, ...]:
    """How a worker with this library is started: isolated (-I) and without site-packages (-S), so it starts fast."""
    return (sys.executable, "-I", "-S", str(Path(__file__).with_name("worker.py")), path)


def about(path: str) -> tuple[str, tuple[str, ...]]:
    """The library's version and the targets it takes; OSError if it cannot be used, saying why."""
    if not sys.executable:
        raise OSError("this Python does not know its own executable, so it cannot start a worker process")
    if os.path.isabs(path) and not os.path.isfile(path):
        raise OSError(f"no such file: {path}")
    try:
        _, version, targets = pool(command(path)).ask([b"about"], _ABOUT_LIMIT)
    except WorkerDied as death:
        raise OSError(death.stderr or death.cause) from None
    except WorkerHung:
        raise OSError(f"no answer in {_ABOUT_LIMIT:.0f} s") from None
    return version.decode(), tuple(targets.decode().split())


def run(path: str, ptx: bytes, target: str, options: tuple[str, ...], name: str, limit: float) -> tuple[bytes, str]:
    """(cubin, log); the cubin is empty if the program was refused. Raises WorkerDied or WorkerHung."""
    parts = [b"assemble", name.encode(), ptx, f"-arch={target}".encode(), *map(str.encode, options)]
    _, cubin, errors, information = pool(command(path)).ask(parts, limit)
    return cubin, (errors + information).decode(errors="replace")
