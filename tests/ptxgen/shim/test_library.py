"""libcuda.so.1 in processes of their own: Python, C, threads, forks, ends; what stands beside it; `ptxgen exec`."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from ptxgen.cli.app import app
from ptxgen.emulated_driver.modules.images import unpack
from ptxgen.emulated_driver.state import record
from ptxgen.shim.environment import environment_for
from ptxgen.shim.library import shared_python
from tools.shim_stress import hosts, run

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the library is one of Linux on x86-64"
)
ROOT = Path(__file__).parents[3]
PTX = (
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry add(.param .u64 a) {\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"
    "ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 1; st.global.u32 [%rd1], %r2; ret; }\n"
)
REFUSED = (
    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry refused() {\n.reg .b32 %r<4>;\n"
    "mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32.xor.popc {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1}; ret; }\n"
)
CLIENT = f"""
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
P, U64 = ctypes.c_void_p, ctypes.c_uint64
def call(name, *arguments):
    assert cuda[name](*arguments) == 0, name
def run(turns=1):
    context, module, function, memory = P(), P(), P(), U64()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), {PTX.encode()!r})
    call("cuModuleGetFunction", ctypes.byref(function), module, b"add")
    call("cuMemAlloc_v2", ctypes.byref(memory), U64(256))
    numbers = (ctypes.c_uint32 * 64)(*range(64))
    call("cuMemcpyHtoD_v2", memory, numbers, U64(256))
    arguments = (P * 1)(ctypes.addressof(memory))
    for _ in range(turns):
        call("cuLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, arguments, None)
    call("cuMemcpyDtoH_v2", numbers, memory, U64(256))
    assert list(numbers) == list(range(turns, 64 + turns))
    call("cuMemFree_v2", memory)
"""


@pytest.fixture
def environment(folder):
    return environment_for(folder, {**os.environ, "PYTHONPATH": str(ROOT)})


def python(text, environment):
    return subprocess.run(
        [sys.executable, "-c", CLIENT + text], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_python_loads_it(environment):
    found = python("run()\nassert cuda.cuGraphicsUnregisterResource(None) == 801\nprint('right')", environment)
    assert (found.returncode, found.stdout) == (0, "right\n"), found.stderr


def test_lookups_by_name_answer_what_the_library_exports(environment):
    found = python(
        """
place, status = P(), ctypes.c_int()
for name, symbol, version, flags in (
    (b"cuMemAlloc", "cuMemAlloc_v2", 3020, 0), (b"cuStreamSynchronize", "cuStreamSynchronize_ptsz", 7000, 2),
    (b"cuTexObjectCreate", "cuTexObjectCreate", 5000, 0), (b"cuGLInit", "cuGLInit", 13000, 0),
):
    call("cuGetProcAddress_v2", name, ctypes.byref(place), version, ctypes.c_uint64(flags), ctypes.byref(status))
    assert status.value == 0 and place.value == ctypes.cast(cuda[symbol], P).value, name
call("cuGetProcAddress_v2", b"cuNothing", ctypes.byref(place), 13000, ctypes.c_uint64(0), ctypes.byref(status))
assert (status.value, place.value) == (1, None)
run()
print("right")
""",
        environment,
    )
    assert (found.returncode, found.stdout) == (0, "right\n"), found.stderr


def test_threads_forks_and_calls_at_the_end(environment):
    found = python(
        """
import atexit, os, threading
atexit.register(lambda: cuda.cuCtxSynchronize())
threads = [threading.Thread(target=run, args=(3,)) for _ in range(8)]  # the first call comes from several at once
for thread in threads: thread.start()
for thread in threads: thread.join()
if os.fork() == 0:
    assert cuda.cuMemFree_v2(U64(1)) != 0
    os._exit(0)
assert os.wait()[1] == 0
print("right")
""",
        environment,
    )
    assert (found.returncode, found.stdout) == (0, "right\n"), found.stderr


@pytest.fixture(scope="module")
def built(folder):
    """Hosts in C++, linked against the library."""
    if not (shutil.which("c++") or shutil.which("g++")):
        pytest.skip("no C++ compiler is installed here")
    if shared_python() is None:
        pytest.skip(f"{sys.executable} has no shared library, which a host that is not Python needs")
    return hosts(folder, sys.executable)


@pytest.mark.parametrize("name", ["threads", "fork", "statics", "python"])
def test_hosts_with_threads_forks_and_ends(built, name):
    """`tools/shim_stress.py` runs these and more, many times."""
    assert run(name, built, limit=120) == ""


def test_exec_says_what_ran_and_ends_as_the_program_does(tmp_path):
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "ptxgen", "exec", "--report", report, "--", sys.executable, "-c"]
    found = subprocess.run(
        [*command, CLIENT + "run(4)\nraise SystemExit(7)"], capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert found.returncode == 7, found.stderr
    assert "4 launches of 1 kernels" in found.stderr
    assert json.loads(report.read_text()) == {
        "status": 7,
        "processes": 1,
        "launches": {"add": 4},
        "refused": {},
        "faults": {},
        "findings": [],
    }


@pytest.mark.parametrize("bounds,status", [(None, 0), ("exact", 1)])
def test_what_a_gpu_lets_pass(environment, bounds, status):
    """128 threads in 256 bytes: cuMemAlloc gives 512. Who wants to hear of it asks for memcheck, or for exact bounds."""
    given = environment if bounds is None else {**environment, "PTXGEN_CPU_BOUNDS": bounds}
    found = subprocess.run(
        [sys.executable, "-c", CLIENT.replace("64, 1, 1, 0", "128, 1, 1, 0") + "run()"], env=given, capture_output=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert found.returncode == status


def test_what_assemblers_repair_passes(folder, environment):
    """They wait for wgmma where a program has forgotten it."""
    ask = "from ptxgen.emulated_driver.state.machine import machine; machine.start(); print(machine.options.waits)"
    found = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout == "injected\n"
    assert environment_for(folder, {"PTXGEN_CPU_WAITS": "stated"})["PTXGEN_CPU_WAITS"] == "stated"


def test_exec_watches_with_the_sanitizer(tmp_path):
    report = tmp_path / "report.json"
    racing = CLIENT.replace(
        "st.global.u32 [%rd1], %r2;",
        "st.global.u32 [%rd1], %r2; .shared .b32 box[2]; and.b32 %r1, %r1, 1; st.shared.u32 [box], %r1;",
    )
    found = subprocess.run(
        [sys.executable, "-m", "ptxgen", "exec", "--sanitize", "racecheck", "--report", report, "--", sys.executable, "-c",
         racing + "run(2)"],
        capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert found.returncode == 1, found.stderr
    (finding,) = json.loads(report.read_text())["findings"]
    assert "racecheck" in finding
    assert "st.shared.u32 [box], %r1;" in finding
    assert finding in found.stderr


@pytest.mark.parametrize("options, status", [([], 0), (["--sanitize", "memcheck"], 1)])
def test_a_fault_that_the_program_overlooks(monkeypatch, options, status):
    ran = record.Ran()
    ran.faults["add"] = "illegal address"
    monkeypatch.setattr(record, "read_records", lambda folder: ran)
    found = CliRunner().invoke(app, ["exec", *options, "--", "true"])
    assert (found.exit_code, "add: illegal address" in found.output) == (status, True)


def test_exec_counts_what_processes_did_that_end_without_a_word(tmp_path):
    """A child that Python forked, one that is killed, threads; and what is refused: a kernel, what the CUDA runtime asks for."""
    text = f"""
import multiprocessing, os, signal, threading
def forked():
    run(2)
    os._exit(0)
children = [multiprocessing.get_context("fork").Process(target=forked) for _ in range(2)]
for child in children: child.start()
for child in children: child.join()
threads = [threading.Thread(target=run, args=(25,)) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
run(0)  # a context for this thread
module = P()
assert cuda.cuModuleLoadData(ctypes.byref(module), {REFUSED.encode()!r}) == 801
assert cuda.cuGetExportTable(ctypes.byref(P()), bytes(16)) == 801
os.kill(os.getpid(), signal.SIGKILL)
"""
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "ptxgen", "exec", "--report", report, "--", sys.executable, "-c"]
    found = subprocess.run(
        [*command, CLIENT + text], capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert found.returncode == 128 + 9, found.stderr
    ran = json.loads(report.read_text())
    assert (ran["processes"], ran["launches"]) == (3, {"add": 2 * 2 + 4 * 25})
    assert "does not run mma.sync" in ran["refused"]["refused"]
    assert "cuGetExportTable: the CUDA runtime in this program" in found.stderr


def test_what_ends_exec_ends_its_program():
    """SIGTERM, as CI sends it that cancels a job: the program gets it, and what it ran is told."""
    command = [sys.executable, "-m", "ptxgen", "exec", "--", sys.executable, "-c", "print('here', flush=True); input()"]
    held, given = os.pipe()
    with subprocess.Popen(
        command, stdin=held, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        process.terminate()
        _, said = process.communicate(timeout=60)
    os.close(held)
    os.close(given)
    assert process.returncode == 128 + signal.SIGTERM
    assert "ptxgen exec: 0 launches" in said


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--device", "cpu:sm_1"], "--device cpu:sm_1"),
        (["--", "/no/such/program"], "No such file"),
        (["--sanitize", "racecheck,tracecheck"], "no tool 'tracecheck'"),
    ],
)
def test_exec_refuses(arguments, said):
    found = subprocess.run(
        [sys.executable, "-m", "ptxgen", "exec", *arguments, *([] if "--" in arguments else ["true"])],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert found.returncode == 2
    assert said in found.stderr


def test_the_assembler_in_its_place(folder, tmp_path, environment):
    source, image = tmp_path / "x.ptx", tmp_path / "x.cubin"
    source.write_text(PTX)
    options = ["-v", "-lineinfo", "--gpu-name=sm_90a", source, "-o", image]
    subprocess.run([folder / "ptxas", *options], check=True, env=environment)
    assert unpack(image.read_bytes()) == PTX
    version = subprocess.run(
        [folder / "ptxas-blackwell", "--version"], capture_output=True, text=True, env=environment, check=True
    )
    assert "release 13.0" in version.stdout
    source.write_text(PTX.replace("add.u32 %r2, %r2, 1", "add.u32 %r2, %rd1, 1"))
    wrong = subprocess.run(
        [folder / "ptxas", source, "-o", image], capture_output=True, text=True, env=environment, check=False
    )
    assert wrong.returncode == 1
    assert "add.u32" in wrong.stderr


def test_nvjitlink_in_its_place(environment):
    """Loaded already, by LD_PRELOAD: two programs are linked, and what is no PTX is refused with a log."""
    found = python(
        f"""
link = ctypes.CDLL("libnvJitLink.so.13")
handle, size = P(), ctypes.c_size_t()
options = (ctypes.c_char_p * 1)(b"-arch=sm_90")
assert link.nvJitLinkCreate(ctypes.byref(handle), 0, None) == 2
for wrong in (b"-arch=sm_XX", b"-arch=99", b"-no_such_option", b"sm_90"):
    assert link.nvJitLinkCreate(ctypes.byref(handle), 1, (ctypes.c_char_p * 1)(wrong)) == 1, wrong
assert link.__getattr__("__nvJitLinkCreate_13_0")(ctypes.byref(handle), 1, options) == 0
assert link.nvJitLinkAddData(handle, 1, b"\\x7fELF", ctypes.c_size_t(4), b"cubin") == 3
assert link.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size)) == 0
log = ctypes.create_string_buffer(size.value)
link.nvJitLinkGetErrorLog(handle, log)
assert b"the CPU device runs PTX" in log.value
text = {PTX.encode()!r}
assert link.nvJitLinkAddData(handle, 2, text, ctypes.c_size_t(len(text)), b"add") == 0
assert link.nvJitLinkComplete(handle) == 0
assert link.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)) == 0
image = ctypes.create_string_buffer(size.value)
assert link.nvJitLinkGetLinkedCubin(handle, image) == 0
assert link.nvJitLinkDestroy(ctypes.byref(handle)) == 0 and not handle.value
context, module, function = P(), P(), P()
call("cuInit", 0); call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0); call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), image)
call("cuModuleGetFunction", ctypes.byref(function), module, b"add")
print("right")
""",
        environment,
    )
    assert (found.returncode, found.stdout) == (0, "right\n"), found.stderr


def test_pytest_has_an_option_for_it(tmp_path):
    (tmp_path / "conftest.py").write_text(CLIENT)  # it looks for the driver before any hook of its own
    (tmp_path / "test_add.py").write_text("from conftest import run\n\n\ndef test_add():\n    run()\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "ptxgen.shim.plugin", "--ptxgen-cuda", tmp_path]
    found = subprocess.run(
        command, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert "1 passed" in found.stdout, found.stdout + found.stderr
