"""The JIT linker, libraries' later functions, and images made by linking: a program recorded in a file of its own.

To record again, on a machine with a GPU: python -m tests.ptxgen.emulated_driver.scenarios.linking FILE
"""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from ctypes import byref, c_char, c_int, c_size_t, c_uint64, c_void_p
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import PTX, Cu, Note

HEAD = b".version 8.0\n.target sm_90\n.address_size 64\n"

CALLS = (
    HEAD
    + b"""
.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .global .align 4 .b32 shift;
.visible .entry calls(.param .u64 p, .param .u32 n)
{
    .reg .b32 %r<4>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [p];
    ld.param.u32 %r1, [n];
    {
        .param .b32 a;
        .param .b32 r;
        st.param.b32 [a], %r1;
        call.uni (r), twice, (a);
        ld.param.b32 %r2, [r];
    }
    ld.global.b32 %r3, [shift];
    add.u32 %r2, %r2, %r3;
    st.global.u32 [%d1], %r2;
    ret;
}
"""
)

TWICE = (
    HEAD
    + b"""
.visible .global .align 4 .b32 shift = 100;
.visible .func (.param .b32 r) twice(.param .b32 a)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [a];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [r], %r2;
    ret;
}
"""
)

OWN = """
.global .align 4 .b32 own = {value};
.func (.param .b32 r) helper()
{{
    .reg .b32 %r<2>;
    ld.global.b32 %r1, [own];
    st.param.b32 [r], %r1;
    ret;
}}
.visible .entry {name}(.param .u64 p)
{{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [p];
    {{
        .param .b32 r;
        call.uni (r), helper, ();
        ld.param.b32 %r1, [r];
    }}
    st.global.u32 [%d1], %r1;
    ret;
}}
"""

WEAK = HEAD + b".weak .func (.param .b32 r) twice(.param .b32 a) { st.param.b32 [r], 7; ret; }\n"
BAD = HEAD + b".visible .entry k()\n{\n  .reg .f32 %f<2>;\n  add.f32 %f1, %f0\n  ret;\n}"
MANAGED = (
    HEAD
    + b"""
.visible .global .attribute(.managed) .align 4 .b32 shared_word = 5;
.visible .global .align 4 .b32 plain_word = 6;
.visible .entry reads(.param .u64 p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d1, [p];
    ld.global.b32 %r1, [shared_word];
    st.global.u32 [%d1], %r1;
    ret;
}
"""
)

CUBIN, PTX_INPUT, FATBIN, OBJECT, LIBRARY = range(5)


class Bench:
    """A linker with its logs; every step's code, and what the log says after it."""

    def __init__(self, cu: Cu, verbose: int = 0) -> None:
        self.cu = cu
        self.info, self.error = (c_char * 8192)(), (c_char * 8192)()
        self.options = (c_int * 5)(3, 4, 5, 6, 12)
        self.values = (c_void_p * 5)(ctypes.addressof(self.info), 8192, ctypes.addressof(self.error), 8192, verbose)
        self.state = c_void_p()
        assert cu.cuLinkCreate_v2(5, self.options, self.values, byref(self.state)) == 0

    def add(self, data: bytes, kind: int = PTX_INPUT, name: bytes | None = b"a.ptx") -> list[Any]:
        code = self.cu.cuLinkAddData_v2(self.state, kind, data, len(data) + (kind == PTX_INPUT), name, 0, None, None)
        return [code, self.error.value.decode()]

    def complete(self) -> list[Any]:
        self.image, self.size = c_void_p(), c_size_t()
        code = self.cu.cuLinkComplete(self.state, byref(self.image), byref(self.size))
        return [code, self.error.value.decode()]

    def cubin(self) -> bytes:
        return ctypes.string_at(self.image.value or 0, self.size.value)

    def destroy(self) -> int:
        return int(self.cu.cuLinkDestroy(self.state))


def linked(cu: Cu, *programs: bytes) -> bytes:
    bench = Bench(cu)
    for number, program in enumerate(programs):
        assert bench.add(program, name=b"%d.ptx" % number)[0] == 0
    assert bench.complete()[0] == 0
    image = bench.cubin()
    bench.destroy()
    return image


