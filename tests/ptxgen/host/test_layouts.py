"""The layouts against hardware: registers and shared memory filled by them, the products exact.

The CPU device takes its fragments from these layouts, so there the tests say that it does; what they are is for a GPU to say.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import driver_ctypes as dc
from driver_ctypes.abi.enums import CUresult
from ptxgen.isa.forms import resolve
from ptxgen.isa.layouts import Layout, SharedTile, compress, layout, layout_names
from ptxgen.isa.layouts.numbers import element_bits
from ptxgen.isa.targets import find_target
from tests.ptxgen.host import layout_kernels

if TYPE_CHECKING:
    import ptxgen as px

HOPPER = find_target("sm_90a")


@pytest.fixture(autouse=True)
def _hopper(dev: px.Device, request: pytest.FixtureRequest) -> None:
    if dev.target != "sm_90a":
        pytest.skip(f"these are the instructions of sm_90a; this device is {dev.target}")
    if "name" in request.fixturenames:
        version = "{}.{}".format(
            *max(min(first_versions(request.getfixturevalue("name"))), (8, 0))
        )  # 8.0 has sm_90a first
        if not accepted(dev.context, version):
            pytest.skip(f"needs PTX {version}, which this driver is too old for: update it")


def first_versions(name: str) -> list[tuple[int, int]]:
    """The first PTX version on sm_90a of each form that is written like this."""
    forms = [
        [[c.version for c in choices if HOPPER.provides(c.sm, c.suffix)] for choices in f.since] for f in resolve(name)
    ]
    return [max(map(min, form)) for form in forms if all(form)]


@functools.cache
def accepted(context: dc.Context, version: str) -> bool:
    """Whether the driver takes modules of this PTX version."""
    try:
        context.load(f".version {version}\n.target sm_90a\n.address_size 64\n", cache=False).close()
    except dc.CudaError as error:
        if error.code != CUresult.ERROR_UNSUPPORTED_PTX_VERSION:
            raise
        return False
    return True


def every(opcode: str, *, without: tuple[str, ...] = ()) -> list[str]:
    """The opcode's instructions that sm_90a has, one for each difference that a layout can see."""
    dropped = ("satfinite", "rn", "rz", "rm", "rp", "sp::ordered_metadata", "shared", "shared::cta", "global", *without)
    return [name for name in layout_names(opcode) if not set(name.split(".")) & set(dropped) and first_versions(name)]


