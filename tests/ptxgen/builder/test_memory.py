"""Memory: pointers, vectors, shared, local and constant variables."""

from __future__ import annotations

import re
from typing import TypeVar

import numpy as np
import pytest

import ptxgen as px
from ptxgen import bf16, e4m3, f16, f32, f64, s8, s16, s32, s64, u8, u16, u32, u64
from ptxgen.builder.values import Value
from ptxgen.errors import AnnotationError

E = TypeVar("E", bound=Value)
EVERY = [u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64]


# ---- pointers --------------------------------------------------------------------------------------------------------


@px.kernel
def indexes(k: px.Builder, x: px.ptr[E], z: px.ptr[E], i: s32, j: u64, *, element: type[E]):
    z[0] = x[3]
    z[1] = x[i]
    z[2] = x[i + 2]
    z[3] = x[j]
    z[4] = (x + 4)[1]
    z[5] = x.at(i).at(2)[-1]
    (z + i)[7] = x[k.const(u32, 6)]
    z.at(i).at(j)[3] = x[7]


@pytest.mark.parametrize("element", EVERY)
def test_pointers_are_indexed_as_in_c(run, dev, element):
    x, z = dev.array(np.arange(10, 20), element), dev.zeros(9, element)
    _, z = run(indexes, x, z, -1 % 4 - 2, 2, block=1, element=element)  # i = 1, j = 2
    assert z.tolist() == [13, 11, 13, 12, 15, 12, 17, 0, 16]


def test_negative_indices_reach_back(run):
    @px.kernel
    def back(k: px.Builder, x: px.ptr[f32], i: s32):
        x.at(3)[i] = 5.0

    (x,) = run(back, np.zeros(4, np.float32), -2, block=1)
    assert x.tolist() == [0, 5, 0, 0]


def test_one_register_is_two_indices_where_it_has_a_sign(run):
    @px.kernel
    def signs(k: px.Builder, x: px.ptr[u32], z: px.ptr[u64], i: u32):
        z[0] = x.at(i).address - x.address
        z[1] = x.at(i.bits(s32)).address - x.address

    _, z = run(signs, np.zeros(1, np.uint32), np.zeros(2, np.uint64), 0xFFFFFFFF, block=1)
    assert z.tolist() == [4 * 0xFFFFFFFF, 2**64 - 4]


@px.kernel
def one_address(k: px.Builder, y: px.ptr[f32]):
    i = k.global_id.x
    y[i] = y[i] * 2.0


def test_an_address_is_computed_once():
    assert str(one_address.module()).count("mad.wide.u32") == 1


@px.kernel
def reinterprets(k: px.Builder, x: px.ptr[f32], z: px.ptr[u32]):
    words = x.cast(u32)
    z[0] = words[1]
    z[1] = x.cast(u16)[3].to(u32)


def test_the_same_memory_as_another_type(run):
    x = np.array([1.0, -2.5], np.float32)
    _, z = run(reinterprets, x, np.zeros(2, np.uint32), block=1)
    assert z.tolist() == [x.view(np.uint32)[1], x.view(np.uint16)[3]]


@px.kernel
def qualified(k: px.Builder, x: px.ptr[u32], z: px.ptr[u32]):
    z.store(0, x.load(0, "nc"))
    z.store(1, x.load(1, "volatile"), "volatile")
    z.store(2, x.load(2, "relaxed.gpu"), "relaxed.gpu")
    z.store(3, x.load(3, "acquire.sys"), "release.sys")
    z.store(4, x.load(4, "cs"), "wt")
    z.store(5, x.load(5, "weak", "ca"), "weak")


def test_qualifiers_stand_where_the_manual_has_them(run):
    text = str(qualified.module(strict=True))
    for name in ("ld.global.nc.u32", "ld.volatile.global.u32", "ld.relaxed.gpu.global.u32", "ld.acquire.sys.global.u32",
                 "ld.global.cs.u32", "ld.weak.global.ca.u32", "st.release.sys.global.u32", "st.global.wt.u32"):  # fmt: skip
        assert name in text
    x = np.arange(6, dtype=np.uint32)
    assert run(qualified, x, x * 0, block=1)[1].tolist() == x.tolist()


