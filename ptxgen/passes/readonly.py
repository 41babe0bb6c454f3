"""Loads through the read-only path (`ld.global.nc`, manual 9.7.9.9), for memory that nobody writes while the kernel runs.

That another kernel, another pointer or the host may write it is for the caller to rule out: only parameters named in
`read_only` are taken. What can be seen is checked: a parameter through which this kernel itself stores is left alone.
"""

from __future__ import annotations

from ptxgen.ir import Address, Instruction
from ptxgen.passes.editing import Edit, is_legal, is_plain_load
from ptxgen.passes.roots import root_of

__all__ = ["load_read_only"]


def load_read_only(edit: Edit) -> None:
    """Turns ld.global into ld.global.nc for parameters that the caller marked and the kernel never writes."""
    body = edit.body
    if not edit.read_only:
        return
    marked = {p.name for p in body.function.parameters} & {
        name.removeprefix(f"{body.function.name}.") for name in edit.read_only
    }
    loads: list[tuple[int, str]] = []
    for position in body.memory:
        instruction, form = body.instructions[position], body.forms[position]
        if form is None or not form.form.effects & {"reads", "writes"}:
            continue
        roots = [root_of(edit, o.base, position) for o in instruction.operands if isinstance(o, Address)]
        if "writes" in form.form.effects:
            for root in sorted(marked.intersection(roots)):
                edit.remark(position, f"writes through {root}, which was named read-only: its loads stay as they are")
            marked -= {root for root in roots if root is not None}
        elif instruction.op.startswith("ld.global.") and is_plain_load(instruction.op) and ".nc" not in instruction.op:
            loads += [(position, root) for root in roots if root is not None]
    for position, root in loads:
        instruction = body.instructions[position]
        words = [word for word in instruction.op.split(".")[2:] if word != "weak"]
        better = Instruction(".".join(["ld.global.nc", *words]), instruction.operands, instruction.pred)
        if root in marked and is_legal(better):
            edit.replace(position, better)
