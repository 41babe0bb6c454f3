"""The native launcher: when it is used, what it is made of, and how it lives and dies."""

import ctypes
import os
import platform
import subprocess
import sys
import textwrap

import pytest

import driver_ctypes as dc

pytest.importorskip("llvmlite", reason="native launchers are made by llvmlite")

from driver_ctypes.machine_code import llvm, texts
from driver_ctypes.machine_code.texts import compile_functions
from driver_ctypes.trampoline import choice, code, layout, selftest
from driver_ctypes.trampoline.code import function_address


def run(code, **environment):
    """What a fresh Python prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True, text=True, timeout=120, env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# --- when it is used --------------------------------------------------------------------------------------------------


def test_it_is_used_where_its_self_test_passes():
    assert selftest.failure() == ""
    assert str(choice.choose("")) == "native (machine code, self-test passed)"


@pytest.fixture
def nothing_compiled(monkeypatch):
    """As in a process whose cache is empty and has no llvmlite."""
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.setattr(llvm, "_loaded", None)
    monkeypatch.setattr(texts, "_objects", {})
    monkeypatch.setattr(texts, "code_store", lambda folder: None)
    monkeypatch.setattr(code, "_functions", {})


@pytest.mark.usefixtures("nothing_compiled")
def test_no_llvmlite_no_native_launcher():
    found = choice.choose("")
    assert found.kind == "ctypes"
    assert "llvmlite cannot be imported" in found.reason
    with pytest.raises(
        dc.Error, match=r"no native launcher: llvmlite cannot be imported(.|\n)*unset DRIVER_CTYPES_LAUNCHER"
    ):
        choice.choose("native")


def test_a_launcher_that_a_process_has_compiled_needs_no_llvmlite_in_the_next(tmp_path):
    text = """
    import sys
    from driver_ctypes.trampoline.choice import choose
    print(choose(""), "llvmlite" in sys.modules)
    """
    first, second = (run(text, PTXGEN_CACHE_DIR=str(tmp_path), PTXGEN_CACHE="1") for _ in range(2))
    assert first == "native (machine code, self-test passed) True"
    on_elf = sys.platform == "linux" and platform.machine() == "x86_64"
    assert second == f"native (machine code, self-test passed) {not on_elf}"
    damaged = max(tmp_path.rglob("*.code"), key=lambda path: path.stat().st_size)
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    assert run(text, PTXGEN_CACHE_DIR=str(tmp_path), PTXGEN_CACHE="1") == first


def test_other_builds_of_python_use_ctypes(monkeypatch):
    monkeypatch.setattr(sys, "abiflags", "t")
    assert choice.choose("") == ("ctypes", "this is a free-threaded build of Python")
    monkeypatch.setattr(sys, "implementation", type("PyPy", (), {"name": "pypy"}))
    assert choice.choose("") == ("ctypes", "native launchers are made for CPython, this is pypy")


def test_a_python_newer_than_the_known_ones_is_tried_only_on_request(monkeypatch):
    monkeypatch.setattr(choice, "_NEWEST", (3, 9))
    assert choice.choose("") == ("ctypes", "native launchers are made for CPython up to 3.9")
    assert choice.choose("native").kind == "native"


@pytest.mark.parametrize(
    "module, name, value, reason",
    [
        (selftest, "DATA_POINTER", 24, "has its data in another place"),
        (selftest, "slot_offset", lambda value, name: 0, "slots of this Python lie in other places"),
        (selftest._Bench, "_launch", lambda self, *call: 0, "other bytes arrived than were sent"),
        (selftest, "_SHAPES", (*selftest._SHAPES, ("u8", 1)), "good arguments were refused"),
    ],
)
def test_a_self_test_that_fails_says_what_is_off(monkeypatch, module, name, value, reason):
    monkeypatch.setattr(module, name, value)
    assert reason in selftest.failure()
    assert choice.choose("").kind == "ctypes"


def test_llvm_s_own_refusal_is_a_reason(monkeypatch):
    monkeypatch.setattr(selftest, "_launch_failure", lambda: compile_functions("no ir at all", "f") and "")
    assert "self-test failed: RuntimeError" in choice.choose("").reason


@pytest.mark.parametrize("kind", ["native", "ctypes"])
def test_the_environment_chooses(kind):
    code = "import driver_ctypes as dc; print(dc.launcher().kind)"
    assert run(code, DRIVER_CTYPES_LAUNCHER=kind) == kind


def test_importing_the_binding_imports_no_llvm():
    code = """
        import sys, driver_ctypes as dc
        import driver_ctypes.launch.plan, driver_ctypes.modules.module, driver_ctypes.interop.arrays
        print([name for name in ("llvmlite", "numpy", "torch", "jinja2") if name in sys.modules])
    """
    assert run(code) == "[]"


# --- what it is made of -----------------------------------------------------------------------------------------------


def test_one_machine_function_a_signature():
    shapes = (("pointer", 8), ("u32", 4))
    assert function_address(shapes) == function_address(list(shapes))
    assert function_address(shapes) != function_address((("pointer", 8), ("s32", 4)))


def test_a_slot_is_found_where_it_lies():
    class Slotted:
        __slots__ = ("first", "second")
        plain = 5

    value = Slotted()
    value.first, value.second = object(), object()
    for name in ("first", "second"):
        offset = layout.slot_offset(value, name)
        assert ctypes.c_void_p.from_address(id(value) + offset).value == id(getattr(value, name))
    assert layout.slot_offset(value, "plain") == layout.slot_offset(value, "missing") == 0


@pytest.fixture
def quick(fake, monkeypatch):
    """A kernel of three pointers and an i32 on a driver whose launch is machine code that does nothing."""
    nothing = compile_functions("define i32 @f(ptr %a, ptr %b, ptr %c, ptr %d) { ret i32 0 }", "f")["f"]
    resolve = fake.resolve
    monkeypatch.setattr(
        fake, "resolve", lambda symbol, v: nothing if symbol == "cuLaunchKernelEx" else resolve(symbol, v)
    )
    monkeypatch.setattr(choice, "_chosen", dc.LauncherInfo("native", "for this test"))
    context = fake.open().device(0).primary_context()
    ptx = """.version 8.0\n.target sm_90\n.address_size 64
    .visible .entry k(.param .u64 x, .param .u64 y, .param .u64 z, .param .s32 n) { ret; }"""
    params = [*(dc.Parameter(name, "pointer") for name in "xyz"), dc.Parameter("n", "s32")]
    yield context.load(ptx, signatures={"k": dc.Signature(params)}).function("k"), context
    context.close()


def test_100_000_launches_leave_no_references(quick):
    function, context = quick
    with context.stream() as stream, context.alloc(64) as x:
        launcher = function.bind(1, 32, stream=stream)
        big, small = 0x7F00_1234_5678, -(2**31)
        things = (x, x._life, big, small, launcher, context)

        def refused():
            for args in ((x, big, x, 2**31), (x, big, x), (x, None, x, 1), (x, -1, x, 1), (x, big, x, "n")):
                try:
                    launcher(*args)
                except dc.ArgumentError:
                    pass

        launcher(x, big, x, small)
        launcher(x, big, x, small)
        refused()
        before = [sys.getrefcount(thing) for thing in things]
        nothing = sys.getrefcount(None)
        for i in range(100_000):
            launcher(x, big, x, small)
            if i % 100 == 0:
                refused()
        assert [sys.getrefcount(thing) for thing in things] == before
        assert abs(sys.getrefcount(None) - nothing) < 100


def test_its_memory_lives_as_long_as_it(quick):
    """The launcher alone keeps the state that its machine code reads."""
    import gc
    import weakref

    function, context = quick
    launcher = function.bind(1, 32)
    owner = launcher.__self__
    state, seen = weakref.ref(owner), weakref.ref(next(iter(context.launches)))
    del owner, function
    gc.collect()
    assert state() is not None
    launcher(1, 2, 3, 4)
    launcher(1, 2, 3, 4)
    del launcher
    assert state() is None
    assert seen() is None


# --- the process around it --------------------------------------------------------------------------------------------

SETUP = """
    import sys
    import driver_ctypes as dc
    from tests.driver_ctypes.fake import Fake
    from tests.driver_ctypes.conftest import PTX, SIGNATURES
    fake = Fake()
    context = fake.open().device(0).primary_context()
    launcher = context.load(PTX, signatures=SIGNATURES).function("saxpy").bind(1, 32, stream=context.stream())
    launcher(1, 1.0, 0, 0)
