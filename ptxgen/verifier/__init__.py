"""Is a program legal, is it wise: the verifier, its rules, and what explains them.

    verification.py  `verify` and `assert_valid`
    run.py           one run over a module: its checks, in their order
    body_checks.py   those of whole bodies, each a row with what calls for it
    versions.py      the lowest PTX version and the lowest target that are enough
    templates.py     `render`: a template becomes a verified module
    module_level/    directives, declarations, variables, limits of the target, launch bounds
    instruction/     one instruction: names, form, operands, state space, calls
    flow/            one thread, one instruction after another: definitions, reachability, calls
    addresses/       alignment, width and window of addresses
    threads/         the threads of a warp or a CTA together: divergence, barriers, exits, races
    protocols/       what is asynchronous: mbarriers, async groups, bulk copies, wgmma, tcgen05, proxies, clusters
    style/           findings that are advice (6xx)
    findings/        warnings taken back, PTX lines of findings
    explanation/     `px.explain`
    program/         what a check gets: the run (Context), the instruction (Site), the body (CheckedBody)

A check is a function that takes a Site, a CheckedBody or the Context and reports into it. What it asks of the program is in
`ptxgen.dataflow`; what is only ever judged stays here. Each room says in its first lines what belongs there and how to add a
check. May import dataflow, text, ir and isa.
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.verifier.verification import assert_valid, verify
    from ptxgen.verifier.versions import at_lowest_target, minimum_target, minimum_version

__all__ = [
    "assert_valid",
    "at_lowest_target",
    "minimum_target",
    "minimum_version",
    "verify",
]

_EXPORTS = {
    "verification": "assert_valid verify",
    "versions": "at_lowest_target minimum_target minimum_version",
}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
