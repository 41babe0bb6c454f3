"""ldmatrix, stmatrix, movmatrix on the executor: what tests/ptxgen/host/test_layouts.py, run on both devices, leaves open."""

from __future__ import annotations

import struct

import pytest

from ptxgen.cpu import KernelFault
from ptxgen.isa.layouts import layout
from tests.ptxgen.cpu.machine import BASE, FAST, run

TIERS = pytest.mark.parametrize("options", [BASE, FAST], ids=["base", "fast"])

FILL = """
	.shared .align 16 .b8 s[512];
	mul.lo.u32 %r1, %t, 16;
	mov.u32 %r2, s; add.u32 %r1, %r1, %r2;
	mul.wide.u32 %d1, %t, 16; add.u64 %d1, %d1, %in;
	ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%d1];
	st.shared.v4.b32 [%r1], {%r3, %r4, %r5, %r6};
	bar.warp.sync -1;
"""
"""Lane i copies 16 bytes of the input to row i in shared memory, whose address is %r1."""

BYTES = bytes(i * 7 & 255 for i in range(512))


def lane_words(words: list[int], registers: int) -> list[list[int]]:
    return [words[lane * registers : (lane + 1) * registers] for lane in range(32)]


@TIERS
@pytest.mark.parametrize("form,registers", [("m16n16.x1", 2), ("m16n16.x2", 4)])
def test_ldmatrix_of_bytes(form, registers, options):
    name = f"ldmatrix.sync.aligned.{form}.trans.shared.b8"
    found = ", ".join(f"%r{7 + i}" for i in range(registers))
    stores = "".join(f"st.global.b32 [%d2+{4 * i}], %r{7 + i};" for i in range(registers))
    result = run(
        f"{FILL}\t{name} {{{found}}}, [%r1];\n\tmad.wide.u32 %d2, %t, {4 * registers}, %out; {stores}",
        words=32 * registers,
        data=BYTES,
        options=options,
    )
    of = layout(name).d
    rows = [list(BYTES[16 * row : 16 * row + 16]) for row in range(of.shape[0])]
    assert of.unpack(lane_words(result.u32, registers), raw=True) == rows


