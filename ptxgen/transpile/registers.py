"""What each register of a body becomes in Python: a value that one instruction makes, or a variable; of which type."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ptxgen.builder.values.scalars import SCALARS
from ptxgen.dataflow.matching.operands import assign
from ptxgen.ir import Address, Register, RegisterDeclaration, Vector
from ptxgen.isa.types import TYPES
from ptxgen.transpile.nodes import Conditional, Loop, Node, Scope, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxgen.dataflow.bodies.body import Body
    from ptxgen.isa.forms import OperandType
    from ptxgen.isa.types import ScalarType
    from ptxgen.transpile.names import Names

__all__ = ["Chain", "PythonRegister", "Registers"]

Chain = tuple[tuple[int, int], ...]
"""Where a node is: (list, index in it) from the body down. Lists are numbered in text order; the body is 0."""


class PythonRegister:
    """A register's name in Python. `kind`: "value", "variable", "parameter" (of the function), or "exact": a register of the ir,
    declared as PTX has it, for what no type of the builder stands for (vectors, 8 bits, handles); "named": a variable whose
    register keeps its name, an element of a list."""

    __slots__ = ("declared", "kind", "name", "ptx", "type")

    def __init__(self, declared: Register, name: str, kind: str, type_: Any) -> None:
        self.declared = declared
        self.name = name
        self.kind = kind
        self.type = type_
        self.ptx = declared.name

    @property
    def root(self) -> str:
        """The Python name that it is found by: of `r[3]` it is `r`."""
        return self.name.partition("[")[0]

    @property
    def mutable(self) -> bool:
        return self.kind != "value"


class Registers:
    """The registers of a body by number, and at which nodes the variables among them are declared."""

    def __init__(
        self,
        body: Body,
        nodes: list[Node],
        names: Names,
        parameters: dict[str, str],
        forced: dict[int, tuple[str, Any]],
        *,
        named: bool = False,
    ) -> None:
        self.body = body
        self.chains: dict[int, Chain] = {}
        self._opens: set[int] = {0}  # the lists that are bodies of the builder: values end with them
        self._lists = 0
        self._place(nodes, ())
        votes = _votes(body)
        self.all: list[PythonRegister] = []
        reads, writes = _by_number(body.reads), _by_number(body.writes)
        self.ranges: list[tuple[str, Any, str, int | None]] = []
        """Of named registers: the list's name, its type, the prefix in PTX, how many; None for one that is no list."""
        ranges = self._ranges(names) if named else {}
        self.declared_at: dict[tuple[int, int], list[PythonRegister]] = {}
        for number, register in enumerate(body.registers):
            read, written = reads.get(number, []), writes.get(number, [])
            if number in forced:
                self.all.append(PythonRegister(register, forced[number][0], "value", forced[number][1]))
                continue
            if register.name in parameters:
                kind = "parameter"
                name = parameters[register.name]
            else:
                kind = "value" if self._is_value(read, written) else "variable"
                name = names.new(register.name)
            used = read or written
            if register.name in ranges and used and self._is_outermost(register.name, used[0]):
                name, type_ = ranges[register.name]
                self.all.append(PythonRegister(register, name, "named", type_))
                continue
            if named and kind != "parameter" and register.type.name in SCALARS and register.lanes == 1:
                type_ = SCALARS[register.type.name]
                self.ranges.append((name, type_, f"%{name}_", None))
                self.all.append(PythonRegister(register, name, "named", type_))
                continue
            type_ = _type_of(register, votes.get(number, Counter()))
            if type_ is None:
                kind = "exact" if kind != "parameter" else kind
            made = PythonRegister(register, name, kind, type_)
            self.all.append(made)
            if kind in ("variable", "exact") and (read or written):
                place = self._declaration(read + written) if kind == "variable" else (0, 0)
                self.declared_at.setdefault(place, []).append(made)

    def _is_outermost(self, name: str, position: int) -> bool:
        """Is a name, in an instruction, one that the function's own `{}` declares?"""
        return self.body.scopes[position].find(name) in (self.body.function.body or ())

    def _ranges(self, names: Names) -> dict[str, tuple[str, Any]]:
        """The names and types of registers that keep their names."""
        found: dict[str, tuple[str, Any]] = {}
        for statement in self.body.function.body or ():
            if not isinstance(statement, RegisterDeclaration) or statement.vector > 1:
                continue
            type_: Any = SCALARS.get(statement.type.name)
            if type_ is None or type_.storage.bits != statement.type.bits:
                continue
            for prefix in statement.names:
                name = names.new(prefix)
                self.ranges.append((name, type_, prefix, statement.count))
                if statement.count is None:
                    found[prefix] = (name, type_)
                else:
                    found.update({f"{prefix}{i}": (f"{name}[{i}]", type_) for i in range(statement.count)})
        return found

    def at(self, register: Register, position: int) -> PythonRegister | None:
        """The register that a name means in an instruction."""
        number = self.body.number(register, position)
        return None if number is None else self.all[number]

    def _place(self, nodes: list[Node], above: Chain, opens: bool = True) -> None:
        own = self._lists
        self._lists += 1
        if opens:
            self._opens.add(own)
        for index, node in enumerate(nodes):
            chain = (*above, (own, index))
            if isinstance(node, Step):
                self.chains[node.position] = chain
            elif isinstance(node, Conditional):
                self.chains[node.branch.position] = chain
                self._place(node.then, chain)
                if node.otherwise is not None:
                    self._place(node.otherwise, chain)
            elif isinstance(node, Loop):
                self._place(node.body, chain)
            elif isinstance(node, Scope):
                self._place(node.body, chain, opens=False)

    def _scope(self, position: int) -> tuple[int, ...]:
        """The bodies that are open where an instruction stands."""
        return tuple(own for own, _ in self.chains[position] if own in self._opens)

    def _is_value(self, reads: list[int], writes: list[int]) -> bool:
        """Is it written once, and read behind that, where what was computed there is still alive?"""
        if len(writes) != 1:
            return False
        made = writes[0]
        scope = self._scope(made)
        return all(at > made and self._scope(at)[: len(scope)] == scope for at in reads)

    def _declaration(self, places: list[int]) -> tuple[int, int]:
        """The (list, index) in front of which a variable is declared that occurs at these positions."""
        chains = [self.chains[at] for at in places]
        first = self.chains[min(places)]
        found = first[0]
        for depth, (own, _) in enumerate(first):
            if not all(depth < len(chain) and chain[depth][0] == own for chain in chains):
                break
            found = first[depth]
        return found


