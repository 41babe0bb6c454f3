"""Instructions that only compute: an example of each form of the table, and of each of its modifiers, on drawn bits."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ptxgen.cpu.support import form_support
from ptxgen.isa.examples import PREFIXES, covering_names, examples
from ptxgen.isa.forms import forms_of, opcodes, resolve
from ptxgen.isa.targets import find_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import ptxgen as px
    from driver_ctypes.contexts.context import Context
    from ptxgen.isa.targets import Target

__all__ = ["Operation", "operation_batches", "operations", "run_operations"]

VERSION = (8, 8)
TOGETHER = 32
"""Operations in one kernel, on the same operands."""
WORDS = 6
"""64-bit words that a thread draws its operands from."""
_TYPES = {prefix: name for name, prefix in PREFIXES.items()}
_REGISTER = re.compile(r"(%[a-z]+(?:\d+_)?)(\d+)\b")
_STATEFUL = ("mapa", "getctarank", "isspacep", "cvta", "istypep", "activemask")
"""What depends on where a kernel runs."""


class Operation(NamedTuple):
    """`text` is the instruction; `reads` and `writes` are its registers with their types; `state` as in cpu.support."""

    name: str
    text: str
    reads: tuple[tuple[str, str], ...]
    writes: tuple[tuple[str, str], ...]
    state: str


def operations(target: Target, only: str = "") -> list[Operation]:
    """Those that exist on the target, by name, each once."""
    found: dict[str, Operation] = {}
    chosen_opcodes = [opcode for opcode in opcodes() if only in opcode and opcode not in _STATEFUL]
    for form in (form for opcode in chosen_opcodes for form in forms_of(opcode)):
        if "pure" not in form.traits:
            continue
        state = form_support(form).state
        for name in covering_names(form):
            resolved = next((r for r in resolve(name) if r.form is form), None)
            if resolved is None or name in found or state == "refused":
                continue
            there = all(
                any(target.provides(c.sm, c.suffix) and c.version <= VERSION for c in of) for of in resolved.since
            )
            gone = form.until is not None and form.until.version <= VERSION
            text = examples(name, resolved)[0]
            if not there or gone or any(mark in text for mark in "[:"):
                continue
            parts = text.rstrip(";").partition(" ")[2].split(", ")
            chosen = [entry for entry in resolved.operands if not entry.spec.optional]
            count = sum(1 for entry in chosen if entry.spec.written)
            writes, reads = (_registers(" ".join(p)) for p in (parts[:count], parts[count:]))
            if writes and all(type in ("pred", *_WIDTHS) for _, type in (*reads, *writes)):
                found[name] = Operation(name, text, reads, writes, state)
    return list(found.values())


_WIDTHS = {
    "b16": 16, "u16": 16, "s16": 16, "b32": 32, "u32": 32, "s32": 32, "f32": 32, "b64": 64, "u64": 64, "s64": 64, "f64": 64,
}  # fmt: skip


def _registers(text: str) -> tuple[tuple[str, str], ...]:
    """(register, its type) of those in a text, each once."""
    return tuple(dict.fromkeys((prefix + number, _TYPES[prefix]) for prefix, number in _REGISTER.findall(text)))


def _lines(operation: Operation, at: int) -> Iterator[str]:
    """One operation in a scope of its own; its first result goes to word `at` of the thread's row."""
    yield "{"
    for name, type in dict.fromkeys((*operation.reads, *operation.writes)):
        yield f".reg .{type} {name};"
    for number, (name, type) in enumerate(operation.reads):
        word = f"%w{number % WORDS}"
        if type == "pred":
            yield f"and.b64 %t, {word}, 1; setp.ne.u64 {name}, %t, 0;"
        elif _WIDTHS[type] == 64:
            yield f"mov.b64 {name}, {word};"
        else:
            bits = _WIDTHS[type]
            yield f"cvt.u{bits}.u64 %n{bits}, {word}; mov.b{bits} {name}, %n{bits};"
    yield operation.text
    yield "mov.u64 %t, 0;"
    for name, type in operation.writes:
        if type == "pred":
            yield f"selp.u64 %v, 1, 0, {name};"
        elif _WIDTHS[type] == 64:
            yield f"mov.b64 %v, {name};"
        else:
            bits = _WIDTHS[type]
            yield f"mov.b{bits} %n{bits}, {name}; cvt.u64.u{bits} %v, %n{bits};"
        if name != operation.writes[0][0]:
            yield "shl.b64 %v, %v, 32;"
        yield "xor.b64 %t, %t, %v;"
    yield f"st.global.u64 [%out+{8 * at}], %t;"
    yield "}"


