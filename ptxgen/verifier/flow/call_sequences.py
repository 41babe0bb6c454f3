"""Are the .param variables of calls stored and loaded in the order that the ABI requires (manual 7.1)?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.dataflow.calls.call import Call, call_parts
from ptxgen.ir import Operand, Symbol, Variable

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_call_sequences"]


def check_call_sequences(body: CheckedBody) -> None:
    """Report .param variables that are read where no call has set them, guarded, or passed without a value."""
    if not body.parameter_uses and "call" not in body.at:
        return
    set_by_calls: set[int] = set()
    stored: set[int] = set()
    calls = {position: call_parts(body.instructions[position]) for position in body.at.get("call", ())}
    uses = dict(body.parameter_uses)
    for position in sorted([*uses, *calls]):
        if position in calls:
            set_by_calls.update(_variables(body, position, calls[position].results))
            continue
        variable = uses[position]
        reads = body.instructions[position].opcode == "ld"
        if body.instructions[position].pred is not None:
            body.report(
                "PTX308",
                f"a guard on {body.instructions[position].op} of {variable.name}, which belongs to a call",
                position,
                expected="parameters of calls are stored and loaded without a guard",
                hint="branch around the whole call sequence",
                severity="error",
            )
        elif reads and id(variable) not in set_by_calls:
            body.report(
                "PTX308",
                f"{variable.name} is read, and no call before has it as a result",
                position,
                expected=f"call ({variable.name}), ... before it in the text",
                severity="error",
            )
        if not reads:
            stored.add(id(variable))
    _check_addresses_taken(body, {id(variable): variable for variable in uses.values()})
    for position, call in calls.items():
        _check_stored(body, position, call, stored)


def _variables(body: CheckedBody, position: int, operands: tuple[Operand, ...]) -> list[int]:
    """The identities of the variables among some operands."""
    names = [operand.name for operand in operands if isinstance(operand, Symbol)]
    return [id(body.scopes[position].find(name)) for name in names]


def _check_stored(body: CheckedBody, position: int, call: Call, stored: set[int]) -> None:
    for operand in call.arguments:
        variable = body.scopes[position].find(operand.name) if isinstance(operand, Symbol) else None
        if isinstance(variable, Variable) and variable.space == "param" and id(variable) not in stored:
            body.report(
                "PTX309",
                f"{variable.name} is passed, and nothing is ever stored to it",
                position,
                hint=f"st.param.b{min(8 * variable.size, 64)} [{variable.name}], ...; before the call",
            )


def _check_addresses_taken(body: CheckedBody, variables: dict[int, Variable]) -> None:
    if not variables:
        return
    for position, instruction in enumerate(body.instructions):
        for operand in instruction.operands if instruction.opcode in ("mov", "cvta") else ():
            if isinstance(operand, Symbol):
                variable = body.scopes[position].find(operand.name)
                if id(variable) in variables:
                    body.report(
                        "PTX308",
                        f"the address of {operand.name}, which belongs to a call, cannot be had",
                        position,
                        expected="st.param and ld.param with its name",
                        severity="error",
                    )