def linking(cu: Cu, note: Note) -> None:
    cu.start()
    module, state, size = c_void_p(), c_void_p(), c_size_t()
    p = cu.alloc(256)

    bench = Bench(cu, verbose=1)
    note("add caller", bench.add(CALLS, name=b"calls.ptx"))
    note("add definition", bench.add(TWICE, name=b"twice.ptx"))
    note("complete", bench.complete())
    image = bench.cubin()
    note("image", [image[:4] == b"\x7fELF", len(image) > 64])
    print(bench.info.value.decode(), file=sys.stderr)
    note("info names the kernel", "calls" in bench.info.value.decode())
    note("complete again", bench.complete()[0])
    note("add after complete", bench.add(TWICE)[0])
    note("destroy", bench.destroy())
    note("load", cu.cuModuleLoadData(byref(module), image))
    note("run", [cu.launch(cu.function(module.value or 0, b"calls"), c_uint64(p), c_int(21)), cu.words(p, 1)])
    note(
        "parameters", cu.cuFuncGetParamInfo(cu.function(module.value or 0, b"calls"), 1, byref(size), byref(c_size_t()))
    )
    note("unload", cu.cuModuleUnload(module))
    library = c_void_p()
    note("library of it", cu.cuLibraryLoadData(byref(library), image, None, None, 0, None, None, 0))
    note("library unload", cu.cuLibraryUnload(library))

    one, two = (HEAD + OWN.format(value=v, name=n).encode() for v, n in ((1, "one"), (2, "two")))
    note("own names", cu.cuModuleLoadData(byref(module), linked(cu, one, two)))
    results = []
    for name in (b"one", b"two"):
        results += [cu.launch(cu.function(module.value or 0, name), c_uint64(p)), cu.words(p, 1)]
    note("own names run", results)

    for label, programs in {
        "undefined": (CALLS,),
        "twice defined": (TWICE, TWICE),
        "weak and strong": (CALLS, WEAK, TWICE),
        "two weak": (WEAK, WEAK),
        "same kernel": (PTX, PTX),
        "nothing": (),
    }.items():
        bench = Bench(cu)
        added = [bench.add(program, name=b"%d.ptx" % number)[0] for number, program in enumerate(programs)]
        note(label, [added, *bench.complete()])
        bench.destroy()

    bench = Bench(cu)
    note("bad", bench.add(BAD, name=b"bad.ptx"))
    note("complete after bad", bench.complete())
    bench.destroy()
    bench = Bench(cu)
    note("version", bench.add(HEAD.replace(b"8.0", b"9.9")))
    bench.destroy()
    bench = Bench(cu)
    note("target", bench.add(HEAD.replace(b"8.0", b"8.6").replace(b"90", b"100") + b".visible .entry k() { ret; }"))
    bench.destroy()
    bench = Bench(cu)
    note("garbage ptx", bench.add(b"hello"))
    bench.destroy()
    for kind in (CUBIN, FATBIN, OBJECT, LIBRARY):
        bench = Bench(cu)
        note(f"garbage kind {kind}", bench.add(b"hello, this is nothing at all" * 8, kind))
        note(f"garbage kind {kind} complete", bench.complete()[0])
        bench.destroy()
    bench = Bench(cu)
    note("kind 99", bench.add(TWICE, 99)[0])
    note("no name", bench.add(TWICE, name=None)[0])
    note("null data", cu.cuLinkAddData_v2(bench.state, PTX_INPUT, None, 5, b"x", 0, None, None))
    note("size 0", cu.cuLinkAddData_v2(bench.state, PTX_INPUT, b"", 0, b"x", 0, None, None))
    note("null state", cu.cuLinkAddData_v2(None, PTX_INPUT, TWICE, len(TWICE) + 1, b"x", 0, None, None))
    note("file missing", cu.cuLinkAddFile_v2(bench.state, PTX_INPUT, b"/does/not/exist.ptx", 0, None, None))
    note("file null", cu.cuLinkAddFile_v2(bench.state, PTX_INPUT, None, 0, None, None))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "own.ptx").encode()
        with open(path, "wb") as file:
            file.write(one)
        note("file", cu.cuLinkAddFile_v2(bench.state, PTX_INPUT, path, 0, None, None))
        path = os.path.join(folder, "linked.cubin").encode()
        with open(path, "wb") as file:
            file.write(linked(cu, PTX))
        note("file of a linked cubin", cu.cuLinkAddFile_v2(bench.state, CUBIN, path, 0, None, None))
    note(
        "complete null",
        [cu.cuLinkComplete(bench.state, None, byref(size)), cu.cuLinkComplete(None, byref(state), None)],
    )
    bench.destroy()
    note("create null", cu.cuLinkCreate_v2(0, None, None, None))
    note("destroy null", cu.cuLinkDestroy(None))
    bench = Bench(cu)
    bench.add(PTX, name=None)
    image_out = c_void_p()
    note("complete without size", [cu.cuLinkComplete(bench.state, byref(image_out), None), bool(image_out.value)])
    note("destroy then destroy", bench.destroy())