def kernel(several: Sequence[Operation]) -> str:
    """The module that runs them for each row of operands."""
    body = "\n".join(line for at, operation in enumerate(several) for line in _lines(operation, at))
    loads = " ".join(f"ld.global.u64 %w{i}, [%in+{8 * i}];" for i in range(WORDS))
    return f""".version {VERSION[0]}.{VERSION[1]}
.target sm_90a
.address_size 64
.visible .entry operations(.param .u64 in, .param .u64 out)
{{
	.reg .b64 %in, %out, %t, %v, %w<{WORDS}>; .reg .b32 %i, %j, %n32; .reg .b16 %n16;
	ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
	mov.u32 %i, %ctaid.x; mov.u32 %j, %ntid.x; mad.lo.u32 %i, %i, %j, 0; mov.u32 %j, %tid.x; add.u32 %i, %i, %j;
	mad.wide.u32 %in, %i, {8 * WORDS}, %in; mad.wide.u32 %out, %i, {8 * TOGETHER}, %out;
	{loads}
{body}
	ret;
}}
"""


_SPECIAL = (
    0, 1, 2, 31, 32, 63, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1, 0x7C00, 0x7E00, 0x3F800000, 0x7F800000,
    0xFF800000, 0x7FC00000, 0x007FFFFF, 0x7FF0000000000000,
)  # fmt: skip


def operands(count: int, seed: int) -> np.ndarray[Any, Any]:
    """Rows of words: bits of any kind, floats near 1, small integers, and words that are special to somebody."""
    random = np.random.default_rng(seed)
    words = random.integers(0, 1 << 64, (count, WORDS), np.uint64)
    kind = random.integers(0, 8, (count, 1))
    near = random.normal(0, 4, (count, WORDS))
    special = np.array(_SPECIAL, np.uint64)
    for chosen, values in (
        (kind == 1, near.astype(np.float32).view(np.uint32).astype(np.uint64)),
        (kind == 2, near.view(np.uint64)),
        (kind == 3, random.integers(0, 40, words.shape).astype(np.uint64)),
        (kind == 4, special[random.integers(0, len(special), words.shape)]),
        (kind == 5, near.astype(np.float16).view(np.uint16).astype(np.uint64) * np.uint64(0x0001000100010001)),
    ):
        words = np.where(chosen, values, words)
    return np.ascontiguousarray(words)


def run_operations(
    context: Context, several: Sequence[Operation], given: np.ndarray[Any, Any]
) -> dict[str, np.ndarray[Any, Any]]:
    """Name -> the 64-bit results for rows of operands, of at most TOGETHER operations."""
    count = len(given)
    out = np.zeros((count, TOGETHER), np.uint64)
    with (
        context.alloc(given.nbytes) as source,
        context.alloc(out.nbytes) as target,
        context.load(kernel(several)) as module,
    ):
        context.copy_to_device(source, given)
        module.function("operations").launch(count // 256, 256, source, target)
        context.copy_to_host(out, target)
    return {operation.name: out[:, at] for at, operation in enumerate(several)}


def operation_batches(samples: int, only: str) -> Iterator[Callable[[px.Device], dict[str, np.ndarray[Any, Any]]]]:
    """TOGETHER operations each, all on the same operands: at least that many rows of them."""
    found = operations(find_target("sm_90a"), only)
    given = operands(-(-samples // 256) * 256, seed=1)
    for first in range(0, len(found), TOGETHER):
        yield partial(_batch, found[first : first + TOGETHER], given)


def _batch(
    several: Sequence[Operation], given: np.ndarray[Any, Any], device: px.Device
) -> dict[str, np.ndarray[Any, Any]]:
    return run_operations(device.context, several, given)
