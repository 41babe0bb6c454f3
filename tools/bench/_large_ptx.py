"""PTX texts of any size, each large in one way: what the parser, the verifier and the executor are measured and tested with.

`PROGRAMS[name](size)` is a text of about `size` lines, or with one thing `size` times as large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PROGRAMS"]


def _module(*items: str) -> str:
    return "\n".join([".version 9.0", ".target sm_90a", ".address_size 64", *items]) + "\n"


def _entry(*lines: str, parameters: str = ".param .u64 out", head: str = "") -> str:
    return "\n".join([f".visible .entry k({parameters}){head}", "{", *lines, "ret;", "}"])


_REGISTERS = (".reg .pred %p<8>;", ".reg .b32 %r<64>;", ".reg .b64 %rd<8>;", ".reg .f32 %f<16>;")
_TID = ("mov.u32 %r0, %tid.x;", "ld.param.u64 %rd0, [out];")


def shared_accesses(size: int) -> str:
    """Stores and loads of shared memory, each by a thread at its own place, without a barrier."""
    lines = [
        f"st.shared.b32 [%r1+{4 * i}], %r0;" if i % 2 else f"ld.shared.b32 %r2, [%r1+{4 * i}];" for i in range(size)
    ]
    address = ("shl.b32 %r1, %r0, 2;", "mov.u32 %r3, buffer;", "add.u32 %r1, %r1, %r3;")
    return _module(_entry(".shared .b32 buffer[40000];", *_REGISTERS, *_TID, *address, *lines, head=".reqntid 128"))


def own_places(size: int) -> str:
    """Stores and loads of shared memory, each thread in a row of its own."""
    lines = [
        f"st.shared.b32 [%r1+{4 * (i % 60)}], %r0;" if i % 2 else f"ld.shared.b32 %r2, [%r1+{4 * (i % 60)}];"
        for i in range(size)
    ]
    address = ("mul.lo.u32 %r1, %r0, 240;", "mov.u32 %r3, buffer;", "add.u32 %r1, %r1, %r3;")
    return _module(_entry(".shared .b32 buffer[7680];", *_REGISTERS, *_TID, *address, *lines, head=".reqntid 128"))


def shared_without_places(size: int) -> str:
    """The same through addresses that were loaded."""
    lines = [
        f"st.shared.b32 [%r1+{4 * i}], %r0;" if i % 2 else f"ld.shared.b32 %r2, [%r1+{4 * i}];" for i in range(size)
    ]
    return _module(_entry(".shared .b32 buffer[40000];", *_REGISTERS, *_TID, "ld.global.b32 %r1, [%rd0];", *lines))


def shared_branches(size: int) -> str:
    """Stores and loads of shared memory, one to a block."""
    lines = []
    for i in range(size // 4):
        lines += [
            f"setp.eq.u32 %p1, %r0, {i};",
            f"@%p1 bra $L{i};",
            f"st.shared.b32 [%r1+{4 * i}], %r0;" if i % 2 else f"ld.shared.b32 %r2, [%r1+{4 * i}];",
            f"$L{i}:",
        ]
    address = ("shl.b32 %r1, %r0, 2;", "mov.u32 %r3, buffer;", "add.u32 %r1, %r1, %r3;")
    return _module(_entry(".shared .b32 buffer[40000];", *_REGISTERS, *_TID, *address, *lines, head=".reqntid 128"))


def straight(size: int) -> str:
    """Arithmetic of floats in one block."""
    ops = ("add.f32", "mul.f32", "fma.rn.f32", "max.f32")
    lines = [
        f"{ops[i % 4]} %f{i % 15}, %f{(i + 3) % 15}, %f{(i + 7) % 15}{', %f1' if i % 4 == 2 else ''};"
        for i in range(size)
    ]
    return _module(
        _entry(
            *_REGISTERS,
            *_TID,
            *(f"mov.f32 %f{i}, 0f00000000;" for i in range(16)),
            *lines,
            "st.global.f32 [%rd0], %f1;",
        )
    )


def registers_used_once(size: int) -> str:
    """As nvcc writes: a new register for each instruction."""
    lines = [f"add.u32 %x{i + 1}, %x{i}, {i % 7};" for i in range(size)]
    return _module(
        _entry(
            f".reg .b32 %x<{size + 2}>;",
            *_REGISTERS,
            *_TID,
            "mov.u32 %x0, %r0;",
            *lines,
            f"st.global.u32 [%rd0], %x{size};",
        )
    )


def blocks(size: int) -> str:
    """Branches forward, a block for every three lines."""
    lines = []
    for i in range(size // 4):
        lines += [f"setp.eq.u32 %p1, %r0, {i};", f"@%p1 bra $L{i};", "add.u32 %r2, %r2, 1;", f"$L{i}:"]
    return _module(_entry(*_REGISTERS, *_TID, "mov.u32 %r2, 0;", *lines, "st.global.u32 [%rd0], %r2;"))


def loops_in_a_row(size: int) -> str:
    lines = []
    for i in range(size // 5):
        lines += ["mov.u32 %r3, 0;", f"$L{i}:", "add.u32 %r3, %r3, 1;", "setp.lt.u32 %p1, %r3, 4;", f"@%p1 bra $L{i};"]
    return _module(_entry(*_REGISTERS, *_TID, *lines, "st.global.u32 [%rd0], %r3;"))


def loops_nested(size: int) -> str:
    depth = size // 6
    lines = [".reg .b32 %i<" + str(depth + 1) + ">;"]
    for i in range(depth):
        lines += [f"mov.u32 %i{i}, 0;", f"$L{i}:"]
    lines += ["add.u32 %r3, %r0, 1;"]
    for i in reversed(range(depth)):
        lines += [f"add.u32 %i{i}, %i{i}, 1;", f"setp.lt.u32 %p1, %i{i}, 4;", f"@%p1 bra $L{i};"]
    return _module(_entry(*_REGISTERS, *_TID, *lines, "st.global.u32 [%rd0], %r3;"))


def backward_mesh(size: int) -> str:
    """Each block branches back to one far away: no loop is properly nested."""
    lines = []
    count = size // 3
    for i in range(count):
        lines += [f"$L{i}:", f"setp.eq.u32 %p1, %r0, {i};", f"@%p1 bra $L{(i * 7919) % count};"]
    return _module(_entry(*_REGISTERS, *_TID, *lines))


def labels(size: int) -> str:
    return _module(_entry(*_REGISTERS, *(f"$L{i}:" for i in range(size))))


def branch_table(size: int) -> str:
    names = ", ".join(f"$L{i}" for i in range(size // 2))
    lines = [f"table: .branchtargets {names};", "brx.idx.uni %r0, table;"]
    for i in range(size // 2):
        lines += [f"$L{i}:", "add.u32 %r2, %r0, 1;"]
    return _module(_entry(*_REGISTERS, *_TID, *lines))


def branch_tables(size: int) -> str:
    """Several tables over the same labels: as many edges as pairs."""
    count = max(int(size**0.5), 2)
    lines = []
    for i in range(count):
        names = ", ".join(f"$L{j}" for j in range(count))
        lines += [f"$L{i}:", f"table{i}: .branchtargets {names};", f"brx.idx.uni %r0, table{i};"]
    return _module(_entry(*_REGISTERS, *_TID, *lines))


def scopes_nested(size: int) -> str:
    depth = size
    return _module(_entry(*_REGISTERS, *_TID, *["{", ".reg .b32 %q;", "mov.u32 %q, %r0;"] * depth, *["}"] * depth))


def scopes_in_a_row(size: int) -> str:
    return _module(
        _entry(
            *_REGISTERS,
            *_TID,
            *["{", ".reg .b32 %q;", "mov.u32 %q, %r0;", "st.global.u32 [%rd0], %q;", "}"] * (size // 5),
        )
    )


def loc(size: int) -> str:
    lines = []
    for i in range(size // 2):
        lines += [f".loc 1 {i} 3", "add.u32 %r2, %r0, 1;"]
    return _module('.file 1 "a.cu"', _entry(*_REGISTERS, *_TID, *lines, "st.global.u32 [%rd0], %r2;"))


def parameters(size: int) -> str:
    return _module(_entry(parameters=", ".join(f".param .u8 p{i}" for i in range(min(size, 4000)))))


def functions(size: int) -> str:
    """Device functions in a row; the kernel calls each."""
    count = size // 8
    made = [f".func f{i}(.reg .b32 a)\n{{\n.reg .b32 %r<4>;\nadd.u32 %r1, a, 1;\nret;\n}}" for i in range(count)]
    return _module(*made, _entry(*_REGISTERS, *_TID, *(f"call f{i}, (%r0);" for i in range(count))))


def call_chain(size: int) -> str:
    """Functions that call the one before; the first waits at a barrier."""
    made = [".func f0()\n{\nbar.sync 0;\nret;\n}"]
    made += [f".func f{i}()\n{{\ncall f{i - 1};\nret;\n}}" for i in range(1, size // 5)]
    return _module(*made, _entry(f"call f{size // 5 - 1};"))


def call_tree(size: int) -> str:
    """Functions of which each calls the one before twice; the first waits at a barrier."""
    made = [".func f0()\n{\nbar.sync 0;\nret;\n}"]
    made += [f".func f{i}()\n{{\ncall f{i - 1};\ncall f{i - 1};\nret;\n}}" for i in range(1, size)]
    return _module(*made, _entry(f"call f{size - 1};"))


def kernels(size: int) -> str:
    body = "{{\n.reg .b32 %r<4>;\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nret;\n}}"
    return _module(*(f".visible .entry k{i}()\n{body.format()}" for i in range(size // 7)))


def variables(size: int) -> str:
    return _module(*(f".global .align 4 .b32 v{i} = {i};" for i in range(size)))


def variable_family(size: int) -> str:
    return _module(_entry(f".shared .b32 a<{size}>;", *_REGISTERS))


def register_family(size: int) -> str:
    return _module(_entry(f".reg .b32 %q<{size}>;", f"mov.u32 %q{size - 1}, 0;"))


def register_families(size: int) -> str:
    """Prefixes of one another, and registers that each of them might mean."""
    lines = [f".reg .b32 %q{'1' * i}<10>;" for i in range(min(size // 2, 400))]
    return _module(_entry(*lines, *(f"mov.u32 %q{'1' * i}, 0;" for i in range(1, min(size // 2, 400)))))


def initialiser(size: int) -> str:
    return _module(f".global .align 4 .b32 a[{size}] = {{{', '.join(str(i) for i in range(size))}}};")


def initialiser_deep(size: int) -> str:
    """The initialiser of an array of many dimensions."""
    depth = size
    return _module(f".global .align 4 .b32 a{'[1]' * depth} = {'{' * depth}1{'}' * depth};")


def array_large(size: int) -> str:
    return _module(f".global .align 4 .b32 a[{size}];", f".global .align 4 .b32 b[{size}] = {{1, 2}};")


def number(size: int) -> str:
    return _module(_entry(*_REGISTERS, f"mov.u32 %r0, {'9' * size};"))


def identifier(size: int) -> str:
    return _module(
        _entry(*_REGISTERS, f".reg .b32 {'a' * size};", f"mov.u32 {'a' * size}, 0;", f"mov.u32 {'a' * size}b, 0;")
    )


def long_line(size: int) -> str:
    """An error on a long line."""
    return _module(_entry(*_REGISTERS, *[" ".join(["mov.u32 %r0, 0;"] * (size // 15) + ["mov.u32 %r0, $$;"])]))


def opcode(size: int) -> str:
    return _module(_entry(*_REGISTERS, f"add{'.sat' * (size // 4)}.u32 %r0, %r0, %r0;"))


def expression(size: int) -> str:
    return _module(_entry(*_REGISTERS, f"mov.u32 %r0, {'+'.join(['1'] * (size // 2))};"))


def parentheses(size: int) -> str:
    return _module(_entry(*_REGISTERS, f"mov.u32 %r0, {'(' * size}1{')' * size};"))


def vector(size: int) -> str:
    return _module(_entry(*_REGISTERS, f"ld.global.v4.u32 {{{', '.join(['%r0'] * size)}}}, [%rd0];"))


def arguments(size: int) -> str:
    return _module(
        f".extern .func f({', '.join(f'.reg .b32 a{i}' for i in range(size))});",
        _entry(*_REGISTERS, *_TID, f"call f, ({', '.join(['%r0'] * size)});"),
    )


def comments(size: int) -> str:
    return _module(_entry(*_REGISTERS, *["// a remark"] * size))


def pragmas(size: int) -> str:
    return _module(_entry(*_REGISTERS, *['.pragma "nounroll";'] * size))


def strings(size: int) -> str:
    return _module(f'.file 1 "{"a" * size}"', _entry())


def errors(size: int) -> str:
    """An unknown instruction on every line."""
    return _module(_entry(*_REGISTERS, *["ad.u32 %r0, %r0, %r0;"] * size))


def syntax_errors(size: int) -> str:
    return _module(_entry(*_REGISTERS, *["add.u32 %r0, , %r0;"] * size))


def unknown_names(size: int) -> str:
    return _module(_entry(*_REGISTERS, *(f"add.u32 %r0, %q{i}, %r0;" for i in range(size))))


def undeclared_labels(size: int) -> str:
    return _module(_entry(*_REGISTERS, *(f"bra $M{i};" for i in range(size))))


def copies(size: int) -> str:
    """Asynchronous copies with a group and a wait for each."""
    lines = []
    for i in range(size // 3):
        lines += [
            f"cp.async.ca.shared.global [%r1+{16 * (i % 100)}], [%rd0], 16;",
            "cp.async.commit_group;",
            "cp.async.wait_group 1;",
        ]
    return _module(_entry(".shared .align 16 .b8 buffer[4096];", *_REGISTERS, *_TID, "mov.u32 %r1, buffer;", *lines))


def mbarriers(size: int) -> str:
    lines = ["mbarrier.init.shared.b64 [bar], 32;"]
    for i in range(size // 3):
        lines += [
            "mbarrier.arrive.shared.b64 %rd1, [bar];",
            f"$W{i}: mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;",
            f"@!%p1 bra $W{i};",
        ]
    return _module(_entry(".shared .align 8 .b64 bar;", *_REGISTERS, *_TID, *lines))


def guarded_barriers(size: int) -> str:
    """Barriers under conditions that are asked once."""
    lines = []
    for i in range(size // 4):
        lines += [f"setp.eq.u32 %p{i % 8}, %r0, {i};", f"@%p{i % 8} bra $L{i};", "bar.sync 0;", f"$L{i}:"]
    return _module(_entry(*_REGISTERS, *_TID, *lines, head=".reqntid 128"))


def wgmma(size: int) -> str:
    acc = ", ".join(f"%f{i}" for i in range(4))
    lines = []
    for _ in range(size // 4):
        lines += [
            "wgmma.fence.sync.aligned;",
            f"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {{{acc}}}, %rd1, %rd2, 1, 1, 1, 0, 0;",
            "wgmma.commit_group.sync.aligned;",
            "wgmma.wait_group.sync.aligned 0;",
        ]
    return _module(
        _entry(
            *_REGISTERS,
            *_TID,
            *(f"mov.f32 %f{i}, 0f00000000;" for i in range(4)),
            "mov.u64 %rd1, 0;",
            "mov.u64 %rd2, 0;",
            *lines,
            head=".reqntid 128",
        )
    )


def copy_chain(size: int) -> str:
    """Moves from one register to another, in a circle."""
    lines = [f"mov.u32 %r{2 + i % 60}, %r{2 + (i + 59) % 60};" for i in range(size)]
    return _module(
        _entry(*_REGISTERS, *_TID, *(f"mov.u32 %r{i}, 0;" for i in range(64)), *lines, "st.global.u32 [%rd0], %r2;")
    )


def doubling(size: int) -> str:
    """Each value is the sum of the one before with itself: a tree of 2**size leaves when it is written out."""
    lines = [f"add.u32 %x{i + 1}, %x{i}, %x{i};" for i in range(size)]
    return _module(
        _entry(
            f".reg .b32 %x<{size + 2}>;",
            *_REGISTERS,
            *_TID,
            "mov.u32 %x0, %r0;",
            *lines,
            f"st.shared.u32 [%x{size}], %r0;",
            "bar.sync 0;",
            f"setp.eq.u32 %p1, %x{size}, 0;",
            "@%p1 bra $e;",
            "bar.sync 0;",
            "$e:",
        )
    )


def predicates(size: int) -> str:
    """Conditions that are asked twice each: 2**n ways."""
    count = size // 8
    lines = [f".reg .pred %c<{count + 1}>;"]
    lines += [f"setp.eq.u32 %c{i}, %r0, {i};" for i in range(count)]
    for half in "ab":
        for i in range(count):
            lines += [f"@%c{i} bra ${half}{i};", "bar.sync 0;", f"${half}{i}:"]
    return _module(_entry(*_REGISTERS, *_TID, *lines, head=".reqntid 128"))


PROGRAMS: dict[str, Callable[[int], str]] = {
    name: made
    for name, made in list(globals().items())
    if callable(made) and getattr(made, "__module__", "") == __name__ and name[0] != "_"
}