def numbers(random: np.random.Generator, type: str, shape: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Small integers that every format holds exactly, and whose sums of products stay exact."""
    if type == "b1":
        return random.integers(0, 2, shape)
    low = 0 if type.startswith("u") else -2
    return random.integers(low, 3, shape)


def product(a: Any, b: Any, c: Any, name: str) -> Any:
    """A x B + C, with the logic of b1."""
    if ".b1." not in name:
        return a @ b + c
    joined = (a[:, :, None] & b[None]) if "and" in name.split(".") else (a[:, :, None] ^ b[None])
    return joined.sum(axis=1) + c


def sparse(random: np.random.Generator, type: str, shape: tuple[int, int]) -> np.ndarray[Any, Any]:
    """A matrix with as many zeros as the sparse forms of the type ask for, at random places."""
    group = {4: 2}.get(element_bits(type), 1)
    chunk, kept = (2, 1) if type == "tf32" else (4 * group, 2)
    full = np.zeros(shape, int)
    values = random.integers(1, 3, shape) * (1 if type.startswith("u") else random.choice([-1, 1], shape))
    for row in range(shape[0]):
        for start in range(0, shape[1], chunk):
            for place in random.choice(chunk // group, kept, replace=False):
                at = start + place * group
                full[row, at : at + group] = values[row, at : at + group]
    return full


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Of many forms that the CPU device lowers alike, some are enough there."""
    on_cpu = metafunc.config.getoption("--device") == "cpu"
    # .xor.popc of integers of 4 bits is the assemblers' alone: the manual has it for .b1, and nobody says what it computes.
    mma = [name for name in every("mma") if ".popc" not in name or ".b1." in name]
    names = {"test_mma": mma, "test_wmma_fragments": [name for name in every("wmma") if ".load." in name]}
    if metafunc.function.__name__ in names:
        metafunc.parametrize("name", names[metafunc.function.__name__][:: 3 if on_cpu else 1])
    if "n" in metafunc.fixturenames:
        metafunc.parametrize("n", WIDTHS[:2] if on_cpu else WIDTHS)


def test_mma(dev: px.Device, name: str) -> None:
    random = np.random.default_rng(0)
    of = layout(name)
    k, n = of.b.shape
    b, c = numbers(random, of.b.type, (k, n)), numbers(random, "s8", of.c.shape)
    extra: tuple[int, ...] = ()
    if "metadata" in of:
        a = sparse(random, of.a.type, (of.a.shape[0], k))
        kept, fields = compress(a.tolist(), of.a.type)
        operands = {"a": kept, "b": b, "c": c, "metadata": fields}
        extra = (0,)
    else:
        a = numbers(random, of.a.type, of.a.shape)
        operands = {"a": a, "b": b, "c": c}
    found = layout_kernels.mma(dev, name, of, operands, *extra)
    if of.d.shape[0] == 32:  # the four products of m8n8k4: rows 8i of A by columns 8i of B
        products = [a[8 * i : 8 * i + 8] @ b[:, 8 * i : 8 * i + 8] for i in range(4)]
        np.testing.assert_array_equal(found, np.concatenate(products) + c)
    else:
        np.testing.assert_array_equal(found, product(a, b, c, name))


SELECTORS = [
    *((short, selector) for short in ("mma.sp.m16n8k16.f16", "mma.sp.m16n8k8.tf32") for selector in (1, 2, 3)),
    *((f"mma.sp.{short}", 1) for short in ("m16n8k32.f16", "m16n8k16.tf32", "m16n8k32.s8", "m16n8k64.u4")),
]


@pytest.mark.parametrize("short, selector", SELECTORS)
def test_the_sparsity_selector(dev: px.Device, short: str, selector: int) -> None:
    random = np.random.default_rng(1)
    of = layout(short, selector=selector)
    a = sparse(random, of.a.type, (16, of.b.shape[0]))
    kept, fields = compress(a.tolist(), of.a.type)
    b, c = numbers(random, of.b.type, of.b.shape), numbers(random, "s8", of.c.shape)
    found = layout_kernels.mma(dev, of.name, of, {"a": kept, "b": b, "c": c, "metadata": fields}, selector)
    np.testing.assert_array_equal(found, a @ b + c)


# ---- wgmma ---------------------------------------------------------------------------------------------------------------


WIDTHS = (8, 24, 96, 256)
TYPES = (
    *("f32.f16.f16", "f16.f16.f16", "f32.bf16.bf16", "f32.tf32.tf32", "f32.e4m3.e5m2", "f16.e5m2.e4m3"),
    *("s32.s8.u8", "s32.u8.s8", "s32.b1.b1"),
)
SPANS = {"none": 16, "32B": 32, "64B": 64, "128B": 128}


def wgmma_name(types: str, n: int, *, sparse: bool = False) -> str:
    k = 256 // element_bits(types.split(".")[1]) * (2 if sparse else 1)
    return f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.m64n{n}k{k}.{types}{'.and.popc' if 'b1' in types else ''}"


def check_wgmma(
    dev: px.Device, types: str, n: int, swizzle: str, major_a: str | None, major_b: str, *, blocks: int = 1
) -> None:
    """A x B + C over `blocks` spans of the swizzle along K (at least one step). `major_a` None: A in registers, one step."""
    name = wgmma_name(types, n)
    of = layout(name)
    type_a, type_b = types.split(".")[1:]
    step = of.a.shape[1]
    columns = step if major_a is None else blocks * max(SPANS[swizzle] * 8 // element_bits(type_b), step)
    random = np.random.default_rng(n)
    a, b = numbers(random, type_a, (64, columns)), numbers(random, type_b, (n, columns))
    c = numbers(random, "s8", (64, n))
    tile_a = SharedTile(64, columns, type_a, major_a, swizzle) if major_a else None
    found = layout_kernels.wgmma(dev, name, of, a, b, c, tile_a, SharedTile(n, columns, type_b, major_b, swizzle))
    np.testing.assert_array_equal(found, product(a, b.T, c, name))


@pytest.mark.parametrize("types", TYPES)
def test_wgmma_with_a_in_shared_memory(dev: px.Device, types: str, n: int) -> None:
    check_wgmma(dev, types, n, "128B", "K", "K")


@pytest.mark.parametrize("types", TYPES)
def test_wgmma_with_a_in_registers(dev: px.Device, types: str, n: int) -> None:
    check_wgmma(dev, types, n, "32B", None, "K")


@pytest.mark.parametrize("swizzle", SPANS)
@pytest.mark.parametrize("types", ["f32.tf32.tf32", "f32.e4m3.e4m3", "s32.s8.s8"])
def test_wgmma_swizzles(dev: px.Device, types: str, swizzle: str) -> None:
    check_wgmma(dev, types, 64, swizzle, "K", "K", blocks=2)


COMBINATIONS = [
    (major_a, major_b, swizzle)
    for major_a in ("K", "MN", None)
    for major_b in ("K", "MN")
    for swizzle in SPANS
    # with A in registers there is one step along K, 32 bytes: a K-major B of it has no wider swizzle
    if not (major_a is None and major_b == "K" and SPANS[swizzle] > 32)
]


@pytest.mark.parametrize("major_a, major_b, swizzle", COMBINATIONS)
def test_wgmma_swizzles_and_majors(dev: px.Device, major_a: str | None, major_b: str, swizzle: str) -> None:
    check_wgmma(dev, "f32.bf16.bf16", 128, swizzle, major_a, major_b, blocks=2)


@pytest.mark.parametrize("types", ["f32.f16.f16", "f32.tf32.tf32", "f32.e4m3.e4m3", "s32.s8.s8"])
@pytest.mark.parametrize("registers", [False, True])
def test_sparse_wgmma(dev: px.Device, types: str, registers: bool) -> None:
    random = np.random.default_rng(2)
    name = wgmma_name(types, 64, sparse=True)
    of = layout(name)
    type_ = types.split(".")[1]
    k = of.a.shape[1] * 2
    a, b, c = sparse(random, type_, (64, k)), numbers(random, type_, (64, k)), numbers(random, "s8", (64, 64))
    kept, fields = compress(a.tolist(), type_)
    tile_a = None if registers else SharedTile(64, k // 2, type_, "K", "32B")
    tile_b = SharedTile(64, k, type_, "K", "64B")
    found = layout_kernels.wgmma(dev, name, of, kept, b, c, tile_a, tile_b, metadata=fields)
    np.testing.assert_array_equal(found, a @ b.T + c)


# ---- matrices between shared memory and registers ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", every("ldmatrix", without=("s4",)))  # of which elements are widened
def test_ldmatrix(dev: px.Device, name: str) -> None:
    of = layout(name)
    memory = np.arange(256, dtype=np.uint16).reshape(32, 8)
    np.testing.assert_array_equal(layout_kernels.matrix_load(dev, name, of, memory), memory[: of.d.shape[0]])


@pytest.mark.parametrize("name", every("stmatrix"))
def test_stmatrix(dev: px.Device, name: str) -> None:
    of = layout(name)
    matrix = np.arange(256, dtype=np.uint16).reshape(32, 8)[: of.r.shape[0]]
    np.testing.assert_array_equal(layout_kernels.matrix_store(dev, name, of, matrix), matrix)


def test_movmatrix(dev: px.Device) -> None:
    matrix = np.arange(64, dtype=np.uint16).reshape(8, 8)
    np.testing.assert_array_equal(layout_kernels.transpose(dev, layout("movmatrix.m8n8"), matrix), matrix)


# ---- wmma: the manual leaves its fragments open; these are what sm_90a has -----------------------------------------------------


def observed(dev: px.Device, name: str, of: Layout) -> dict[tuple[int, int, int], tuple[int, int]]:
    """place -> element, as the device loads it: every element tells its number, some bits a run."""
    rows, columns = of.shape
    count = rows * columns
    known: dict[tuple[int, int, int], int] = {}
    for shift in range(0, max(count - 1, 1).bit_length(), of.bits):
        ids = (np.arange(count) >> shift) & ((1 << min(of.bits, 32)) - 1)
        matrix = ids.reshape(rows, columns)
        stored = matrix.T if "col" in name.split(".") else matrix
        registers = layout_kernels.wmma_registers(dev, name, memory_of(np.ascontiguousarray(stored), of.bits))
        for lane, row in enumerate(registers.tolist()):
            for register, bits in enumerate(row):
                for piece in range(of.register_bits // of.bits):
                    value = (bits >> (piece * of.bits)) & ((1 << of.bits) - 1)
                    known[lane, register, piece] = known.get((lane, register, piece), 0) | value << shift
    return {place: divmod(number, columns) for place, number in known.items()}


def memory_of(matrix: np.ndarray[Any, Any], bits: int) -> np.ndarray[Any, Any]:
    """Raw elements packed as they lie in memory."""
    flat = matrix.reshape(-1).astype(np.uint64)
    if bits >= 8:
        return flat.astype({8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}[bits]).view(np.uint32)
    each = 32 // bits
    packed = np.zeros(len(flat) // each, np.uint64)
    for i in range(each):
        packed |= flat[i::each] << np.uint64(i * bits)
    return packed.astype(np.uint32)


def test_wmma_fragments(dev: px.Device, name: str) -> None:
    (of,) = layout(name)
    assert observed(dev, name, of) == {tuple(place): tuple(element) for place, element in of}
