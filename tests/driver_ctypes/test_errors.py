"""The exception tree: what a caller catches, and what the text says."""

import copy
import pickle

import pytest

import driver_ctypes as dc
from driver_ctypes import errors, results


def test_one_root():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert [kind for kind in kinds if not issubclass(kind, (dc.Error, Warning))] == []


@pytest.mark.parametrize(
    "kind, builtin",
    [
        (dc.ArgumentCountError, TypeError),
        (dc.ArgumentTypeError, TypeError),
        (dc.ArgumentRangeError, OverflowError),
        (dc.ArgumentRangeError, ValueError),
        (dc.LaunchConfigError, ValueError),
        (dc.OutOfMemoryError, MemoryError),
        (dc.NotFoundError, LookupError),
        (dc.DeviceNotFoundError, LookupError),
    ],
)
def test_a_program_that_knows_only_builtin_exceptions_catches_them(kind, builtin):
    assert issubclass(kind, builtin)
    assert issubclass(kind, dc.Error)


@pytest.mark.parametrize(
    "code, kind",
    [
        (1, dc.CudaError),
        (2, dc.OutOfMemoryError),
        (201, dc.InvalidHandleError),
        (218, dc.JitError),
        (222, dc.JitError),
        (400, dc.InvalidHandleError),
        (500, dc.NotFoundError),
        (600, dc.NotReadyError),
        (700, dc.IllegalAddressError),
        (701, dc.LaunchError),
        (702, dc.LaunchTimeoutError),
        (710, dc.DeviceAssertError),
        (715, dc.IllegalInstructionError),
        (716, dc.MisalignedAddressError),
        (717, dc.FatalError),
        (719, dc.LaunchFailedError),
        (720, dc.LaunchError),
        (801, dc.NotSupportedError),
        (900, dc.CaptureError),
        (908, dc.CaptureError),
        (910, dc.GraphUpdateError),
    ],
)
def test_family_of_a_code(code, kind):
    assert type(results.cuda_error("cuX", code)) is kind


@pytest.mark.parametrize("code", sorted(results.FATAL_CODES))
def test_every_code_that_kills_the_context_is_a_fatal_error(code):
    assert isinstance(results.cuda_error("cuX", code), dc.FatalError)


def test_a_failed_call_says_what_was_called_with_what_and_what_to_do(driver):
    error = driver.error("cuMemAlloc_v2", 2, (None, 1 << 40))
    assert str(error) == (
        "cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory\n"
        "  called with: bytesize=1099511627776\n"
        "  Fix: free buffers, or ask for less; context.memory_info() says what is left"
    )
    assert (error.function, error.code, error.name, error.text, error.arguments) == (
        "cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory", "bytesize=1099511627776",
    )  # fmt: skip


def test_handles_and_addresses_are_shown_in_hex(driver):
    error = driver.error("cuMemcpyHtoDAsync_v2", 1, (0x7F00, 0x1234, 64, 0xBEEF))
    assert error.arguments == "dstDevice=0x7f00, srcHost=0x1234, ByteCount=64, hStream=0xbeef"


def test_the_name_comes_from_the_table_where_the_driver_does_not_know_the_code(driver):
    assert driver.error("cuCtxSynchronize", 716).name == "CUDA_ERROR_MISALIGNED_ADDRESS"
    assert driver.error("cuCtxSynchronize", 12345).name == ""


@pytest.mark.parametrize("clone", [copy.copy, lambda e: pickle.loads(pickle.dumps(e))], ids=["copy", "pickle"])
@pytest.mark.parametrize(
    "error",
    [
        results.cuda_error("cuX", 700, detail="in kernel k"),
        dc.LaunchConfigError("m", limit="L", allowed=1, found=2, hint="h"),
        dc.DriverNotFoundError("m", tried=[("a", "b")]),
        dc.JitError("m", log="l", ptx="p", hint="h"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_travel_between_processes(clone, error):
    twin = clone(error)
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert twin.__dict__ == error.__dict__
