"""What compiled code depends on beside the program: this package's own sources, LLVM, the processor, Python.

Everything is told without importing llvmlite where the processor can be asked by itself (x86-64).
"""

from __future__ import annotations

import os
import struct
import sys

from driver_ctypes.hashing import blake2b
from driver_ctypes.primitives import cache
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.cpu.code.compiler import find_compiler
from ptxgen.sources import files, settled

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RUNNING", "Sources", "compiler_identity", "processor_identity", "python_identity", "sources"]

WITHOUT = {
    **dict.fromkeys(
        ("assembler", "resources", "strategies", "passes"), "beside this room: they read programs or write others"
    ),
    **dict.fromkeys(
        "__main__.py builder cli compare debugger distributed golden host hunt jax kernels lsp mcp ops report runtime shim torch "
        "transpile tuning".split(),
        "above the emulated driver: what they make comes as PTX, which is part of the key",
    ),
}
"""What does not decide whether a program is legal and what becomes of it, and why; everything else in this package does."""

RUNNING = {
    **WITHOUT,
    **dict.fromkeys(("cpu", "emulated_driver"), "they run programs that were judged before"),
}
"""What does not decide whether a program is legal, and why."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Sources(NamedTuple):
    """The source files, as the file system describes them."""

    marks: str
    """Names, sizes, times of change and numbers of all files: equal ones mean equal contents, on this machine."""
    settled: bool
    """False where a file was changed after this process had begun to import them: what runs may be older."""
    root: str

    def digest(self) -> str:
        """Of the contents: the same wherever the same version lies."""
        found = blake2b(digest_size=32)
        for name, path, _mark in sorted(files(self.root, WITHOUT)):
            with open(path, "rb") as file:
                data = file.read()
            found.update(f"{name}\0{len(data)}\0".encode())
            found.update(data)
        return found.hexdigest()


def sources(root: str | os.PathLike[str] = _PACKAGE, *, without: Mapping[str, str] = WITHOUT) -> Sources | None:
    """The sources of code generation, or those but for others; None where the package does not lie in a folder."""
    try:
        found = sorted(files(root, without))
    except OSError:
        return None
    youngest = max(mark.st_ctime for _name, _path, mark in found)
    marks = [
        f"{name} {mark.st_size} {mark.st_mtime_ns} {mark.st_ctime_ns} {mark.st_ino}" for name, _path, mark in found
    ]
    return Sources("\n".join([os.fspath(root), *marks]), settled(youngest), os.fspath(root))


def python_identity() -> str:
    """Whose marshal format and `ctypes` layouts entries have."""
    return f"{sys.implementation.cache_tag} {sys.byteorder} {struct.calcsize('P')}"


@cache
def compiler_identity() -> str | None:
    """llvmlite's version and library, whose LLVM is part of it; None where it is not installed."""
    folder = find_compiler()
    if folder is None:
        return None
    try:
        with open(os.path.join(folder, "_version.py"), encoding="utf-8") as file:
            version = file.read()
        with os.scandir(os.path.join(folder, "binding")) as entries:
            library = max(entry.stat().st_size for entry in entries if "llvmlite" in entry.name)
    except (OSError, ValueError):
        return None
    return f"{version}\n{library}"


# --- the processor ----------------------------------------------------------------------------------------------------

# void cpuid(uint32 leaf, uint32 part, uint32 *registers): eax, ebx, ecx, edx. System V calling convention.
_CPUID = bytes.fromhex("53 4989d0 89f8 89f1 0fa2 418900 41895804 41894808 4189500c 5b c3")
# uint64 xgetbv(): which registers the system saves for a thread.
_XGETBV = bytes.fromhex("31c9 0f01d0 48c1e220 4809d0 c3")
_OSXSAVE = 1 << 27  # in ecx of leaf 1

_FEATURES = {
    (0x0, 0): "abcd", (0x1, 0): "acd", (0x7, 0): "abcd", (0x7, 1): "abcd", (0x7, 2): "d", (0xD, 1): "a", (0x14, 0): "b",
    (0x19, 0): "b", (0x1E, 1): "a", (0x24, 0): "b", (0x80000000, 0): "a", (0x80000001, 0): "cd", (0x80000008, 0): "b",
}  # fmt: skip
"""Where the maker, the model and the features stand (leaf, part): registers. Others number the core, or tell the day's clock."""


@cache
def processor_identity() -> str:
    """Maker, model and features: all that LLVM goes by when it compiles for the host."""
    if sys.platform == "linux" and os.uname().machine == "x86_64" and struct.calcsize("P") == 8:
        return _x86_features()
    from ptxgen.cpu.jit import host

    return " ".join(host())


def _x86_features() -> str:
    import ctypes

    from driver_ctypes.machine_code.memory import CodeMemory

    memory = CodeMemory(len(_CPUID) + len(_XGETBV))
    memory.seal(_CPUID + _XGETBV)
    registers = (ctypes.c_uint32 * 4)()
    cpuid = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)(memory.address)
    xgetbv = ctypes.CFUNCTYPE(ctypes.c_uint64)(memory.address + len(_CPUID))
    found, most = [], {0x0: 0, 0x80000000: 0}
    for (leaf, part), chosen in _FEATURES.items():
        if leaf > most[leaf & 0x80000000] and leaf not in most:
            continue  # the processor has no such leaf
        cpuid(leaf, part, ctypes.addressof(registers))
        if leaf in most:
            most[leaf] = registers[0]
        found += [f"{leaf:x}.{part}{name}={registers['abcd'.index(name)]:x}" for name in chosen]
        if leaf == 0x1 and registers[2] & _OSXSAVE:
            found.append(f"xcr0={xgetbv():x}")
    return " ".join(found)
