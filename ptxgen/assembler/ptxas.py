"""ptxas, one process a program: 12 ms each. It reads PTX from, and writes the cubin to, its own standard streams."""

from __future__ import annotations

import re
import subprocess

from ptxgen.assembler.pool import WorkerDied, WorkerHung, signal_name

__all__ = ["about", "run"]

try:
    import resource
except ImportError:  # only on Windows, where a hung tool has no processor limit
    resource = None  # type: ignore[assignment]


def about(path: str) -> tuple[str, tuple[str, ...]]:
    """The tool's version and the targets it takes; OSError if it cannot be used, saying why."""
    version = re.search(r"release (\d+\.\d+)", _ask(path, "--version"))
    if not version:
        raise OSError(f"{path} --version names no release: not a ptxas?")
    return version[1], tuple(sorted(set(re.findall(r"'(sm_\d+[af]?)'", _ask(path, "--help"))), key=_number))


def _number(target: str) -> tuple[int, str]:
    digits = re.findall(r"\d+", target)[0]
    return int(digits), target


def _ask(path: str, option: str) -> str:
    try:
        return subprocess.run([path, option], capture_output=True, text=True, timeout=30, check=False).stdout
    except subprocess.TimeoutExpired:
        raise OSError(f"{path} {option}: no answer in 30 s") from None


def run(path: str, ptx: bytes, target: str, options: tuple[str, ...], name: str, limit: float) -> tuple[bytes, str]:
    """(cubin, log); the cubin is empty if the program was refused. Raises WorkerDied or WorkerHung."""
    command = [path, f"-arch={target}", *options, "/dev/stdin", "-o", "/dev/stdout"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        if resource is not None:  # a hang ends even if this process is killed first
            seconds = int(limit) + 1
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds))
        try:
            cubin, log = process.communicate(ptx, timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            raise WorkerHung from None
        except BaseException:
            process.kill()
            raise
    text = log.decode(errors="replace")
    if process.returncode < 0:
        raise WorkerDied(signal_name(-process.returncode), text.strip())
    return (b"" if process.returncode else cubin), text
