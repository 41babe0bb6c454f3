"""The size of a CTA where a program leaves it open.

A program may leave it open only where no result can depend on it (`check_open`): its threads use nothing but their global
index. Then a size is chosen by a model of the device: the multiprocessor with the most work decides when a launch is over,
and how many of its threads are resident at once decides how fast it goes. `ptxgen.runtime.dispatch.tuning` measures instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.isa.forms import opcodes_with
from ptxgen.runtime.errors import InvalidProgramError, ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.ir import Block, Function, Instruction, Module, Variable
    from ptxgen.runtime.capabilities import Capabilities

__all__ = ["SIZES", "candidates", "check_open", "choose", "three_dimensions"]

SIZES = (512, 256, 128, 1024, 64, 32)
"""Threads of a CTA, in the order of preference among sizes that are equal otherwise. An H200
starts a CTA every 0.6 ns: 4 Mi threads that do almost nothing take 1.29 times as long in CTAs of 256 as of 512, and 1.12
times in CTAs of 1,024."""

_CLOSE = 1 + 1 / 32
"""Sizes whose modelled times differ by less than this are equal: the model is not finer than that."""


def three_dimensions(what: str, value: object) -> tuple[int, int, int]:
    """One to three positive numbers as three: those that are missing are 1."""
    dims = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(dims) <= 3 or any(not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in dims):
        raise InvalidProgramError(f"{what}={value!r}", fix="give one to three positive numbers")
    x, y, z = (*dims, 1, 1)[:3]
    return x, y, z


def candidates(capabilities: Capabilities, resident: Callable[[int], int]) -> dict[int, int]:
    """CTAs that are resident on a multiprocessor, by sizes that fit one. *resident* tells them for a number of threads."""
    fitting = [size for size in SIZES if size <= min(capabilities.max_threads_per_block, capabilities.max_block_dim[0])]
    found = {size: resident(size) for size in fitting}
    return {size: blocks for size, blocks in found.items() if blocks > 0}


def choose(capabilities: Capabilities, elements: int, resident: Callable[[int], int]) -> int:
    """Threads of a CTA for so many elements: the same for the same device, kernel and number.

    Time is modelled as the threads of the busiest multiprocessor over those it runs at once: all that it can, where they are
    all resident, else as many as occupancy allows. ValidationError where no size fits the device.
    """
    found = candidates(capabilities, resident)
    if not found:
        raise ValidationError(
            "no workgroup fits a multiprocessor", fix="use fewer registers (max_registers) or less shared memory"
        )
    times = {size: _time(capabilities, elements, size, blocks) for size, blocks in found.items()}
    least = min(times.values())
    return next(size for size in SIZES if times.get(size, float("inf")) <= least * _CLOSE)


def _time(capabilities: Capabilities, elements: int, size: int, blocks: int) -> float:
    ctas = -(-elements // size)
    busiest = -(-ctas // capabilities.multi_processor_count) * size
    at_once = blocks * size
    return busiest / (capabilities.max_threads_per_sm if busiest <= at_once else at_once)


# --- may a program leave it open? -------------------------------------------------------------------------------------

_OF_THE_CTA = ("%tid", "%ntid", "%ctaid", "%nctaid", "%lane", "%warp", "%nwarp", "%cluster", "%nclusterid", "%smid")
_TOGETHER = opcodes_with("barrier", "warp", "converged") | {"activemask"}
_PARTS = ("%tid.x", "%ntid.x", "%ctaid.x")


def check_open(name: str, module: Module, reads_count: bool) -> None:
    """ValidationError where what the kernel of a program computes could depend on the size of its CTAs.

    Allowed is the global index alone, `mad.lo(ctaid.x, ntid.x, tid.x)`; no other use of these, no shared memory, nothing that
    threads do together. *reads_count*: whether the program can read its element count; one that cannot would run threads
    without an element as if they had one.
    """
    if not reads_count:
        raise _refused(name, "it takes no Params, so its threads cannot know whether they have an element", None)
    inside = [variable for function in module.functions for variable in _variables(function.body)]
    for variable in (*module.variables, *inside):
        if variable.space.startswith("shared"):
            raise _refused(name, f"it has shared memory ({variable.name})", None)
    for function in module.functions:
        _check_function(name, function)


def _variables(body: Block | None) -> list[Variable]:
    """What a body and the blocks in it declare."""
    from ptxgen.ir import Block, Variable

    found: list[Variable] = []
    for statement in body or ():
        if isinstance(statement, Variable):
            found.append(statement)
        elif isinstance(statement, Block):
            found += _variables(statement)
    return found


def _check_function(name: str, function: Function) -> None:
    from ptxgen.ir import Register, Special

    parts: dict[str, str] = {}  # register -> the special register that it holds
    rest: list[Instruction] = []
    for instruction in function.instructions():
        if instruction.opcode in _TOGETHER:
            raise _refused(name, f"its threads work together ({instruction.op})", instruction)
        special = next((each for each in instruction.operands if isinstance(each, Special)), None)
        if special is None or not special.name.startswith(_OF_THE_CTA):
            rest.append(instruction)
            continue
        target = instruction.operands[0]
        plain = instruction.op == "mov.u32" and instruction.pred is None and special.name in _PARTS
        if not plain or not isinstance(target, Register):
            raise _refused(name, f"it reads {special.name}", instruction)
        parts[target.name] = special.name
    for instruction in rest:
        read = [parts[each] for each in _registers(instruction) if each in parts]
        if read and not (instruction.op == "mad.lo.u32" and _is_index(read)):
            raise _refused(name, f"it uses {read[0]} beside the global index", instruction)


def _is_index(read: list[str]) -> bool:
    return sorted(read[:2]) == ["%ctaid.x", "%ntid.x"] and read[2:] == ["%tid.x"]


def _registers(instruction: Instruction) -> list[str]:
    """The names of all registers that an instruction names, written ones too, in order."""
    from ptxgen.ir import Register

    found: list[str] = []
    work: list[object] = [*([instruction.pred] if instruction.pred is not None else []), *instruction.operands]
    while work:
        each = work.pop(0)
        if isinstance(each, Register):
            found.append(each.name)
            continue
        for field in ("base", "operand", "first", "second"):
            if hasattr(each, field):
                work.append(getattr(each, field))
        work += getattr(each, "elements", ()) + getattr(each, "coordinates", ())
    return found


def _refused(name: str, why: str, instruction: Instruction | None) -> ValidationError:
    from ptxgen.ir import resolve

    where = next((f" at {place}" for place in resolve(instruction.source)), "") if instruction is not None else ""
    return ValidationError(
        f"program {name} leaves its workgroup open, but {why}{where}: results could depend on its size",
        fix="declare it: @program(workgroup=256)",
    )
