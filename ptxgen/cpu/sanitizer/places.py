"""Where an address in global memory is, in words that every run has alike: an address follows from earlier allocations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.cpu.record_layout import LaunchRecord
    from ptxgen.cpu.sanitizer.launch import SanitizedKernel

__all__ = ["global_place", "parameter_word"]

_POINTER = 8


def global_place(kernel: SanitizedKernel, launch: LaunchRecord, address: int) -> tuple[str, str]:
    """(name, place): the parameter or the variable that leads into the same allocation, and how far behind that the address is.
    Of several, the nearest before it, and of equal ones the first. Where nothing leads there the name is "", and the place the
    one in its allocation; the address itself where it is in none."""
    arena = kernel.arena
    block = arena.block_of(address)
    if block is None:
        return "", f"0x{address:x}"
    base, nbytes = block
    leading = [(name, value) for name, value in _pointers(kernel, launch) if base <= value < base + max(nbytes, 1)]
    if not leading:
        return "", f"byte {address - base} of an allocation of {nbytes} bytes"
    name, value = min(leading, key=lambda each: (each[1] > address, abs(address - each[1])))
    return name, f"{name} {'+' if value <= address else '-'} {abs(address - value)}"


def _pointers(kernel: SanitizedKernel, launch: LaunchRecord) -> Iterator[tuple[str, int]]:
    """(name, value) of all that may lead somewhere: parameters, the words of those that are structures, variables."""
    for _, offset, nbytes in kernel.parameters:
        for at in range(-offset % _POINTER, nbytes - _POINTER + 1, _POINTER):
            yield parameter_word(kernel, launch, offset + at)
    for symbol, value in kernel.symbols.items():
        yield symbol.split(":")[1], value


def parameter_word(kernel: SanitizedKernel, launch: LaunchRecord, offset: int) -> tuple[str, int]:
    """(name, value) of the 64 bits at an offset of the parameters: one of them, or a word of one that is a structure."""
    value = int.from_bytes(kernel.arena.raw(launch.param + offset, _POINTER), "little")
    name, start, nbytes = max((each for each in kernel.parameters if each[1] <= offset), key=lambda each: each[1])
    return name if nbytes == _POINTER else f"[{name}+{offset - start}]", value
