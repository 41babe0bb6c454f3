"""The checks of whole bodies whose instructions are legal: what each looks at, and where it is.

A check is loaded when a body has what it looks at. To add one, give it a row here.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from driver_ctypes.typing import TYPE_CHECKING, NamedTuple
from ptxgen.isa.forms import opcodes_with

if TYPE_CHECKING:
    from collections.abc import Callable

    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["BODY_CHECKS", "BodyCheck"]


class BodyCheck(NamedTuple):
    """A check and what calls for it: a word of `_CALLS`, or opcodes (names in `Body.at`) of which the body has one.

    `errors`: it reports errors, too. `callees`: it looks at a kernel and the functions that it calls as one body, once more.
    """

    calls: str
    path: str
    """The module of this package, and the function in it."""
    errors: bool = False
    callees: bool = False

    def run(self, body: CheckedBody) -> None:
        """Report into a body what the check finds, if there is anything for it."""
        called = _CALLS.get(self.calls)
        if called(body) if called is not None else not body.at.keys().isdisjoint(self.calls.split()):
            _loaded(self.path)(body)


@cache
def _loaded(path: str) -> Callable[[CheckedBody], None]:
    module, _, function = path.rpartition(".")
    found: Callable[[CheckedBody], None] = getattr(import_module(f"ptxgen.verifier.{module}"), function)
    return found


_CALLS: dict[str, Callable[[CheckedBody], bool]] = {
    "anything": lambda body: True,
    "an access": lambda body: bool(body.memory),
    "shared memory": lambda body: any("shared" in body.instructions[position].op for position in body.memory),
    "results": lambda body: bool(body.function.results),
    "calls": lambda body: bool(body.parameter_uses) or "call" in body.at,
    "threads that meet": lambda body: not body.at.keys().isdisjoint(opcodes_with("barrier", "warp", "converged")),
    "style": lambda body: body.context.style,
}

BODY_CHECKS: tuple[BodyCheck, ...] = (
    BodyCheck("anything", "flow.reachability.check_reach"),
    BodyCheck("anything", "flow.definitions.check_definitions"),
    BodyCheck("setp", "flow.reachability.check_conditions"),
    BodyCheck("anything", "flow.constant_operands.check_constant_operands"),
    BodyCheck("addc subc madc", "flow.carries.check_carries"),
    BodyCheck("results", "flow.results.check_results"),
    BodyCheck("anything", "flow.destinations.check_destinations"),
    BodyCheck("bar barrier", "threads.barriers.check_barriers", errors=True, callees=True),
    BodyCheck("bar barrier", "threads.barrier_counts.check_barrier_counts", callees=True),
    BodyCheck("calls", "flow.call_sequences.check_call_sequences", errors=True),
    BodyCheck("an access", "addresses.alignment.check_alignment"),
    BodyCheck("anything", "addresses.widths.check_widths", errors=True),
    BodyCheck("an access", "addresses.windows.check_windows"),
    BodyCheck("style", "style.dead_code.check_dead_code"),
    BodyCheck("style", "style.unused_values.check_unused_values"),
    BodyCheck("style", "style.copies.check_copies"),
    BodyCheck("style", "style.register_pressure.check_pressure"),
    BodyCheck("style", "style.register_pressure.check_predicates"),
    BodyCheck("style", "style.accumulation.check_accumulation"),
    BodyCheck("style", "style.bounds.check_bounds"),
    BodyCheck("style", "style.access_patterns.check_access_patterns"),
    BodyCheck("threads that meet", "threads.divergence.check_divergence", callees=True),
    BodyCheck("bar barrier", "threads.exits.check_exits"),
    BodyCheck("shared memory", "threads.races.check_races", callees=True),
    BodyCheck("shared memory", "threads.shared_bounds.check_shared_bounds"),
    BodyCheck("anything", "protocols.check_protocols", errors=True, callees=True),
)
"""In the order in which they run."""
