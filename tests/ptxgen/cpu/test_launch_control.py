"""clusterlaunchcontrol: CTAs and clusters that take the work of those that have not started (manual 9.7.13.17).

As the manual says; no device of sm_100 was at hand.
"""

from __future__ import annotations

import pytest

from ptxgen.cpu import KernelFault
from tests.ptxgen.cpu.machine import BASE, run

CANCEL = "clusterlaunchcontrol.try_cancel.async{}.mbarrier::complete_tx::bytes{}.b128"
QUERY = "clusterlaunchcontrol.query_cancel"

LOOP = f"""
	.shared .align 16 .b32 answer[4]; .shared .align 8 .b64 bar;
	.reg .b128 %q; .reg .pred %first, %won, %ready; .reg .b32 %x, %y, %z, %phase, %n;
	setp.eq.u32 %first, %t, 0;
	@%first mbarrier.init.shared::cta.b64 [bar], 1;
	mov.u32 %x, %ctaid.x; mov.u32 %y, %ctaid.y; mov.u32 %z, %ctaid.z; mov.u32 %phase, 0; mov.u32 %n, 0;
	barrier.cluster.arrive; barrier.cluster.wait;
WORK:
	{{before}}
	mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.y; mad.lo.u32 %r3, %z, %r2, %y; mad.lo.u32 %r3, %r3, %r1, %x;
	mad.wide.u32 %d1, %r3, 4, %out; @%first red.global.add.u32 [%d1], 1; add.u32 %n, %n, 1;
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %ready, [bar], %phase;
	@!%ready bra WAIT;
	xor.b32 %phase, %phase, 1;
	ld.shared.b128 %q, [answer];
	{QUERY}.is_canceled.pred.b128 %won, %q;
	@%won {{query}}
	{{after}}
	fence.proxy.async.shared::cta;
	barrier.cluster.arrive; barrier.cluster.wait;
	@%won bra WORK;
"""
ASK = "@%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n\t{guard} {cancel} [{to}], [{on}];"
FIRST = f"{QUERY}.get_first_ctaid.v4.b32.b128 {{%x, %y, %z, _}}, %q;"


def body(space: str, *, query: str = FIRST, after: str = "") -> str:
    """Each CTA asks for itself, with addresses in .shared::cta or with generic ones."""
    to, on = ("answer", "bar") if space else ("%d3", "%d4")
    ask = ASK.format(guard="@%first", cancel=CANCEL.format(space, ""), to=to, on=on)
    before = f"cvta.shared.u64 %d3, answer; cvta.shared.u64 %d4, bar;\n\t{ask}"
    return LOOP.replace("{before}", before).replace("{query}", query).replace("{after}", after)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("space", [".shared::cta", ""])
def test_every_cta_of_the_grid_is_worked_on_once(space: str, workers: int) -> None:
    found = run(body(space), words=60, block=(64, 1, 1), grid=(5, 4, 3), options=BASE.replaced(workers=workers))
    assert found.u32 == [1] * 60


def test_coordinates_one_by_one() -> None:
    query = "; @%won ".join(f"{QUERY}.get_first_ctaid::{axis}.b32.b128 %{axis}, %q" for axis in "xyz") + ";"
    assert run(body(".shared::cta", query=query), words=24, grid=(2, 3, 4)).u32 == [1] * 24


def test_few_ctas_take_what_many_would_do() -> None:
    """Those that have begun do all; each counts itself when it gets no more."""
    after = "setp.ne.and.u32 %p1, %t, 99, !%won; and.pred %p1, %p1, %first; @%p1 red.global.add.u32 [%out+160], 1;"
    found = run(body(".shared::cta", after=after), words=41, grid=(40, 1, 1), options=BASE.replaced(workers=1)).u32
    assert found[:40] == [1] * 40
    assert 1 <= found[40] < 40


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cluster_takes_a_cluster(workers: int) -> None:
    """The first CTA asks for all, and each adds its place in the cluster to where the other one begins."""
    cancel = CANCEL.format(".shared::cta", ".multicast::cluster::all")
    ask = "mov.u32 %r4, %cluster_ctarank; setp.eq.and.u32 %p1, %r4, 0, %first;\n\t"
    ask += ASK.format(guard="@%p1", cancel=cancel, to="answer", on="bar")
    add = "".join(f"mov.u32 %r5, %cluster_ctaid.{axis}; add.u32 %{axis}, %{axis}, %r5; " for axis in "xyz")
    text = LOOP.replace("{before}", ask).replace("{query}", FIRST).replace("{after}", f"@!%won bra OUT; {add}\nOUT:")
    found = run(text, words=64, grid=(8, 4, 2), cluster=(2, 2, 1), options=BASE.replaced(workers=workers))
    assert found.u32 == [1] * 64


@pytest.mark.parametrize(
    "ask, kind",
    [
        (f"{CANCEL.format('.shared::cta', '')} [answer], [answer];", "mbarrier invalid"),
        (f"{CANCEL.format('.shared::cta', '')} [answer+8], [bar];", "misaligned address"),
        (f"{CANCEL.format('', '')} [%out], [%d4];", "illegal address"),
    ],
)
def test_mistakes(ask: str, kind: str) -> None:
    text = LOOP.replace("{before}", f"cvta.shared.u64 %d4, bar; {ask}").replace("{query}", FIRST).replace("{after}", "")
    with pytest.raises(KernelFault) as caught:
        run(text, words=4)
    assert caught.value.kind == kind
