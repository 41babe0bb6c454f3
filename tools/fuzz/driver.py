"""The emulated driver: sequences of calls with right and wrong arguments, each answered by a result code.

A case is a line of JSON for each call: the symbol and its arguments. Numbers stand for themselves; "KIND 3" is the third live
handle of a kind, "region 2 8 99" the address of byte 8 of the second region of host memory, "image 1" a program, "callback" a
host function. A region has a seed, from which its structure, handles or numbers are drawn before the call. Pointers to host
memory are null or right, since a driver cannot know the others; so sizes and counts beside them are small.
"""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
from random import Random
from typing import Any

from tools.fuzz._target import Target, Wrong

REGION = 1 << 19
REGIONS = 16
CALLS = 20
UNKNOWN = 999
LOWEST = 1 << 40
"""Device memory begins above: other results of 64 bits, and those of functions that say so, are identifiers, which a copy would
take for host memory."""
NUMBERS = (0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 64, 100, 255, 256, 1024, 4096, 65536)
LARGE = (
    1 << 20,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 256,
    (1 << 64) - 1,
)
DIMENSIONS = (0, 1, 1, 1, 2, 3, 8, 32)
STRINGS = ("k", "store", "g", "", "nothing", "cuMemAlloc", "cuLaunchKernel", "%s%n", "\xff", "0000:00:00.0", "CPU")
IMAGES = (
    b".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 g[4];\n.visible .entry k() { ret; }\n"
    b".visible .entry store(.param .u64 p, .param .u32 n) { .reg .b64 %d; .reg .b32 %r; ld.param.u64 %d, [p];\n"
    b"ld.param.u32 %r, [n]; st.global.u32 [%d], %r; ret; }\n\0",
    b".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { oops; }\n\0",
    b"\x7fELF\x02\x01\x01\0" + bytes(200),
    b"\0" * 64,
    b".version 99.9\n.target sm_999\n\0",
)
BLOCKING = ("cuStreamWaitValue32_v2", "cuStreamWaitValue64_v2", "cuStreamBatchMemOp_v2")
"""What may wait for ever, as it does on a GPU."""
NODES = tuple(enumerate("kernel memcpy memset host graph".split())) + tuple(
    enumerate("eventWait eventRecord extSemSignal extSemWait alloc free memOp conditional".split(), 6)
)
"""CUgraphNodeType, and the member of its parameters; a node of the type EMPTY has none."""
LEFT_OUT = ("cuCoredump", "cuGraphDebugDotPrint", "cuLogsDumpToFile")
"""What writes into files that the caller names."""


