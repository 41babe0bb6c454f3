"""Operations with their results on a GPU, to hold the executor against.

FORMS lists the instructions. Their operands and the results of an H200 (driver 580, CUDA 13.0) are in data/operations_h200.json.
To record again, from the repository's root, on a machine with a GPU:

    python -m tests.ptxgen.cpu.hardware record tests/ptxgen/cpu/data/operations_h200.json
"""

from __future__ import annotations

import base64
import json
import struct
import sys
import zlib
from typing import NamedTuple

from tests.ptxgen.cpu.machine import entry, table_body, table_data
from tests.ptxgen.cpu.oracle import rows

HEADER = ".version 8.6\n.target sm_90a\n.address_size 64\n"
CASES = 80
PER_MODULE = 40


class Form(NamedTuple):
    """Results agree when they lie within `ulps` units of the last place or `absolute` of each other; both 0: bit exact."""

    instruction: str
    result: str
    operands: tuple[str, ...]
    ulps: int = 0
    absolute: float = 0.0


def _integers() -> list[Form]:
    found = []
    for type in ("u16", "s16", "u32", "s32", "u64", "s64"):
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            found.append(Form(f"{op}.{type} %d, %a, %b;", type, (type, type)))
        found += [Form(f"{op}.{type} %d, %a, %b, %c;", type, (type,) * 3) for op in ("mad.lo", "sad")]
    for type in ("u32", "s32", "u64", "s64"):
        found.append(Form(f"bfe.{type} %d, %a, %b, %c;", type, (type, "u32", "u32")))
        found += [Form(f"bfind{s}.{type} %d, %a;", "u32", (type,)) for s in ("", ".shiftamt")]
    for n in (32, 64):
        found.append(Form(f"bfi.b{n} %d, %a, %b, %c, %e;", f"b{n}", (f"b{n}", f"b{n}", "u32", "u32")))
        found += [Form(f"{op}.b{n} %d, %a;", "u32", (f"b{n}",)) for op in ("popc", "clz")]
        found.append(Form(f"brev.b{n} %d, %a;", f"b{n}", (f"b{n}",)))
    for n in (16, 32, 64):
        found += [Form(f"{op}{n} %d, %a, %b;", f"b{n}", (f"b{n}", "u32")) for op in ("shl.b", "shr.u", "shr.s")]
        found += [Form(f"abs.s{n} %d, %a;", f"s{n}", (f"s{n}",)), Form(f"cnot.b{n} %d, %a;", f"b{n}", (f"b{n}",))]
    for mode in ("clamp", "wrap"):
        found += [Form(f"shf.{way}.{mode}.b32 %d, %a, %b, %c;", "b32", ("b32", "b32", "u32")) for way in "lr"]
        found.append(Form(f"bmsk.{mode}.b32 %d, %a, %b;", "b32", ("u32", "u32")))
        found += [Form(f"szext.{mode}.{type} %d, %a, %b;", type, (type, "u32")) for type in ("u32", "s32")]
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        found.append(Form(f"prmt.b32{mode} %d, %a, %b, %c;", "b32", ("b32",) * 3))
    for a in ("u32", "s32"):
        for b in ("u32", "s32"):
            found += [
                Form(f"{op}.{a}.{b} %d, %a, %b, %c;", "b32", ("b32",) * 3) for op in ("dp4a", "dp2a.lo", "dp2a.hi")
            ]
    found += [
        Form("add.sat.s32 %d, %a, %b;", "s32", ("s32", "s32")),
        Form("mad.hi.sat.s32 %d, %a, %b, %c;", "s32", ("s32",) * 3),
        Form("mad24.hi.sat.s32 %d, %a, %b, %c;", "s32", ("s32",) * 3),
        Form("mul24.hi.u32 %d, %a, %b;", "u32", ("u32", "u32")),
        Form("mul24.lo.s32 %d, %a, %b;", "s32", ("s32", "s32")),
        Form("max.relu.s16x2 %d, %a, %b;", "s16x2", ("s16x2", "s16x2")),
        Form("lop3.b32 %d, %a, %b, %c, 0x1a;", "b32", ("b32",) * 3),
        Form("cvt.s32.s8 %r5, %b; fns.b32 %d, %a, 5, %r5;", "b32", ("b32", "s8")),
        Form("add.cc.u32 %d, %a, %b; addc.u32 %d, %c, %e;", "u32", ("u32",) * 4),
        Form("sub.cc.u64 %d, %a, %b; subc.u64 %d, %c, %e;", "u64", ("u64",) * 4),
        Form("mad.lo.cc.u32 %d, %a, %b, %c; madc.hi.u32 %d, %a, %b, %e;", "u32", ("u32",) * 4),
        Form("slct.u32.f32 %d, %a, %b, %c;", "u32", ("u32", "u32", "f32")),
    ]
    return found


