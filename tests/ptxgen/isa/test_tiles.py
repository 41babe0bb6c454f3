"""Blocks of work and matrix instructions, checked before building."""

from __future__ import annotations

import pytest

import ptxgen as px
from ptxgen.isa.forms import resolve
from ptxgen.isa.tiles import MatrixProduct, Tile, TileError, matrix_product, matrix_products


def test_a_tile() -> None:
    tile = Tile(128, 64, type="bf16")
    assert (tile.shape, tile.elements, tile.nbytes) == ((128, 64), 8192, 16384)
    assert tile == Tile(128, 64, type="bf16") != Tile(128, 64)
    assert {tile: 1}[Tile(128, 64, type="bf16")] == 1
    assert repr(tile) == "Tile(128, 64, type='bf16')"
    assert Tile(64, type="e2m1").nbytes == 32  # packed
    assert Tile(4096, 4096).elements == 1 << 24
    assert Tile(1).shape == (1,)


@pytest.mark.parametrize(
    "shape, message",
    [
        ((), "a tile without extents"),
        ((48, 64), "tile 48x64: 48 is not a power of two\n  Fix: 32 or 64"),
        ((64, 0), "tile 64x0: 0 is not a power of two"),
        ((-8,), "-8 is not a power of two"),
        ((64, 2.0), "2.0 is not a power of two"),
        ((True,), "True is not a power of two"),
        ((8192,), "8192 is more than 4096"),
        ((4096, 4096, 2), "has 33554432 elements"),
    ],
)
def test_tiles_that_are_none(shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(TileError) as caught:
        Tile(*shape)
    assert message in str(caught.value)


def test_a_type_that_is_none() -> None:
    with pytest.raises(TileError, match="'float', which is not a PTX type"):
        Tile(8, type="float")


EVERY = [*matrix_products(), *matrix_products(sparse=True)]


def test_every_product_is_an_instruction_of_the_table() -> None:
    assert all(resolve(each.name) for each in EVERY)
    assert {each.opcode for each in EVERY} == {"mma", "wgmma", "wmma"}
    assert len({each.name for each in EVERY}) == len(EVERY)


@pytest.mark.parametrize("opcode", ["mma", "wgmma"])
def test_the_layouts_of_its_fragments_have_its_shape(opcode: str) -> None:
    for each in matrix_products(opcode=opcode)[::7]:
        fragments = px.layout(each.name)
        several = (
            4 if each.a == "f16" and each.shape == (8, 8, 4) else 1
        )  # a quarter of the warp each (manual 9.7.14.5.1)
        assert fragments.d.shape == (several * each.m, each.n)


@pytest.mark.parametrize(
    "target, opcode, shape, types, name",
    [
        ("sm_80", None, (16, 8, 16), ("bf16", "f32"), "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
        ("sm_90a", None, (64, 128, 16), ("f16", "f32"), "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"),
        ("sm_70", None, (16, 16, 16), ("f16", "f16"), "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16"),
        ("sm_89", "mma", (16, 8, 32), ("e4m3", "f32"), "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"),
        ("sm_75", "mma", (8, 8, 16), ("s8", "s32"), "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32"),
        ("sm_90", "mma", (16, 8, 16), ("f64", "f64"), "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"),
    ],
)  # fmt: skip
def test_the_instruction_of_a_shape(
    target: str, opcode: str | None, shape: tuple[int, int, int], types: tuple[str, str], name: str
) -> None:
    found = matrix_product(*shape, a=types[0], d=types[1], target=target, opcode=opcode)
    assert found.name == name
    assert found.shape == shape
    assert found.flops == 2 * shape[0] * shape[1] * shape[2]


def test_mixed_and_sparse_products() -> None:
    assert matrix_product(16, 8, 32, a="u8", b="s8", d="s32", target="sm_80").name.endswith(".s32.u8.s8.s32")
    assert matrix_product(16, 8, 32, a="f16", d="f32", target="sm_80", sparse=True).name.startswith("mma.sp.")
    assert matrix_product(16, 16, 16, a="f16", c="f16", d="f32", target="sm_70").c == "f16"


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"m": 16, "n": 16, "k": 32}, "for these types it has mma m16n8k8, m16n8k16; wmma m16n16k16, m8n32k16, m32n8k16"),
        ({"m": 16, "n": 8, "k": 16, "target": "sm_75"}, "is on other targets: px.explain says which"),
        ({"m": 16, "n": 8, "k": 16, "a": "u32"}, "of this shape it has mma f16 = f16 f16 + f16, "),
        ({"m": 7, "n": 7, "k": 7, "a": "u32"}, "sm_80 has 65 matrix products"),
        ({"m": 64, "n": 64, "k": 16, "opcode": "tcgen05"}, "InstructionDescriptor checks tcgen05.mma"),
        ({"m": 64, "n": 100, "k": 16, "opcode": "wgmma", "target": "sm_90a"}, "wgmma m64n8k16, m64n16k16, m64n24k16, ... "),
    ],
)  # fmt: skip
def test_products_that_there_are_not(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(TileError) as caught:
        matrix_product(**{"a": "bf16", "d": "f32", "target": "sm_80", **arguments})  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_a_block_is_made_of_whole_instructions() -> None:
    step = matrix_product(16, 8, 16, a="bf16", d="f32", target="sm_80")
    assert step.steps(128, 128, 32) == (8, 16, 2)
    for wrong, message in (((120, 128, 32), "M = 120"), ((128, 4, 32), "N = 4"), ((128, 128, 24), "K = 24")):
        with pytest.raises(TileError, match=message):
            step.steps(*wrong)


def test_its_name_builds(assembler: object) -> None:
    """What the helper names is what the builder takes, and the assembler."""
    step: MatrixProduct = matrix_product(16, 8, 16, a="bf16", d="f32", target="sm_80")

    @px.kernel
    def product(k: px.Builder, x: px.ptr[px.b32], y: px.ptr[px.f32]):
        a, b = ([x[k.lane * 6 + i] for i in range(first, last)] for first, last in ((0, 4), (4, 6)))
        sums = [k.var(px.f32, 0) for _ in range(4)]
        k.ptx[step.name](tuple(sums), tuple(a), tuple(b), tuple(sums))
        for i in range(4):
            y[k.lane * 4 + i] = sums[i]

    assert px.assemble(str(product.module(target="sm_80"))).cubin


@pytest.mark.parametrize("target, near", [("sm_7", "such as sm_80, sm_90a"), ("sm_91", "sm_90, sm_90a")])
def test_targets_that_there_are_not(target: str, near: str) -> None:
    for ask in (lambda: matrix_products(target), lambda: matrix_product(16, 8, 16, a="bf16", d="f32", target=target)):
        with pytest.raises(TileError, match=f"no target '{target}'\n  Fix: {near}"):
            ask()
