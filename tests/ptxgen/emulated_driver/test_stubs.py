"""Driver functions called by C code, from where Python cannot be entered as it is. The C code is made by LLVM."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from driver_ctypes.abi.functions import prototype
from driver_ctypes.machine_code.texts import compile_functions
from ptxgen.emulated_driver.calls import stubs
from ptxgen.emulated_driver.calls.registry import ENTRIES
from ptxgen.emulated_driver.table import address_of, import_all

pytestmark = pytest.mark.cpu_only

DEINITIALIZED = 4

PENDING = """
@PyExc_ValueError = external global ptr
declare void @PyErr_SetString(ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
@text = private constant [5 x i8] c"kept\\00"

define i32 @with_the_gil(ptr %driver, ptr %argument) {
  %type = load ptr, ptr @PyExc_ValueError
  call void @PyErr_SetString(ptr %type, ptr @text)
  %code = call i32 %driver(ptr %argument)
  ret i32 %code
}

define i32 @without_it(ptr %driver, ptr %argument) {
  %type = load ptr, ptr @PyExc_ValueError
  call void @PyErr_SetString(ptr %type, ptr @text)
  %thread = call ptr @PyEval_SaveThread()
  %code = call i32 %driver(ptr %argument)
  call void @PyEval_RestoreThread(ptr %thread)
  ret i32 %code
}
"""

FOREIGN = """
%calls = type { ptr, ptr, ptr, i32, i32, ptr }  ; cuCtxSetCurrent, cuCtxGetCurrent, a context, two results, the context found

define ptr @run(ptr %calls) {
  %get.at = getelementptr %calls, ptr %calls, i32 0, i32 1
  %context.at = getelementptr %calls, ptr %calls, i32 0, i32 2
  %first.at = getelementptr %calls, ptr %calls, i32 0, i32 3
  %second.at = getelementptr %calls, ptr %calls, i32 0, i32 4
  %found.at = getelementptr %calls, ptr %calls, i32 0, i32 5
  %set = load ptr, ptr %calls
  %get = load ptr, ptr %get.at
  %context = load ptr, ptr %context.at
  %is.set = icmp ne ptr %context, null
  br i1 %is.set, label %one, label %two
one:
  %first = call i32 %set(ptr %context)
  store i32 %first, ptr %first.at
  br label %two
two:
  %second = call i32 %get(ptr %found.at)
  store i32 %second, ptr %second.at
  ret ptr null
}
"""


class Calls(ctypes.Structure):
    _fields_ = [
        ("set", ctypes.c_uint64), ("get", ctypes.c_uint64), ("context", ctypes.c_uint64),
        ("first", ctypes.c_int32), ("second", ctypes.c_int32), ("found", ctypes.c_uint64),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def driver() -> Any:
    def call(name: str, *arguments: Any) -> int:
        code: int = prototype(name)(address_of(name))(*arguments)
        return code

    assert call("cuInit", 0) == 0
    return call


@pytest.fixture(scope="module")
def pending() -> dict[str, int]:
    return compile_functions(PENDING, "with_the_gil", "without_it")


@pytest.mark.parametrize("how", ["with_the_gil", "without_it"])
@pytest.mark.parametrize("refused", [False, True])
def test_a_pending_exception_is_pending_afterwards(
    driver: Any, pending: dict[str, int], how: str, refused: bool
) -> None:
    """Whether the call succeeds or is refused; ctypes raises what it finds behind a function of Python's."""
    function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(pending[how])
    answer = ctypes.c_int(-7)
    with pytest.raises(ValueError, match=r"^kept$"):
        function(address_of("cuDeviceGetCount"), None if refused else ctypes.addressof(answer))
    assert (answer.value == -7) == refused
    assert driver("cuDeviceGetCount", ctypes.addressof(answer)) == 0


def thread_states() -> int:
    """Of this interpreter."""
    api = ctypes.pythonapi
    for function in (api.PyInterpreterState_Get, api.PyInterpreterState_ThreadHead, api.PyThreadState_Next):
        function.restype = ctypes.c_void_p
    count, state = 0, api.PyInterpreterState_ThreadHead(ctypes.c_void_p(api.PyInterpreterState_Get()))
    while state:
        count, state = count + 1, api.PyThreadState_Next(ctypes.c_void_p(state))
    return count


def in_a_foreign_thread(run: int, calls: Calls) -> None:
    libc = ctypes.CDLL(None)
    thread = ctypes.c_uint64()
    assert libc.pthread_create(ctypes.byref(thread), None, ctypes.c_void_p(run), ctypes.byref(calls)) == 0
    assert libc.pthread_join(thread, None) == 0


def test_a_thread_of_c_keeps_its_current_context_to_its_end(driver: Any) -> None:
    """And the next one, which may have its id, begins without; nothing of them is left."""
    run = compile_functions(FOREIGN, "run")["run"]
    set_, get = (address_of(name) for name in ("cuCtxSetCurrent", "cuCtxGetCurrent"))
    context = ctypes.c_uint64()
    assert driver("cuCtxCreate_v2", ctypes.addressof(context), 0, 0) == 0
    before = thread_states()
    try:
        for _ in range(3):
            own = Calls(set_, get, context.value, -1, -1, 1)
            in_a_foreign_thread(run, own)
            assert (own.first, own.second, own.found) == (0, 0, context.value)
            none = Calls(set_, get, 0, -1, -1, 1)
            in_a_foreign_thread(run, none)
            assert (none.second, none.found) == (0, 0)
        assert thread_states() == before
    finally:
        assert driver("cuCtxDestroy_v2", context.value) == 0


AT_THE_END = """
    import ctypes, sys
    from ptxgen.cpu.jit import Tier, load_object, object_code
    from ptxgen.emulated_driver.table import address_of

    code = object_code('''
        declare void @_exit(i32)
        declare i32 @usleep(i32)
        @count = global i32 0

        define void @at_exit(ptr %driver) {{
          %code = call i32 %driver(ptr @count)
          %sum = add i32 %code, 10
          call void @_exit(i32 %sum)
          ret void
        }}

        define void @wait(ptr %unused) {{
          %slept = call i32 @usleep(i32 100000)
          ret void
        }}

        define ptr @run(ptr %driver) {{
          br label %again
        again:
          %code = call i32 %driver(ptr @count)
          br label %again
        }}
    ''', Tier.BASE)
    library = load_object(code)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))
    libc, at = ctypes.CDLL(None), {{name: ctypes.c_void_p(place) for name, place in library.addresses.items()}}
    init, count = address_of("cuInit"), ctypes.c_void_p(address_of("{asked}"))
    assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint)(init)(0) == 0
    {then}
"""


def ended(then: str, asked: str = "cuDeviceGetCount") -> int:
    program = dedent(AT_THE_END).format(then=then, asked=asked)
    root = Path(__file__).parents[3]
    return subprocess.run([sys.executable, "-c", program], cwd=root, check=False, timeout=60).returncode


def test_a_call_after_the_interpreter_has_ended_is_answered() -> None:
    assert ended("libc.__cxa_atexit(at['at_exit'], count, None)") == 10 + DEINITIALIZED


def test_then_what_waits_or_frees_has_nothing_left_to_do() -> None:
    """A destructor of Taichi's aborts the process where waiting for a stream fails."""
    assert ended("libc.__cxa_atexit(at['at_exit'], count, None)", asked="cuStreamSynchronize") == 10
    ends = "cuMemFree_v2 cuMemFreeAsync_ptsz cuCtxPopCurrent_v2 cuModuleUnload cuDevicePrimaryCtxRelease_v2 cuEventSynchronize"
    assert [stubs.answer_at_the_end(symbol) for symbol in ends.split()] == [0] * 6
    others = "cuMemAlloc_v2 cuLaunchKernel cuStreamQuery cuCtxGetCurrent cuMemcpyDtoH_v2 cuGraphLaunch"
    assert [stubs.answer_at_the_end(symbol) for symbol in others.split()] == [DEINITIALIZED] * 6


def test_a_thread_of_c_that_calls_while_the_process_ends_does_no_harm() -> None:
    then = (
        "libc.__cxa_atexit(at['wait'], None, None); "
        "libc.pthread_create(ctypes.byref(ctypes.c_uint64()), None, at['run'], count)"
    )
    assert ended(then) == 0


def test_every_function_fits_a_stub() -> None:
    """Its arguments are words of integer registers and of the stack."""
    import_all()
    for symbol in ENTRIES:
        arguments = prototype(symbol)._argtypes_
        assert sum(-(-ctypes.sizeof(each) // 8) for each in arguments) <= stubs.WORDS, symbol
        assert not {ctypes.c_float, ctypes.c_double, ctypes.c_longdouble} & set(arguments), symbol


def test_there_are_as_many_stubs_as_are_asked_for() -> None:
    kinds = [ctypes.CFUNCTYPE(ctypes.c_int)(lambda n=n: n) for n in range(2 * stubs._SLOTS)]
    addresses = [stubs.stub_for(each) for each in kinds]
    assert len(set(addresses)) == len(kinds)
    assert [ctypes.CFUNCTYPE(ctypes.c_int)(each)() for each in addresses] == list(range(len(kinds)))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kinds))  # what has a stub lives as long as the process
