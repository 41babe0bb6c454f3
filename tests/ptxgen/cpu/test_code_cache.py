"""Compiled code on disk: what a second process need not do, what a key counts on, and what happens to a bad disk."""

from __future__ import annotations

import errno
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from driver_ctypes.caches import code as stores
from driver_ctypes.caches import process
from driver_ctypes.caches.code import CodeStore
from driver_ctypes.errors import CacheError, CacheWarning
from ptxgen import sources as source_files
from ptxgen.cpu import KernelFault, LaunchOptions, LoadedProgram, compilation, jit
from ptxgen.cpu.code import identity
from ptxgen.cpu.code.identity import sources
from ptxgen.cpu.program import RelocatableProgram, compile_relocatable
from ptxgen.cpu.relocatable import ProgramOutline, RelocatableKernel
from ptxgen.emulated_driver.modules import disk as disks
from ptxgen.emulated_driver.modules import jit as loading
from ptxgen.emulated_driver.modules.disk import Disk, open_disk, set_disk
from ptxgen.isa.products import find_product
from ptxgen.text import parse
from tests.ptxgen.cpu.machine import arena

pytestmark = pytest.mark.cpu_only

# Variables of a module and of a body, addresses as initial values, barriers, shared and local memory.
PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .global .u32 numbers[4] = {10, 20, 30, 40};
.const .u32 factor = 3;
.global .u64 second = numbers + 4;
.visible .entry scale(.param .u64 out) .maxntid 64
{
    .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p;
    .global .u32 offset = 1000;
    .shared .u32 sums[64];
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    ld.global.u64 %d2, [second];
    mad.wide.u32 %d2, %r2, 4, %d2;
    ld.global.u32 %r3, [%d2];
    ld.const.u32 %r4, [factor];
    mul.lo.u32 %r3, %r3, %r4;
    ld.global.u32 %r5, [offset];
    add.u32 %r3, %r3, %r5;
    mov.u32 %r6, sums;
    mad.lo.u32 %r6, %r1, 4, %r6;
    st.shared.u32 [%r6], %r3;
    bar.sync 0;
    ld.shared.u32 %r3, [%r6];
    mad.wide.u32 %d1, %r1, 4, %d1;
    st.global.u32 [%d1], %r3;
    ret;
}
"""
EXPECTED = [1060, 1090]


@pytest.fixture
def kept(tmp_path):
    """A cache of the test's own, which everything uses."""
    made = Disk(CodeStore(tmp_path / "cpu"), "this machine", sources().marks)
    before = disks.disk()
    set_disk(made)
    yield made
    set_disk(before)


def run(text=PTX, options=LaunchOptions()):  # noqa: B008
    """Loads the text as the driver does, and launches two threads."""
    source = loading.parse(text.encode())
    program = loading.compile_source(source, arena())
    out = arena().allocate(8)
    try:
        stats = program.kernels["scale"].launch((1, 1, 1), (2, 1, 1), struct.pack("<Q", out), options=options)
        return list(struct.unpack("<2I", arena().view(out, 8))), stats
    finally:
        program.close()
        arena().free(out)


def forbid(monkeypatch, *names):
    """Parsing, verifying, planning or compiling is an error from now on."""
    homes = {
        "parse": (loading, "_parsed"), "verify": (loading, "_legal"), "compile": (jit, "object_code"),
        "plan": (compilation, "outline"), "lower": (compilation, "compile_kernel"),
    }  # fmt: skip

    def forbidden(*_):
        raise AssertionError("done twice")

    for name in names:
        monkeypatch.setattr(*homes[name], forbidden)


# --- hits -------------------------------------------------------------------------------------------------------------


def test_what_was_compiled_is_neither_parsed_nor_verified_nor_compiled_again(kept, monkeypatch):
    assert run()[0] == EXPECTED
    forbid(monkeypatch, "parse", "verify", "plan", "lower", "compile")
    assert run()[0] == EXPECTED


REFUSED = """.visible .entry other(.param .u64 a)
{
    .reg .b32 %r<4>; .reg .b64 %d;
    ld.param.u64 %d, [a];
    mma.sync.aligned.m8n8k32.row.col.s32.u4.u4.s32.xor.popc {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};
    ret;
}
"""


