"""A program compiled as far as it can be without a place in memory: plain data, which a process may leave to the next.

Nothing in it is an address. Generated code names variables by symbols, which get theirs when the code is loaded.
"""

from __future__ import annotations

import marshal

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ptxgen.errors import Diagnostic

__all__ = [
    "KernelCode",
    "KernelOutline",
    "ProgramOutline",
    "RelocatableKernel",
    "RelocatableVariable",
    "Relocation",
]


class Relocation(NamedTuple):
    """A place in a variable's initial value that holds an address: `(address of the symbol + addend) & mask`, shifted down by
    whole bytes to where the mask begins (manual 5.4.4). Without a symbol it is the addend: that of a function."""

    at: int
    nbytes: int
    symbol: str
    addend: int
    mask: int


class RelocatableVariable(NamedTuple):
    """A .global or .const variable. `name` is "" for one of a body; `data` is zero where addresses go."""

    symbol: str
    name: str
    space: str
    nbytes: int
    alignment: int
    data: bytes
    relocations: tuple[Relocation, ...]


class KernelCode(NamedTuple):
    """The LLVM text of a kernel and what the launcher must know about it: plain data, which is kept on disk as it is."""

    text: str
    matrices: tuple[str, ...]  # functions of rt/matrix/functions.py
    polls: bool
    uses_sync: bool
    uses_copies: bool
    uses_tensor_memory: bool
    ranked: bool  # its shared addresses carry the rank of their CTA
    warp_bytes: int
    copies_offset: int  # where a warp's Copies lie in its record, if it has them
    slot_bytes: int
    waits: tuple[tuple[int, int], ...]
    """(which of the warp's masks holds the lanes that wait there, number of the operation)."""
    places: tuple[int, ...]
    """For each of the masks of lanes that can run, the number of an operation there: the first that reads memory, if any does."""
    live_words: int
    prints: bool
    """Does it call vprintf?"""
    uses_stack: bool = False
    """Has it local memory whose size the launch says?"""
    uses_heap: bool = False
    """Does it call malloc or free?"""
    uses_textures: bool = False
    """Does it use handles of textures, surfaces or samplers?"""
    uses_multicast: bool = False
    takes_workspace: bool = False
    """Does it ask for the workspace of a cooperative launch?"""
    tools: tuple[str, ...] = ()
    """Of the sanitizer, and the profile, that the text calls."""
    layers: int = 1
    """Of a clock of racecheck: more where there are fences among CTAs or proxies."""
    leaders: tuple[int, ...] = ()
    """With the profile, of each operation the one that counts how often it is executed; -1: it never is."""
    registers: tuple[int, ...] = ()
    """Under a debugger, where the 32 values of each register begin in a warp's record."""
    written: int = 0
    """And where its masks of the lanes that have written them do."""


class RelocatableKernel(NamedTuple):
    """An `.entry`, compiled. `packed` is the LLVM text, compressed, where `code.text` is empty; `lines` are the text's."""

    name: str
    shared_bytes: int
    local_bytes: int
    local_stride: int
    has_barriers: bool
    code: KernelCode
    lines: int
    packed: bytes

    @property
    def text(self) -> str:
        """The LLVM module."""
        import zlib

        return self.code.text or zlib.decompress(self.packed).decode()

    def pack(self) -> bytes:
        """As bytes, the text compressed, for the same version of everything that `ptxgen.cpu.code.identity` tells."""
        import zlib

        packed = self.packed or zlib.compress(self.code.text.encode(), 1)
        return marshal.dumps((*self[:5], tuple(self.code._replace(text="")), self.lines, packed))

    @staticmethod
    def unpack(data: bytes) -> RelocatableKernel:
        """What `pack` was given."""
        row = marshal.loads(data)
        return RelocatableKernel._make([*row[:5], KernelCode._make(row[5]), *row[6:]])


class KernelOutline(NamedTuple):
    """An `.entry`, as it is declared. `bounds` has the numbers of its launch bounds, by directive."""

    name: str
    parameters: tuple[tuple[str, int, int], ...]
    parameter_bytes: int
    bounds: dict[str, tuple[int, ...]]


class ProgramOutline(NamedTuple):
    """A module, but for the code of its kernels. `global_bytes`, `constant_bytes`: of its own variables in these spaces.
    `refused`: the kernels that this device does not run, with the reasons."""

    target: str
    global_bytes: int
    constant_bytes: int
    variables: tuple[RelocatableVariable, ...]
    kernels: tuple[KernelOutline, ...]
    refused: tuple[tuple[str, tuple[Diagnostic, ...]], ...] = ()

    def pack(self) -> bytes:
        """As bytes, for the same version of everything that `ptxgen.cpu.code.identity` tells."""
        variables = [(*v[:-1], [tuple(link) for link in v.relocations]) for v in self.variables]
        refused = [(name, [_row(reason) for reason in reasons]) for name, reasons in self.refused]
        return marshal.dumps((*self[:3], variables, [tuple(kernel) for kernel in self.kernels], refused))

    @staticmethod
    def unpack(data: bytes) -> ProgramOutline:
        """What `pack` was given."""
        target, global_bytes, constant_bytes, variables, kernels, refused = marshal.loads(data)
        return ProgramOutline(
            target,
            global_bytes,
            constant_bytes,
            tuple(RelocatableVariable._make([*v[:-1], tuple(Relocation(*row) for row in v[-1])]) for v in variables),
            tuple(KernelOutline(*row) for row in kernels),
            tuple((name, tuple(_diagnostic(*row) for row in reasons)) for name, reasons in refused),
        )


def _row(finding: Diagnostic) -> tuple[object, ...]:
    """A finding as plain tuples."""
    places = [(one.kind, one.file, one.line, one.column, one.text) for one in finding.locations]
    return (finding.code, finding.message, finding.severity, places, finding.expected, finding.hint, finding.count)


def _diagnostic(
    code: str, message: str, severity: str, places: list[Any], expected: str | None, hint: str | None, count: int
) -> Diagnostic:
    """What `_row` was given."""
    from ptxgen.errors import Diagnostic, Location

    found = [Location(*place) for place in places]
    return Diagnostic(code, message, severity=severity, locations=found, expected=expected, hint=hint, count=count)
