"""Operations that come after others, for other threads: the weakest form that is enough, assembled and run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ptxgen as px
from ptxgen import f32, u32

if TYPE_CHECKING:
    from collections.abc import Callable


def accesses(body: Callable[[Any, Any, Any, Any], None], target: str = "sm_90") -> list[str]:
    """What the accesses to memory and fences of a kernel are, in order."""

    @px.kernel
    def ordered(k: px.Builder, x: px.ptr[f32], flag: px.ptr[u32]):
        body(k, k.ordered("gpu"), x, flag)

    text = str(ordered.module(target=target))
    names = re.findall(r"^\t(?:@!?%p\d+ )?((?:ld|st|atom|fence|bar)\.[\w.:]+)", text, re.MULTILINE)
    return [name for name in names if not name.startswith("ld.param")]


def test_data_and_then_a_signal() -> None:
    def body(k, order, x, flag):
        first, second = order.write(x, 0, 1.0), order.write(x, 1, 2.0)
        order.signal(flag, 0, 1, after=(first, second))

    assert accesses(body) == ["st.global.f32", "st.global.f32", "st.release.gpu.global.u32"]


def test_what_is_learnt_and_then_data() -> None:
    def body(k, order, x, flag):
        seen = order.check(flag)
        order.read(x, 0, after=seen)
        order.write(x, 1, 0.0, after=seen)

    assert accesses(body) == ["ld.acquire.gpu.global.u32", "ld.global.f32", "st.global.f32"]


def test_what_nothing_names_stays_as_weak_as_it_is() -> None:
    def body(k, order, x, flag):
        order.read(x, 0)
        order.check(flag)
        order.signal(flag, 1, 2)
        order.atomic("add", flag, 2, 1, scope="cta")

    assert accesses(body) == [
        "ld.global.f32", "ld.relaxed.gpu.global.u32", "st.relaxed.gpu.global.u32", "atom.relaxed.cta.global.add.u32"
    ]  # fmt: skip


def test_at_one_address_program_order_is_enough() -> None:
    def body(k, order, x, flag):
        i = k.tid.x
        order.write(x, i, 1.0, after=order.read(x, i))
        order.check(flag, 3, after=order.signal(flag, 3, 1))

    assert accesses(body) == [
        "ld.global.f32", "st.global.f32", "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32"
    ]  # fmt: skip


def test_what_is_told_at_one_address_is_a_release_all_the_same() -> None:
    """A second signal must carry what came before the first: whoever sees it may not have seen that."""

    def body(k, order, x, flag):
        first = order.signal(flag, 0, 1, after=order.write(x, 0, 1.0))
        order.signal(flag, 0, 2, after=first)

    assert accesses(body) == ["st.global.f32", "st.release.gpu.global.u32", "st.release.gpu.global.u32"]


def test_an_index_that_changes_is_another_address() -> None:
    def body(k, order, x, flag):
        i = k.var(u32, 0)
        first = order.signal(flag, i, 1)
        i += 1
        order.check(flag, i, after=first)

    assert accesses(body) == ["st.relaxed.gpu.global.u32", "fence.sc.gpu", "ld.relaxed.gpu.global.u32"]


def test_what_is_learnt_is_passed_on() -> None:
    """Who sees flag 1 sees what the writer of flag 0 has written: that takes an acquire here, and a release."""

    def body(k, order, x, flag):
        order.signal(flag, 1, 1, after=order.check(flag, 0))

    assert accesses(body) == ["ld.acquire.gpu.global.u32", "st.release.gpu.global.u32"]


def test_only_what_is_named_is_strengthened() -> None:
    def body(k, order, x, flag):
        order.check(flag, 0)
        order.signal(flag, 1, 1, after=order.write(x, 0, 1.0))

    assert accesses(body) == ["ld.relaxed.gpu.global.u32", "st.global.f32", "st.release.gpu.global.u32"]


def test_an_atomic_is_both() -> None:
    def body(k, order, x, flag):
        ticket = order.atomic("add", flag, 0, 1, after=order.write(x, 0, 1.0))
        order.read(x, 1, after=ticket)

    assert accesses(body) == ["st.global.f32", "atom.acq_rel.gpu.global.add.u32", "ld.global.f32"]


def test_an_atomic_has_learnt_and_has_stored() -> None:
    def body(k, order, x, flag):
        order.signal(flag, 1, 1, after=order.atomic("exch", flag, 0, 1))
        order.check(flag, 3, after=order.atomic("exch", flag, 2, 1))

    assert accesses(body) == [
        "atom.acquire.gpu.global.exch.b32", "st.release.gpu.global.u32",
        "atom.relaxed.gpu.global.exch.b32", "fence.sc.gpu", "ld.relaxed.gpu.global.u32",
    ]  # fmt: skip


def test_a_store_and_then_what_others_stored_takes_a_fence() -> None:
    def body(k, order, x, flag):
        order.check(flag, 1, after=order.signal(flag, 0, 1))

    assert accesses(body) == ["st.relaxed.gpu.global.u32", "fence.sc.gpu", "ld.relaxed.gpu.global.u32"]


def test_a_barrier_orders_the_cta_and_a_release_the_rest() -> None:
    def body(k, order, x, flag):
        met = order.barrier(after=order.write(x, k.tid.x, 1.0))
        order.read(x, 0, after=met)
        order.signal(flag, 0, 1, scope="cta", after=met)
        order.signal(flag, 1, 1, after=met)

    assert accesses(body) == [
        "st.global.f32", "bar.sync", "ld.global.f32", "st.relaxed.cta.global.u32", "st.release.gpu.global.u32"
    ]  # fmt: skip


def test_a_token_of_two_branches() -> None:
    def body(k, order, x, flag):
        seen = order.token()
        with k.if_else(k.tid.x == 0) as (then, otherwise):
            with then:
                order.check(flag, 0, keep=seen)
            with otherwise:
                order.check(flag, 1, keep=seen)
        order.read(x, 0, after=seen)

    assert accesses(body) == ["ld.acquire.gpu.global.u32", "ld.acquire.gpu.global.u32", "ld.global.f32"]


def test_scopes_and_spaces() -> None:
    def body(k, order, x, flag):
        tile = k.shared(u32, 4)
        own = k.ordered("cta")
        own.signal(tile.pointer, 0, 1, after=own.write(tile.pointer, 1, 2))
        order.signal(flag, 0, 1, scope="sys", after=order.write(x, 0, 1.0))
        order.read(x, 1, after=order.check(flag, 1, scope="cluster"))

    assert accesses(body) == [
        "st.shared.u32", "st.release.cta.shared.u32", "st.global.f32", "st.release.sys.global.u32",
        "ld.acquire.cluster.global.u32", "ld.global.f32",
    ]  # fmt: skip


def test_vectors_of_data() -> None:
    def body(k, order, x, flag):
        row = order.read(x.vectors(4), 1, after=order.check(flag))
        assert len(row.value) == 4

    assert accesses(body) == ["ld.acquire.gpu.global.u32", "ld.global.v4.f32"]


# What cannot be


def refused(body: Callable[[Any, Any, Any, Any], Any], target: str = "sm_90") -> px.Diagnostic:
    with pytest.raises(px.BuildError) as caught:
        accesses(body, target)
    return caught.value.diagnostics[0]


WEAK = {
    "two writes": lambda k, order, x, flag: order.write(x, 1, 0.0, after=order.write(x, 0, 0.0)),
    "two reads": lambda k, order, x, flag: order.read(x, 1, after=order.read(x, 0)),
    "data behind a signal": lambda k, order, x, flag: order.write(x, 1, 0.0, after=order.signal(flag, 0, 1)),
    "a check behind data": lambda k, order, x, flag: order.check(flag, 0, after=order.write(x, 0, 0.0)),
}


@pytest.mark.parametrize("body", WEAK.values(), ids=WEAK)
def test_orders_that_nothing_gives(body: Callable[..., Any]) -> None:
    found = refused(body)
    assert found.code == "PTX590"
    assert re.search(r"nothing orders \S+ behind \S+ at .*test_ordering.py:\d+ for other threads", found.message)
    assert [place.file.endswith("test_ordering.py") for place in found.locations] == [True]  # the other one


def test_a_token_that_nothing_has_given_yet() -> None:
    def body(k, order, x, flag):
        later = order.token()
        order.signal(flag, 0, 1, after=later)
        order.write(x, 0, 1.0, keep=later)

    found = refused(body)
    assert found.code == "PTX591"
    assert re.search(r"the token was made at .*test_ordering.py:\d+", found.message)


SCOPES = {
    "no scope": (lambda k, order, x, flag: k.ordered("grid"), "no scope 'grid'"),
    "no clusters": (lambda k, order, x, flag: k.ordered("cluster"), "sm_80 has no clusters"),
    "shared memory": (
        lambda k, order, x, flag: order.signal(k.shared(u32, 1).pointer, 0, 1),
        "do not reach .shared memory",
    ),
    "local memory": (lambda k, order, x, flag: order.read(k.local(f32, 4).pointer, 0), "no other thread writes .local"),
    "too narrow": (
        lambda k, order, x, flag: order.signal(flag, 1, 1, after=order.check(flag, 0, scope="cta")),
        "learns from its cta alone, st.release.gpu.global.u32 is for the gpu",
    ),
}


@pytest.mark.parametrize("body, message", SCOPES.values(), ids=SCOPES)
def test_scopes_that_cannot_be(body: Callable[..., Any], message: str) -> None:
    found = refused(body, "sm_80")
    assert found.code == "PTX592"
    assert message in found.message


@pytest.mark.parametrize(
    "body, code",
    [
        (lambda k, order, x, flag: order.write(x, 0, 1.0, after=3), "PTX221"),
        (lambda k, order, x, flag: order.write(x, 0, 1.0, after=["token"]), "PTX221"),
        (lambda k, order, x, flag: order.write(3, 0, 1.0), "PTX220"),
        (lambda k, order, x, flag: order.atomic("mul", flag, 0, 1), "PTX220"),
        (lambda k, order, x, flag: order.atomic("cas", flag, 0, 1), "PTX202"),
        (lambda k, order, x, flag: order.atomic("add", flag, 0), "PTX202"),
    ],
)
def test_wrong_arguments(body: Callable[..., Any], code: str) -> None:
    assert refused(body).code == code


def test_a_token_stays_in_its_kernel() -> None:
    kept: list[Any] = []
    accesses(lambda k, order, x, flag: kept.append(order.check(flag)))
    assert refused(lambda k, order, x, flag: order.read(x, 0, after=kept[0])).code == "PTX321"
    assert refused(lambda k, order, x, flag: order.check(flag, 0, keep=kept[0])).code == "PTX321"


# It assembles, and it runs


@px.kernel
def pass_on(k: px.Builder, x: px.ptr[f32], flags: px.ptr[u32], ticket: px.ptr[u32]):
    """Each CTA takes a number, waits for the one before it, adds 1 to what that one left, and tells the next."""
    number = k.shared(u32, 1)
    with k.if_(k.tid.x == 0):
        number[0] = k.atomic_add(ticket, 0, 1)
    k.barrier()
    tile = number[0]
    order = k.ordered("gpu")
    with k.if_(k.tid.x == 0):
        seen = order.wait(flags, tile, until=lambda v: v == 1)
        before = order.read(x, tile, after=seen)
        done = order.write(x, tile + 1, before.value + 1.0, after=seen)
        order.signal(flags, tile + 1, 1, after=done)


def test_ctas_that_wait_for_each_other(device_name: str) -> None:
    dev = px.device(device_name)
    ctas = 16
    x, flags, ticket = dev.zeros(ctas + 1, f32), dev.zeros(ctas + 1, u32), dev.zeros(1, u32)
    flags.copy_from(np.eye(1, ctas + 1, dtype=np.uint32)[0])
    pass_on[ctas, 32](x, flags, ticket)
    assert x.numpy().tolist() == list(range(ctas + 1))
    text = str(pass_on.module(target="sm_90a"))
    assert text.count("ld.acquire.gpu") == text.count("st.release.gpu") == 1
    assert "fence" not in text


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90a", "sm_100a"])
def test_it_assembles(assembler: Callable[..., Any], target: str) -> None:
    assert assembler(str(pass_on.module(target=target))).cubin