def later_libraries(cu: Cu, note: Note) -> None:
    cu.start()
    library, kernel, word, size = c_void_p(), c_void_p(), c_uint64(), c_size_t()
    p = cu.alloc(256)
    code = cu.cuLibraryLoadData(byref(library), MANAGED, None, None, 0, None, None, 0)
    note("load", code)
    assert code == 0
    note("managed", [cu.cuLibraryGetManaged(byref(word), byref(size), library, b"shared_word"), size.value])
    note("managed on the host", ctypes.c_int32.from_address(word.value).value)
    ctypes.c_int32.from_address(word.value).value = 77
    note("kernel", cu.cuLibraryGetKernel(byref(kernel), library, b"reads"))
    note("reads what the host wrote", [cu.launch(kernel.value or 0, c_uint64(p)), cu.words(p, 1)])
    note("managed of a plain one", cu.cuLibraryGetManaged(byref(word), byref(size), library, b"plain_word"))
    note("managed unknown", cu.cuLibraryGetManaged(byref(word), byref(size), library, b"nothing"))
    note("global of a managed one", cu.cuLibraryGetGlobal(byref(word), byref(size), library, b"shared_word"))
    note("global null", cu.cuLibraryGetGlobal(None, None, library, b"plain_word"))
    note("unified unknown", cu.cuLibraryGetUnifiedFunction(byref(kernel), library, b"nothing"))
    note("unified of a kernel", cu.cuLibraryGetUnifiedFunction(byref(kernel), library, b"reads"))
    note("unified null", cu.cuLibraryGetUnifiedFunction(None, library, b"reads"))
    module = c_void_p()
    note("module", cu.cuLibraryGetModule(byref(module), library))
    note("unload its module", cu.cuModuleUnload(module))
    note("module of null", cu.cuLibraryGetModule(byref(module), None))
    note("option", cu.cuLibraryLoadData(byref(module), PTX, None, None, 0, (c_int * 1)(1), (c_void_p * 1)(1), 1))
    note(
        "option unknown", cu.cuLibraryLoadData(byref(module), PTX, None, None, 0, (c_int * 1)(9), (c_void_p * 1)(1), 1)
    )
    note("unload", cu.cuLibraryUnload(library))
    note("module with a managed variable", cu.cuModuleLoadData(byref(module), MANAGED))
    note("its global", [cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"shared_word"), size.value])


LINKING = {"linking": linking, "later_libraries": later_libraries}


def record(path: str) -> None:
    from tests.ptxgen.emulated_driver.scenarios.__main__ import as_text, libcuda

    everything: dict[str, dict[str, Any]] = {}
    for name, program in LINKING.items():
        everything[name] = {}
        try:
            program(Cu(libcuda()), everything[name].__setitem__)
        except AssertionError as error:
            everything[name]["ended"] = str(error)
    with open(path, "w", encoding="utf-8") as file:
        file.write(as_text(everything))


if __name__ == "__main__":
    record(sys.argv[1])