def _by_number(where: list[list[int]]) -> dict[int, list[int]]:
    """Register -> the positions that name it, each once."""
    found: dict[int, list[int]] = {}
    for position, numbers in enumerate(where):
        for number in dict.fromkeys(numbers):
            found.setdefault(number, []).append(position)
    return found


def _votes(body: Body) -> dict[int, Counter[str]]:
    """By register, how often an operand that it is has which kind of type."""
    found: dict[int, Counter[str]] = {}
    for position, instruction in enumerate(body.instructions):
        form = body.forms[position]
        entries = assign(form.operands, len(instruction.operands)) if form is not None else None
        for entry, operand in zip(entries or (), instruction.operands):
            for register, kind in _kinds(entry, operand):
                number = body.number(register, position)
                if number is not None:
                    found.setdefault(number, Counter())[kind] += 1
    return found


def _kinds(entry: OperandType, operand: object) -> Iterator[tuple[Register, str]]:
    """The registers of an operand, and the kind of type that the form has there."""
    if isinstance(operand, Address):
        if isinstance(operand.base, Register):
            yield operand.base, "b"  # add.s64 makes most addresses
    elif isinstance(operand, Vector):
        parts = entry.parts if len(entry.parts) == len(operand) else (entry,) * len(operand)
        for part, each in zip(parts, operand):
            if isinstance(each, Register):
                yield each, _kind(part.type)
    elif isinstance(operand, Register):
        yield operand, _kind(entry.type)


def _kind(type_: ScalarType | None) -> str:
    if type_ is None or type_.kind in "bpo":
        return "b"
    return type_.kind if type_.kind in "us" and type_.lanes == 1 else type_.name


def _type_of(register: Register, votes: Counter[str]) -> Any:
    """The builder's type; None where it has none for the register."""
    type_ = register.type
    if register.lanes > 1 or type_.bits == 8 or type_.kind == "o" or type_.name not in SCALARS:
        return None
    if type_.kind == "p" or type_.is_float or type_.bits == 128:
        return SCALARS[type_.name]
    floats = [name for name in votes if name not in "usb"]
    wanted = {name for name in floats if name in SCALARS and TYPES[name].bits == type_.bits}
    if not floats:
        unsigned, signed = votes["u"], votes["s"]
        kind = "s" if signed > unsigned or (type_.kind == "s" and not unsigned) else "u"
        return SCALARS[f"{kind}{type_.bits}"]
    halves = len(floats) == 1 and wanted and not votes["u"] and not votes["s"]
    if halves and SCALARS[floats[0]].storage.kind == "b":
        return SCALARS[floats[0]]
    return SCALARS[f"b{type_.bits}"]