def _video() -> list[Form]:
    """Without those that ptxas 13.0 makes something else of than the manual says: vmad of unsigned words, saturated vshl, sums of
    unsigned words with a second operation, negative results saturated into a part."""
    three, texts = ("u32",) * 3, []
    for opcode in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        texts += [f"{opcode}.s32.u32.s32.sat %d, %a.b1, %b.h1", f"{opcode}.u32.s32.u32.add %d, %a.h0, %b, %c"]
    texts += [f"v{name}.s32.s32.u32.sat %d.b2, %a, %b, %c" for name in ("absdiff", "max")]
    texts += [f"v{name}.s32.u32.u32.max %d, %a, %b, %c" for name in ("absdiff", "min", "max")]
    texts += [
        f"vshl.{d}.{a}.u32.{mode} %d, %a, %b"
        for d in ("u32", "s32")
        for a in ("u32", "s32")
        for mode in ("clamp", "wrap")
    ]
    texts += [
        f"vshr.{d}.{a}.u32.sat.{mode} %d, %a, %b"
        for d in ("u32", "s32")
        for a in ("u32", "s32")
        for mode in ("clamp", "wrap")
    ]
    for signs in (("", "", ""), ("-", "", ""), ("", "", "-")):
        a, b, c = (sign + name for sign, name in zip(signs, ("%a", "%b", "%c")))
        texts += [
            f"vmad.s32.s32.s32{sat}{scale} %d, {a}, {b}, {c}"
            for sat in ("", ".sat")
            for scale in ("", ".shr7", ".shr15")
        ]
    texts.append("vmad.s32.s32.s32.po.sat.shr7 %d, %a.b3, %b.h1, %c")
    texts += [
        f"vset.{a}.{b}.{cmp} %d, %a, %b" for a in ("u32", "s32") for b in ("u32", "s32") for cmp in ("lt", "ge", "eq")
    ]
    for n, (a, b, mask) in {2: ("h31", "h02", "h1"), 4: ("b7036", "b5124", "b310")}.items():
        for opcode in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            ways = zip(("u32.u32.u32", "s32.s32.s32", "u32.s32.u32"), ("", ".sat", ".add"))
            texts += [f"{opcode}{n}.{types}{more} %d, %a, %b, %c" for types, more in ways]
            texts.append(f"{opcode}{n}.s32.u32.s32.sat %d.{mask}, %a.{a}, %b.{b}, %c")
        texts += [
            f"vset{n}.{types}.lt{more} %d, %a, %b, %c" for types in ("u32.u32", "s32.u32") for more in ("", ".add")
        ]
    return [Form(f"{text};", "u32", three) for text in texts]


