"""`analyze`: everything that is known of a program without running it, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.errors import ArgumentTypeError
from driver_ctypes.modules.cubin import cubin_resources
from ptxgen.assembler import AssemblerMissing, assemble
from ptxgen.dataflow.bodies.kernel_layout import parameter_layout, static_shared
from ptxgen.dataflow.bodies.walk import body_of
from ptxgen.dataflow.memory.access_patterns import Pattern, patterns
from ptxgen.ir import Module, resolve
from ptxgen.isa.targets import find_target
from ptxgen.resources import mix
from ptxgen.resources.residency import Occupancy, occupancy
from ptxgen.resources.work import Intensity, intensity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.modules.jitlog import Resources
    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Function

__all__ = ["DEFAULT_THREADS", "KernelReport", "MemoryAccesses", "Report", "analyze", "threads_of"]

DEFAULT_THREADS = 256
"""Threads of a CTA where neither the caller nor the kernel says how many."""


class MemoryAccesses(NamedTuple):
    """The accesses of a function, and what they come to.

    `counts`: by space and kind, such as "global load". `efficiency`: of the global accesses whose addresses are known relative to
    each other, the part of the moved sectors that is used; `conflicts`: of the shared ones, their wavefronts over
    the fewest possible. None where nothing is known; `unknown` accesses are not among them.
    """

    counts: dict[str, int]
    efficiency: float | None
    conflicts: float | None
    unknown: int
    accesses: tuple[dict[str, Any], ...]


class KernelReport(NamedTuple):
    """A function with a body. `resources` and `occupancy` are None where no assembler has been asked, or for device functions."""

    name: str
    kernel: bool
    instructions: int
    groups: dict[str, int]
    opcodes: dict[str, int]
    virtual_registers: dict[str, int]
    basic_blocks: int
    loops: int
    shared: int
    parameters: int
    memory: MemoryAccesses
    intensity: Intensity | None
    resources: Resources | None
    occupancy: Occupancy | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        plain = self._asdict()
        plain["memory"] = {**self.memory._asdict(), "accesses": list(self.memory.accesses)}
        for name in ("resources", "occupancy"):
            value = getattr(self, name)
            plain[name] = None if value is None else value._asdict()
        if self.intensity is not None:
            plain["intensity"] = {**self.intensity._asdict(), "region": self.intensity.region._asdict()}
        return plain


class Report(NamedTuple):
    """A module: its functions, and the verifier's warnings. `assembler`: which tool counted the registers, or why none did;
    `losses`: what it says that it gives up (PTX630)."""

    target: str
    version: str
    lines: int
    functions: tuple[KernelReport, ...]
    warnings: tuple[Diagnostic, ...]
    assembler: str
    losses: tuple[Diagnostic, ...] = ()

    def kernel(self, name: str | None = None) -> KernelReport:
        """The function of that name, or the only kernel. Raises KeyError naming those that there are."""
        found = [f for f in self.functions if (f.name == name if name else f.kernel)]
        if len(found) != 1:
            known = ", ".join(f.name for f in self.functions)
            raise KeyError(f"no function {name!r}; there are {known}" if name else f"not one kernel but: {known}")
        return found[0]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            **self._asdict(),
            "functions": [function.to_dict() for function in self.functions],
            "warnings": [finding.to_dict() for finding in self.warnings],
            "losses": [loss.to_dict() for loss in self.losses],
        }


def analyze(
    module: Module, *, threads: int | None = None, shared: int = 0, assembled: bool = True, tool: str = "auto",
    findings: Sequence[Diagnostic] | None = None,
) -> Report:  # fmt: skip
    """Report on a module for its own target.

    `threads`: of a CTA, for the occupancy; else what the kernel's .reqntid or .maxntid says, else 256. `shared`: bytes of dynamic
    shared memory, at least what the kernel planned.
    `tool`: whose figures: "ptxas", "nvjitlink", "driver" (NVIDIA's on this machine, for its first device), or a
    path; "auto" is what `ptxgen.assemble` takes. `assembled=False` asks none; where "auto" finds none, the report says so.
    `findings`: the verifier's, of a caller who has them and no error is among them; else it is asked.

    Raises VerifyError for a module with errors, AssembleError for one that the tool refuses, AssemblerMissing where the named
    tool is not here, ValueError for a number of threads that no CTA has, ArgumentTypeError for what is not a module.
    """
    from ptxgen.verifier import assert_valid

    if not isinstance(module, Module):
        raise ArgumentTypeError(
            f"{type(module).__name__} is not a module", hint="ptxgen.parse(text), or kernel.module(target=...)"
        )

    warnings = assert_valid(module) if findings is None else findings
    used, assembler, losses = _resources(module, tool) if assembled else ({}, "not asked", ())
    functions = tuple(
        _function(module, function, used.get(function.name), threads, shared)
        for function in module.functions
        if function.body is not None
    )
    version = f"{module.version[0]}.{module.version[1]}"
    return Report(module.target, version, str(module).count("\n"), functions, tuple(warnings), assembler, losses)


def _resources(module: Module, tool: str) -> tuple[dict[str, Resources], str, tuple[Diagnostic, ...]]:
    if tool == "driver":
        from ptxgen.assembler.log import parse_log
        from ptxgen.resources.driver_figures import driver_resources

        text = str(module)
        used, who, said = driver_resources(text, module.name)
        lost = parse_log("\n".join(f"{message.severity:8}: {message.text}" for message in said), text, module.name)
        return used, who, tuple(message for message in lost if message.code == "PTX630")
    try:
        done = assemble(str(module), name=module.name, verbose=True, tool=tool)
    except AssemblerMissing as missing:
        if tool != "auto":
            raise
        return {}, str(missing), ()
    losses = tuple(message for message in done.messages if message.code == "PTX630")
    return cubin_resources(done.cubin, done.log), f"{done.tool} {done.version}", losses


def threads_of(function: Function) -> int | None:
    """Threads of a CTA as .reqntid, or as the largest that .maxntid allows."""
    for name in ("reqntid", "maxntid"):
        directive = function.directive(name)
        if directive is not None:
            size = 1
            for extent in directive.arguments:
                size *= extent if isinstance(extent, int) else 1
            return size
    return None


def _function(
    module: Module, function: Function, used: Resources | None, threads: int | None, shared: int
) -> KernelReport:
    body = body_of(module, function.name)
    accesses = patterns(body)
    opcodes = mix.opcodes(function)
    groups: dict[str, int] = {}
    for opcode, count in opcodes.items():
        groups[mix.group(opcode)] = groups.get(mix.group(opcode), 0) + count
    static = static_shared(module.variables, function)
    held = None
    if used is not None and function.is_entry:
        size = threads or threads_of(function) or DEFAULT_THREADS
        dynamic = max(shared, function.dynamic_shared)
        held = occupancy(find_target(module.target), size, used.registers, static + dynamic)
    return KernelReport(
        function.name, function.is_entry, len(body.instructions), groups, opcodes, mix.virtual_registers(function),
        len(body.flow.blocks), len(body.loops), static, parameter_layout(function)[1], _memory(body, accesses),
        intensity(body, accesses), used, held,
    )  # fmt: skip


def _memory(body: Body, accesses: list[Pattern]) -> MemoryAccesses:
    counts: dict[str, int] = {}
    sectors = used = wavefronts = fewest = unknown = 0
    for access in accesses:
        name = f"{access.space} {access.kind}"
        counts[name] = counts.get(name, 0) + 1
        if access.fewest is None:
            unknown += 1
        elif access.sectors is not None:
            sectors += access.sectors
            used += access.fewest
        elif access.ways is not None:
            wavefronts += access.ways
            fewest += access.fewest
    rows = tuple(_row(body, access) for access in accesses)
    return MemoryAccesses(
        counts, used / sectors if sectors else None, wavefronts / fewest if fewest else None, unknown, rows
    )


def _row(body: Body, access: Pattern) -> dict[str, Any]:
    instruction = body.instructions[access.position]
    places = resolve(instruction.source)
    row = access._asdict()
    del row["position"]
    return {"instruction": instruction.op, "where": str(places[0]) if places else "", **row}
