"""Tensor maps: every rule by name, and by value to a kernel."""

import pytest

import driver_ctypes as dc
from tests.driver_ctypes.kit import words

ADDRESS = 0x7F0000000000


def make(context, element="f32", shape=(1024, 512), box=(32, 8), memory=ADDRESS, **more):
    return dc.tensor_map(memory, element, shape, box, context=context, **more)


GOOD = {
    "plain": {},
    "rank 1": {"shape": (64,), "box": (16,)},
    "rank 5": {"shape": (64, 8, 8, 8, 8), "box": (16, 2, 2, 2, 2)},
    "swizzled": {"swizzle": "128B"},
    "narrow": {"swizzle": "32B", "box": (8, 8)},
    "bf16": {"element": "bf16", "box": (64, 8), "nan_fill": True},
    "promoted": {"promotion": "256B"},
    "strided": {"strides": (8192,), "element_strides": (1, 2)},
    "interleaved": {"shape": (64, 8, 8), "box": (8, 2, 2), "interleave": "32B", "swizzle": "32B"},
    "large box": {"box": (256, 227)},
    "null": {"memory": 0},
}


@pytest.mark.parametrize("arguments", GOOD.values(), ids=GOOD)
def test_what_the_driver_takes(context, arguments):
    made = make(context, **arguments)
    assert len(bytes(made)) == len(memoryview(made).cast("B")) == 128
    assert made.opaque[0] == arguments.get("memory", ADDRESS)
    assert bytes(made) == bytes(make(context, **arguments))


BAD = {
    "element": ({"element": "f8"}, "element is 'f8'; it must be one of u8, u16"),
    "rank 0": ({"shape": (), "box": ()}, "shape is of rank 0; it must be of rank 1 to 5"),
    "rank 6": ({"shape": (8,) * 6, "box": (8,) * 6}, "of rank 6"),
    "address": ({"memory": ADDRESS + 8}, "address is 0x7f0000000008; it must be a multiple of 16"),
    "address, interleaved": (
        {"memory": ADDRESS + 16, "shape": (64, 8, 8), "box": (8, 2, 2), "interleave": "32B", "swizzle": "32B"},
        "a multiple of 32 with interleave 32B",
    ),
    "extent": ({"shape": (0, 512)}, r"shape\[0\] is 0; it must be 1 to 2\*\*32"),
    "stride": ({"strides": (4095,)}, r"strides\[0\] is 4095; it must be a multiple of 16\n  Fix: pad the rows"),
    "default stride": ({"shape": (1023, 512)}, r"strides\[0\] is 4092"),
    "far stride": ({"strides": (1 << 40,)}, r"less than 2\*\*40"),
    "strides": ({"strides": ()}, "strides is 0 numbers; it must be 1: bytes"),
    "box": ({"box": (32, 257)}, r"box\[1\] is 257; it must be 1 to 256"),
    "boxes": ({"box": (32,)}, "box is 1 numbers; it must be 2"),
    "inner": ({"box": (6, 8)}, r"box\[0\] is 6 \(24 bytes\); it must be a multiple of 16 bytes"),
    "swizzle": ({"swizzle": "64B"}, r"box\[0\] is 32 \(128 bytes\); it must be at most 64 bytes with swizzle 64B"),
    "no swizzle": ({"swizzle": "16B"}, "swizzle is '16B'; it must be one of none, 32B"),
    "steps": ({"element_strides": (1, 9)}, r"element_strides\[1\] is 9; it must be 1 to 8"),
    "all steps": ({"element_strides": (1,)}, "element_strides is 1 numbers"),
    "interleave": ({"interleave": "16B"}, "of rank 3 to 5 with interleave 16B"),
    "interleave and swizzle": (
        {"shape": (64, 8, 8), "box": (8, 2, 2), "interleave": "32B"}, "swizzle is none; it must be 32B",
    ),
    "fill": ({"element": "u32", "nan_fill": True}, "nan_fill is set for u32"),
    "large box": ({"box": (256, 256)}, "box is of 262144 bytes; it must be of 233472 bytes at most"),
    "promotion": ({"promotion": "32B"}, "promotion is '32B'"),
}  # fmt: skip


@pytest.mark.parametrize("arguments, message", BAD.values(), ids=BAD)
def test_each_rule_has_its_own_words(context, arguments, message):
    with pytest.raises(dc.TensorMapError, match=message):
        make(context, **arguments)


def test_the_memory_must_be_there(context):
    with context.alloc(4096) as x:
        made = dc.tensor_map(x, "u8", (64, 64), (64, 8))
        assert made.opaque[0] == x.pointer
        with pytest.raises(
            dc.TensorMapError, match="of 4160 bytes; it must be of 4096 bytes at most, which the Buffer"
        ):
            dc.tensor_map(x, "u8", (64, 65), (64, 8))
    with pytest.raises(dc.ClosedError):
        dc.tensor_map(x, "u8", (64, 64), (64, 8))
    with pytest.raises(dc.ArgumentTypeError, match="which context"):
        dc.tensor_map(ADDRESS, "u8", (64, 64), (64, 8))


