"""Running small PTX programs on the CPU executor in tests: give a body, get what it stored."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.cpu import Arena, LaunchOptions, LaunchStats, LoadedProgram, compile_module
from ptxgen.text import parse
from tests.ptxgen.cpu.oracle import rows

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = ".version 8.8\n.target sm_100a\n.address_size 64\n"

BASE, FAST = LaunchOptions(tier="base"), LaunchOptions(tier="fast")


@lru_cache(maxsize=1)
def arena() -> Arena:
    """One arena for all tests: reserving address space again and again proves nothing."""
    return Arena()


def load(source: str) -> LoadedProgram:
    """A program from PTX text; the header may be left out."""
    text = source if ".version" in source else HEADER + source
    return compile_module(parse(text, "test.ptx"), arena())


class Result(NamedTuple):
    """What a launch left in its output buffer."""

    data: bytes
    stats: LaunchStats

    def unpack(self, code: str) -> list[Any]:
        width = struct.calcsize(code)
        return list(struct.unpack(f"<{len(self.data) // width}{code}", self.data))

    @property
    def u32(self) -> list[int]:
        return self.unpack("I")

    @property
    def s32(self) -> list[int]:
        return self.unpack("i")

    @property
    def u64(self) -> list[int]:
        return self.unpack("Q")

    @property
    def f32(self) -> list[float]:
        return self.unpack("f")


def entry(name: str, body: str) -> str:
    """A kernel of (address of the output, address of the input) around `body`; see `run` for the names it finds ready."""
    return f"""
.visible .entry {name}(.param .u64 out, .param .u64 in)
{{
	.reg .b32 %r<20>, %t, %w; .reg .b64 %d<20>, %out, %in, %o; .reg .f32 %f<10>; .reg .f64 %g<10>;
	.reg .b16 %h<10>; .reg .pred %p<10>;
	ld.param.u64 %out, [out];
	ld.param.u64 %in, [in];
	mov.u32 %t, %tid.x;
	mov.u32 %w, %ctaid.x;
	mov.u32 %r0, %ntid.x;
	mad.lo.u32 %w, %w, %r0, %t;
	mad.wide.u32 %o, %w, 4, %out;
{body}
	ret;
}}
"""


def run(
    body: str,
    *,
    words: int = 32,
    block: tuple[int, int, int] = (32, 1, 1),
    grid: tuple[int, int, int] = (1, 1, 1),
    before: str = "",
    data: bytes = b"",
    shared: int = 0,
    cluster: tuple[int, int, int] | None = None,
    cooperative: bool = False,
    options: LaunchOptions = BASE,
) -> Result:
    """Runs `body` as a kernel with these names ready:

    %out (address of `words` zeroed 32-bit words), %in (address of `data`), %t (thread of its CTA), %o (address of the
    thread's own word, counted over the grid), and registers %r<20> .b32, %d<20> .b64, %f<10> .f32, %g<10> .f64, %h<10> .b16,
    %p<10> .pred. `before` goes in front of the entry.
    """
    program = load(before + entry("test", body))
    memory = arena()
    out, source = memory.allocate(4 * words), memory.allocate(len(data))
    try:
        view = memory.view(out, 4 * words)
        view[:] = bytes(4 * words)
        memory.view(source, len(data))[:] = data
        memory.note_written(out, 4 * words)
        memory.note_written(source, len(data))
        stats = program.kernels["test"].launch(
            grid,
            block,
            struct.pack("<QQ", out, source),
            dynamic_shared=shared,
            cluster=cluster,
            cooperative=cooperative,
            options=options,
        )
        return Result(bytes(view), stats)
    finally:
        program.close()
        memory.free(out)
        memory.free(source)


# -- tables of operations: one thread for each row of operands -----------------------------------------------------------


def bits_of(type: str) -> int:
    """Bits of a register that holds a type such as "s32", "f16x2", "pred"."""
    if type == "pred":
        return 8
    return {
        "angle": 32,
        "e4m3x2": 16,
        "e5m2x2": 16,
        "bf16": 16,
        "bf16x2": 32,
        "f16x2": 32,
        "u16x2": 32,
        "s16x2": 32,
        "f32x2": 64,
    }.get(type, int("".join(c for c in type if c.isdigit()) or 0))


def evaluate(
    instruction: str, result: str, operands: list[str], cases: list[tuple[int, ...]], options: LaunchOptions = BASE
) -> list[int]:
    """Runs `instruction` ("add.u32 %d, %a, %b;") once for each case, a row of operand bit patterns; the result's bit patterns.

    The registers are %d of type `result` and %a, %b, %c, %e of the types in `operands`; "pred" operands are 0 or 1.
    """
    found = run(
        table_body(instruction, result, operands, len(cases)),
        words=2 * len(cases),
        block=(128, 1, 1),
        grid=(-(-len(cases) // 128), 1, 1),
        data=table_data(cases),
        options=options,
    )
    return found.u64


def table_body(instruction: str, result: str, operands: list[str], count: int) -> str:
    """Of a kernel in which thread i loads row i of 64-bit operands, runs the instruction, and stores 64 bits of result."""
    types = dict(zip("abce", operands))
    declare = "".join(_declare(name, type) for name, type in [("d", result), *types.items()])
    loads = "".join(_load(name, type, 8 * i) for i, (name, type) in enumerate(types.items()))
    return f"""
	{declare}
	mul.wide.u32 %d1, %w, {8 * len(operands)};
	add.u64 %d1, %d1, %in;
	setp.ge.u32 %p9, %w, {count};
	@%p9 ret;
	{loads}
	{instruction}
	mad.wide.u32 %d2, %w, 8, %out;
	{_store("d", result)}
"""


def table_data(cases: list[tuple[int, ...]]) -> bytes:
    """The rows of operands as the kernel loads them."""
    values = [value for row in cases for value in row]
    return struct.pack(f"<{len(values)}Q", *values)


def check(
    instruction: str,
    result: str,
    operands: list[str],
    oracle: Callable[..., int],
    cases: list[tuple[int, ...]] | None = None,
    *,
    count: int = 200,
    options: LaunchOptions = BASE,
) -> None:
    """`evaluate` agrees with `oracle(*patterns)` on `cases`, or on `count` rows of operands full of special values."""
    cases = cases or rows(operands, count)
    found = evaluate(instruction, result, operands, cases, options)
    expected = [oracle(*case) for case in cases]
    wrong = [(tuple(map(hex, c)), hex(f), hex(e)) for c, f, e in zip(cases, found, expected) if f != e]
    assert not wrong, f"{instruction}: {len(wrong)} of {len(cases)} differ: {wrong[:4]} (operands, found, expected)"


def _register(type: str) -> str:
    if type in ("pred", "f32", "f64"):
        return type
    return f"b{max(bits_of(type), 16)}"


def _declare(name: str, type: str) -> str:
    return f".reg .{_register(type)} %{name}; "


def _load(name: str, type: str, offset: int) -> str:
    if type == "pred":
        return f"ld.global.u8 %h1, [%d1+{offset}]; setp.ne.u16 %{name}, %h1, 0; "
    return f"ld.global.b{_memory(type)} %{name}, [%d1+{offset}]; "


def _memory(type: str) -> int:
    return max(bits_of(type), 16)


def _store(name: str, type: str) -> str:
    if type == "pred":
        return f"selp.u32 %r1, 1, 0, %{name}; st.global.u32 [%d2], %r1;"
    return f"st.global.b{_memory(type)} [%d2], %{name};"
