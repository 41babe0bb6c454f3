"""`px.explain`: what it finds, what it says, and that its examples assemble."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ptxgen as px
from ptxgen.codes.index import INDEX
from ptxgen.isa.cuda_names import CUDA_NAMES
from ptxgen.isa.describe import HEADINGS, chapter_of, example, instruction_name, lowest, section_title
from ptxgen.isa.directives import directives
from ptxgen.isa.dump import count_names, dump, legal_forms
from ptxgen.isa.examples import every_name
from ptxgen.isa.forms import all_forms, forms_of, opcodes, resolve
from ptxgen.verifier.explanation.pages import directive_example

if TYPE_CHECKING:
    from collections.abc import Callable

MANUAL = (Path(__file__).parent / "data" / "opcodes-9.0.txt").read_text().split()


@pytest.mark.parametrize(
    "name, kind, says",
    [
        ("cp.async.bulk", "instruction", "cp.async.bulk{.plain}.cluster.global.bytes{.report}{.multicast}{.hint}"),
        ("cp.async.bulk", "instruction", "manual 9.7.9.25.4, Data Movement and Conversion Instructions: cp.async.bulk"),
        ("cp.async.bulk", "instruction", "cp.async.bulk.tensor"),  # what else begins with it
        ("atom", "instruction", "_ may stand for it"),
        ("ld", "instruction", "reads memory"),
        ("ld.global.v4.f32", "instruction", "4 registers"),
        ("wgmma.fence.sync.aligned", "instruction", "PTX 8.0  sm_90a"),
        ("shfl.bfly.b32", "instruction", "ended with PTX 6.3 on sm_70 and newer"),
        ("%tid", "special register", ".v4 .u32"),
        ("%cluster_ctarank", "special register", "PTX 7.8 and sm_90 or newer"),
        ("%perctamemorysize", "special register", ".minperctamemory"),
        (".maxntid", "directive", "product at most 1024"),
        (".reqnctapercluster", "directive", "PTX 7.8 and sm_90 or newer"),
        ("nounroll", "directive", "Pragma Strings"),
        ("texmode_independent", "directive", "behind the name of .target"),
        ("sm_90a", "target", "227 KiB static"),
        ("compute_75", "target", "1024 a multiprocessor"),
        (".e4m3x2", "type", "2 of .e4m3"),
        ("L2::cache_hint", "modifier", "cp.async.bulk"),
        ("PTX412", "code", "not on this target"),
        ("ptx303", "code", "add.u32 %r1, %r3, 1;"),
    ],
)
def test_what_a_name_is(name: str, kind: str, says: str) -> None:
    found = px.explain(name)
    assert found.found
    assert found.kind == kind
    assert says in str(found)


@pytest.mark.parametrize(
    "name, near",
    [
        ("lod.global.u32", "ld.global.u32"),
        ("ld.globl.f32", "ld.global.f32"),
        ("add.f32.rn", "add.rn.f32"),
        ("mbarrier.initt", "mbarrier.init"),
        (".maxntidd", ".maxntid"),
        ("%cluster_ctaran", "%cluster_ctarank"),
        ("sm_90b", "sm_90"),
        ("PTX999", "PTX69"),
    ],
)
def test_a_misspelt_name_gives_the_nearest(name: str, near: str) -> None:
    found = px.explain(name)
    assert not found.found
    assert any(text.startswith(near) for text in found.to_dict()["near"])


@pytest.mark.parametrize(
    "name, first",
    [
        ("add.u33", "add.u32"),
        ("ad", "add"),
        ("ad.u32", "add.u32"),
        ("setp.lt.u23", "setp.lt.u32"),
        ("st.shared.f31", "st.shared.f32"),
        ("mul.low.u32", "mul.lo.u32"),
        ("ld.globl", "ld.global"),
        ("ld.shred", "ld.shared"),
        ("st.globl.v4", "st.global.v4"),
        ("cp.asnyc.bulk", "cp.async.bulk"),
        ("sm_91", "sm_90"),
        ("sm_87f", "sm_87"),
        ("compute_123a", "sm_121a"),
        ("__synctreads", "__syncthreads"),
    ],
)
def test_the_nearest_name_comes_first(name: str, first: str) -> None:
    assert px.explain(name).to_dict()["near"][0] == first


@pytest.mark.parametrize("space", ["global", "shared", "local", "const", "param"])
def test_a_state_space_with_a_slip_is_that_space(space: str) -> None:
    for place in range(1, len(space) - 1):
        for slip in (space[:place] + space[place + 1 :], space[:place] + space[place] + space[place:]):
            assert px.explain(f"ld.{slip}").to_dict()["near"][0] == f"ld.{space}"


@pytest.mark.parametrize("name", ["add.x2", "ld.x", "mul.type", "cvt.rnd.f32.f64"])
def test_what_is_near_is_never_the_name_itself_and_always_there(name: str) -> None:
    found = px.explain(name)
    assert not found.found
    for near in found.to_dict()["near"]:
        assert near != name
        assert px.explain(near).found


@pytest.mark.parametrize(
    "words, form",
    [
        ("mma.m16n8k16.bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        ("wgmma.m64n64k16.f16", "wgmma.mma_async.sync.aligned"),
        ("ld.nc", "ld.global"),
    ],
)
def test_some_words_in_their_order_mean_the_forms_that_have_them(words: str, form: str) -> None:
    found = px.explain(words)
    assert found.found
    assert form in str(found)
    assert not px.explain("mma.bf16.m16n8k16").found


def test_every_name_of_cuda_leads_to_something_of_ptx() -> None:
    assert len(CUDA_NAMES) > 200
    for row in CUDA_NAMES.values():
        for name in row.ptx:
            assert px.explain(name).found, (row.name, name)


@pytest.mark.parametrize(
    "name, ptx",
    [
        ("__syncthreads()", "barrier.sync"),
        ("__syncwarp", "bar.warp.sync"),
        ("__ballot_sync(mask, p)", "vote.sync.ballot.b32"),
        ("atomicAdd", "atom.add"),
        ("atomicCAS_system", "atom.sys.cas"),
        ("__ldg", "ld.global.nc"),
        ("__fmaf_rn", "fma.rn.f32"),
        ("__popc", "popc.b32"),
        ("threadIdx.x", "%tid.x"),
        ("gridDim.z", "%nctaid.z"),
        ("clock64", "%clock64"),
        ("nvcuda::wmma::mma_sync", "wmma.mma"),
        ("cuda::memcpy_async<T>(x)", "cp.async"),
        ("__nanosleep", "nanosleep.u32"),
    ],
)
def test_a_name_of_cuda_is_explained_as_what_ptx_has_for_it(name: str, ptx: str) -> None:
    found = px.explain(name)
    assert found.found
    assert found.name == ptx
    assert str(found).split("\n")[2] == "CUDA C++"
    assert found.to_dict()["cuda"]["ptx"][0] == ptx


@pytest.mark.parametrize("name", ["threadIdx.w", "warpSize.x", "__syncthread_xyz", "()", "atomicAdd.x"])
def test_what_cuda_does_not_have_either(name: str) -> None:
    assert not px.explain(name).found


def test_a_name_that_ptx_has_too_is_that_of_ptx() -> None:
    assert "cuda" not in px.explain("fma").to_dict()


def test_a_pattern_lists_names() -> None:
    names = list(px.explain("mbarrier.*").to_dict()["names"])
    assert names[:2] == ["mbarrier.init", "mbarrier.inval"]
    assert "%clusterid.x" in px.explain("%cluster*").to_dict()["names"]
    assert set(px.explain("PTX4*").to_dict()["names"]) == {code for code in INDEX if code.startswith("PTX4")}
    assert not px.explain("zzz*").found


def test_every_opcode_of_the_manual_is_there() -> None:
    """The names are those of the PTX 9.0 manual's sections."""
    assert len(MANUAL) == 135
    assert sorted(set(MANUAL) - set(opcodes())) == []
    assert all(px.explain(name).found for name in MANUAL)