def test_programs_with_kernels_that_do_not_run_are_kept_too(kept, monkeypatch):
    text = PTX.replace("8.0", "8.1").replace("sm_80", "sm_90") + REFUSED
    first = loading.compile_source(loading.parse(text.encode()), arena())
    assert run(text)[0] == EXPECTED
    forbid(monkeypatch, "parse", "verify", "plan", "lower", "compile")
    second = loading.compile_source(loading.parse(text.encode()), arena())
    assert run(text)[0] == EXPECTED
    assert list(second.refused) == ["other"]
    assert second.refused == first.refused
    assert loading.refusal_log(second) == loading.refusal_log(first)
    assert "line 35; warning : kernel 'other'" in loading.refusal_log(second)
    assert [str(reason) for reason in second.refused["other"]] == [str(reason) for reason in first.refused["other"]]
    first.close()
    second.close()


def test_addresses_are_no_part_of_what_is_kept(kept, monkeypatch):
    """The module's variables lie elsewhere the second time."""
    first = loading.compile_source(loading.parse(PTX.encode()), arena())
    assert run()[0] == EXPECTED
    forbid(monkeypatch, "compile")
    second = loading.compile_source(loading.parse(PTX.encode()), arena())
    assert first.globals["numbers"] != second.globals["numbers"]
    assert run()[0] == EXPECTED
    first.close()
    second.close()


def kept_and_found(text):
    """The program as it is made, and as the next process finds it."""
    made = compile_relocatable(parse(text, "mine.ptx"))
    kernels = {each.name: RelocatableKernel.unpack(each.pack()) for each in made.kernels}
    outline = ProgramOutline.unpack(made.outline.pack())
    return made, RelocatableProgram(outline, lambda: parse(text, "mine.ptx"), compiled=kernels)


def test_what_is_kept_comes_back_whole():
    made, again = kept_and_found(PTX)
    (kernel,), (first,) = again.kernels, made.kernels
    assert kernel.text == first.code.text
    assert kernel._replace(code=first.code, packed=b"") == first
    assert kernel.code == first.code._replace(text="")
    assert again.outline == made.outline
    assert again.outline.kernels[0].bounds == {"maxntid": (64,)}


def test_the_processor_must_be_there_for_the_target(kept, monkeypatch):
    run()
    monkeypatch.setattr(loading.machine, "products", lambda: {find_product("sm_75")})
    with pytest.raises(loading.JitRefusal, match="SM version"):
        loading.parse(PTX.encode())


@pytest.mark.parametrize(
    "instruction, kind",
    [
        ("st.global.u32 [%d1+4096], %r1;", "illegal address"),
        ("ld.shared.u32 %r1, [256];", "illegal address"),
        ("trap;", "trap"),
    ],
)
def test_faults_of_kept_programs_name_the_line(instruction, kind):
    text = PTX.replace("    bar.sync 0;", f"    {instruction}")
    faults = []
    for each in kept_and_found(text):
        program = LoadedProgram(each, arena())
        out = arena().allocate(8)
        with pytest.raises(KernelFault) as fault:
            program.kernels["scale"].launch((1, 1, 1), (2, 1, 1), struct.pack("<Q", out))
        program.close()
        arena().free(out)
        faults.append(str(fault.value))
    line = 1 + text[: text.index(instruction)].count("\n")
    assert kind in faults[1]
    assert f"mine.ptx:{line}" in faults[1]
    assert faults[0] == faults[1]


def test_deadlocks_of_kept_programs_name_who_waits():
    text = PTX.replace("bar.sync 0;", "bar.sync 0, 64;")
    program = LoadedProgram(kept_and_found(text)[1], arena())
    out = arena().allocate(8)
    with pytest.raises(KernelFault, match="deadlock") as fault:
        program.kernels["scale"].launch((1, 1, 1), (2, 1, 1), struct.pack("<Q", out))
    program.close()
    arena().free(out)
    assert [waiting.instruction.op for waiting in fault.value.waiting] == ["bar.sync"]


# --- keys -------------------------------------------------------------------------------------------------------------


