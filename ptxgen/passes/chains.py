"""A product that one sum uses: may the two become one instruction where the sum stands?"""

from __future__ import annotations

from ptxgen.ir import Operand
from ptxgen.passes.editing import Edit

__all__ = ["single_product"]


def single_product(edit: Edit, operand: Operand, position: int) -> int | None:
    """Where the product is written that the operand at `position` reads, if it can move there; else None.

    It can when nobody else reads it, it is in the same block and unguarded, and nothing in between writes what it reads.
    Its register has that one definition, so that no other value is ever in it.
    """
    body = edit.body
    number = edit.number(operand, position)
    if (
        number is None
        or len(body.chains.definitions.get(number, ())) != 1
        or len(body.chains.uses.get(number, ())) != 1
    ):
        return None
    where = body.chains.definitions[number][0]
    block = body.flow.block_at(position)
    if not block.start <= where < position or edit.is_changed(where):
        return None
    product = body.instructions[where]
    if product.opcode != "mul" or product.pred is not None or edit.destination(where) is None:
        return None
    sources = set(body.reads[where])
    if any(register in sources for between in range(where + 1, position) for register in body.writes[between]):
        return None
    if any(edit.names(register, position) is None for register in sources):
        return None
    return where