def _floats() -> list[Form]:
    found = []
    for type in ("f32", "f64"):
        for rounding in ("rn", "rz", "rm", "rp"):
            found += [
                Form(f"{op}.{rounding}.{type} %d, %a, %b;", type, (type, type)) for op in ("add", "sub", "mul", "div")
            ]
            found.append(Form(f"fma.{rounding}.{type} %d, %a, %b, %c;", type, (type,) * 3))
            found += [Form(f"{op}.{rounding}.{type} %d, %a;", type, (type,)) for op in ("sqrt", "rcp")]
        found += [Form(f"{op}.{type} %d, %a, %b;", type, (type, type)) for op in ("min", "max", "copysign")]
        found += [Form(f"{op}.{type} %d, %a;", type, (type,)) for op in ("neg", "abs")]
        for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            found.append(Form(f"testp.{test}.{type} %d, %a;", "pred", (type,)))
        for compare in ("lt", "geu", "ne", "equ", "num", "nan"):
            found.append(Form(f"setp.{compare}.{type} %d, %a, %b;", "pred", (type, type)))
    for op in ("add", "mul"):
        for rounding in ("rn", "rz"):
            found.append(Form(f"{op}.{rounding}.ftz.f32 %d, %a, %b;", "f32", ("f32", "f32")))
            found.append(Form(f"{op}.{rounding}.sat.f32 %d, %a, %b;", "f32", ("f32", "f32")))
    found += [
        Form("fma.rn.ftz.f32 %d, %a, %b, %c;", "f32", ("f32",) * 3),
        Form("fma.rp.ftz.f32 %d, %a, %b, %c;", "f32", ("f32",) * 3),
        Form("fma.rm.ftz.sat.f32 %d, %a, %b, %c;", "f32", ("f32",) * 3),
        Form("mul.rp.ftz.f32 %d, %a, %b;", "f32", ("f32", "f32")),
        Form("div.rp.ftz.f32 %d, %a, %b;", "f32", ("f32", "f32")),
        Form("fma.rn.sat.f32 %d, %a, %b, %c;", "f32", ("f32",) * 3),
        Form("div.rn.ftz.f32 %d, %a, %b;", "f32", ("f32", "f32")),
        Form("sqrt.rn.ftz.f32 %d, %a;", "f32", ("f32",)),
        Form("rcp.rn.ftz.f32 %d, %a;", "f32", ("f32",)),
        Form("neg.ftz.f32 %d, %a;", "f32", ("f32",)),
        Form("abs.ftz.f32 %d, %a;", "f32", ("f32",)),
        Form("min.ftz.f32 %d, %a, %b;", "f32", ("f32", "f32")),
        Form("max.NaN.f32 %d, %a, %b;", "f32", ("f32", "f32")),
        Form("min.xorsign.abs.f32 %d, %a, %b;", "f32", ("f32", "f32")),
        Form("setp.lt.ftz.f32 %d, %a, %b;", "pred", ("f32", "f32")),
        Form("div.full.f32 %d, %a, %b;", "f32", ("f32", "f32"), 2),
        Form("div.approx.f32 %d, %a, %b;", "f32", ("f32", "f32"), 2),
        Form("div.approx.ftz.f32 %d, %a, %b;", "f32", ("f32", "f32"), 2),
        Form("rcp.approx.f32 %d, %a;", "f32", ("f32",), 1),
        Form("rcp.approx.ftz.f32 %d, %a;", "f32", ("f32",), 1),
        Form("sqrt.approx.f32 %d, %a;", "f32", ("f32",), 2),
        Form("rsqrt.approx.f32 %d, %a;", "f32", ("f32",), 2),
        Form("ex2.approx.f32 %d, %a;", "f32", ("f32",), 2),
        Form("ex2.approx.ftz.f32 %d, %a;", "f32", ("f32",), 2),
        Form("lg2.approx.f32 %d, %a;", "f32", ("f32",), 4, 2.0**-22),
        Form("sin.approx.f32 %d, %a;", "f32", ("angle",), 0, 2.0**-20),
        Form("cos.approx.f32 %d, %a;", "f32", ("angle",), 0, 2.0**-20),
        Form("tanh.approx.f32 %d, %a;", "f32", ("f32",), 1 << 13),
        Form("rcp.approx.ftz.f64 %d, %a;", "f64", ("f64",), 1 << 33),
        Form("rsqrt.approx.ftz.f64 %d, %a;", "f64", ("f64",), 1 << 33),
        Form("rsqrt.approx.f64 %d, %a;", "f64", ("f64",), 4),
    ]
    return found


