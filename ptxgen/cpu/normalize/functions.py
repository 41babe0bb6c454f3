"""The functions of a module: which call themselves, and what stands for one in a register or a table of function pointers.

The address of a function is a number of its own, the same in every kernel of its module, that is no address of memory.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from ptxgen import ir
from ptxgen.dataflow.graph.algorithms import reachable_from, strongly_connected_components

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CODE", "CODE_STEP", "ModuleFunctions", "names_in"]

CODE, CODE_STEP = 1 << 46, 16
"""The address of a module's first function, and from one to the next."""


class ModuleFunctions:
    """The functions of a module by their names, those of `.alias` too."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self.named: dict[str, ir.Function] = {}
        for function in module.functions:
            if function.body is not None or function.name not in self.named:
                self.named[function.name] = function
        for item in module.items:
            if isinstance(item, ir.Alias) and item.aliasee in self.named:
                self.named[item.name] = self.named[item.aliasee]
        self._numbers: dict[str, int] = {}
        for function in self.named.values():
            self._numbers.setdefault(function.name, len(self._numbers))

    def number(self, name: str) -> int:
        """Of a function, by any of its names."""
        return self._numbers[self.named[name].name]

    def address(self, name: str) -> int:
        """What stands for the function."""
        return CODE + CODE_STEP * self.number(name)

    @cached_property
    def recursive(self) -> frozenset[str]:
        """The functions that call themselves, directly or through others that they call by name."""
        found = set()
        for component in self._components:
            if len(component) > 1 or component[0] in self._calls[component[0]]:
                found.update(component)
        return frozenset(found)

    @cached_property
    def _components(self) -> list[list[str]]:
        """The functions, those that call each other together, what is called before its callers."""
        return strongly_connected_components(list(self._calls), lambda name: self._calls[name])

    @cached_property
    def _calls(self) -> dict[str, list[str]]:
        """What each function calls by name, once for each call."""
        return {function.name: list(self.called(function)) for function in self.named.values()}

    def called(self, function: ir.Function) -> Iterator[str]:
        """What it calls by name, once for each call."""
        for i in function.instructions():
            if i.opcode == "call":
                for operand in i.operands:
                    if isinstance(operand, ir.Symbol) and operand.name in self.named:
                        yield self.named[operand.name].name

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The instructions of each function, with those of a copy for each of its calls but of recursive functions."""
        found: dict[str, int] = {}
        for component in self._components:
            for name in component:
                inner = sum(found.get(callee, 0) for callee in self._calls[name] if callee not in self.recursive)
                found[name] = inner + sum(1 for _ in self.named[name].instructions())
        return found

    def sites(self, entry: ir.Function) -> Counter[str]:
        """How many calls there are of each function in the text of what a kernel reaches."""
        found: Counter[str] = Counter()
        reached = reachable_from([entry.name, *(f.name for f in self.addressed)], lambda name: self._calls[name])
        for name in reached:
            found.update(self._calls[name])
        return found

    @cached_property
    def addressed(self) -> tuple[ir.Function, ...]:
        """The functions with a body whose address the module takes: what a call through a register may reach."""
        taken = {name for v in self._module.variables if v.init is not None for name in names_in(v.init)}
        for function in self._module.functions:
            for i in function.instructions():
                if i.opcode != "call":
                    taken.update(o.name for o in i.operands if isinstance(o, ir.Symbol))
        found = dict.fromkeys(f.name for name, f in self.named.items() if name in taken and f.body is not None)
        return tuple(self.named[name] for name in found)


def names_in(init: ir.program.Initializer) -> Iterator[str]:
    """The symbols in an initial value."""
    if isinstance(init, tuple):
        for element in init:
            yield from names_in(element)
    elif isinstance(init, (ir.Masked, ir.Generic)):
        yield from names_in(init.symbol)
    elif isinstance(init, ir.Symbol):
        yield init.name
