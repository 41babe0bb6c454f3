"""Addresses in registers that belong to another state space than the one that is accessed (manual 6.4.1, 9.7.9.20).

`mov` of a shared, local or constant variable gives its address in that space's window; `cvta` makes a generic address of it.
The one is not the other. Global addresses are the same both ways, as assemblers have it, and of a pointer that comes from
elsewhere nothing is known.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.ir import Address, Operand, Register, Symbol, Variable
from ptxgen.isa.forms import opcodes_with
from ptxgen.isa.spaces import ADDRESSABLE, WINDOW
from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_windows"]

_ACCESSES = opcodes_with("load", "store", "atomic")
_DEPTH = 24


class Origin(NamedTuple):
    """Where an address comes from: a state space, as an address in its window or a generic one; the name of its variable."""

    space: str
    generic: bool
    variable: str


def check_windows(body: CheckedBody) -> None:
    """PTX207: an access through a register that surely holds an address of another space."""
    origins = _Origins(body)
    for position in body.memory:
        instruction = body.instructions[position]
        if instruction.opcode not in _ACCESSES or body.forms[position] is None:
            continue
        address = next((o for o in instruction.operands if type(o) is Address), None)
        if address is None or type(address.base) is not Register:
            continue
        words = instruction.op.split(".")
        space = next((WINDOW.get(word, word) for word in words if WINDOW.get(word, word) in ADDRESSABLE), "")
        if space == "param":
            continue
        origin = origins.of(address.base, position)
        if origin is not None and _is_wrong(origin, space):
            _report(body, position, origin, space)


def _is_wrong(origin: Origin, space: str) -> bool:
    """Is it the wrong kind of address for an access to `space` ("": a generic one)?"""
    if space not in ("", origin.space):
        return True
    return origin.generic == bool(space) and origin.space != "global"


def _report(body: CheckedBody, position: int, origin: Origin, space: str) -> None:
    op = body.instructions[position].op
    kind = "generic" if origin.generic else f".{origin.space}"
    if not space:
        hint = f"cvta.{origin.space}.u64, or {op.partition('.')[0]}.{origin.space}"
    elif space == origin.space:
        hint = f"cvta.to.{space}.u64, or no .{space}"
    else:
        hint = f".{origin.space} in place of .{space}"
    body.report(
        "PTX207",
        f"{op} works on {f'.{space}' if space else 'generic'} addresses, this is the {kind} one of {origin.variable}",
        position,
        hint=hint,
    )


class _Origins:
    """Whence the registers of a body have their addresses."""

    def __init__(self, body: CheckedBody) -> None:
        self.body = body
        self._known: dict[int, Origin | None] = {}

    def of(self, operand: Operand, position: int, depth: int = 0) -> Origin | None:
        if isinstance(operand, Symbol):
            variable = self.body.scopes[position].find(operand.name)
            if isinstance(variable, Variable) and variable.space in ("shared", "local", "const", "global"):
                return Origin(variable.space, False, variable.name)
            return None
        number = self.body.number(operand, position) if isinstance(operand, Register) else None
        if number is None or depth > _DEPTH:
            return None
        if number not in self._known:
            self._known[number] = None  # what depends on itself
            where = self.body.chains.definitions.get(number, ())
            if len(where) == 1 and self.body.instructions[where[0]].pred is None:
                self._known[number] = self._made(where[0], depth + 1)
        return self._known[number]

    def _made(self, position: int, depth: int) -> Origin | None:
        """The origin of what the instruction there writes."""
        instruction = self.body.instructions[position]
        opcode, *words = instruction.op.split(".")
        sources = instruction.operands[1:]
        if type(instruction.operands[0]) is not Register:
            return None
        if opcode in ("mov", "cvt") and len(sources) == 1:
            widths = [TYPES[word].bits for word in words if word in TYPES]
            return self.of(sources[0], position, depth) if widths[0] >= widths[-1] else None
        if opcode == "cvta":
            source = self.of(sources[0], position, depth)
            space = next((WINDOW.get(word, word) for word in words if WINDOW.get(word, word) in ADDRESSABLE), "")
            if source is None or (space and space != source.space):
                return None
            return source._replace(generic="to" not in words)
        if opcode in ("add", "sub") and len(sources) == 2:
            found = [origin for source in sources if (origin := self.of(source, position, depth)) is not None]
            return found[0] if len(found) == 1 else None
        if opcode == "mad" and len(sources) == 3:
            return self.of(sources[2], position, depth)
        return None