def _halves() -> list[Form]:
    found = []
    for type in ("f16", "bf16", "f16x2", "bf16x2"):
        found += [
            Form(f"{op}.{type} %d, %a, %b;", type, (type, type))
            for op in ("add", "sub", "mul", "min", "max", "max.NaN")
        ]
        found += [Form(f"fma.rn{m}.{type} %d, %a, %b, %c;", type, (type,) * 3) for m in ("", ".relu")]
        found += [Form(f"{op}.{type} %d, %a;", type, (type,)) for op in ("neg", "abs")]
        found.append(Form(f"min.xorsign.abs.{type} %d, %a, %b;", type, (type, type)))
    for type in ("f16", "bf16"):
        found += [Form(f"setp.{compare}.{type} %d, %a, %b;", "pred", (type, type)) for compare in ("lt", "neu", "nan")]
    found += [
        Form("add.ftz.f16 %d, %a, %b;", "f16", ("f16", "f16")),
        Form("mul.sat.f16 %d, %a, %b;", "f16", ("f16", "f16")),
        Form("fma.rn.ftz.sat.f16 %d, %a, %b, %c;", "f16", ("f16",) * 3),
        Form("ex2.approx.f16 %d, %a;", "f16", ("f16",), 1),
        Form("tanh.approx.f16 %d, %a;", "f16", ("f16",), 2),
        Form("ex2.approx.ftz.bf16 %d, %a;", "bf16", ("bf16",), 1),
        Form("tanh.approx.bf16 %d, %a;", "bf16", ("bf16",), 1),
    ]
    return found


def _conversions() -> list[Form]:
    found = []
    integers = ("u16", "s16", "u32", "s32", "u64", "s64")
    for i in integers:
        for f in ("f16", "bf16", "f32", "f64"):
            found += [Form(f"cvt.{r}.{f}.{i} %d, %a;", f, (i,)) for r in ("rn", "rz", "rm", "rp")]
            found += [Form(f"cvt.{r}.{i}.{f} %d, %a;", i, (f,)) for r in ("rni", "rzi", "rmi", "rpi")]
        found += [
            Form(f"cvt.sat.{i}.{j} %d, %a;", i, (j,))
            for j in ("s32", "u64")
            if i != j and not (i == "s64" and j == "s32")
        ]
    for r in ("rn", "rz", "rm", "rp"):
        found += [
            Form(f"cvt.{r}.{t}.{s} %d, %a;", t, (s,))
            for s, t in (("f64", "f32"), ("f64", "f16"), ("f32", "f16"), ("f32", "bf16"))
        ]
    found += [
        Form(f"cvt.{t}.{s} %d, %a;", t, (s,))
        for s, t in (("f16", "f32"), ("bf16", "f32"), ("f16", "f64"), ("f32", "f64"))
    ]
    found += [
        Form(f"cvt.{r}.{t}.{t} %d, %a;", t, (t,)) for t in ("f16", "f32", "f64") for r in ("rni", "rzi", "rmi", "rpi")
    ]
    for m in (".rn", ".rz", ".rn.relu", ".rn.satfinite", ".rz.relu.satfinite"):
        found += [Form(f"cvt{m}.{t}.f32 %d, %a, %b;", t, ("f32", "f32")) for t in ("f16x2", "bf16x2")]
    found += [Form(f"cvt{m}.tf32.f32 %d, %a;", "b32", ("f32",)) for m in (".rna", ".rna.satfinite", ".rn", ".rz.relu")]
    for t in ("e4m3x2", "e5m2x2"):
        for relu in ("", ".relu"):
            found.append(Form(f"cvt.rn.satfinite{relu}.{t}.f32 %d, %a, %b;", "b16", ("f32", "f32")))
            found.append(Form(f"cvt.rn.satfinite{relu}.{t}.f16x2 %d, %a;", "b16", ("f16x2",)))
            found.append(Form(f"cvt.rn{relu}.f16x2.{t} %d, %a;", "f16x2", ("b16",)))
    found += [
        Form("cvt.ftz.f64.f32 %d, %a;", "f64", ("f32",)),
        Form("cvt.rn.bf16.f64 %d, %a;", "bf16", ("f64",)),
        Form("cvt.f64.bf16 %d, %a;", "f64", ("bf16",)),
        Form("cvt.rz.ftz.f32.f64 %d, %a;", "f32", ("f64",)),
        Form("cvt.rp.ftz.f32.f64 %d, %a;", "f32", ("f64",)),
        Form("cvt.rn.ftz.f32.f64 %d, %a;", "f32", ("f64",)),
        Form("cvt.rni.ftz.s32.f32 %d, %a;", "s32", ("f32",)),
        Form("cvt.rn.ftz.f16.f32 %d, %a;", "f16", ("f32",)),
        Form("cvt.sat.f32.f32 %d, %a;", "f32", ("f32",)),
        Form("cvt.rn.sat.f16.f32 %d, %a;", "f16", ("f32",)),
        Form("cvt.pack.sat.s16.s32 %d, %a, %b;", "b32", ("s32", "s32")),
        Form("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", "b32", ("s32", "s32", "b32")),
    ]
    return found


