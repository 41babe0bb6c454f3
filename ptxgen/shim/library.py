"""libcuda.so.1, and what stands beside it, written into a folder: what `ptxgen shim` and `ptxgen exec` use."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import sysconfig
import tempfile
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ptxgen.cpu.jit import library_object
from ptxgen.errors import UnsupportedError
from ptxgen.shim import nvjitlink, nvrtc
from ptxgen.shim.code import CUDA_ANSWERS, Answers, library_text
from ptxgen.shim.exports import FUNCTIONS, LIBRARY, VARIABLES
from ptxgen.shim.shared_object import link

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LIBRARIES", "TOOLS", "content_key", "shared_python", "write_library"]


class _Offers(NamedTuple):
    """What a library exports. `versioned`: under a version that is the library's name, as NVIDIA's."""

    functions: tuple[str, ...]
    variables: dict[str, int]
    texts: dict[str, tuple[str, ...]]
    answers: Answers
    versioned: bool


LIBRARIES = {
    LIBRARY: _Offers(FUNCTIONS, VARIABLES, {}, CUDA_ANSWERS, versioned=False),
    **{name: _Offers(found, {}, {}, nvjitlink.ANSWERS, versioned=True) for name, found in nvjitlink.LIBRARIES.items()},
    **{name: _Offers(found, {}, nvrtc.TEXTS, nvrtc.ANSWERS, versioned=True) for name, found in nvrtc.LIBRARIES.items()},
}
TOOLS = ("ptxas", "ptxas-blackwell")
_TOOL = """#!/bin/sh
'''exec' {} "$0" "$@"
' '''
from ptxgen.shim.ptxas import main

main()
"""
"""For the shell it is a line that starts Python, whose path may be longer than a first line takes, or have spaces; for Python it
is a text."""

_PACKAGES = ("ptxgen", "driver_ctypes", "llvmlite", "jinja2")
"""Whose folders a started interpreter looks into."""


def shared_python() -> Path | None:
    """The shared library of this Python, which a host that is not Python needs; None where there is none."""
    folder, name = sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")
    for place in (folder, os.path.join(sys.base_prefix, "lib"), f"/usr/lib/{platform.machine()}-linux-gnu"):
        path = Path(str(place), str(name))
        if ".so" in path.name and path.is_file():
            return path
    return None


def write_library(folder: Path) -> Path:
    """Write the library and the tools; the library's path. Nothing outside of the folder is touched.

    UnsupportedError on other systems than Linux on x86-64, and without llvmlite; OSError where the folder cannot be written.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise UnsupportedError(
            f"libcuda.so.1 for {sys.platform} on {platform.machine()}",
            hint="Linux on x86-64; elsewhere px.device('cpu')",
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, offers in LIBRARIES.items():
        needed = ("libc.so.6", "libdl.so.2")
        _write(folder / name, link(library_object(_text(name)), name, needed, versioned=offers.versioned))
    plain = folder / "libcuda.so"
    if not plain.is_symlink():
        plain.unlink(missing_ok=True)
        plain.symlink_to(LIBRARY)
    for name in TOOLS:
        _write(folder / name, _TOOL.format(shlex.quote(sys.executable)).encode(), 0o755)
    return folder / LIBRARY


def content_key() -> str:
    """Different where the library would be."""
    texts = (*map(_text, LIBRARIES), _TOOL, sys.executable)
    return blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()


@cache
def _text(library: str) -> str:
    python = shared_python()
    missing = f"{library}: {_missing(python)}"
    functions, variables, texts, answers, _versioned = LIBRARIES[library]
    return library_text(
        functions, variables, texts, answers, _script(library), str(python or ""), sys.base_prefix, missing
    )


def _write(path: Path, content: bytes, mode: int = 0o644) -> None:
    """A whole file or none: others may be loading it."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _folders() -> Iterator[str]:
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec is not None and spec.origin:
            yield str(Path(spec.origin).parent.parent)


def _script(library: str) -> str:
    """What the library has Python do. It goes through snprintf, for the address."""
    version, paths = tuple(sys.version_info[:2]), list(dict.fromkeys(_folders()))
    text = f"""import signal, sys
if sys.version_info[:2] == {version!r}:
    sys.path += [path for path in {paths!r} if path not in sys.path]
try:
    from ptxgen.shim.process import fill
    fill({library!r}, ADDRESS)
    del fill
except ImportError as error:
    sys.stderr.write(f"{library}: {{sys.executable}} cannot import ptxgen: {{error}}\\n  Fix: pip install ptxgen there\\n")
"""
    return text.replace("%", "%%").replace("ADDRESS", "%ld")


def _missing(python: Path | None) -> str:
    where = f"{python} cannot be loaded" if python else f"{sys.executable} has no shared library"
    return (
        f"this process has no Python, and {where}\n"
        f"  Fix: install libpython{sys.version_info[0]}.{sys.version_info[1]} as a shared library, then ptxgen shim again\n"
    )
