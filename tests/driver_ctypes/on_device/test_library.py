"""Libraries and their kernels, on the device under test."""

from __future__ import annotations

import gc

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import PTX, SIGNATURES, words
from tests.ptxgen.emulated_driver.scenarios.linking import BAD, MANAGED


@pytest.fixture
def library(context):
    with context.load_library(PTX, signatures=SIGNATURES) as library:
        yield library


def test_a_kernel_of_a_library_runs(context, library):
    put = library.kernel("put")
    assert library.kernel("put") is put
    assert put.name in library.kernel_names()
    assert put.signature == SIGNATURES["put"]
    with context.alloc(64) as x:
        context.memset(x, 0, 16, 4)
        put.function().launch(1, 1, x, 1, 7)
        put.function().bind(1, 1)(x, 2, 8)
        assert words(context, x, 4) == [0, 7, 8, 0]
    assert put.function() is put.function()


def test_what_the_driver_tells_of_a_kernel(context):
    with context.load_library(PTX) as library:
        put = library.kernel("put")
        assert put.parameters == ((0, 8), (8, 4), (12, 4))
        assert [parameter.size for parameter in put.signature.params] == [8, 4, 4]
        assert put.attribute(0) == 1024  # MAX_THREADS_PER_BLOCK
        put.set_attribute(8, 65536)  # MAX_DYNAMIC_SHARED_SIZE_BYTES
        assert put.function().attribute(8) == 65536


def test_resources_of_a_kernel(library):
    """A driver may compile as late as now, so the log may be empty; the kernel knows all the same."""
    assert library.kernel("put").function().resources.registers > 0
    assert library.warnings == ()
    assert {used.registers > 0 for used in library.resources.values()} <= {True}


def test_names_that_are_not_there(library):
    with pytest.raises(dc.NotFoundError, match=r"no kernel is called 'pot'; there are: .*put"):
        library.kernel("pot")
    with pytest.raises(dc.NotFoundError, match="no variable is called 'pot'"):
        library.global_("pot")
    with pytest.raises(dc.NotFoundError, match="no variable is called 'pot'"):
        library.managed("pot")
    with pytest.raises(dc.CudaError, match="looking for the function 'pot'"):
        library.unified_function("pot")


def test_a_managed_variable_is_the_host_s_too(context):
    import ctypes

    with context.load_library(MANAGED.decode()) as library, context.alloc(64) as x:
        address, size = library.managed("shared_word")
        assert size == 4
        word = ctypes.c_int32.from_address(address)
        assert word.value == 5
        word.value = 77
        library.kernel("reads").function().launch(1, 1, x)
        assert words(context, x, 1) == [77]
        assert library.global_("plain_word")[1] == 4


def test_bad_ptx_is_refused_at_once(context):
    with pytest.raises(dc.JitError) as caught:
        context.load_library(BAD.decode(), line_map=lambda line: f"kernel.py:{line}")
    assert caught.value.messages[0].severity in ("error", "fatal")
    assert "from kernel.py:" in str(caught.value)


def test_a_closed_library(context):
    library = context.load_library(PTX, signatures=SIGNATURES)
    kernel = library.kernel("put")
    function = kernel.function()
    launch = function.bind(1, 1)
    module = library.module()
    with context.alloc(64) as x:
        launch(x, 0, 1)
        context.synchronize()
        library.close()
        for use in (
            lambda: library.kernel("nothing"),
            lambda: kernel.function(),
            lambda: kernel.parameters,
            lambda: module.function("put"),
            lambda: function.launch(1, 1, x, 0, 1),
            lambda: launch(x, 0, 1),
        ):
            with pytest.raises(dc.ClosedError):
                use()


def test_a_kernel_keeps_its_library(context):
    kernel = context.load_library(PTX).kernel("put")
    gc.collect()
    assert kernel.function().name == "put"


def test_an_old_driver_has_no_libraries():
    from tests.driver_ctypes.fake import Fake

    context = Fake(version=11080).open().device(0).primary_context()
    with pytest.raises(dc.NotAvailableError, match=r"cuLibraryLoadData needs a driver for CUDA 12\.0"):
        context.load_library(PTX)