@pytest.mark.parametrize("arguments", [{"element": "b4x16"}, {"swizzle": "128B_ATOM_32B"}])
def test_what_came_later(context, arguments):
    if context.device.compute_capability >= (10, 0):
        pytest.skip("this device has it")
    with pytest.raises(dc.NotSupportedError, match=r"needs compute capability 10.0"):
        make(context, shape=(1024, 512), box=(128, 8), **arguments)


def test_by_value_to_a_kernel(context, module):
    with context.alloc(4096) as x, context.alloc(8) as out:
        made = dc.tensor_map(x, "u8", (64, 64), (64, 8))
        module.function("first_word").launch(1, 1, made, out)
        low, high = words(context, out, 2)
        assert high << 32 | low == x.pointer


@pytest.mark.parametrize("way", ["launch", "bind"])
def test_its_memory_must_be_open(context, module, way):
    function = module.function("first_word")
    launch = function.bind(1, 1) if way == "bind" else lambda *args: function.launch(1, 1, *args)
    with context.alloc(8) as out:
        with context.alloc(4096) as x:
            made = dc.tensor_map(x, "u8", (64, 64), (64, 8))
            for _ in range(3):
                launch(made, out)
        with pytest.raises(dc.ClosedError, match=r"argument 1 \(map: bytes\): this buffer is closed"):
            launch(made, out)


def test_graphs_keep_its_memory(context, module, stream):
    function, x, out = module.function("first_word"), context.alloc(4096), context.alloc(8)
    made = dc.tensor_map(x, "u8", (64, 64), (64, 8))
    with stream.capture() as capture:
        function.launch(1, 1, made, out, stream=stream)
    graph = context.graph()
    graph.kernel(function, 1, 1, made, out)
    before = context.live_handles()["buffer"]
    x.close()
    assert context.live_handles()["buffer"] == before
    for one in (capture.graph, graph):
        assert x in one.owners
        with one.instantiate() as execution:
            execution.launch(stream)
            stream.synchronize()
        one.close()
    assert context.live_handles()["buffer"] == before - 1
    out.close()


def test_an_update_keeps_the_memory_of_a_map_that_was_changed(context, module, stream):
    function, out = module.function("first_word"), context.alloc(8)
    x, y = context.alloc(4096), context.alloc(4096)
    made = dc.tensor_map(x, "u8", (64, 64), (64, 8))
    graph = context.graph()
    graph.kernel(function, 1, 1, made, out, label="first word")
    with graph.instantiate() as execution:
        move = execution.bind_update("first word", "map")
        move(made)
        made.replace_address(y)
        move(made)
        before, address = context.live_handles()["buffer"], y.pointer
        y.close()
        assert context.live_handles()["buffer"] == before
        execution.launch(stream)
        low, high = words(context, out, 2)
        assert high << 32 | low == address
        with pytest.raises(dc.ClosedError, match="this buffer is closed"):
            move(made)
    assert context.live_handles()["buffer"] == before - 1
    for one in (graph, x, out):
        one.close()


def test_another_address(context):
    with context.alloc(4096) as x, context.alloc(8192) as y:
        made = dc.tensor_map(x, "u8", (64, 64), (64, 8))
        made.replace_address(y)
        assert bytes(made) == bytes(dc.tensor_map(y, "u8", (64, 64), (64, 8)))
        with pytest.raises(dc.TensorMapError, match="a multiple of 16"):
            made.replace_address(y.pointer + 8)
        with pytest.raises(dc.TensorMapError, match="null"):
            made.replace_address(0)


def test_im2col(context):
    def image(**changes):
        arguments = {"shape": (64, 32, 16, 8), "lower": (-1, -2), "upper": (-1, 1), "channels": 64, "pixels": 128}
        return dc.tensor_map_im2col(ADDRESS, "f16", **{**arguments, **changes}, swizzle="128B", context=context)

    assert image().opaque[7] == 0x7F01FFFEFF  # as recorded on an H200
    for changes, message in (
        ({"shape": (64, 32)}, "of rank 3 to 5"),
        ({"lower": (-1,)}, "lower is 1 numbers; it must be 2"),
        ({"upper": (-1, 128)}, r"upper\[1\] is 128; it must be -128 to 127 at rank 4"),
        ({"lower": (40, 0)}, r"such that the box of 32 - 40 \+ -1 is not empty"),
        ({"channels": 257}, "channels is 257"),
        ({"channels": 4}, r"channels is 4 \(8 bytes\)"),
        ({"pixels": 1025}, "pixels is 1025"),
    ):
        with pytest.raises(dc.TensorMapError, match=message):
            image(**changes)
