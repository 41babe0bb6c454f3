"""The lowest target, with its lowest PTX version, that is enough for a module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen import f32, u32
from ptxgen.errors import BuildError
from ptxgen.text import parse
from ptxgen.verifier import at_lowest_target, minimum_target, verify
from ptxgen.verifier.versions import targets_in_order
from tests import ptx

if TYPE_CHECKING:
    from collections.abc import Callable

REGISTERS = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
SETUP = "mov.b32 %r1, 1; mov.b64 %rd1, 0; mov.f32 %f1, 0f00000000;\n"


def program(body: str, head: str = "") -> str:
    return ptx.kernel(body, registers=REGISTERS + SETUP, directives=head, version="9.0", target="sm_121a")


@pytest.mark.parametrize(
    "target, body, head",
    [
        ("sm_50", "", ""),
        ("sm_75", "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;", ""),
        ("sm_80", "redux.sync.add.u32 %r2, %r1, -1;", ""),
        ("sm_89", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f1;", ""),
        ("sm_90", "mov.u32 %r2, %cluster_ctarank;", ""),
        ("sm_90", "", ".reqnctapercluster 2, 1, 1"),
        ("sm_90a", "wgmma.fence.sync.aligned;", ""),
        ("sm_100f", "redux.sync.min.f32 %f2, %f1, -1;", ""),  # sm_100a has it too, and fewer machines
        ("sm_90a", "wgmma.fence.sync.aligned; redux.sync.add.u32 %r2, %r1, -1;", ""),
        ("sm_90a", ".shared .b8 s[100000]; mov.u32 %r2, s;", ""),  # only `a` targets lift the 48 KiB
    ],
)
def test_the_lowest_target(target: str, body: str, head: str, assembler: Callable[..., Any]) -> None:
    module = parse(program(body, head))
    assert minimum_target(module) == target
    lowest = at_lowest_target(module)
    assert [finding for finding in verify(lowest) if finding.is_error] == []
    assert lowest.items is module.items
    assert module.target == "sm_121a", "the module itself is left as it was"
    if int(target[3:].rstrip("af")) >= 75:
        assert assembler(str(lowest), target).cubin


def test_targets_run_from_the_most_machines_to_the_fewest() -> None:
    names = [target.name for target in targets_in_order()]
    assert names[0] == "sm_50"
    assert names.index("sm_90") < names.index("sm_90a") < names.index("sm_100") < names.index("sm_100f")
    assert names.index("sm_100f") < names.index("sm_100a") < names.index("sm_103")


def test_no_target_is_enough() -> None:
    text = program("wgmma.fence.sync.aligned; redux.sync.min.f32 %f2, %f1, -1;")
    with pytest.raises(ValueError, match=r"no target has all that .* uses: .*sm_100a or sm_100f.*sm_90a"):
        minimum_target(parse(text))


def test_verify_for_another_target() -> None:
    module = parse(program("redux.sync.add.u32 %r2, %r1, -1; add.u32 %r3, %r2, %r1;"))
    assert verify(module, target="auto") == []
    assert [finding.code for finding in verify(module, target="sm_75")] == ["PTX412"]


# Kernels in Python


@px.kernel
def plain(k: px.Builder, x: px.ptr[f32]):
    x[k.global_id.x] = 1.0


@px.kernel
def reduced(k: px.Builder, x: px.ptr[u32]):
    d = k.var(u32)
    k.ptx.redux.sync.add.u32(d, k.lane, -1)
    x[0] = d


@px.kernel
def adaptive(k: px.Builder, x: px.ptr[f32]):
    """Takes the instruction where it is there: it runs everywhere."""
    d = k.var(f32, 1.0)
    if k.target.sm >= 75:
        k.ptx.tanh.approx.f32(d, d)
    x[0] = d


@px.kernel
def impossible(k: px.Builder, x: px.ptr[f32]):
    d = k.var(f32, 0)
    k.ptx.wgmma.fence.sync.aligned()
    k.ptx.redux.sync.min.f32(d, d, -1)
    x[0] = d


@pytest.mark.parametrize("kernel, target", [(plain, "sm_50"), (reduced, "sm_80"), (adaptive, "sm_50")])
def test_a_kernel_for_the_lowest_target(kernel: px.Kernel, target: str) -> None:
    assert kernel.module(target="auto").target == target


def test_a_kernel_that_no_target_runs() -> None:
    with pytest.raises(BuildError, match="PTX412"):
        impossible.module(target="auto")