"""


@pytest.mark.parametrize("kind", ["native", "ctypes"])
def test_threads_that_still_launch_at_exit_do_no_harm(kind):
    code = """
    import threading, time
    def forever():
        while True:
            launcher(1, 1.0, 0, 0)
    for _ in range(4):
        threading.Thread(target=forever, daemon=True).start()
    time.sleep(0.2)
    print("end")
    """
    assert run(SETUP + code, DRIVER_CTYPES_LAUNCHER=kind) == "end"


@pytest.mark.parametrize("kind", ["native", "ctypes"])
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_does_not_launch(kind):
    code = """
    import os, warnings
    launcher(1, 1.0, 0, 0)
    warnings.simplefilter("ignore")
    if os.fork() == 0:
        try:
            launcher(1, 1.0, 0, 0)
        except dc.ForkedProcessError as error:
            os.write(1, b"refused ")
        os._exit(0)
    os.wait()
    launcher(1, 1.0, 0, 0)
    print(len(fake.launches))
    """
    assert run(SETUP + code, DRIVER_CTYPES_LAUNCHER=kind) == "refused 3"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_while_a_thread_compiles_leaves_a_child_that_can_compile():
    code = """
    import os, signal, threading, time, warnings
    from driver_ctypes.trampoline.code import function_address
    from driver_ctypes.machine_code.texts import compile_functions
    warnings.simplefilter("ignore")
    def compile_one():
        name = "f"
        return compile_functions(f"define i32 @{name}() {{ ret i32 7 }}", name)
    def forever():
        for width in range(1, 1 << 30):
            function_address([("bytes", width)])
    compile_one()
    threading.Thread(target=forever, daemon=True).start()
    time.sleep(0.05)
    for number in range(20):
        child = os.fork()
        if not child:
            signal.alarm(20)
            compile_one()
            function_address([("bytes", 1 << 20 | number)])
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, number
    print("none hung")
    """
    assert run(code) == "none hung"


def test_what_is_bound_while_machine_code_is_made_takes_it_when_it_is_there():
    code = """
    from driver_ctypes.launch import plan
    from driver_ctypes.trampoline import choice
    choice._chosen = None
    made, native = [], plan.native_launcher
    plan.native_launcher = lambda *given: made.append(native(*given)) or made[-1]
    module = context.load(PTX, signatures=SIGNATURES)
    choice.preparing.acquire()
    early = module.function("saxpy").bind(1, 32, stream=context.stream())
    for n in range(2):
        early(n, 1.0, 0, 0)
    print(early.__name__, len(fake.launches), len(made), choice.is_decided())
    choice.preparing.release()
    choice.launcher()
    for n in range(3):
        early(n, 1.0, 0, 0)
    print(len(fake.launches), len(made))
    for wrong, error in (((1.5, 1.0, 0, 0), dc.ArgumentTypeError), ((1, 1.0), TypeError)):
        try:
            early(*wrong)
        except error:
            print("refused")
    module.close()
    try:
        early(1, 1.0, 0, 0)
    except dc.ClosedError:
        print("closed", len(fake.launches))
    """
    assert run(SETUP + code).split("\n") == ["saxpy 3 0 False", "6 1", "refused", "refused", "closed 6"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_waits_for_launchers_that_a_thread_prepares():
    code = """
    import os, signal, sys, threading, warnings
    from driver_ctypes.launch.preparing import prepare_launchers, preparing
    from driver_ctypes.trampoline.choice import is_decided, launcher
    warnings.simplefilter("ignore")
    signal.alarm(20)
    def prepare():
        with preparing:
            prepare_launchers([])
    threading.Thread(target=prepare, daemon=True).start()
    while "driver_ctypes.trampoline.selftest" not in sys.modules:
        pass
    child = os.fork()
    if not child:
        signal.alarm(20)
        launcher()
        os._exit(0)
    print(is_decided(), os.waitpid(child, 0)[1])
    """
    assert run(code) == "True 0"


def test_the_end_of_a_process_waits_for_launchers_that_a_thread_prepares(tmp_path):
    """What it makes, the next process need not make."""
    code = """
    import sys, threading
    from driver_ctypes.launch.preparing import prepare_launchers, preparing
    taken = threading.Event()
    def prepare():
        with preparing:
            taken.set()
            prepare_launchers([])
    threading.Thread(target=prepare, daemon=True).start()
    taken.wait()
    """
    environment = {"PTXGEN_CACHE_DIR": str(tmp_path), "PTXGEN_CACHE": "1"}
    run(code, **environment)
    assert list(tmp_path.rglob("*.code"))
    needed = """
    import sys
    from driver_ctypes.trampoline.choice import launcher
    print(launcher().kind, "llvmlite" in sys.modules)
    """
    assert run(needed, **environment) == "native " + str(
        not (sys.platform == "linux" and platform.machine() == "x86_64")
    )


def test_a_process_may_end_while_a_thread_compiles():
    code = """
    import threading, time
    from driver_ctypes.trampoline.code import function_address
    function_address([])
    threading.Thread(target=lambda: [function_address([("u32", 4)] * n) for n in range(1000)], daemon=True).start()
    time.sleep(0.05)
    print("end")
    """
    assert run(code) == "end"


def test_a_sub_interpreter_is_refused():
    code = """
    try:
        import _interpreters as interpreters
        made = interpreters.create("legacy")
    except ImportError:
        import _xxsubinterpreters as interpreters
        made = interpreters.create(isolated=False)
    interpreters.run_string(made, '''if True:
        import os, sys
        sys.path[:] = {path!r}
        import driver_ctypes as dc
        from tests.driver_ctypes.fake import Fake
        try:
            Fake().open()
        except dc.SubinterpreterError as error:
            os.write(1, str(error).encode())
    ''')
    """
    text = run("if True:" + code.replace("{path!r}", repr(["", *sys.path])))
    assert text.startswith("a driver cannot be opened in sub-interpreter")
    assert "Fix: use the main interpreter's threads, or another process" in text
