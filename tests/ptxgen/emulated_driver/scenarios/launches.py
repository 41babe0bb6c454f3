"""Launches, and how many blocks fit."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_size_t, c_uint32, c_uint64, c_void_p

from tests.ptxgen.emulated_driver.scenarios.base import (
    CONFIG,
    Bench,
    Cu,
    Note,
    scenario,
)


@scenario
def launches(cu: Cu, note: Note) -> None:
    cu.start()
    module = cu.load()
    empty, store, mixed = (cu.function(module, n) for n in (b"empty", b"store", b"mixed"))
    p = cu.alloc(4096)
    grids = [
        (0, 1, 1),
        (1, 0, 1),
        (1, 65535, 1),
        (1, 65536, 1),
        (1, 1, 65535),
        (1, 1, 65536),
        (0x7FFFFFFF, 1, 1),
        (0x80000000, 1, 1),
    ]
    blocks = [
        (0, 1, 1),
        (1024, 1, 1),
        (1025, 1, 1),
        (1, 1024, 1),
        (1, 1025, 1),
        (1, 1, 64),
        (1, 1, 65),
        (32, 32, 1),
        (32, 33, 1),
    ]
    for grid in grids:
        if grid[0] != 0x7FFFFFFF:
            note(f"grid {grid}", cu.launch(empty, grid=grid))
    for block in blocks:
        note(f"block {block}", cu.launch(empty, block=block))
    for shared in (0, 49152, 49153, 232448, 232449):
        note(f"shared {shared}", cu.launch(empty, shared=shared))
    cu.cuFuncSetAttribute(empty, 8, 100000)
    for shared in (100000, 100001):
        note(f"shared {shared} of 100000", cu.launch(empty, shared=shared))
    kib = cu.function(module, b"shared_kib")
    for shared in (48128, 48129):
        note(f"shared {shared} beside 1024", cu.launch(kib, shared=shared))
    note("bounded 64", cu.launch(cu.function(module, b"bounded"), block=(64, 1, 1)))
    note("bounded 65", cu.launch(cu.function(module, b"bounded"), block=(65, 1, 1)))
    note("bounded 8x8", cu.launch(cu.function(module, b"bounded"), block=(8, 8, 1)))
    note("required 32x2", cu.launch(cu.function(module, b"required"), block=(32, 2, 1)))
    note("required 64", cu.launch(cu.function(module, b"required"), block=(64, 1, 1)))
    note("required 32", cu.launch(cu.function(module, b"required"), block=(32, 1, 1)))
    note("clustered 2", cu.launch(cu.function(module, b"clustered"), grid=(2, 1, 1)))
    note("clustered 3", cu.launch(cu.function(module, b"clustered"), grid=(3, 1, 1)))
    note("null function", cu.cuLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, None, None, None))
    note("parameters missing", cu.cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, None, None, None))
    note("parameters unneeded", cu.cuLaunchKernel(empty, 1, 1, 1, 1, 1, 1, 0, None, (c_void_p * 1)(), None))
    data = (c_uint64 * 2)(p, 77)
    size = c_size_t(12)
    extra = (c_void_p * 5)(1, ctypes.addressof(data), 2, ctypes.addressof(size), 0)
    slots = (c_void_p * 2)(ctypes.addressof(data), ctypes.addressof(data) + 8)
    note("extra", [cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, extra), cu.words(p, 1)])
    note("both", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, slots, extra))
    size.value = 8
    note("extra too short", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, extra))
    size.value = 16
    note("extra too long", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, extra))
    size.value = 12
    unknown = (c_void_p * 7)(1, ctypes.addressof(data), 2, ctypes.addressof(size), 9, 9, 0)
    note("extra unknown key", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, unknown))
    half = (c_void_p * 3)(1, ctypes.addressof(data), 0)
    note("extra without size", cu.cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, None, None, half))
    note("slots", [cu.cuLaunchKernel(store, 2, 1, 1, 4, 1, 1, 0, None, slots, None), cu.words(p, 8)])
    note("mixed", cu.launch(mixed, c_uint64(1), c_uint64(1), c_uint64(1), c_uint64(1), (c_uint64 * 2)(), c_uint64(1)))

    def ex(
        function: int, grid: tuple[int, int, int] = (4, 1, 1), *attributes: tuple[int, ...], count: int | None = None
    ) -> int:
        entries = (c_uint32 * (18 * max(len(attributes), 1)))()
        for index, (key, *values) in enumerate(attributes):
            entries[18 * index] = key
            entries[18 * index + 2 : 18 * index + 2 + len(values)] = values
        address = ctypes.addressof(entries)
        config = CONFIG(
            *grid,
            1,
            1,
            1,
            0,
            0,
            0,
            0,
            address & 0xFFFFFFFF,
            address >> 32,
            len(attributes) if count is None else count,
            0,
        )
        return int(cu.cuLaunchKernelEx(config, function, None, None))

    note("ex", ex(empty))
    note("ex null", cu.cuLaunchKernelEx(None, empty, None, None))
    for cluster in ((1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1), (0, 1, 1), (2, 2, 1)):
        note(f"cluster {cluster} of 4", ex(empty, (4, 1, 1), (4, *cluster)))
    for width in (8, 9, 16, 17):
        note(f"cluster {width}", ex(empty, (width, 1, 1), (4, width, 1, 1)))
    cu.cuFuncSetAttribute(empty, 14, 1)
    for width in (16, 17, 32):
        note(f"cluster {width} not portable", ex(empty, (width, 1, 1), (4, width, 1, 1)))
    note("cluster of clustered", [ex(cu.function(module, b"clustered"), (4, 1, 1), (4, 2, 1, 1)),
                                  ex(cu.function(module, b"clustered"), (4, 1, 1), (4, 4, 1, 1))])  # fmt: skip
    note("attribute ignored", ex(empty, (1, 1, 1), (0, 0)))
    note("attribute unknown", ex(empty, (1, 1, 1), (99, 1)))
    note("attribute cooperative", ex(empty, (1, 1, 1), (2, 1)))
    note("attribute serialization", ex(empty, (1, 1, 1), (6, 1)))
    note("attribute priority", [ex(empty, (1, 1, 1), (8, 0)), ex(empty, (1, 1, 1), (8, 99))])
    note("attribute carveout", ex(empty, (1, 1, 1), (14, 50)))
    note("cooperative", cu.cuLaunchCooperativeKernel(empty, 132, 1, 1, 64, 1, 1, 0, None, None))
    note("cooperative most", cu.cuLaunchCooperativeKernel(empty, 132 * 2, 1, 1, 1024, 1, 1, 0, None, None))
    note("cooperative too large", cu.cuLaunchCooperativeKernel(empty, 132 * 2 + 1, 1, 1, 1024, 1, 1, 0, None, None))
    note("synchronize", cu.cuCtxSynchronize())


@scenario
def launches_more(cu: Cu, note: Note) -> None:
    b = Bench(cu, 1)

    def ex(grid: int, block: int, *attributes: tuple[int, ...]) -> int:
        entries = (c_uint32 * (18 * max(len(attributes), 1)))()
        for index, (key, *values) in enumerate(attributes):
            entries[18 * index] = key
            entries[18 * index + 2 : 18 * index + 2 + len(values)] = values
        address = ctypes.addressof(entries)
        config = CONFIG(grid, 1, 1, block, 1, 1, 0, 0, 0, 0, address & 0xFFFFFFFF, address >> 32, len(attributes), 0)
        return int(cu.cuLaunchKernelEx(config, b.empty, None, None))

    note("cooperative by attribute", [ex(264, 1024, (2, 1)), ex(265, 1024, (2, 1)), ex(265, 1024, (2, 0))])
    note("cooperative clusters", [ex(8, 64, (2, 1), (4, 2, 1, 1))])
    note("attribute twice", ex(4, 1, (4, 2, 1, 1), (4, 4, 1, 1)))
    note("all attribute ids", [ex(2, 1, (key, 0)) for key in range(20) if key not in (4, 7, 12)])
    note("cluster then the rest", [ex(4, 1, (4, 4, 1, 1), (6, 1)), ex(4, 1025, (4, 4, 1, 1))])
    note("cluster large block", [ex(16, 1024, (4, 8, 1, 1))])
    cu.cuCtxSynchronize()
    note(
        "cooperative captured",
        [
            cu.cuStreamBeginCapture_v2(b.stream, 1),
            cu.cuLaunchCooperativeKernel(b.empty, 265, 1, 1, 1024, 1, 1, 0, b.stream, None),
            cu.capturing(b.stream),
            cu.end_capture(b.stream)[0],
        ],
    )
    out = c_uint32()
    value = (c_uint32 * 16)()
    cu.cuStreamBeginCapture_v2(b.stream, 1)
    cu.cuLaunchCooperativeKernel(b.empty, 4, 1, 1, 32, 1, 1, 0, b.stream, None)
    _code, graph = cu.end_capture(b.stream)
    nodes, count = (c_void_p * 2)(), c_size_t(2)
    cu.cuGraphGetNodes(graph, nodes, byref(count))
    note("cooperative node", [cu.cuGraphKernelNodeGetAttribute(nodes[0], 2, value), value[0]])
    note(
        "unset node attributes",
        [[cu.cuGraphKernelNodeGetAttribute(nodes[0], key, value), value[0]] for key in range(18)],
    )
    note(
        "set node attributes",
        [cu.cuGraphKernelNodeSetAttribute(nodes[0], key, (c_uint32 * 16)()) for key in range(18)],
    )
    del out


@scenario
def occupancy(cu: Cu, note: Note) -> None:
    cu.start()
    module = cu.load()
    empty, kib, bounded = (cu.function(module, name) for name in (b"empty", b"shared_kib", b"bounded"))
    number, grid, size = c_int(), c_int(), c_size_t()
    blocks = cu.cuOccupancyMaxActiveBlocksPerMultiprocessor
    for block, shared in ((0, 0), (1, 0), (32, 0), (64, 0), (96, 0), (128, 0), (1000, 0), (1024, 0), (1025, 0), (128, 1024),
                          (128, 20000), (128, 49152), (128, 49153), (-1, 0)):  # fmt: skip
        note(f"blocks {block} {shared}", [blocks(byref(number), empty, block, shared), number.value])
    note(
        "blocks beside static",
        [blocks(byref(number), kib, 64, 0), number.value, blocks(byref(number), kib, 64, 4096), number.value],
    )
    note(
        "blocks bounded",
        [blocks(byref(number), bounded, 64, 0), number.value, blocks(byref(number), bounded, 128, 0), number.value],
    )
    note("blocks null", blocks(None, empty, 32, 0))
    potential = cu.cuOccupancyMaxPotentialBlockSize
    note("potential", [potential(byref(grid), byref(number), empty, None, 0, 0), grid.value, number.value])
    note("potential limit", [potential(byref(grid), byref(number), empty, None, 0, 100), grid.value, number.value])
    note("potential bounded", [potential(byref(grid), byref(number), bounded, None, 0, 0), grid.value, number.value])
    note("potential shared", [potential(byref(grid), byref(number), empty, None, 40000, 0), grid.value, number.value])
    available = cu.cuOccupancyAvailableDynamicSMemPerBlock
    for count, block in ((1, 128), (2, 128), (4, 128), (32, 32)):
        note(f"available {count} {block}", [available(byref(size), empty, count, block), size.value])
    note("available static", [available(byref(size), kib, 2, 128), size.value])
    entries = (c_uint32 * 18)()
    entries[0], entries[2], entries[3], entries[4] = 4, 2, 1, 1
    address = ctypes.addressof(entries)
    config = CONFIG(64, 1, 1, 128, 1, 1, 0, 0, 0, 0, address & 0xFFFFFFFF, address >> 32, 1, 0)
    note("clusters", [cu.cuOccupancyMaxActiveClusters(byref(number), empty, config), number.value > 0])
    note("cluster size", [cu.cuOccupancyMaxPotentialClusterSize(byref(number), empty, config), number.value])
