"""The findings of a walk over a body, for instructions that it cannot accept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ptxgen.dataflow.bodies.scope import NameScope
    from ptxgen.ir import Instruction, Register, Special
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.types import ScalarType

__all__ = ["WalkListener"]


class WalkListener(Protocol):
    """Called by `walk` at the instruction at hand, with the names visible there; the body holds what stands before it."""

    def unknown_name(self, scope: NameScope, instruction: Instruction, name: str, /) -> None:
        """Nothing of that name is declared, or, for a branch, no label."""

    def not_a_target(self, scope: NameScope, instruction: Instruction, name: str, /) -> None:
        """A branch to what is not a label, or through what is not a table of .branchtargets."""

    def other_type(
        self, scope: NameScope, instruction: Instruction, register: Register, declared: ScalarType, /
    ) -> None:
        """A register is used with another type than it is declared with."""

    def special(self, scope: NameScope, instruction: Instruction, operand: Special, /) -> bool:
        """A special register is read: is there one of that name?"""

    def exists(self, form: Resolved, /) -> bool:
        """Is a form that has bounds of target or version within them?"""

    def form(self, scope: NameScope, instruction: Instruction, /) -> Resolved | None:
        """The form of an instruction that is out of bounds of target or version, has an odd guard, a warning, or no form."""

    def addresses(self, scope: NameScope, instruction: Instruction, form: Resolved, /) -> None:
        """A legal instruction has an address that is a name or a constant, an operand `name+4`, or a function's parameter."""

    def call(self, scope: NameScope, instruction: Instruction, /) -> None:
        """A call whose names are all known."""

    def duplicates(self, scope: NameScope, /) -> None:
        """A `{}` is over that declares names twice."""
