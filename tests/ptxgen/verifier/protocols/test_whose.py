"""Which threads run a step: waits for bulk groups belong to those that commit them, tensor memory is allocated by one warp."""

from __future__ import annotations

import pytest

from ptxgen.text import parse
from ptxgen.verifier import verify


def codes(body: str, head: str = ".reqntid 128", target: str = "sm_90a") -> list[str]:
    text = (
        f".version 8.6\n.target {target}\n.address_size 64\n"
        ".shared .align 128 .b8 tile[4096]; .shared .align 16 .b32 where[4];\n"
        f".entry k(.param .u64 a, .param .u32 n)\n{head}\n{{\n"
        ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
        "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;\n"
        "setp.eq.u32 %p2, %r2, 1; setp.lt.u32 %p3, %r2, 32; setp.eq.u32 %p4, %r1, 0; shr.u32 %r3, %r2, 5;\n"
        f"{body}\nret;\n}}\n"
    )
    return [finding.code for finding in verify(parse(text))]


def issued(guard: str) -> str:
    return (
        f"{guard} cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 1024;\n"
        f"{guard} cp.async.bulk.commit_group;\n"
    )


def waited(guard: str, count: int = 0) -> str:
    return f"{guard} cp.async.bulk.wait_group.read {count};\n"


@pytest.mark.parametrize(
    "body",
    [
        issued("@%p1") + waited("@%p2"),
        issued("@%p1") + "@!%p2 bra X;\n" + waited("") + "X:\n",
        issued("@%p1") + waited("@!%p1"),
        issued("@%p3") + waited("@%p1"),
        "elect.sync _|%p5, -1;\n" + issued("@%p5") + waited("@%p3"),  # one of each warp, and the first warp waits
    ],
)
def test_other_threads_wait_than_those_that_commit(body: str) -> None:
    assert "PTX523" in codes(body)


@pytest.mark.parametrize(
    "body, head",
    [
        (issued("@%p1") + waited("@%p1"), ".reqntid 128"),
        (issued("@%p1") + waited(""), ".reqntid 128"),  # the others wait for nothing, which costs nothing
        (issued("@%p1") + waited("@%p3"), ".reqntid 128"),
        ("@!%p1 bra X;\n" + issued("") + waited("") + "X:\n", ".reqntid 128"),
        (issued("@%p1") + waited("@%p2") + waited("@%p1"), ".reqntid 128"),
        (issued("@%p1") + waited("@%p4"), ".reqntid 128"),  # the same for all threads
        (issued("@%p1").replace("@%p1 cp.async.bulk.commit", "cp.async.bulk.commit") + waited("@%p1"), ".reqntid 128"),
        ("elect.sync _|%p5, %r1;\n" + issued("@%p5") + waited("@%p3"), ".reqntid 128"),  # who knows
        ("elect.sync _|%p5, -1;\n" + issued("@%p5") + waited("@%p5"), ".reqntid 128"),
        (issued("@%p1") + waited("@%p2"), ".maxntid 128"),
    ],
)
def test_the_threads_that_commit_wait(body: str, head: str) -> None:
    assert codes(body, head) == []


ALLOC = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{}], 32;\n"
FREE = "bar.sync 0;\nld.shared.b32 %r4, [{}];\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;\n"
EACH = "mov.u32 %r5, where; shl.b32 %r6, %r3, 2; add.u32 %r7, %r5, %r6;\n"


def allocated(body: str, head: str = ".reqntid 128") -> list[str]:
    return [code for code in codes(body, head, "sm_100a") if code.startswith("PTX55")]


def test_warps_that_allocate_into_one_place() -> None:
    assert allocated(ALLOC.format("where") + FREE.format("where")) == ["PTX557"]
    by_two = "setp.lt.u32 %p5, %r2, 64;\n@!%p5 bra X;\n" + ALLOC.format("where") + "X:\n" + FREE.format("where")
    assert allocated(by_two) == ["PTX557"]


@pytest.mark.parametrize(
    "body, head",
    [
        ("@!%p3 bra X;\n" + ALLOC.format("where") + "X:\n" + FREE.format("where"), ".reqntid 128"),
        (ALLOC.format("where") + FREE.format("where"), ".reqntid 32"),
        (ALLOC.format("where") + FREE.format("where"), ""),
        (EACH + ALLOC.format("%r7") + FREE.format("%r7"), ".reqntid 128"),  # each warp has its own
        (
            "setp.eq.u32 %p5, %r3, 2;\n@!%p5 bra X;\n" + ALLOC.format("where") + "X:\n" + FREE.format("where"),
            ".reqntid 128",
        ),
    ],
)
def test_one_warp_allocates_or_each_for_itself(body: str, head: str) -> None:
    assert allocated(body, head) == []


@pytest.mark.parametrize("bound, found", [(4, False), (3, True)])
@pytest.mark.parametrize("head", ["", ".reqntid 256"])
@pytest.mark.parametrize("number", ["%r3", "%r3|%p2"])
def test_warpgroups_by_the_number_of_their_warps(head: str, bound: int, found: bool, number: str) -> None:
    """Four warps are a warpgroup, though the number of a warp comes from a shuffle, of which nvcc takes the predicate too."""
    text = (
        f".version 8.0\n.target sm_90a\n.address_size 64\n.entry k()\n{head}\n{{\n.reg .b32 %r<4>; .reg .pred %p<3>;\n"
        f"mov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nshfl.sync.idx.b32 {number}, %r2, 0, 31, -1;\n"
        f"setp.lt.u32 %p1, %r3, {bound};\n@!%p1 bra END;\nwgmma.fence.sync.aligned;\nEND: ret;\n}}\n"
    )
    assert ("PTX571" in {finding.code for finding in verify(parse(text))}) is found
