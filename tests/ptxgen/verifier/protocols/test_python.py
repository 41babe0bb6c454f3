"""Kernels built in Python: the same protocols, and findings that name the Python line."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen import b64, f32
from ptxgen.errors import PtxWarning
from ptxgen.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Callable

STEPS = {  # what is left out: what is said
    "nothing": [],
    "fence": ["PTX533"],
    "expect": ["PTX525"],
    "proxy": ["PTX560"],
    "commit": ["PTX521"],
    "wait": ["PTX523"],
}


@px.kernel
def doubled(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32], *, without: str = "nothing"):
    """A tile of 256 floats comes by a bulk copy, is doubled, and leaves by one."""
    tile = k.shared(f32, 256, align=128)
    bar = k.shared(b64, 1)
    t = k.tid.x
    first = t == 0
    with k.if_(first):
        k.ptx.mbarrier.init.shared__cta.b64(bar, 1)
        if without != "fence":
            k.ptx.fence.mbarrier_init.release.cluster()
        if without != "expect":
            k.ptx.mbarrier.arrive.expect_tx.shared__cta.b64(px.sink, bar, 1024)
        else:
            k.ptx.mbarrier.arrive.shared__cta.b64(px.sink, bar)
        k.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"](tile, x, 1024, bar)
    k.barrier()
    done = k.var(px.pred, False)
    with k.while_(lambda: ~done):
        k.ptx["mbarrier.try_wait.parity.shared::cta.b64"](done, bar, 0)
    tile[t] = tile[t] * 2.0
    if without != "proxy":
        k.ptx.fence.proxy.async_.shared__cta()
    k.barrier()
    with k.if_(first):
        k.ptx["cp.async.bulk.global.shared::cta.bulk_group"](y, tile, 1024)
        if without != "commit":
            k.ptx.cp.async_.bulk.commit_group()
        if without != "wait":
            k.ptx.cp.async_.bulk.wait_group.read(0)


def built(without: str) -> list[px.Diagnostic]:
    """What is found; building warns of the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PtxWarning)
        return verify(doubled.module(target="sm_90a", without=without))


@pytest.mark.parametrize("without", STEPS)
def test_each_step_is_missed(without: str) -> None:
    assert [finding.code for finding in built(without)] == STEPS[without]


def test_building_warns() -> None:
    with pytest.warns(PtxWarning, match="PTX560"):
        doubled.module(target="sm_90", without="proxy")


def test_the_finding_names_the_python_line() -> None:
    (finding,) = built("proxy")
    place = finding.locations[0]
    assert (place.kind, place.file) == ("python", __file__)
    assert "cp.async.bulk.global" in place.excerpt()
    assert "test_python.py" in finding.message, "where the generic write is"


def test_it_assembles(assembler: Callable[..., Any]) -> None:
    assert assembler(str(doubled.module(target="sm_90a"))).cubin
