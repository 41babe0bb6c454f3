"""`ptxgen stat`: what a program is made of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from ptxgen.cli import show
from ptxgen.cli.find import find
from ptxgen.cli.options import settings_option, target_option

if TYPE_CHECKING:
    from ptxgen.ir import Function, Module

__all__ = ["stat"]

_GROUPS = {
    "memory": "ld ldu st atom red prefetch prefetchu cp multimem tensormap suld sust sured tex tld4",
    "control": "bra brx call ret exit trap brkpt",
    "barriers": "bar barrier membar fence mbarrier griddepcontrol",
    "matrix": "mma wmma wgmma tcgen05 ldmatrix stmatrix movmatrix",
    "moves": "mov cvt cvta",
}
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names.split()}


@click.command()
@click.argument("programs", nargs=-1, required=True, metavar="PROGRAM...")
@settings_option
@target_option
@click.option("--json", "json_", is_flag=True, help="The same as JSON, with every opcode.")
def stat(programs: tuple[str, ...], settings: dict[str, str], target: str | None, version: str, json_: bool) -> None:
    """Count the instructions, registers and bytes of each kernel and function of each PROGRAM.

    \b
    ptxgen stat kernel.ptx
    ptxgen stat saxpy/f32 matmul/bf16 --target sm_90a

    Registers are those that the PTX declares and uses, not those that an assembler will need.
    """
    reports = [_report(program, find(program, settings).build(target, version)) for program in programs]
    if json_:
        show.as_json(reports)
        return
    columns = ("function", "instructions", *_GROUPS, "other", "registers", "blocks", "shared B", "parameters B")
    rows = []
    for report in reports:
        for f in report["functions"]:
            registers = ", ".join(f"{count} {type_}" for type_, count in f["registers"].items())
            counts = [str(f["groups"].get(group, 0)) for group in (*_GROUPS, "other")]
            sizes = [str(f[key]) for key in ("basic_blocks", "shared", "parameters")]
            rows.append((f["name"], str(f["instructions"]), *counts, registers, *sizes))
        click.echo(f"{report['program']}: PTX {report['version']}, {report['target']}, {report['lines']} lines")
    show.table(columns, rows, right=[c for c in columns if c not in ("function", "registers")])


def _report(program: str, module: Module) -> dict[str, Any]:
    return {
        "program": program,
        "version": ".".join(map(str, module.version)),
        "target": module.target,
        "lines": str(module).count("\n"),
        "functions": [_function(module, f) for f in module.functions if f.body is not None],
    }


def _function(module: Module, function: Function) -> dict[str, Any]:
    from ptxgen.check import parameter_layout, static_shared
    from ptxgen.ir.cfg import ControlFlow

    opcodes = Counter(instruction.opcode for instruction in function.instructions())
    groups: Counter[str] = Counter()
    for opcode, count in opcodes.items():
        groups[_GROUP_OF.get(opcode, "other")] += count
    return {
        "name": function.name,
        "kernel": function.is_entry,
        "instructions": sum(opcodes.values()),
        "groups": dict(groups),
        "opcodes": dict(sorted(opcodes.items(), key=lambda row: (-row[1], row[0]))),
        "registers": _registers(function),
        "basic_blocks": len(ControlFlow(function).blocks),
        "shared": static_shared(module.variables, function),
        "parameters": parameter_layout(function)[1],
    }


def _registers(function: Function) -> dict[str, int]:
    """The registers that instructions use, by type."""
    used: dict[str, str] = {}
    for instruction in function.instructions():
        for operand in (*instruction.operands, instruction.pred):
            _collect(operand, used)
    return dict(sorted(Counter(used.values()).items()))


def _collect(operand: object, used: dict[str, str]) -> None:
    from ptxgen.ir import Register
    from ptxgen.ir.node import Node

    if isinstance(operand, Register):
        used[operand.name] = f".{operand.type.name}"
    elif isinstance(operand, tuple):
        for part in operand:
            _collect(part, used)
    elif isinstance(operand, Node):
        for field in operand._fields:
            _collect(getattr(operand, field), used)
