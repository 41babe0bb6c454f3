"""Asynchronous protocols: cp.async and bulk groups, mbarriers, wgmma, tcgen05, proxies, register reallocation, clusters.

One file a protocol, each with functions that take a View (a body with its values, its paths and its shared memory) and report
into it; to add one, write it and name it in `_CHECKS` with the opcodes that call for it. `memory.py` and `barrier_uses.py` say
what accesses shared memory and mbarriers; `dataflow/values` says what registers hold, `dataflow/paths` walks every path through
a body. A finding is about a path through the text that surely breaks the rule; what the text does not show is not reported. May
import `program`, `flow`, `addresses` and `threads`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptxgen.verifier.program.checked_body import CheckedBody

__all__ = ["check_protocols"]

_CHECKS: tuple[tuple[str, str, str], ...] = (
    ("cp mbarrier tcgen05 setmaxnreg", "constants", "check_constants"),
    ("cp", "async_copy", "check_async_copies"),
    ("cp", "bulk_groups", "check_bulk_groups"),
    ("cp", "bulk_copies", "check_bulk_copies"),
    ("mbarrier cp tcgen05", "mbarrier", "check_mbarriers"),
    ("mbarrier", "lifetimes", "check_lifetimes"),
    ("mbarrier", "rings", "check_rings"),
    ("mbarrier", "arrivals", "check_arrivals_and_bytes"),
    ("cp", "stage_reuse", "check_stage_reuse"),
    ("wgmma", "wgmma", "check_wgmma"),
    ("wgmma", "stage_release", "check_stage_release"),
    ("tcgen05", "tcgen05", "check_tcgen05"),
    ("cp wgmma tcgen05", "proxies", "check_proxies"),
    ("tensormap", "proxies", "check_tensor_maps"),
    ("multimem", "aliases", "check_multimem"),
    ("ld.nc", "aliases", "check_noncoherent"),
    ("setmaxnreg wgmma", "warpgroups", "check_warpgroups"),
    ("setmaxnreg", "warpgroups", "check_register_counts"),
    ("setmaxnreg", "register_pool", "check_register_pool"),
    ("mapa barrier", "clusters", "check_clusters"),
    ("mapa", "cluster_scopes", "check_cluster_scopes"),
    ("mbarrier", "cluster_scopes", "check_needless_scopes"),
    ("griddepcontrol", "clusters", "check_dependent_grids"),
)
"""(opcodes, of which the body has one; module of this room; its check), in the order of the codes."""

_OPCODES = frozenset(name for names, _, _ in _CHECKS for name in names.split())


def check_protocols(body: CheckedBody) -> None:
    """Report what breaks an asynchronous protocol; costs a look into a set for bodies without any."""
    if _OPCODES.isdisjoint(body.at):
        return
    from importlib import import_module

    from ptxgen.verifier.protocols.view import View

    view = View(body)
    for names, module, function in _CHECKS:
        if not body.at.keys().isdisjoint(names.split()):
            getattr(import_module(f"ptxgen.verifier.protocols.{module}"), function)(view)
