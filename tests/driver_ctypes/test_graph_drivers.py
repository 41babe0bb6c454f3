"""Graphs on other drivers: one too old for the later functions, and one whose compiler has no device runtime."""

from __future__ import annotations

import ctypes

import pytest

import driver_ctypes as dc
from driver_ctypes.contexts.device import Driver
from driver_ctypes.graphs import conditional
from tests.driver_ctypes.kit import COUNTDOWN, COUNTDOWN_SIGNATURE, PTX, SIGNATURES, filled, words


@pytest.fixture
def old():
    """The emulated driver without what came after CUDA 11.4; its structures are those of the old functions."""
    from ptxgen.emulated_driver import open_driver

    lookup = open_driver()
    kept = ("cuGraphAddKernelNode_v2", "cuGraphKernelNodeGetParams_v2", "cuGraphExecKernelNodeSetParams_v2")

    def resolve(symbol: str, version: int) -> int:
        return lookup(symbol, version) if version <= 11040 or symbol in (*kept, "cuLaunchKernelEx") else 0

    context = Driver("old", resolve, foreign_pointers=False).device(0).primary_context()
    yield context
    context.close()


@pytest.mark.cpu_only
def test_an_old_driver_captures_builds_updates_and_launches(old):
    put = old.load(PTX, signatures=SIGNATURES).function("put")
    x, stream = filled(old, [0] * 4), old.stream()
    with stream.capture() as capture, capture.named("captured"):
        put.launch(1, 1, x, 0, 1, stream=stream)
    graph = old.graph()
    first = graph.kernel(put, 1, 1, x, 1, 2, label="first")
    graph.memset(x.pointer + 8, 3, 1, 4, after=first, label="second")
    assert graph.edges() == (dc.GraphEdge(first.handle, graph.find("second").handle),)
    execution = capture.graph.instantiate()
    execution.launch(stream)
    execution.update("captured", value=5)
    execution.launch(stream)
    assert execution.update_from(graph) is False
    execution.launch(stream)
    assert words(old, x, 4) == [5, 2, 3, 0]
    with pytest.raises(dc.GraphUpdateError, match="topology changed"):
        execution.update_from(capture.graph, policy="raise")


@pytest.mark.cpu_only
def test_an_old_driver_says_what_it_lacks(old):
    graph = old.graph()
    put = old.load(PTX, signatures=SIGNATURES).function("put")
    a = graph.kernel(put, 1, 1, 0, 0, 1)
    for use, needed in (
        (lambda: graph.condition(default=1), "12.3"),
        (lambda: graph.kernel(put, 1, 1, 0, 0, 1, after=a.triggered()), "12.3"),
        (lambda: graph.batch([dc.write_value(0x1000, 1)]), "11.7"),
        (lambda: graph.instantiate().disable(a), "11.6"),
    ):
        with pytest.raises(dc.NotAvailableError, match=r"no cu|needs") as caught:
            use()
        assert f"{caught.value.needed // 1000}.{caught.value.needed % 1000 // 10}" == needed
    assert len(graph) == 1


# --- the device runtime -----------------------------------------------------------------------------------------------

REFUSED = (218, "ptxas fatal   : Unresolved extern function 'cudaGraphSetConditional'", "")
LINKED = ".version 7.8 .target sm_75 .visible .entry countdown(.param .u64 condition, .param .u64 word) { ret; }"


@pytest.fixture
def linker(fake, context, monkeypatch, tmp_path):
    """A driver whose compiler does not know the setter; what its linker was given."""
    library, linked, image = tmp_path / "libcudadevrt.a", [], ctypes.create_string_buffer(LINKED.encode())
    library.write_bytes(b"!<arch>\n")
    monkeypatch.setenv(conditional.ENVIRONMENT_VARIABLE, str(library))
    fake.jit_answers[COUNTDOWN] = REFUSED

    def create(number, options, values, out):
        ctypes.c_void_p.from_address(out).value = 0x71

    def add_data(state, kind, data, size, name, *rest):
        linked.append(("data", kind, ctypes.string_at(data, size).decode().rstrip("\0")))

    def add_file(state, kind, path, *rest):
        linked.append(("file", kind, path.decode()))

    def complete(state, out, size):
        ctypes.c_void_p.from_address(out).value = ctypes.addressof(image)
        ctypes.c_size_t.from_address(size).value = len(image)

    fake.cuLinkCreate_v2, fake.cuLinkAddData_v2, fake.cuLinkAddFile_v2 = create, add_data, add_file
    fake.cuLinkComplete, fake.cuLinkDestroy = complete, lambda state: linked.append(("destroy", state))
    return linked, library


def test_the_library_is_linked_where_the_compiler_lacks_the_setter(context, linker):
    linked, library = linker
    module = dc.load_with_device_runtime(context, COUNTDOWN, signatures={"countdown": COUNTDOWN_SIGNATURE})
    assert linked == [("data", 1, COUNTDOWN), ("file", 4, str(library)), ("destroy", 0x71)]
    assert module.function("countdown").signature == COUNTDOWN_SIGNATURE


def test_a_linker_that_refuses_is_let_go(fake, context, linker):
    fake.fail("cuLinkComplete", 218)
    with pytest.raises(dc.JitError):
        dc.load_with_device_runtime(context, COUNTDOWN)
    assert linker[0][-1] == ("destroy", 0x71)


def test_ptx_that_is_wrong_is_not_linked(fake, context, linker):
    fake.jit_answers["nonsense"] = (218, "ptxas application ptx input, line 1; fatal   : Parsing error", "")
    with pytest.raises(dc.JitError, match="Parsing error"):
        dc.load_with_device_runtime(context, "nonsense")
    assert linker[0] == []


def test_a_library_that_is_not_there_is_named_with_its_remedy(context, linker):
    linker[1].unlink()
    with pytest.raises(dc.NotAvailableError, match="pip install nvidia-cuda-runtime") as caught:
        dc.load_with_device_runtime(context, COUNTDOWN)
    assert str(linker[1]) in str(caught.value)