@pytest.mark.parametrize("packed, bits", [("b6x16_p32", 6), ("b4x16_p64", 4)])
@pytest.mark.parametrize(
    "form, registers", [("m16n16.x1.trans", 2), ("m16n16.x2.trans", 4), ("m8n16.x1", 1), ("m8n16.x4", 4)]
)
def test_ldmatrix_that_unpacks(form, registers, packed, bits):
    """Each element comes to the low bits of its byte (sm_100a; no such device was at hand). Without .trans a lane has four
    neighbours of row i / 4; with it, neighbouring rows of column i / 4, as CuTe's traits of SM100_U4x8_LDSM_T have it."""
    name = f"ldmatrix.sync.aligned.{form}.shared.b8x16.{packed}"
    found = ", ".join(f"%r{7 + i}" for i in range(registers))
    stores = "".join(f"st.global.b32 [%d2+{4 * i}], %r{7 + i};" for i in range(registers))
    body = f"{FILL}\t{name} {{{found}}}, [%r1];\n\tmad.wide.u32 %d2, %t, {4 * registers}, %out; {stores}"
    lanes = lane_words(run(body, words=32 * registers, data=BYTES).u32, registers)
    rows = []
    for row in range(8 * registers):
        whole = int.from_bytes(BYTES[16 * row : 16 * row + 16], "little")
        rows.append([whole >> bits * i & (1 << bits) - 1 for i in range(16)])
    for lane in range(32):
        for register in range(registers):
            if form.startswith("m8n16"):
                expected = rows[8 * register + lane // 4][4 * (lane % 4) : 4 * (lane % 4) + 4]
            else:
                first = 16 * (register // 2) + 4 * (lane % 4) + 2 * (register % 2)
                expected = [rows[first + i % 2][lane // 4 + 8 * (i // 2)] for i in range(4)]
            assert lanes[lane][register].to_bytes(4, "little") == bytes(expected), (lane, register)


@TIERS
@pytest.mark.parametrize("count", [1, 2, 4])
def test_stmatrix_of_bytes(count, options):
    name = f"stmatrix.sync.aligned.m16n8.x{count}.trans.shared.b8"
    of = layout(name).r
    matrix = [[(row * 16 + column) & 255 for column in range(16)] for row in range(of.shape[0])]
    words = [word for lane in of.pack(matrix, raw=True) for word in lane]
    registers = ", ".join(f"%r{7 + i}" for i in range(count))
    loads = "".join(f"ld.global.b32 %r{7 + i}, [%d1+{4 * i}];" for i in range(count))
    result = run(
        f"""
	.shared .align 16 .b8 s[512];
	mov.u32 %r2, s; mad.lo.u32 %r1, %t, 16, %r2;
	mad.wide.u32 %d1, %t, {4 * count}, %in; {loads}
	{name} [%r1], {{{registers}}};
	bar.warp.sync -1;
	ld.shared.v4.b32 {{%r3, %r4, %r5, %r6}}, [%r1];
	mad.wide.u32 %d2, %t, 16, %out; st.global.v4.b32 [%d2], {{%r3, %r4, %r5, %r6}};""",
        words=128,
        data=struct.pack(f"<{len(words)}I", *words),
        options=options,
    )
    assert result.data[: 16 * of.shape[0]] == bytes(byte for row in matrix for byte in row)


@TIERS
def test_addresses_may_be_generic_and_those_of_other_lanes_do_not_count(options):
    result = run(
        FILL
        + """
	cvt.u64.u32 %d2, %r1; cvta.shared.u64 %d2, %d2;
	setp.ge.u32 %p1, %t, 8; @%p1 mov.u64 %d2, 1;
	ldmatrix.sync.aligned.m8n8.x1.b16 {%r7}, [%d2];
	st.global.b32 [%o], %r7;""",
        data=BYTES,
        options=options,
    )
    assert result.data == BYTES[:128]


@TIERS
def test_movmatrix_in_place(options):
    result = run(
        "\tmad.lo.u32 %r1, %t, 0x20002, 0x10000;\n\tmovmatrix.sync.aligned.m8n8.trans.b16 %r1, %r1;\n\tst.global.b32 [%o], %r1;",
        options=options,
    )
    assert result.unpack("H") == [8 * (i % 8) + i // 8 for i in range(64)]


@TIERS
def test_a_value_that_all_lanes_share(options):
    """The compiler computes it once per warp, and so it lies in no register."""
    result = run(
        "\tmov.u32 %r1, 0x70005;\n\tmovmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;\n\tst.global.b32 [%o], %r2;",
        options=options,
    )
    assert result.unpack("H") == [5 if row % 2 == 0 else 7 for row in range(8) for _ in range(8)]


def test_a_row_that_is_not_aligned():
    with pytest.raises(KernelFault, match="ldmatrix reads 16 bytes at 0x48, which is not a multiple of 16") as caught:
        run(
            FILL
            + "\tsetp.eq.u32 %p1, %t, 4; @%p1 add.u32 %r1, %r1, 8;\n\tldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r7}, [%r1];",
            data=BYTES,
        )
    assert (caught.value.thread, caught.value.kind) == ((4, 0, 0), "misaligned address")


@pytest.mark.parametrize("space", [".shared", ""])
def test_a_row_outside_of_shared_memory(space):
    with pytest.raises(KernelFault, match="stmatrix writes 16 bytes at") as caught:
        run(
            FILL
            + f"""
	cvt.u64.u32 %d2, %r1; {"cvta.shared.u64 %d2, %d2;" if not space else ""}
	setp.eq.u32 %p1, %t, 9; @%p1 add.u64 %d2, %d2, 512;
	stmatrix.sync.aligned.m8n8.x2{space}.b16 [%d2], {{%r7, %r8}};""",
            data=BYTES,
        )
    assert (caught.value.thread, caught.value.kind) == ((9, 0, 0), "illegal address")


def test_a_generic_address_that_leads_elsewhere():
    with pytest.raises(KernelFault, match="ldmatrix reads 16 bytes at"):
        run(FILL + "\tldmatrix.sync.aligned.m8n8.x1.b16 {%r7}, [%in];", data=BYTES)


@pytest.mark.parametrize("away", ["bra AWAY", "exit"])
def test_a_warp_that_is_not_whole(away):
    """Lanes that go elsewhere or have exited are missed: the manual calls what follows undefined."""
    with pytest.raises(KernelFault) as caught:
        run(
            f"""
	setp.ge.u32 %p1, %t, 30; @%p1 {away};
	movmatrix.sync.aligned.m8n8.trans.b16 %r2, %t;
AWAY:	st.global.b32 [%o], %r2;"""
        )
    assert caught.value.kind == "deadlock"
    assert [(w.warp, w.lanes) for w in caught.value.waiting] == [(0, 0x3FFFFFFF)]
    assert "movmatrix.sync.aligned" in str(caught.value)
