"""A product that one sum uses: may the two become one instruction where the sum stands?"""

from __future__ import annotations

from ptxgen.ir import Operand
from ptxgen.passes.editing import Edit

__all__ = ["product_of", "single_product"]


def single_product(edit: Edit, operand: Operand, position: int) -> int | None:
    """Where the product is written that the operand at `position` reads, if it can move there; else None."""
    found = product_of(edit, operand, position)
    return found if isinstance(found, int) else None


def product_of(edit: Edit, operand: Operand, position: int) -> int | str | None:
    """Where the product is written that the operand reads; why it cannot move to `position`; or None where it is not a product.

    It can move when nobody else reads it, it is in the same block and unguarded, and nothing in between writes what it reads.
    Its register has that one definition, so that no other value is ever in it.
    """
    body = edit.body
    number = edit.number(operand, position)
    written = () if number is None else body.chains.definitions.get(number, ())
    products = [where for where in written if body.instructions[where].opcode == "mul"]
    if number is None or not products:
        return None
    where = products[0]
    if len(written) > 1:
        return "its register is written in several places"
    if len(body.chains.uses.get(number, ())) != 1:
        return "the product has other uses"
    block = body.flow.block_at(position)
    if not block.start <= where < position:
        return "the product is in another block"
    if edit.is_changed(where) or edit.destination(where) is None:
        return None
    if body.instructions[where].pred is not None:
        return "the product is guarded"
    sources = set(body.reads[where])
    for between in range(where + 1, position):
        for register in body.writes[between]:
            if register in sources:
                return f"{body.registers[register].name}, which the product reads, is overwritten in between"
    if any(edit.names(register, position) is None for register in sources):
        return "the product reads a register of an inner scope"
    return where