def test_tiers_have_code_of_their_own(kept, monkeypatch):
    run(options=LaunchOptions(tier="base"))
    forbid(monkeypatch, "compile")
    with pytest.raises(AssertionError, match="done twice"):
        run(options=LaunchOptions(tier="fast"))


def test_what_was_worth_optimising_is_optimised_from_the_start(kept):
    assert run()[1].tier == "base"
    run(options=LaunchOptions(tier="fast"))
    assert run()[1].tier == "fast"
    assert run(options=LaunchOptions(tier="base"))[1].tier == "base"


def test_another_text_is_another_program(kept):
    run()
    assert run(PTX.replace("factor = 3", "factor = 4"))[0] == [1080, 1120]


@pytest.mark.parametrize("part", ["compiler_identity", "processor_identity", "python_identity"])
def test_a_key_counts_on(part, tmp_path, monkeypatch):
    """Another LLVM, processor or Python finds nothing."""
    settled = sources()._replace(settled=True)
    monkeypatch.setattr(disks, "sources", lambda without: settled)
    kept = CodeStore(tmp_path)
    open_disk(kept).put(b"code", "object")
    assert open_disk(kept).get("object") == b"code"
    monkeypatch.setattr(disks, part, lambda: "another")
    assert open_disk(kept).get("object") is None


def tree(root: Path) -> Path:
    for room in ("isa", "ir", "text", "verifier", "cpu/lower"):
        (root / room).mkdir(parents=True)
        (root / room / "one.py").write_text(f"# {room}\n")
    (root / "errors.py").write_text("")
    return root


@pytest.mark.parametrize("name", ["errors.py", "isa/one.py", "cpu/lower/one.py", "text/new.py"])
def test_a_key_counts_on_every_source_file(name, tmp_path):
    root = tree(tmp_path)
    before = sources(root)
    digest = before.digest()
    (root / name).write_text("# else\n")
    after = sources(root)
    assert after.marks != before.marks
    assert after.digest() != digest


def test_byte_code_and_times_do_not_count(tmp_path):
    root = tree(tmp_path)
    digest = sources(root).digest()
    (root / "cpu/__pycache__").mkdir()
    (root / "cpu/__pycache__/one.pyc").write_bytes(b"byte code")
    os.utime(root / "errors.py", (1, 1))
    assert sources(root).digest() == digest


def test_sources_younger_than_the_process_are_not_counted_on(tmp_path, monkeypatch):
    """What runs may be what stood there before."""
    root = tree(tmp_path)
    assert not sources(root).settled
    monkeypatch.setattr(source_files, "imported_at", source_files.imported_at + 1e9)
    assert sources(root).settled
    monkeypatch.setattr(disks, "sources", lambda without: sources(root)._replace(settled=False))
    with pytest.raises(CacheError, match="changed after this process began"):
        open_disk(CodeStore(tmp_path / "cache"))


@pytest.mark.parametrize("name, why", [("compiler_identity", "llvmlite"), ("sources", "not files")])
def test_without_knowing_what_code_depends_on_there_is_no_cache(name, why, tmp_path, monkeypatch):
    monkeypatch.setattr(disks, name, lambda **_: None)
    monkeypatch.setattr(disks, "_chosen", {})
    monkeypatch.setattr(process._Process, "others", {disks.FOLDER: CodeStore(tmp_path / "cpu")})
    assert disks.disk() is None
    assert why in disks.status().problem
    assert run()[0] == EXPECTED


def test_nothing_is_kept_once_a_source_has_changed(tmp_path, monkeypatch):
    root = tree(tmp_path / "tree")
    monkeypatch.setattr(disks, "sources", lambda without: sources(root))
    kept = Disk(CodeStore(tmp_path / "cpu"), "this machine", sources(root).marks)
    kept.put(b"1", "before")
    (root / "isa/one.py").write_text("# changed\n")
    monkeypatch.setitem(sys.modules, "tests.imported_after_the_change", sys)
    kept.put(b"2", "after")
    assert kept.get("before") == b"1"
    assert kept.get("after") is None


def test_the_processor_tells_the_same_each_time():
    assert identity.processor_identity() == identity.processor_identity()
    assert len(identity.processor_identity()) > 20