# ---- vectors ---------------------------------------------------------------------------------------------------------


@px.kernel
def vectors(k: px.Builder, x: px.ptr[E], z: px.ptr[E], *, element: type[E], lanes: int):
    """The lanes in reverse order."""
    i = k.tid.x
    found = x.vectors(lanes)[i]
    z.vectors(lanes)[i] = list(found)[::-1]


@pytest.mark.parametrize("element, lanes", [(e, n) for e in EVERY for n in (2, 4, 8) if n * e.isa.bytes <= 16])
def test_vectors_of_every_width(run, dev, element, lanes):
    x = np.arange(4 * lanes) + 1
    _, z = run(vectors, dev.array(x, element), dev.zeros(4 * lanes, element), block=4, element=element, lanes=lanes)
    assert z.tolist() == x.reshape(4, lanes)[:, ::-1].reshape(-1).tolist()


@px.kernel
def vector_arithmetic(k: px.Builder, x: px.ptr[px.vec[f32, 4]], z: px.ptr[px.vec[f32, 4]]):
    a, b = x[0], x[1]
    z[0] = a + b
    z[1] = (a - b) * 2.0
    z[2] = a * b
    z[3] = (a.x, a.y, b.z, b.w)
    z[4] = 7.0


def test_vectors_compute_lane_by_lane(run):
    x = np.arange(8, dtype=np.float32)
    _, z = run(vector_arithmetic, x, np.zeros(20, np.float32), block=1)
    a, b = x[:4], x[4:]
    assert z.tolist() == [*(a + b), *(2 * (a - b)), *(a * b), a[0], a[1], b[2], b[3], 7, 7, 7, 7]


def test_a_kernel_that_loads_vectors_says_so(run, dev):
    assert ".align 16 x" in str(vectors.module(element=f32, lanes=4))
    x = dev.zeros(33, f32)
    with pytest.raises(px.Error, match="its vector accesses need 16-byte alignment"):
        run(vectors, x[1:], dev.zeros(32, f32), block=1, element=f32, lanes=4)


# ---- shared memory ---------------------------------------------------------------------------------------------------


@px.kernel
def reverses(k: px.Builder, x: px.ptr[E], *, element: type[E], n: int):
    tile = k.shared(element, n)
    i = k.tid.x
    tile[i] = x[i]
    k.barrier()
    x[i] = tile[n - 1 - i]


@pytest.mark.parametrize("element", EVERY)
def test_shared_arrays_of_every_type(run, dev, element):
    x = np.arange(96)
    (z,) = run(reverses, dev.array(x, element), block=96, element=element, n=96)
    assert z.tolist() == x[::-1].tolist()


@px.kernel
def tiles(k: px.Builder, z: px.ptr[s32]):
    """Two dimensions, constant and moving indices, a row as a pointer, an aligned array read as vectors."""
    tile = k.shared(s32, (4, 8), name="tile")
    x, y = k.tid.x, k.tid.y
    tile[y, x] = (10 * y + x).to(s32)
    k.barrier()
    z[tile.index(y, x)] = tile[k.const(u32, 3) - y, k.const(u32, 7) - x]
    with k.if_((x == 0) & (y == 0)):
        z[32] = tile[2, 5]
        z[33] = tile[2, x]
        z[34] = tile.at(1, 0).load(3)
    wide = k.shared(s32, 16, align=16)
    for i in range(4):
        wide[i] = i
    z[35] = wide.pointer.vectors(4)[0].w


def test_arrays_of_several_dimensions(run):
    (z,) = run(tiles, np.zeros(36, np.int32), block=(8, 4))
    assert z[:32].tolist() == [10 * (3 - y) + 7 - x for y in range(4) for x in range(8)]
    assert z[32:].tolist() == [25, 20, 13, 3]


