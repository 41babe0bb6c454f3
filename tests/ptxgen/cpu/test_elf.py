"""Object files placed without LLVM: the same code as LLVM's own linker makes of them, and a word about all others."""

from __future__ import annotations

import ctypes
import struct

import pytest

from driver_ctypes.machine_code.elf import UnknownObjectError, exported, place
from driver_ctypes.machine_code.memory import CodeMemory
from ptxgen.cpu import jit
from ptxgen.cpu.jit import Tier, load_object, object_code
from ptxgen.cpu.rt.library import SYNC, library_text
from ptxgen.errors import UnsupportedError
from tests.ptxgen.cpu.machine import run

pytestmark = pytest.mark.cpu_only

# A constant table and vectors (sections beside .text), calls within and without, the address of a variable.
TEXT = """
@table = private constant [4 x i32] [i32 11, i32 22, i32 33, i32 44]
@"a variable" = external global i8
declare i32 @elsewhere(i32)
define internal i32 @twice(i32 %x) noinline { %y = mul i32 %x, 2 ret i32 %y }
define i32 @pick(i32 %i) {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i32 %i
  %v = load i32, ptr %p
  %w = call i32 @twice(i32 %v)
  ret i32 %w
}
define i32 @outside(i32 %i) { %v = call i32 @elsewhere(i32 %i) ret i32 %v }
define i64 @where() { ret i64 add (i64 ptrtoint (ptr @"a variable" to i64), i64 8) }
define double @constant(double %x) { %y = fmul double %x, 1.25 ret double %y }
"""
KINDS = {
    "pick": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int),
    "outside": ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int),
    "where": ctypes.CFUNCTYPE(ctypes.c_int64),
    "constant": ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double),
}

elsewhere = KINDS["outside"](lambda i: i + 1000)


def functions(library):
    return {name: KINDS[name](address) for name, address in library.addresses.items()}


@pytest.fixture(params=["placed here", "linked by LLVM"])
def loader(request, monkeypatch):
    """Objects go both ways; the second is that of processors which are not known here."""
    if request.param == "linked by LLVM":

        def unknown(*_):
            raise UnknownObjectError("as if")

        monkeypatch.setattr(jit, "load_placed", unknown)
    return request.param


@pytest.mark.parametrize("tier", [Tier.BASE, Tier.FAST])
def test_an_object_does_what_its_text_says(loader, tier):
    symbols = {"elsewhere": ctypes.cast(elsewhere, ctypes.c_void_p).value, "a variable": 1 << 40}
    library = load_object(object_code(TEXT, tier), (), symbols)
    f = functions(library)
    assert [f["pick"](i) for i in range(4)] == [22, 44, 66, 88]
    assert f["outside"](5) == 1005
    assert f["where"]() == (1 << 40) + 8
    assert f["constant"](4.0) == 5.0


def test_kernels_run_whoever_links_them(loader):
    """A barrier (the run-time library), a variable, a table of branches."""
    body = """
    .global .u32 base[2] = {100, 200};
    ld.global.u32 %r1, [base+4];
    add.u32 %r1, %r1, %t;
    bar.sync 0;
    st.global.u32 [%o], %r1;
    """
    assert run(body).u32 == [200 + i for i in range(32)]


def test_a_name_that_is_nowhere_is_told(loader):
    with pytest.raises(RuntimeError, match=r"elsewhere|materialize"):
        load_object(object_code(TEXT, Tier.BASE), (), {"a variable": 8})


def test_names_of_the_process_are_found():
    text = "declare i32 @abs(i32)\ndefine i32 @outside(i32 %x) { %y = call i32 @abs(i32 %x) ret i32 %y }"
    library = load_object(object_code(text, Tier.BASE))
    assert functions(library)["outside"](-3) == 3


def test_what_an_object_exports_is_read_for_any_processor():
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple = "aarch64-unknown-linux-gnu"
    machine = llvm.Target.from_triple(triple).create_target_machine(reloc="pic")
    module = llvm.parse_assembly(TEXT)
    module.triple = triple
    code = machine.emit_object(module)
    assert set(exported(code)) == set(KINDS)
    with pytest.raises(UnknownObjectError, match="another processor"):
        place(code, lambda name: 0)
    assert set(exported(object_code(library_text(SYNC), Tier.BASE))) == set(SYNC)


@pytest.mark.parametrize("size", [0, 3, 63, 64, 200, 1000])
def test_a_piece_of_an_object_is_no_object(size):
    with pytest.raises(UnknownObjectError):
        place(object_code(TEXT, Tier.BASE)[:size], lambda name: 0)


def test_relocations_that_are_not_known_are_left_to_llvm():
    code = bytearray(object_code(TEXT, Tier.BASE))
    offset, size, count = struct.unpack_from("<Q", code, 0x28)[0], *struct.unpack_from("<HH", code, 0x3A)
    for head in range(offset, offset + count * size, size):
        if struct.unpack_from("<I", code, head + 4)[0] == 4:  # relocations
            at, length = struct.unpack_from("<QQ", code, head + 24)
            for each in range(at, at + length, 24):
                struct.pack_into("<I", code, each + 8, 10)  # R_X86_64_32: 32 bits reach nowhere here
    with pytest.raises(UnknownObjectError, match="relocation of kind 10"):
        place(bytes(code), lambda name: 0)


def test_data_that_can_be_written_is_refused():
    with pytest.raises(UnknownObjectError, match="can be written"):
        place(object_code("@counter = global i32 1", Tier.BASE), lambda name: 0)


def test_a_system_that_lets_no_code_be_made_is_told(monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "the system does not let this process run code that it makes")

    monkeypatch.setattr(CodeMemory, "seal", refuse)
    with pytest.raises(UnsupportedError, match="does not let this process run code"):
        load_object(object_code("define i64 @where() { ret i64 1 }", Tier.BASE))


def test_memory_for_code_is_given_back():
    """Ten thousand pieces in a space of which a fraction would be left otherwise."""
    addresses = set()
    for _ in range(10_000):
        memory = CodeMemory(4096)
        memory.seal(b"\xc3")
        addresses.add(memory.address)
    assert len(addresses) < 1000