def _atomics() -> list[Form]:
    """The sum that is left in memory: a place of its own for each thread."""
    found = []
    for type, memory in (("f32", "f32"), ("f64", "f64"), ("f16x2", "b32"), ("bf16x2", "b32")):
        noftz = "" if type[0] == "f" and "x2" not in type else ".noftz"
        found.append(
            Form(
                f"mad.wide.u32 %d2, %w, 8, %out; st.global.{memory} [%d2], %a; atom.global.add{noftz}.{type} %d, [%d2], %b;"
                f" ld.volatile.global.{memory} %d, [%d2];",
                type,
                (type, type),
            )
        )
        found.append(
            Form(
                f".shared .align 8 .b8 s[1024]; mov.u64 %d2, s; mad.wide.u32 %d2, %w, 8, %d2; st.shared.{memory} [%d2], %a;"
                f" atom.shared.add{noftz}.{type} %d, [%d2], %b; ld.volatile.shared.{memory} %d, [%d2];",
                type,
                (type, type),
            )
        )
    return found


FORMS = _integers() + _video() + _floats() + _halves() + _conversions() + _atomics()


_NAN64 = [0x7FF0000000000001, 0xFFF0000000000002, 0x7FF8000000000003, 0xFFFFFFFFFFFFFFF4]
_EDGES32 = [
    0x00800000,
    0x80800000,
    0x3F7FFFFF,
    0xBF7FFFFF,
    0x3F800001,
    0x3F000000,
    0x3F800000,
    0x0D7FFFFF,
    0x4C800000,
    0x80000001,
]

