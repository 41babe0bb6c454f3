"""Instructions on memory of other CTAs of a cluster: the window of their addresses, the scope of what they order.

Manual 5.1.7, 8.5 and 9.7.13.15.16. Only scopes that the text states are judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.isa.forms import opcodes_with
from ptxgen.verifier.protocols.barrier_uses import same_object

if TYPE_CHECKING:
    from ptxgen.verifier.protocols.barrier_uses import BarrierUse
    from ptxgen.verifier.protocols.view import View

__all__ = ["check_cluster_scopes", "check_needless_scopes"]

_ARRIVALS = ("arrive", "arrive expect")
_OWN_WINDOW = frozenset({"shared", "shared::cta"})


def check_cluster_scopes(view: View) -> None:
    """Report addresses of mapa in the window of the own CTA, and arrivals and waits whose scope ends at the CTA."""
    _check_windows(view)
    remote = [use for use in view.barrier_uses if use.kind in _ARRIVALS and use.place.remote]
    for use in remote:
        if _stops_at_the_cta(view, use, "release"):
            _report_scope(view, use, "arrives on another CTA's mbarrier and releases to its own CTA alone", "release")
            break
    for use in view.barrier_uses:
        if use.kind == "wait" and _stops_at_the_cta(view, use, "acquire") and _may_be_told(view, use, remote):
            _report_scope(view, use, "waits for arrivals of other CTAs and acquires from its own CTA alone", "acquire")
            break


def _check_windows(view: View) -> None:
    plain = opcodes_with("load", "store", "atomic")
    for access in view.accesses:
        words = view.op(access.position).split(".")
        if not access.place.remote or access.kind not in ("load", "store") or _OWN_WINDOW.isdisjoint(words):
            continue
        if words[0] not in plain:
            continue
        named = next(word for word in words if word in _OWN_WINDOW)
        view.body.report(
            "PTX587",
            f"{view.op(access.position)} is for shared memory of the own CTA, and its address is another CTA's (mapa)",
            access.position,
            expected=".shared::cluster",
            hint=view.op(access.position).replace(f".{named}", ".shared::cluster", 1),
        )
        return


def _stops_at_the_cta(view: View, use: BarrierUse, semantics: str) -> bool:
    words = view.op(use.position).split(".")
    return semantics in words and "cta" in words


def _may_be_told(view: View, wait: BarrierUse, remote: list[BarrierUse]) -> bool:
    """Does the text show that other CTAs arrive on the mbarrier that is waited for?"""
    return wait.object is not None and any(use.object is not None and same_object(wait, use) for use in remote)


def _report_scope(view: View, use: BarrierUse, what: str, semantics: str) -> None:
    op = view.op(use.position)
    view.body.report(
        "PTX588",
        f"{op} {what}: what was written before the arrival need not be seen behind the wait",
        use.position,
        expected=f".{semantics}.cluster",
        hint=op.replace(f".{semantics}.cta", f".{semantics}.cluster"),
    )


def check_needless_scopes(view: View) -> None:
    """PTX589: an arrival on the own CTA's mbarrier releases to the cluster; a wait acquires from it and no other CTA arrives.

    Only threads of the own CTA can wait for its mbarriers. What ptxas makes of the wider scope for sm_90a (CUDA 13.0): MEMBAR and
    its error barrier before the arrival, and behind the wait an invalidation of the L1 cache.
    """
    words = {use.position: view.op(use.position).split(".") for use in view.barrier_uses}
    own = [use for use in view.barrier_uses if use.object is not None and not use.place.remote]
    for use in own:
        if use.kind in _ARRIVALS and {"release", "cluster"} <= set(words[use.position]):
            _report_needless(view, use, "arrives on an mbarrier of the own CTA", "release", "a memory barrier")
            break
    if not view.whole or _others_arrive(view):
        return
    for use in own:
        if use.kind == "wait" and {"acquire", "cluster"} <= set(words[use.position]):
            what = "waits for an mbarrier on which no other CTA arrives"
            _report_needless(view, use, what, "acquire", "an invalidation of the L1 cache")
            break


def _others_arrive(view: View) -> bool:
    """May other CTAs complete phases of the own mbarriers? Addresses of other CTAs come from mapa, or from outside."""
    if "mapa" in view.body.at or any(use.place.remote or use.object is None for use in view.barrier_uses):
        return True
    return any("multicast::cluster" in view.op(use.position) for use in view.barrier_uses)


def _report_needless(view: View, use: BarrierUse, what: str, semantics: str, cost: str) -> None:
    op = view.op(use.position)
    view.body.report(
        "PTX589",
        f"{op} {what}: the scope .cluster orders nothing more than .cta, and costs {cost}",
        use.position,
        expected=f".{semantics}.cta, which is what an instruction without a scope has",
        hint=op.replace(f".{semantics}.cluster", f".{semantics}.cta"),
    )
