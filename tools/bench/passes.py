#!/usr/bin/env python3
"""What passes make of the kernel library: PTX instructions, instructions in loops, live words; and machine code, by nvJitLink.

    tools/bench/passes.py [--pass NAME ...] [--target SM] [--every] [--json] [--tiny]

One variant of each kernel (--every: all of them), as built and after the passes (default: those of passes.DEFAULT). Machine
code is in bytes of the text section, 16 an instruction, with its padding; registers are those of the cubin. Without an
assembler these columns are left out. "Live" is the most 32-bit words alive at once in the PTX; "in loops" counts an
instruction once for each loop around it.
"""

from __future__ import annotations

import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ptxgen import passes
from ptxgen.assembler import AssembleError, AssemblerMissing, assemble_many
from ptxgen.dataflow.graph.loops import natural_loops
from ptxgen.ir import Module
from ptxgen.kernels import CATALOGUE
from ptxgen.passes.pipeline import edits
from ptxgen.passes.pressure import Pressure
from tools.bench._command import command, print_json

_REGISTER_COUNT = 0x2F  # EIATTR_REGCOUNT of a cubin's .nv.info
_MEASURES = ("instructions", "in loops", "live", "code bytes", "registers")


class Program(NamedTuple):
    """What is counted of a module."""

    instructions: int
    in_loops: int
    live: int
    code: int | None
    registers: int | None


def _counts(module: Module) -> tuple[int, int, int]:
    count = in_loops = live = 0
    for edit in edits(module):
        flow = edit.body.flow
        count += len(edit.body.instructions)
        in_loops += sum(
            flow.blocks[index].end - flow.blocks[index].start for loop in natural_loops(flow) for index in loop.blocks
        )
        live = max(live, Pressure(edit).most)
    return count, in_loops, live


def _sections(cubin: bytes) -> Iterator[tuple[str, bytes]]:
    """The names and contents of an ELF file's sections."""
    (table,) = struct.unpack_from("<Q", cubin, 0x28)
    entry, count, names_at = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, table + i * entry) for i in range(count)]
    names = cubin[headers[names_at][4] :]
    for header in headers:
        yield names[header[0] : names.index(b"\0", header[0])].decode(), cubin[header[4] : header[4] + header[5]]


def _machine(cubin: bytes) -> tuple[int, int]:
    """(bytes of machine code, most registers of a kernel)."""
    code = registers = 0
    for name, content in _sections(cubin):
        if name.startswith(".text."):
            code += len(content)
        elif name == ".nv.info":
            at = 0
            while at < len(content):
                form, attribute, size = struct.unpack_from("<BBH", content, at)
                if form == 4:
                    if attribute == _REGISTER_COUNT:
                        registers = max(registers, struct.unpack_from("<I", content, at + 8)[0])
                    at += size
                at += 4
    return code, registers


def _programs(modules: list[Module]) -> list[Program]:
    counted = [_counts(module) for module in modules]
    try:
        cubins = assemble_many([str(module) for module in modules])
    except AssemblerMissing:
        return [Program(*each, None, None) for each in counted]
    found = []
    for each, result in zip(counted, cubins):
        code, registers = (None, None) if isinstance(result, AssembleError) else _machine(result.cubin)
        found.append(Program(*each, code, registers))
    return found


def rows(names: list[str], target: str, every: bool, tiny: bool) -> list[dict[str, Any]]:
    """One row a measure of a variant, and the sums; `peers` is the program as it was built."""
    variants = [variant for found in CATALOGUE.values() for variant in (found if every else found[:1])]
    variants = [variant for variant in variants if target not in variant.absent][: 4 if tiny else None]
    before = [variant.kernel.module(target=target) for variant in variants]
    began = time.perf_counter()
    after = [passes.run(module, names) for module in before]
    took = time.perf_counter() - began
    programs = _programs(before + after)
    pairs = list(zip((v.label for v in variants), programs[: len(before)], programs[len(before) :]))
    found = [row for label, one, other in pairs for row in _rows(label, one, other)]
    for place, measure in enumerate(_MEASURES):
        values = [(one[place], other[place]) for _, one, other in pairs if one[place] and other[place]]
        if values:
            found.append(_row("all", measure, sum(a or 0 for a, _ in values), sum(b or 0 for _, b in values)))
    instructions = sum(program.instructions for program in programs[: len(before)])
    cost = 1e6 * took / instructions
    return [
        *found,
        {"name": "the passes", "unit": "us/instruction", "ours": cost, "peers": {}, "ratio": None, "floor": None},
    ]


def _rows(label: str, before: Program, after: Program) -> Iterator[dict[str, Any]]:
    for measure, one, other in zip(_MEASURES, before, after):
        if one is not None and other is not None:
            yield _row(label, measure, one, other)


def _row(label: str, measure: str, before: int, after: int) -> dict[str, Any]:
    ratio = before / after if after else None
    name = f"{label}: {measure}"
    return {"name": name, "unit": measure, "ours": after, "peers": {"as built": before}, "ratio": ratio, "floor": None}


def main() -> None:
    parser = command(__doc__, on="the figures are of the host: no device is used")
    parser.add_argument("--pass", dest="passes", action="append", help="a pass of passes.PASSES, or default")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--every", action="store_true")
    options = parser.parse_args()
    names = [n for name in options.passes or ["default"] for n in (passes.DEFAULT if name == "default" else (name,))]
    measured = rows(names, options.target, options.every, options.tiny)
    if options.json:
        print_json(measured)
        return
    by_label: dict[str, list[str]] = {}
    for row in measured[:-1]:
        was = row["peers"]["as built"]
        label, _, measure = row["name"].rpartition(": ")
        by_label.setdefault(label, []).append(f"{measure} {was} -> {row['ours']}".ljust(_WIDTH[measure]))
    for label, cells in by_label.items():
        print(f"{label:28}", *cells)
    print(f"the passes: {measured[-1]['ours']:.0f} us an instruction")


_WIDTH = {"instructions": 28, "in loops": 22, "live": 16, "code bytes": 30, "registers": 20}


if __name__ == "__main__":
    main()