EXTRA: dict[tuple[str, ...], list[tuple[int, ...]]] = {
    # NaN against NaN, numbers and invalid operations: which one is the result?
    ("f64",): [(n,) for n in _NAN64] + [((897 << 52) - d,) for d in (0, 1, 1 << 28, (1 << 28) + 1, 1 << 29)],
    ("f64", "f64"): [(a, b) for a in [*_NAN64[:3], 0x7FF0 << 48, 1 << 62] for b in [*_NAN64[1:], 0xFFF0 << 48, 0]],
    ("f64", "f64", "f64"): [
        (a, b, c)
        for a in (_NAN64[0], _NAN64[1], 0x7FF0 << 48)
        for b in (_NAN64[1], _NAN64[2], 0)
        for c in (_NAN64[2], _NAN64[3], 1 << 62)
    ],
    # Results just below the least normal number: is tininess seen before or after rounding?
    ("f32", "f32"): [(a, b) for a in _EDGES32[:5] for b in _EDGES32[2:]]
    + [(0x3F7FFFFE, 0x00800001), (0x3F7FFFFD, 0x80800001), (0x3F7FFFFE, 0x80800001), (0x0D7FFFFF, 0x4C800000)],
    ("f32", "f32", "f32"): [
        (a, b, c) for a in _EDGES32[:3] for b in (_EDGES32[2], _EDGES32[5]) for c in (0, *_EDGES32[:2], 0x00C00000)
    ],
}
"""Rows for questions that specials and random numbers do not ask; at most 48 of them, since a block has 128 threads."""


def cases_of(form: Form) -> list[tuple[int, ...]]:
    """Rows of operands; those of packed half floats are full of half-float specials."""
    types = form.operands
    if types == ("angle",):  # f32 within the range where the manual bounds the error
        count = CASES // 2
        angles = [struct.unpack("<I", struct.pack("<f", 6.28 * i / count))[0] for i in range(count)]
        return [(sign | a,) for a in angles for sign in (0, 1 << 31)]
    if not any(t in ("f16x2", "bf16x2") for t in types):
        return rows(list(types), CASES) + EXTRA.get(types, [])
    element = types[0].partition("x")[0]
    halves = rows([element] * (2 * len(types)), CASES)
    return [tuple(r[2 * i] | r[2 * i + 1] << 16 for i in range(len(types))) for r in halves]


def key(form: Form) -> str:
    """Forms with the same operand types share their operands."""
    return " ".join(form.operands)


def pack(values: list[int]) -> str:
    """64-bit words as text."""
    return base64.b85encode(zlib.compress(struct.pack(f"<{len(values)}Q", *values), 9)).decode()


def unpack(text: str) -> list[int]:
    data = zlib.decompress(base64.b85decode(text))
    return list(struct.unpack(f"<{len(data) // 8}Q", data))


def record(path: str, driver: str = "cuda") -> None:
    """Runs every form on the first device of a driver and writes operands and results."""
    import driver_ctypes as dc

    device = dc.driver(driver).device(0)
    context = device.primary_context()
    signature = dc.Signature([dc.Parameter("out", "u64"), dc.Parameter("in", "u64")])
    tables: dict[str, str] = {}
    found: dict[str, str] = {}
    for start in range(0, len(FORMS), PER_MODULE):
        part = FORMS[start : start + PER_MODULE]
        source = HEADER + "".join(
            entry(f"form{i}", table_body(form.instruction, form.result, list(form.operands), len(cases_of(form))))
            for i, form in enumerate(part)
        )
        module = context.load(source, signatures={f"form{i}": signature for i in range(len(part))})
        for i, form in enumerate(part):
            cases = cases_of(form)
            data = table_data(cases)
            count = len(cases)
            with context.alloc(8 * count) as out, context.alloc(len(data)) as operands:
                context.memset(out, 0, 8 * count)
                context.copy_to_device(operands, data)
                module.function(f"form{i}").launch(1, 128, out.pointer, operands.pointer)
                result = bytearray(8 * count)
                context.copy_to_host(result, out)
            tables[key(form)] = pack([value for row in cases for value in row])
            found[form.instruction] = pack(list(struct.unpack(f"<{count}Q", result)))
    with open(path, "w") as file:
        json.dump({"device": device.name, "operands": tables, "results": found}, file, indent=0)
        file.write("\n")


if __name__ == "__main__" and sys.argv[1:2] == ["record"]:
    record(*sys.argv[2:])