@px.kernel(threads=32)
def known_parts(k: px.Builder, z: px.ptr[u32]):
    cube = k.shared(u32, (2, 3, 32), name="cube")
    lane = k.tid.x
    for i in range(2):
        for j in range(3):
            cube[i, j, lane] = 100 * i + 10 * j + lane
    k.barrier()
    z[lane] = cube[1, k.const(u32, 2), lane] + cube[0, 1, 31 - lane] * 1000 + cube[1, lane % 3, np.int64(4)] * 1_000_000


def test_known_parts_of_a_position_are_immediate_offsets(run):
    text = str(known_parts.module())
    assert text.count("mad.lo.u32") == 3  # an address for each of lane, 31 - lane and 32 * (lane % 3)
    offsets = sorted(int(offset) for offset in re.findall(r"\[%r\d+\+(\d+)\]", text))
    assert offsets == sorted(4 * at for at in (32, 64, 96, 128, 160, 160, 32, 96 + 4))
    (z,) = run(known_parts, np.zeros(32, np.uint32), block=32)
    lane = np.arange(32, dtype=np.uint32)
    np.testing.assert_array_equal(z, (120 + lane) + (10 + 31 - lane) * 1000 + (104 + 10 * (lane % 3)) * 1_000_000)


@px.kernel
def dynamic(k: px.Builder, n: u32, x: px.ptr[f32]):
    first = k.dynamic_shared(f32)
    second = k.dynamic_shared(f32, (0, 16), align=16)
    i = k.tid.x
    first.pointer[i] = x[i]
    k.barrier()
    x[i] = second[(n - 1 - i) // 16, (n - 1 - i) % 16]


def test_dynamic_shared_memory_has_the_launch_s_size(run):
    x = np.arange(64, dtype=np.float32)
    (z,) = run(dynamic, 64, x, block=64, shared=256)
    assert z.tolist() == x[::-1].tolist()
    assert str(dynamic.module()).count(".extern .shared .align 16") == 1


@px.kernel
def local_array(k: px.Builder, order: px.ptr[u32], z: px.ptr[u32]):
    mine = k.local(u32, (2, 3))
    for row in range(2):
        for column in range(3):
            mine[row, column] = k.tid.x * 100 + 10 * row + column
    j = order[k.tid.x]
    z[k.tid.x] = mine[j // 3, j % 3]


def test_local_arrays_are_each_thread_s_own(run):
    order = np.array([5, 0, 3, 1], np.uint32)
    _, z = run(local_array, order, order * 0, block=4)
    assert z.tolist() == [12, 100, 210, 301]


# ---- module variables ------------------------------------------------------------------------------------------------


@px.kernel
def constants(k: px.Builder, z: px.ptr[f32], w: px.ptr[u32]):
    i = k.tid.x
    z[i] = k.constant("weights", f32, [0.5, -1.0, float("inf"), 1e-45])[i]
    w[i] = k.constant("bytes", u8, [1, 2, 255, 0])[i].to(u32) + k.constant("signed", s32, [-1, 0, 5, 7])[i].bits(u32)


def test_module_constants(run):
    z, w = run(constants, np.zeros(4, np.float32), np.zeros(4, np.uint32), block=4)
    assert z.tobytes() == np.array([0.5, -1, np.inf, 1e-45], np.float32).tobytes()
    assert w.tolist() == [0, 2, 260, 7]


@px.kernel
def counts_launches(k: px.Builder, z: px.ptr[u32]):
    total = k.global_("launches", u32, values=[40])
    total[0] = total[0] + 1
    z[0] = total[0] + k.global_("zeros", u32, 4)[3]


def test_module_globals_live_as_long_as_the_module(dev):
    kernel, z = dev.load(counts_launches.module())["counts_launches"], dev.zeros(1, u32)
    for expected in (41, 42, 43):
        kernel.launch(1, 1, (z,))
        assert z.numpy()[0] == expected


@px.kernel
def module_vectors(k: px.Builder, z: px.ptr[f32]):
    pairs = k.constant("pairs", px.vec[f32, 2], [0.5, 1.5, 2.5, 3.5])
    quads = k.global_("quads", px.vec[f32, 4], values=[1, 2, 3, 4, 5, 6, 7, 8])
    zeros = k.global_("zero_quads", px.vec[f32, 4], 3)
    i = k.tid.x
    z[i] = pairs[i].y + quads[i].w * 10 + zeros[i].x


def test_module_variables_of_vectors(run):
    (z,) = run(module_vectors, np.zeros(2, np.float32), block=2)
    assert z.tolist() == [41.5, 83.5]
    text = str(module_vectors.module())
    assert [f"{name}[{count}]" in text for name, count in (("pairs", 4), ("quads", 8), ("zero_quads", 12))] == [
        True
    ] * 3


@pytest.mark.parametrize(
    "declare, said",
    [
        (lambda k: k.global_("g", u32, 2, values=[1, 2, 3]), "3 values for 2 elements of g"),
        (lambda k: k.constant("c", px.vec[f32, 2], [1.0, 2.0, 3.0]), "3 values for 1 elements of c"),
        (lambda k: k.global_("g", u32, 0), "a shape of 0"),
        (lambda k: k.global_("g", u32, 1.5), "a shape of 1.5"),
        (lambda k: k.constant("c", u32, []), "a shape of 0"),
    ],
)
def test_module_variables_have_as_many_elements_as_values(declare, said):
    @px.kernel
    def kernel(k: px.Builder):
        declare(k)

    with pytest.raises(px.BuildError) as caught:
        kernel.module()
    assert said in caught.value.diagnostics[0].message


def test_a_second_declaration_must_be_equal():
    @px.kernel
    def twice(k: px.Builder, z: px.ptr[f32]):
        z[0] = k.constant("c", f32, [1.0])[0] + k.constant("c", f32, [1.0])[0]

    @px.kernel
    def differently(k: px.Builder, z: px.ptr[f32]):
        z[0] = k.constant("c", f32, [1.0])[0] + k.constant("c", f32, [2.0])[0]

    assert str(twice.module()).count(".const .align") == 1
    with pytest.raises(px.BuildError, match="c is declared twice, differently"):
        differently.module()


@px.kernel
def as_vectors(k: px.Builder, z: px.ptr[u32]):
    table, state = k.constant("table", u16, range(16)), k.global_("state", u32, 16)
    i = k.tid.x
    low, high = table.at(4).cast(u32).vectors(2)[i]
    state.at(4).vectors(4)[i] = (low, high, low, high)
    z[i] = state[4 + 4 * i]


@px.kernel
def as_scalars(k: px.Builder, z: px.ptr[u32]):
    z[0] = k.constant("table", u16, range(16))[0].to(u32) + k.global_("state", u32, 16)[0]


@pytest.mark.parametrize("kernels", [(as_vectors, as_scalars), (as_scalars, as_vectors)])
def test_module_variables_as_vectors_are_aligned(kernels):
    text = str(px.module(*kernels))
    assert text.count(".const .align 8 .u16 table[16]") == 1
    assert text.count(".visible .global .align 16 .u32 state[16]") == 1


@px.func
def first_four(k: px.Builder, x: px.ptr[f32]) -> f32:
    return x.vectors(4)[0].x


@px.kernel
def relies_on_alignment(k: px.Builder, x: px.ptr[f32], y: px.ptr[f32], z: px.ptr[f32], w: px.ptr[f32]):
    tile = k.shared(f32, 4, name="tile")
    z[0] = first_four(x) + first_four(tile)
    z[1] = k.select(z[0] > 0, x, y).vectors(2)[0].y
    k.ptx.ld.global_.v4.f32(tuple(k.var(f32) for _ in range(4)), w.vectors(4))


def test_what_is_accessed_far_from_its_parameter_is_aligned_too():
    text = str(relies_on_alignment.module())
    aligned = {line.split()[-1].rstrip(","): line.split()[5] for line in text.splitlines() if ".param .u64" in line}
    assert aligned == {"x": "16", "y": "8", "z": "4", "w": "16"}
    assert ".shared .align 16 .f32 tile[4]" in text


@pytest.mark.parametrize(
    "use",
    [
        lambda k, x: x.at(1).vectors(2),
        lambda k, x: k.global_("state", f32, 8).at(2).vectors(4),
        lambda k, x: k.constant("table", f32, [1.0] * 8).at(k.tid.x).at(3).vectors(4),
        lambda k, x: first_four(x.at(3)),
    ],
)
def test_a_pointer_between_vectors_is_not_one_to_vectors(use):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[f32]):
        use(k, x)

    with pytest.raises(px.BuildError) as caught:
        kernel.module()
    (finding,) = caught.value.diagnostics
    assert finding.code == "PTX425"
    assert finding.locations[0].file == __file__


# ---- addresses, and pointers as values ------------------------------------------------------------------------------------


@px.kernel
def addresses(k: px.Builder, x: px.ptr[u32], z: px.ptr[u64], from_low: u32):
    tile = k.shared(u32, (4, 8), align=64)
    z[0] = x.at(3).address - x.address
    z[1] = x.at(3).bits(u64) - x.bits(u64)
    z[2] = (tile.at(1, 2).address - tile.address).to(u64)
    z[3] = (tile.address & 63).to(u64)
    z[4] = (x.at(1) == x).to(u64) + (x.at(1) != x).to(u64) * 2
    chosen = k.select(from_low != 0, x.at(1), x.at(from_low + 5))
    z[5] = (chosen[1]).to(u64)
    z[6] = k.pointer(x.at(2).address, u32)[1].to(u64)
    there = k.select(from_low != 0, tile.at(1, 0), tile.at(2, 0))
    there[0] = 42
    z[7] = tile[1, 0].to(u64) * from_low.to(u64)
    z[8], z[9] = (
        k.select(from_low != 0, x.vectors(2)[0], x.vectors(2)[2]).y.to(u64),
        k.select(from_low == 0, x.vectors(2)[0], 9).x.to(u64),
    )


@pytest.mark.parametrize("from_low", [0, 1])
def test_addresses_are_numbers_and_pointers_are_chosen(run, dev, from_low):
    z = dev.zeros(10, u64)
    run(addresses, np.arange(100, 116, dtype=np.uint32), z, from_low, block=1)
    chosen = [102, 103, 42, 101, 9] if from_low else [106, 103, 0, 105, 100]
    assert z.numpy().tolist() == [12, 12, 40, 0, 2, *chosen]


@px.kernel
def lanewise(k: px.Builder, x: px.ptr[u32], y: px.ptr[f32], z: px.ptr[u32]):
    a, b = x.vectors(4)[0], x.vectors(4)[1]
    results = [a + b, a - 1, 7 - a, 3 * a, b // a, 100 % a, a << 2, b >> 1, a & b, a | 8, a ^ x[0]]
    for at, found in enumerate(results):
        z.vectors(4)[at] = found
    y.vectors(2)[0] = 1.0 / y.vectors(2)[0] / (2.0, 4.0)


def test_operators_of_vectors_go_lane_by_lane(run):
    a, b, n = np.array([1, 2, 3, 4], np.uint32), np.array([10, 9, 8, 7], np.uint32), 11
    _, y, z = run(lanewise, np.concatenate([a, b]), np.float32([2, 4]), np.zeros(4 * n, np.uint32), block=1)
    expected = [a + b, a - 1, 7 - a, 3 * a, b // a, 100 % a, a << 2, b >> 1, a & b, a | 8, a ^ a[0]]
    assert z.reshape(n, 4).tolist() == [row.tolist() for row in expected]
    assert y.tolist() == [0.25, 0.0625]


@pytest.mark.parametrize(
    "use, said",
    [
        (lambda x: x.vectors(2)[0].z, r"lane 2 of vec\[u32, 2\](.|\n)*0 to 1"),
        (lambda x: x.vectors(2)[0][-3], "lane -3 of"),
        (lambda x: x.vectors(2)[0] + x.vectors(4)[0], r"4 lanes with the 2 of vec\[u32, 2\]"),
        (lambda x: x.vectors(2)[0] * (1, 2, 3), "3 lanes with the 2"),
        (lambda x: x.vectors(2)[0] / 2, "/ of integers"),
        (lambda x: x[0] == x.vectors(2)[0], "lane by lane: x and v"),
    ],
)
def test_what_vectors_do_not_have(use, said):
    @px.kernel
    def kernel(k: px.Builder, x: px.ptr[u32]):
        use(x)

    with pytest.raises(px.BuildError, match=said):
        kernel.module()


def selects(kind):
    @px.kernel
    def wrong(k: px.Builder, x: px.ptr[u32], y: px.ptr[f32]):
        p = x[0] == 0
        if kind == "space":
            k.select(p, x, k.shared(u32, 4).pointer)
        elif kind == "type":
            k.select(p, x, y)
        elif kind == "number":
            k.select(p, x, 0)
        elif kind == "lanes":
            k.select(p, x.vectors(2)[0], x.vectors(4)[0])
        elif kind == "compare":
            x[0] = (x == k.shared(u32, 4).pointer).to(u32)
        elif kind == "variable":
            k.var(px.ptr[u32], x)
        else:
            x.set(x)

    return wrong


@pytest.mark.parametrize(
    "kind, said",
    [
        ("space", "a pointer to .global and one to .shared(.|\n)*select what is loaded"),
        ("type", r"select of ptr\[u32\] and ptr\[f32\](.|\n)*x.cast"),
        ("number", r"select of ptr\[u32\] and int"),
        ("lanes", r"select of vec\[u32, 2\] and vec\[u32, 4\]"),
        ("compare", "a pointer to .global compared with one to .shared"),
        ("variable", r"a variable of ptr\[u32\](.|\n)*an index"),
        ("set", "a pointer is not a variable"),
    ],
)
def test_what_pointers_and_vectors_are_not(kind, said):
    with pytest.raises(px.BuildError, match=said):
        selects(kind).module()


def test_pointers_to_what_has_no_place_in_memory():
    class Pair(px.Struct):
        a: u32

    with pytest.raises(
        AnnotationError, match=r"ptr\[Pair\]: there are no pointers to structures(.|\n)*an array a field"
    ):
        px.ptr[Pair]
    for wrong in (int, np.float32, 3):
        with pytest.raises(TypeError, match=r"ptr\[...\] takes a ptxgen type such as ptr\[f32\], not"):
            px.ptr[wrong]


# ---- fp8 -------------------------------------------------------------------------------------------------------------


@px.kernel
def fp8(k: px.Builder, x: px.ptr[E], z: px.ptr[E], w: px.ptr[f32], *, element: type[E]):
    i = k.tid.x
    w[i] = x[i].to(f32)
    z[i] = (x[i].to(f32) * 2.0).to(element)


@pytest.mark.parametrize("element", [e4m3, px.e5m2])
def test_fp8_is_a_storage_type(run, dev, element):
    x = np.array([0.5, -1.75, 0.0, 400.0 if element is e4m3 else 57344.0], np.float32)
    _, z, w = run(fp8, dev.array(x, element), dev.zeros(4, element), dev.zeros(4, f32), block=4, element=element)
    largest = 448.0 if element is e4m3 else 57344.0
    assert w.tolist() == dev.array(x, element).numpy().tolist()
    assert z.tolist() == [1.0, -3.5, 0.0, largest]


def test_these_kernels_assemble(assembles):
    assembles([one_address, reinterprets, qualified, vector_arithmetic, tiles, dynamic, local_array, constants])
    assembles([counts_launches, addresses, lanewise])
    assembles([kernel.using(element=e) for e in EVERY for kernel in (indexes,)], targets=["sm_75", "sm_90a"])
    assembles([vectors.using(element=e, lanes=16 // e.isa.bytes) for e in (u16, f16, bf16, f32, f64)])
    assembles([reverses.using(element=e, n=64) for e in EVERY], targets=["sm_75", "sm_120"])
    assembles([fp8.using(element=e) for e in (e4m3, px.e5m2)], targets=["sm_90a", "sm_100a", "sm_120"])
