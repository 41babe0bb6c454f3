"""Modules, libraries, and the JIT with its logs."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char, c_float, c_int, c_size_t, c_uint64, c_void_p
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import (
    PTX,
    Cu,
    Note,
    scenario,
)


@scenario
def modules(cu: Cu, note: Note) -> None:
    cu.start()
    pointer, number, word, size, size2 = c_void_p(), c_int(), c_uint64(), c_size_t(), c_size_t()
    note("load null", [cu.cuModuleLoadData(None, PTX), cu.cuModuleLoadData(byref(pointer), None)])
    note("load garbage", cu.cuModuleLoadData(byref(pointer), b"hello"))
    note("load empty", cu.cuModuleLoadData(byref(pointer), b""))
    note("load file", cu.cuModuleLoad(byref(pointer), b"/does/not/exist.ptx"))
    note("load file null", cu.cuModuleLoad(byref(pointer), None))
    module = cu.load()
    note(
        "function null",
        [cu.cuModuleGetFunction(None, module, b"empty"), cu.cuModuleGetFunction(byref(pointer), module, None)],
    )
    note("function unknown", cu.cuModuleGetFunction(byref(pointer), module, b"nothing"))
    note("function empty name", cu.cuModuleGetFunction(byref(pointer), module, b""))
    note("function of null module", cu.cuModuleGetFunction(byref(pointer), None, b"empty"))
    note("function count", [cu.cuModuleGetFunctionCount(byref(number), module), number.value])
    functions = (c_void_p * 9)()
    note("enumerate", [cu.cuModuleEnumerateFunctions(functions, 9, module), sum(1 for f in functions if f)])
    names = []
    for function in functions:
        text = c_void_p()
        names.append(ctypes.string_at(text.value).decode() if cu.cuFuncGetName(byref(text), function) == 0 else "?")
    note("names sorted", sorted(names))
    note(
        "global",
        [cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"answer"), size.value, cu.words(word.value, 1)],
    )
    note("global constant", [cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"table"), size.value])
    note("global unknown", cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"nothing"))
    note("global size only", [cu.cuModuleGetGlobal_v2(None, byref(size), module, b"answer"), size.value])
    note("global nothing asked", cu.cuModuleGetGlobal_v2(None, None, module, b"answer"))
    note("global range", [cu.cuModuleGetGlobal_v2(byref(word), byref(size), module, b"answer"),
                          cu.cuMemGetAddressRange_v2(byref(c_uint64()), byref(size), word.value)])  # fmt: skip
    note("global free", cu.cuMemFree_v2(word.value))
    note("global write", [cu.cuMemsetD32_v2(word.value, 9, 1), cu.words(word.value, 1)])
    store, empty = cu.function(module, b"store"), cu.function(module, b"empty")
    mixed = cu.function(module, b"mixed")
    note("same function", cu.function(module, b"store") == store)

    def attribute(function: int, which: int) -> Any:
        code = cu.cuFuncGetAttribute(byref(number), which, function)
        return number.value if code == 0 else f"error {code}"

    for which in (0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 99):
        note(f"attribute {which}", attribute(empty, which))
    note("registers are few", 1 <= attribute(store, 4) <= 32)
    for name in (b"bounded", b"required", b"clustered", b"shared_kib"):
        note(
            f"attributes of {name.decode()}",
            [attribute(cu.function(module, name), which) for which in (0, 1, 8, 10, 11, 12, 13)],
        )
    note("attribute null", [cu.cuFuncGetAttribute(None, 0, empty), cu.cuFuncGetAttribute(byref(number), 0, None)])
    for which, value in ((8, 0), (8, 49152), (8, 100000), (8, 232448), (8, 232449), (8, -1), (9, 50), (9, -1), (9, -2), (9, 101),
                         (0, 32), (1, 4), (11, 2), (12, 1), (13, 1), (14, 1), (14, 2), (15, 1), (15, 9), (99, 1)):  # fmt: skip
        note(f"set {which} to {value}", [cu.cuFuncSetAttribute(empty, which, value), attribute(empty, which)])
    shared = cu.function(module, b"shared_kib")
    note(
        "set dynamic beside static",
        [cu.cuFuncSetAttribute(shared, 8, 232448), cu.cuFuncSetAttribute(shared, 8, 231424)],
    )
    note("cache config", [cu.cuFuncSetCacheConfig(empty, 1), cu.cuFuncSetCacheConfig(empty, 9)])
    note("module of function", [cu.cuFuncGetModule(byref(pointer), store), pointer.value == module])
    for index in range(7):
        note(
            f"parameter {index}",
            [cu.cuFuncGetParamInfo(mixed, index, byref(size), byref(size2)), size.value, size2.value],
        )
    note("parameter offset only", cu.cuFuncGetParamInfo(mixed, 1, byref(size), None))
    note("parameter null", cu.cuFuncGetParamInfo(mixed, 1, None, None))
    note("parameter of empty", cu.cuFuncGetParamInfo(empty, 0, byref(size), byref(size2)))
    note(
        "loaded",
        [
            cu.cuFuncIsLoaded(byref(number), store),
            cu.cuFuncLoad(store),
            cu.cuFuncIsLoaded(byref(number), store),
            number.value,
        ],
    )
    note("loading mode", cu.cuModuleGetLoadingMode(byref(number)))
    note("unload", cu.cuModuleUnload(module))
    note("unload null", cu.cuModuleUnload(None))


@scenario
def libraries(cu: Cu, note: Note) -> None:
    cu.start()
    library, kernel, pointer, number, size, word = c_void_p(), c_void_p(), c_void_p(), c_int(), c_size_t(), c_uint64()
    load = cu.cuLibraryLoadData
    note("load", load(byref(library), PTX, None, None, 0, None, None, 0))
    note("load garbage", load(byref(pointer), b"hello", None, None, 0, None, None, 0))
    note(
        "load null",
        [load(None, PTX, None, None, 0, None, None, 0), load(byref(pointer), None, None, None, 0, None, None, 0)],
    )
    note("kernel", cu.cuLibraryGetKernel(byref(kernel), library, b"increment"))
    note("kernel unknown", cu.cuLibraryGetKernel(byref(pointer), library, b"nothing"))
    note("count", [cu.cuLibraryGetKernelCount(byref(number), library), number.value])
    many = (c_void_p * 9)()
    note("enumerate", [cu.cuLibraryEnumerateKernels(many, 9, library), kernel.value in list(many)])
    note("global", [cu.cuLibraryGetGlobal(byref(word), byref(size), library, b"answer"), size.value])
    note("global unknown", cu.cuLibraryGetGlobal(byref(word), byref(size), library, b"nothing"))
    function = c_void_p()
    note("function", cu.cuKernelGetFunction(byref(function), kernel))
    note("library of kernel", [cu.cuKernelGetLibrary(byref(pointer), kernel), pointer.value == library.value])
    note("attribute", [cu.cuKernelGetAttribute(byref(number), 0, kernel, 0), number.value])
    note("attribute wrong device", cu.cuKernelGetAttribute(byref(number), 0, kernel, 99))
    note(
        "set attribute",
        [cu.cuKernelSetAttribute(8, 65536, kernel, 0), cu.cuFuncGetAttribute(byref(number), 8, function), number.value],
    )
    note("set too much", cu.cuKernelSetAttribute(8, 999999, kernel, 0))
    text = c_void_p()
    note("name", [cu.cuKernelGetName(byref(text), kernel), ctypes.string_at(text.value or 0).decode()])
    offset = c_size_t()
    note("parameter 0", [cu.cuKernelGetParamInfo(kernel, 0, byref(offset), byref(size)), offset.value, size.value])
    note("parameter 1", cu.cuKernelGetParamInfo(kernel, 1, byref(offset), byref(size)))
    p = cu.alloc(256)
    cu.cuMemsetD8_v2(p, 0, 256)
    note("launch kernel", [cu.launch(kernel.value or 0, c_uint64(p), block=(64, 1, 1)), cu.words(p, 2)])
    note("launch function", [cu.launch(function.value or 0, c_uint64(p), block=(64, 1, 1)), cu.words(p, 2)])
    note("module", [cu.cuLibraryGetModule(byref(pointer), library), bool(pointer.value)])
    note("unload", cu.cuLibraryUnload(library))
    note("unload null", cu.cuLibraryUnload(None))


BAD_PTX = {
    "missing semicolon": "{\n  .reg .f32 %f<2>;\n  add.f32 %f1, %f0\n  ret;\n}",
    "two errors": "{\n  .reg .f32 %f<2>;\n  .reg .u32 %r<2>;\n  add.f32 %f1, %f0, %r1;\n  bra NOWHERE;\n  ret;\n}",
}


HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 a)\n"


@scenario
def jit(cu: Cu, note: Note) -> None:
    cu.start()

    def load(text: str, room: int = 4096, library: bool = False) -> list[Any]:
        info, error, module = (c_char * 8192)(), (c_char * 8192)(), c_void_p()
        info.value = error.value = b"untouched"
        options = (c_int * 5)(3, 4, 5, 6, 2)
        values = (c_void_p * 5)(ctypes.addressof(info), room, ctypes.addressof(error), room, 0)
        if library:
            code = cu.cuLibraryLoadData(byref(module), text.encode(), options, values, 5, None, None, 0)
        else:
            code = cu.cuModuleLoadDataEx(byref(module), text.encode(), 5, options, values)
        return [code, values[1] or 0, values[3] or 0, info.raw[: room + 1], error.raw[: room + 1]]

    for library in (False, True):
        where = "library" if library else "module"
        for name, body in BAD_PTX.items():
            code, n_info, n_error, _info, error = load(HEAD + body, library=library)
            text = error.split(b"\0")[0].decode()
            note(f"{where}: {name}", [code, [line.partition(" :")[0].split()[-1] for line in text.splitlines()]])
            note(f"{where}: {name}: size", [n_info, n_error - len(text)])
        code, n_info, n_error, info, error = load(HEAD + "{\n  ret;\n}", library=library)
        note(f"{where}: good", [code, n_error, error.split(b"\0")[0].decode(), info.split(b"\0")[0].decode()[:24]])
        note(f"{where}: good: size", n_info - len(info.split(b"\0")[0]))
    full = load(HEAD + BAD_PTX["two errors"])[4].split(b"\0")[0]
    for room in (1, 10, 40, len(full) - 1, len(full), len(full) + 1):
        code, _n, n_error, _i, error = load(HEAD + BAD_PTX["two errors"], room)
        text = error.split(b"\0")[0]
        base, what = (len(full), "of its length and ") if room > 40 else (0, "")
        note(f"room {what}{room - base}", [code, n_error - base, full.startswith(text), len(text) - base])
    note("newer version", load(".version 9.9\n" + HEAD.split("\n", 1)[1] + "{\n  ret;\n}")[0])
    note("newer target", load(HEAD.replace("8.0", "8.6").replace("90a", "100a") + "{\n ret;\n}")[0])
    note("plain target of older", load(HEAD.replace("90a", "75") + "{\n ret;\n}")[0])
    note("a target of another", load(HEAD.replace("8.0", "8.7").replace("90a", "103a") + "{\n ret;\n}")[0])
    info, error = (c_char * 8192)(), (c_char * 8192)()
    for verbose in (0, 1):
        options, module = (c_int * 6)(3, 4, 5, 6, 12, 2), c_void_p()
        values = (c_void_p * 6)(ctypes.addressof(info), 8192, ctypes.addressof(error), 8192, verbose, 0)
        code = cu.cuModuleLoadDataEx(byref(module), (HEAD + "{ ret; }").encode(), 6, options, values)
        wall = c_float.from_address(ctypes.addressof(values) + 40).value
        note(f"verbose {verbose}", [code, error.value.decode(), wall >= 0, (values[1] or 0) == len(info.value)])
    for name, text in {
        "extern": HEAD.replace(".visible .entry", ".extern .func f();\n.visible .entry") + "{\n call f, ();\n ret;\n}",
        "version": ".version 9.9\n" + HEAD.split("\n", 1)[1] + "{\n  ret;\n}",
        "garbage": "hello",
        "warning": HEAD + "{\n .reg .b32 %r<3>;\n mov.u32 %r1, %r2;\n ret;\n}",
    }.items():
        answer = load(text)
        log = answer[4].split(b"\0")[0].decode()
        note(f"log of {name}", [answer[0], log if name in ("version", "garbage", "warning") else bool(log)])
        library = c_void_p()
        code = cu.cuLibraryLoadData(byref(library), text.encode(), None, None, 0, None, None, 0)
        kernel, count = c_void_p(), c_int()
        note(f"library of {name}", [code, bool(library.value)])
        if code == 0:
            note(
                f"use of {name}",
                [
                    cu.cuLibraryGetKernel(byref(kernel), library, b"k"),
                    cu.cuLibraryGetKernelCount(byref(count), library),
                    cu.cuLibraryGetModule(byref(kernel), library),
                    cu.cuLibraryUnload(library),
                ],
            )
    library = c_void_p()
    text = (HEAD + BAD_PTX["two errors"]).encode()
    note("bad library", [cu.cuLibraryLoadData(byref(library), text, None, None, 0, None, None, 0), bool(library.value)])
    note(
        "bad library use",
        [
            cu.cuLibraryGetKernel(byref(module), library, b"k"),
            cu.cuLibraryGetKernelCount(byref(c_int()), library),
            cu.cuLibraryGetModule(byref(module), library),
            cu.cuLibraryUnload(library),
        ],
    )
    note("null options", cu.cuModuleLoadDataEx(byref(module), PTX, 0, None, None))
    note("null options, one", cu.cuModuleLoadDataEx(byref(module), PTX, 1, None, None))
    note("unknown option", cu.cuModuleLoadDataEx(byref(module), PTX, 1, (c_int * 1)(999), (c_void_p * 1)(1)))
    note("level 4", cu.cuModuleLoadDataEx(byref(module), PTX, 1, (c_int * 1)(7), (c_void_p * 1)(4)))
    note("level 9", cu.cuModuleLoadDataEx(byref(module), PTX, 1, (c_int * 1)(7), (c_void_p * 1)(9)))
    note(
        "unresolved extern",
        load(HEAD.replace(".visible .entry", ".extern .func f();\n.visible .entry") + "{\n call f, ();\n ret;\n}")[0],
    )