def test_every_form_has_its_section() -> None:
    assert {chapter_of(form) for form in all_forms()} <= set(HEADINGS)
    assert section_title(forms_of("elect")[0]) == "Parallel Synchronization and Communication Instructions: elect.sync"


@pytest.mark.parametrize(
    "op, name",
    [
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "mma"),
        ("tcgen05.wait::ld.sync.aligned", "tcgen05.wait"),
        ("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", "wgmma.mma_async"),
        ("cp.async.bulk.commit_group", "cp.async.bulk.commit_group"),
        ("ld.global.u32", "ld"),
    ],
)
def test_the_name_of_an_instruction(op: str, name: str) -> None:
    assert instruction_name(resolve(op)[0].form) == name


# ---- counting --------------------------------------------------------------------------------------------------------


def test_the_table_spells_more_names_than_any_other() -> None:
    assert legal_forms() >= 106_000


def test_the_documentation_counts_as_the_table_does() -> None:
    text = (Path(__file__).parents[3] / "docs" / "instructions.md").read_text()
    stated = re.search(r"^PTX 9 has (\d+) opcodes and more than ([\d,]+) legal instruction names", text, re.MULTILINE)
    assert stated is not None
    assert int(stated[1]) == len(opcodes())
    least = int(stated[2].replace(",", ""))
    assert least < legal_forms() <= least + 10_000


@pytest.mark.parametrize("opcode", ["add", "cvt", "mma", "vadd", "bra", "ret"])
def test_names_are_counted_once(opcode: str) -> None:
    assert count_names(opcode) == len({name for form in forms_of(opcode) for name in every_name(form)})


def test_the_dump_is_whole() -> None:
    found = dump()
    assert found["legal_forms"] == legal_forms()
    assert {row["name"] for row in found["opcodes"]} >= set(MANUAL)
    assert sum(len(row["forms"]) for row in found["opcodes"]) == len(all_forms())
    for key in ("special_registers", "directives", "targets", "types"):
        assert found[key]
    form = next(row for row in found["opcodes"] if row["name"] == "elect")["forms"][0]
    assert form["since"] == [{"version": "8.0", "target": "sm_90"}]
    assert form["effects"] == ["converged"]
    assert [operand["direction"] for operand in form["operands"]] == ["out", "in"]


# ---- examples --------------------------------------------------------------------------------------------------------

ONE_A_NAME = list({instruction_name(form): form for form in reversed(all_forms())}.items())


@pytest.mark.parametrize("name, form", ONE_A_NAME, ids=[name for name, _ in ONE_A_NAME])
def test_the_example_of_an_instruction_assembles(
    name: str, form: Any, assembler: Callable[..., Any], knows: Callable[[tuple[int, int]], None]
) -> None:
    text = example(form)
    assert f"\t{name.partition('.')[0]}" in text
    knows(px.parse(text).version)
    assert assembler(text).cubin


def test_every_form_has_an_example() -> None:
    """But those that no target of today has any more."""
    assert [form.syntax for form in all_forms() if not example(form)] == ["mad{.ftz}{.sat}.f32"]
    assert all(lowest(resolve(op)[0]) is not None for op in ("add.u32", "tcgen05.wait::ld.sync.aligned"))


SHOWN = [row for row in directives() if directive_example(row)]


@pytest.mark.parametrize("row", SHOWN, ids=lambda row: row.name)
def test_the_example_of_a_directive_is_read_and_verified(row: Any) -> None:
    assert px.verify(px.parse(directive_example(row))) == []