# --- disks that are bad -----------------------------------------------------------------------------------------------


def test_damaged_entries_are_told_dropped_and_made_again(kept):
    run()
    for path in list(kept.kept.folder.rglob("*.code")):
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
    with pytest.warns(CacheWarning, match="was damaged; it is compiled again"):
        assert run()[0] == EXPECTED
    hits = kept.kept.statistics.hits
    assert run()[0] == EXPECTED
    assert kept.kept.statistics.hits > hits


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_a_disk_that_refuses_is_told_once_and_kernels_run(kept, code, monkeypatch):
    def refuse(name, data, folder):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(stores, "write", refuse)
    with pytest.warns(CacheWarning, match="cannot be written") as told:
        assert run()[0] == EXPECTED
    assert run()[0] == EXPECTED
    assert len(told) == 1
    assert kept.kept.size() == (0, 0)


def test_a_folder_that_others_may_write_is_not_used(tmp_path):
    folder = tmp_path / "cpu"
    folder.mkdir()
    folder.chmod(0o777)
    made = Disk(CodeStore(folder), "this machine", sources().marks)
    with pytest.warns(CacheWarning, match="may be written by others"):
        assert made.get("anything") is None


@pytest.mark.parametrize("value", ["0", "off"])
def test_caches_can_be_turned_off(value, monkeypatch):
    monkeypatch.setattr(process._Process, "others", {})
    monkeypatch.setenv("PTXGEN_CACHE", value)
    monkeypatch.setattr(disks, "_chosen", {})
    assert disks.disk() is None
    assert disks.status().folder is None
    assert run()[0] == EXPECTED


def test_files_are_private(kept):
    run()
    modes = {path.stat().st_mode & 0o777 for path in kept.kept.folder.rglob("*")}
    assert modes == {0o700, 0o600}


# --- processes --------------------------------------------------------------------------------------------------------

PROGRAM = """
import sys
import warnings
warnings.simplefilter("error")
if sys.argv[1] == "without LLVM":
    sys.modules["llvmlite.binding"] = None
import ptxgen as px

@px.kernel
def put(k: px.Builder, x: px.ptr[px.u32], *, at: int = 0):
    shared = k.shared(px.u32, 32)
    shared[k.tid.x] = k.tid.x * 3
    k.barrier()
    x[k.tid.x + at] = shared[k.tid.x]

dev = px.device("cpu")
x = dev.zeros(32, px.u32)
put[1, 32](x)
assert x.numpy().tolist() == [3 * i for i in range(32)]
try:
    put[1, 32](x, at=1 << 20)
    x.numpy()
except px.Error as fault:
    print(str(fault).partition("driver's log")[2])
"""


def start(folder, how="with LLVM"):
    environment = {**os.environ, "PTXGEN_CACHE_DIR": str(folder), "PTXGEN_CACHE": "1"}
    return subprocess.Popen(
        [sys.executable, str(folder / "program.py"), how], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=Path(__file__).parents[3],
    )  # fmt: skip


def finished(running):
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, err
    return out


def test_processes_share_what_any_of_them_has_compiled(tmp_path):
    """Three start at once on an empty folder; the next needs no LLVM, and tells a fault in the same words."""
    (tmp_path / "program.py").write_text(PROGRAM)
    told = {finished(running) for running in [start(tmp_path) for _ in range(3)]}
    told.add(finished(start(tmp_path, "without LLVM")))
    assert len(told) == 1
    (text,) = told
    assert "x[k.tid.x + at] = shared[k.tid.x]" in text
    assert not list(tmp_path.rglob("*.tmp"))


IMPORTED = """
import sys, threading

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("ptxgen") and threading.current_thread() is not threading.main_thread():
            print(name)

from ptxgen.cpu.rt import libraries
sys.meta_path.insert(0, Finder())
libraries.warm_up()
print(*[thread.name for thread in threading.enumerate()][1:])
"""


def test_compiling_in_the_background_imports_nothing(tmp_path):
    """pytest parses what it imports, and Python 3.11 cannot parse in two threads."""
    variables = os.environ | {"PTXGEN_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", IMPORTED], env=variables, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["ptxgen-cpu-runtime"]
