"""Results of device functions that nothing has written when they return (manual 7.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.ir import Address, Symbol

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_results"]


def check_results(body: CheckedBody) -> None:
    """PTX303: a device function returns, and has never written one of its results."""
    function = body.function
    if not function.results or not any(i.opcode == "ret" for i in body.instructions):
        return
    written = {body.registers[number].name for number in body.chains.definitions}
    for position in body.memory:
        first = body.instructions[position].operands[0]
        if type(first) is Address and type(first.base) is Symbol:
            written.add(first.base.name)
    for result in function.results:
        named = result.space == "param" and result.name in body.symbols  # its address is taken
        if result.name not in written and not named:
            end = next(p for p, i in enumerate(body.instructions) if i.opcode == "ret")
            store = f"st.param.{result.type.name} [{result.name}], ...;"
            body.report(
                "PTX303",
                f"{function.name} returns without a value in its result {result.name}",
                end,
                hint=store if result.space == "param" else f"mov.{result.type.name} {result.name}, ...;",
            )
