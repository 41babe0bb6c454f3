"""A kernel's module of LLVM text, and what a launch has to know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.cpu.cfg import build_blocks
from ptxgen.cpu.debugger import DEBUG
from ptxgen.cpu.emit import Emitter, ModuleText
from ptxgen.cpu.lower import needs
from ptxgen.cpu.lower.context import SLOT, Static
from ptxgen.cpu.lower.warp_function import WarpFunction
from ptxgen.cpu.lower.windows import has_ranks
from ptxgen.cpu.profiler.counters import TOOL
from ptxgen.cpu.relocatable import KernelCode
from ptxgen.cpu.rt.matrix.signature import PREFIX
from ptxgen.cpu.sanitizer.probe import Probe
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from ptxgen.cpu.blocks import FlatBlock
    from ptxgen.cpu.flat import FlatKernel

__all__ = ["lower_kernel"]


def lower_kernel(
    kernel: FlatKernel, statics: dict[str, Static], tools: frozenset[str] = frozenset(), lanes: int = 0
) -> KernelCode:
    """The module that runs one kernel; it exports `warp`. `tools` of the sanitizer watch it, the profile counts, a debugger
    pauses it. `lanes`: so many run at once where they can, 0 for none. Raises UnsupportedError."""
    blocks, uniform = build_blocks(kernel, whole=TOOL in tools, single=DEBUG in tools)
    module = ModuleText()
    module.heads.append('!0 = !{!"branch_weights", i32 2000, i32 1}')
    e = Emitter(module)
    probe = Probe(kernel, tools)
    code = WarpFunction(e, kernel, blocks, uniform, statics, probe, lanes)
    body = code.write()
    module.heads.insert(0, code.record.state_type())
    module.functions.append(body)
    return _kernel_code(module, code, kernel, blocks, probe)


def _kernel_code(
    module: ModuleText, function: WarpFunction, kernel: FlatKernel, blocks: list[FlatBlock], probe: Probe
) -> KernelCode:
    tools = {TOOL} if probe.counting is not None else set()
    tools |= {DEBUG} if probe.pausing is not None else set()
    return KernelCode(
        text=str(module),
        matrices=tuple(name for name in module.declarations if name.startswith(PREFIX)),
        polls=any(needs.polls(op) for op in kernel.ops),
        uses_sync=any(b.sync is not None for b in blocks),
        uses_copies=needs.uses_copies(kernel),
        uses_tensor_memory=needs.uses_tensor_memory(kernel),
        ranked=has_ranks(kernel),
        warp_bytes=function.record.nbytes(),
        copies_offset=function.record.copies_offset(),
        slot_bytes=function.k.slots * SLOT,
        waits=tuple((len(blocks) + b.index, b.sync.index) for b in blocks if b.sync is not None),
        places=tuple(needs.place(b) for b in blocks),
        live_words=needs.most_live_words(kernel, blocks),
        takes_workspace=needs.takes_workspace(kernel),
        prints=any(op.opcode == "vprintf" for op in kernel.ops),
        uses_stack=kernel.uses_stack,
        uses_multicast=any(op.opcode == "multimem" for op in kernel.ops),
        uses_textures=any(op.opcode in opcodes_with("image") for op in kernel.ops),
        uses_heap=any(op.opcode in ("malloc", "free") for op in kernel.ops),
        layers=probe.layers,
        tools=tuple(sorted(probe.tools | tools)),
        leaders=tuple(probe.counting.leaders) if probe.counting else (),
        registers=function.record.register_offsets() if probe.pausing else (),
        written=function.record.end() if probe.pausing else 0,
    )