class Driver(Target):
    seconds = 10.0

    def __init__(self) -> None:
        os.environ.update(PTXGEN_CPU_MEMORY="64M", PTXGEN_CACHE_DIR=tempfile.mkdtemp(prefix="ptxgen-fuzz-"))
        from driver_ctypes.abi.functions import FUNCTIONS, prototype
        from ptxgen.emulated_driver import table
        from ptxgen.emulated_driver.calls.registry import ENTRIES
        from ptxgen.emulated_driver.errors.log import log

        table.import_all()
        self.log = log
        self.tokens = {name: FUNCTIONS[name].args for name in sorted(ENTRIES) if name in FUNCTIONS}
        self.calls = {name: prototype(name)(table.address_of(name)) for name in self.tokens if table.address_of(name)}
        left = (*BLOCKING, *(name for name in self.calls if name.startswith(LEFT_OUT)))
        self.symbols = [name for name in self.calls if name not in left]
        self.makers = [name for name in self.symbols if any(t.endswith("_h*") for _, t in self.tokens[name][:1])]
        self.memory = ctypes.create_string_buffer(REGION * REGIONS + 64)
        self.base = ctypes.addressof(self.memory) + 64 & ~63
        self.images = [ctypes.create_string_buffer(image, len(image)) for image in IMAGES]
        self.callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
        self.sizes = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(lambda block: block * 4)
        self.handles: dict[str, list[int]] = {}
        self.calls["cuInit"](0)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def draw(self, rng: Random) -> str:
        lines = [json.dumps(["cuStreamCreate", ["region 0 0 0", 1]])]
        lines.append(json.dumps(["cuMemAlloc_v2", ["region 0 0 0", 4096]]))
        lines.append(json.dumps(["cuModuleLoadData", ["region 0 0 0", "image 0"]]))
        lines.append(
            json.dumps(["cuModuleGetFunction", ["region 0 0 0", "module_h 0", f"text {rng.choice(('k', 'store'))}"]])
        )
        lines.append(json.dumps(["cuGraphCreate", ["region 0 0 0", 0]]))
        for _ in range(rng.randrange(1, CALLS)):
            name = rng.choice(self.makers if rng.random() < 0.4 else self.symbols)
            lines.append(json.dumps([name, self._arguments(rng, name)]))
        return "\n".join(lines) + "\n"

    def _arguments(self, rng: Random, name: str) -> list[Any]:
        tokens = [token for _, token in self.tokens[name]]
        small = any(token.endswith("*") or token in ("ptr", "cstr") for token in tokens)
        numbers = DIMENSIONS if "Launch" in name else NUMBERS if small else NUMBERS + LARGE
        found: list[Any] = []
        for place, token in enumerate(tokens):
            if token == "cstr":
                found.append(None if rng.random() < 0.05 else f"text {rng.choice(STRINGS)}")
            elif token.startswith("fnptr<"):
                found.append(
                    rng.choice(
                        (None, "sizes" if "B2D" in token else "callback", "sizes" if "B2D" in token else "callback")
                    )
                )
            elif token == "ptr" and any(word in name for word in ("LoadData", "LoadFat", "LinkAdd")):
                found.append(f"image {rng.randrange(len(IMAGES))}")
            elif token == "ptr" and "FromShareable" in name:
                found.append(rng.choice((None, -1, 1 << 20)) if "Pool" not in name else f"region {place} 0 1")
            elif token.endswith("*") or token == "ptr":
                found.append(
                    None
                    if rng.random() < 0.08
                    else f"region {place} {rng.choice((0, 0, 0, 0, 8, 1))} {rng.randrange(1 << 30)}"
                )
            elif token.endswith("_h"):
                found.append(rng.choice((f"{token} {rng.randrange(8)}",) * 6 + (0, 1, 2, 0xDEAD0000)))
            elif token == "f32":
                found.append(rng.random())
            elif token == "enum":
                found.append(rng.choice((*range(12), rng.randrange(150), -1, 0x7FFFFFFF)))
            elif token == "dev":
                found.append(rng.choice((0, 0, 0, 0, 1, -1, 1 << 30)))
            elif token == "u64" and name.startswith("cuMemcpy"):  # any other number may be host memory
                found.append(f"address {rng.randrange(8)}")
            elif token == "u64":
                found.append(rng.choice((f"address {rng.randrange(8)}",) * 3 + (rng.choice(NUMBERS + LARGE),)))
            elif token[0] in "CU_":
                found.append(f"value {token} {rng.randrange(1 << 30)}")
            else:
                found.append(rng.choice(numbers))
        if tokens and rng.random() < 0.2:
            place = rng.randrange(len(tokens))
            found[place] = self._edge(rng, name, tokens[place], found[place])
        return found

    @staticmethod
    def _edge(rng: Random, name: str, token: str, otherwise: Any) -> Any:
        """One argument is null, 0 or huge beside others that may be right."""
        if token.endswith(("*", "_h")) or token in ("ptr", "cstr") or token.startswith("fnptr<"):
            return None
        if token == "f32" or token[0] in "CU_" or (token == "u64" and name.startswith("cuMemcpy")):
            return otherwise
        return rng.choice((0, *LARGE))

    # -- trying ----------------------------------------------------------------------------------------------------

    def judge(self, case: str) -> None:
        self.handles = {}
        primary = ctypes.c_void_p()
        self.calls["cuDevicePrimaryCtxRetain"](ctypes.addressof(primary), 0)
        self.calls["cuCtxSetCurrent"](primary)
        self.handles["context_h"] = [primary.value or 0]
        try:
            for line in case.splitlines():
                name, arguments = json.loads(line)
                if name in self.calls and len(arguments) == len(self.tokens[name]):
                    self._call(name, arguments)
        finally:
            self._put_away()

    def _call(self, name: str, arguments: list[Any]) -> None:
        tokens = [token for _, token in self.tokens[name]]
        values = [self._value(argument, token, name) for argument, token in zip(arguments, tokens)]
        slots = [(v, t[:-1]) for v, t in zip(values, tokens) if t.endswith("_h*") or t == "u64*" if v]
        before = [ctypes.c_uint64.from_address(where).value for where, _ in slots]
        code = self.calls[name](*values)
        told = "".join(self.log.since(self.log.next - 2)[0]) if code == UNKNOWN else ""
        if code < 0 or "the emulated driver failed" in told:
            raise Wrong(f"{name}({', '.join(map(str, arguments))}) answers {code}: {told}")
        if code == 0:
            for (where, kind), old in zip(slots, before):
                new = ctypes.c_uint64.from_address(where).value
                if new != old and (kind != "u64" or (new >= LOWEST and not name.endswith("GetId"))):
                    self.handles.setdefault("address" if kind == "u64" else kind, []).append(new)

    def _value(self, argument: Any, token: str, name: str) -> Any:
        if not isinstance(argument, str):
            return argument
        kind, _, rest = argument.partition(" ")
        if kind == "text":
            return rest.encode("latin-1")
        if kind == "image":
            return ctypes.addressof(self.images[int(rest)])
        if kind in ("callback", "sizes"):
            return ctypes.cast(getattr(self, kind), ctypes.c_void_p).value
        if kind == "value":
            structure, seed = rest.split()
            from driver_ctypes.abi import structs

            made = getattr(structs, structure)()
            self._fill(Random(int(seed)), made)
            return made
        if kind == "region":
            place, offset, number = map(int, rest.split())
            where = self.base + place * REGION + offset
            self._prepare(Random(number), where, token, unified="cpy" in name)
            return where
        known = self.handles.get(kind)
        return known[int(rest) % len(known)] if known else 0

    def _prepare(self, rng: Random, where: int, token: str, *, unified: bool) -> None:
        """What a region holds before a call: by the type that the pointer leads to."""
        from driver_ctypes.abi import structs

        inner = token[:-1] if token.endswith("*") else ""
        kind = getattr(structs, inner, None)
        ctypes.memset(where, 0, max(512, 4 * ctypes.sizeof(kind) if kind else 0))
        if kind:
            for index in range(4):
                self._fill(rng, kind.from_address(where + index * ctypes.sizeof(kind)))
        elif inner.endswith("_h"):
            for index in range(16):
                ctypes.c_uint64.from_address(where + 8 * index).value = self._handle(rng, inner)
        elif inner in ("void*", "char*"):
            for index in range(16):
                ctypes.c_uint64.from_address(where + 8 * index).value = self._host(rng)
        elif inner == "u64" and unified:
            for index in range(16):
                ctypes.c_uint64.from_address(where + 8 * index).value = self._handle(rng, "address")
        elif inner in ("u64", "size"):
            for index in range(16):
                ctypes.c_uint64.from_address(where + 8 * index).value = rng.choice(NUMBERS)
        elif inner in ("u32", "i32", "enum", "dev"):
            for index in range(16):
                ctypes.c_uint32.from_address(where + 4 * index).value = rng.choice(NUMBERS[:8])

    def _handle(self, rng: Random, kind: str) -> int:
        known = self.handles.get(kind)
        if known and rng.random() < 0.9:
            return rng.choice(known)
        return self._host(rng) if kind == "address" else rng.choice((0, 0, 1, 0xDEAD0000))

    def _host(self, rng: Random) -> int:
        """The address of host memory that may be read and written, far from its end; mostly not 0."""
        return 0 if rng.random() < 0.1 else self.base + (REGIONS - 1) * REGION + rng.choice((0, 8, 64))

    def _fill(self, rng: Random, made: Any) -> None:
        """Small numbers, live handles, and host pointers that lead to zeros. Of a union one member, of a graph's node that of its
        type: in the place of another's numbers a pointer would lead anywhere."""
        fields = [(name, kind) for name, kind, *_ in made._fields_]
        if isinstance(made, ctypes.Union):
            fields = [rng.choice(fields)]
        elif [name for name, _ in fields[:1]] == ["type"] and "node" in dict(fields):
            members = dict(each[:2] for each in dict(fields)["node"]._fields_)
            made.type, name = rng.choice(NODES)
            self._fill_field(rng, made.node, name, members[name])
            return
        for name, kind in fields:
            self._fill_field(rng, made, name, kind)

    def _fill_field(self, rng: Random, made: Any, name: str, kind: Any) -> None:
        if rng.random() < 0.25 or "reserved" in name.lower():
            return
        if issubclass(kind, (ctypes.Structure, ctypes.Union)):
            self._fill(rng, getattr(made, name))
        elif issubclass(kind, ctypes.Array):
            return
        elif kind is ctypes.c_void_p:
            setattr(made, name, self._pointer(rng, name.lower()))
        elif kind in (ctypes.c_float, ctypes.c_double):
            setattr(made, name, rng.random())
        elif kind is ctypes.c_uint64 and name.lower().endswith(("device", "dst", "dptr", "address", "ptr")):
            setattr(made, name, self._handle(rng, "address"))
        elif kind not in (ctypes.c_char, ctypes.c_char_p):
            setattr(made, name, rng.choice(DIMENSIONS if "im" in name else (0, 1, 2, 3, 4, 8, 16, 32)))

    def _pointer(self, rng: Random, name: str) -> int:
        if name == "fn":
            return rng.choice((0, ctypes.cast(self.callback, ctypes.c_void_p).value or 0))
        for word, kind in (
            ("func", "function_h"), ("kern", "kernel_h"), ("ctx", "context_h"), ("context", "context_h"), ("stream", "stream_h"),
            ("event", "event_h"), ("graph_out", ""), ("graph", "graph_h"), ("node", "graphnode_h"), ("array", ""), ("params", ""),
        ):  # fmt: skip
            if word in name:
                return self._handle(rng, kind) if kind else self._host(rng)
        return self._host(rng)

    def _put_away(self) -> None:
        """A next case begins from nothing."""
        ctypes.memset(self.base + (REGIONS - 1) * REGION, 0, 4096)
        for kind, symbol in (
            ("graphexec_h", "cuGraphExecDestroy"), ("graph_h", "cuGraphDestroy"), ("stream_h", "cuStreamDestroy_v2"),
            ("memorypool_h", "cuMemPoolDestroy"), ("linkstate_h", "cuLinkDestroy"), ("library_h", "cuLibraryUnload"),
        ):  # fmt: skip
            for handle in self.handles.get(kind, ()):
                self.calls[symbol](handle)
        for handle in self.handles.get("context_h", ())[1:]:
            self.calls["cuCtxDestroy_v2"](handle)
        for handle in self.handles.get("address", ()):
            self.calls["cuMemRelease"](handle)
        self.calls["cuDevicePrimaryCtxReset_v2"](0)


def target() -> Driver:
    return Driver()
