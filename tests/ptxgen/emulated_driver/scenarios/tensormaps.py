"""Tensor maps: which arguments are taken, and the 128 bytes that they become.

The address is a number: encoding does not look whether memory is there.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_uint32, c_uint64
from typing import Any

from tests.ptxgen.emulated_driver.scenarios.base import Cu, Note, scenario

ADDRESS = 0x7F12_3456_0000
KIB = 1 << 10


class Map:
    """128 bytes at a multiple of 64, as the driver wants them."""

    def __init__(self) -> None:
        self.room = (ctypes.c_char * 192)()
        self.address = -(-ctypes.addressof(self.room) // 64) * 64

    def hex(self) -> str:
        words = (c_uint64 * 16).from_address(self.address)
        return " ".join(f"{word:x}" for word in words).replace(" 0 0 0 0 0 0 0 0", "")


PLAIN: dict[str, Any] = {
    "type": 7, "address": ADDRESS, "shape": (1024, 512), "strides": (4096,), "box": (32, 8), "steps": (1, 1),
    "interleave": 0, "swizzle": 0, "promotion": 0, "fill": 0,
}  # fmt: skip


def encode(cu: Cu, target: int, **changes: Any) -> int:
    """cuTensorMapEncodeTiled of a plain tensor with changes."""
    a = {**PLAIN, **changes}
    rank = a["rank"] if "rank" in a else len(a["shape"])

    def array(kind: Any, values: Any) -> Any:
        return None if values is None else (kind * 8)(*values)

    return int(
        cu.cuTensorMapEncodeTiled(
            target, a["type"], rank, a["address"], array(c_uint64, a["shape"]), array(c_uint64, a["strides"]),
            array(c_uint32, a["box"]), array(c_uint32, a["steps"]), a["interleave"], a["swizzle"], a["promotion"],
            a["fill"],
        )
    )  # fmt: skip


def of_rank(rank: int, **more: Any) -> dict[str, Any]:
    shape = (64, 32, 16, 8, 4)[:rank]
    strides, apart = [], 256
    for extent in shape[1:]:
        strides.append(apart)
        apart *= extent
    return {"shape": shape, "strides": strides, "box": (16, 8, 4, 2, 1)[:rank], "steps": (1,) * rank, **more}


@scenario
def tensor_maps(cu: Cu, note: Note) -> None:
    cu.start()
    made = Map()

    def say(label: str, **changes: Any) -> None:
        code = encode(cu, made.address, **changes)
        note(label, [code, made.hex() if code == 0 else ""])

    say("plain")
    for rank in range(7):
        say(f"rank {rank}", **({**of_rank(min(rank, 5)), "rank": rank} if rank else {"rank": 0}))
    wide = {"shape": (1024, 512), "box": (16, 8)}
    for type_ in range(18):
        bytes_ = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 1, 1, 1, 1)[type_]
        box = (128, 8) if type_ >= 13 else (16, 8)
        say(f"type {type_}", **{**wide, "type": type_, "strides": (1024 * bytes_,), "box": box})
        say(f"type {type_} nan fill", **{**wide, "type": type_, "strides": (1024 * bytes_,), "box": box, "fill": 1})
    for swizzle in range(8):
        for inner in (8, 16, 32, 36, 64):
            say(f"swizzle {swizzle}, {4 * inner} bytes", swizzle=swizzle, box=(inner, 8))
        say(f"swizzle {swizzle}, 4-bit", type=13, strides=(512,), box=(128, 8), swizzle=swizzle)
        say(f"swizzle {swizzle}, padded 4-bit", type=14, strides=(512,), box=(128, 8), swizzle=swizzle)
        say(f"swizzle {swizzle}, padded 6-bit", type=15, strides=(768,), box=(128, 8), swizzle=swizzle)
        say(f"swizzle {swizzle}, interleave 1", **of_rank(3), interleave=1, swizzle=swizzle)
        say(f"swizzle {swizzle}, interleave 2", **of_rank(3), interleave=2, swizzle=swizzle)
    for interleave in (1, 2, 3):
        for rank in (2, 3, 5):
            say(f"interleave {interleave}, rank {rank}", **of_rank(rank), interleave=interleave, swizzle=interleave - 1)
    for promotion in range(5):
        say(f"promotion {promotion}", promotion=promotion)
    say("fill 2", fill=2)
    for address in (0, 1, 8, 16, 32, 48, ADDRESS + 16, 1 << 48, (1 << 57) + 16, (1 << 64) - 16):
        say(f"address {address:#x}", address=address)
    say("address 16, interleave 2", **of_rank(3), address=ADDRESS + 16, interleave=2, swizzle=1)
    say("address 16, padded 4-bit", address=ADDRESS + 16, type=14, strides=(512,), box=(128, 8))
    for extent in (0, 1, 5, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1):
        say(f"extent {extent}", shape=(1024, extent))
        say(f"inner extent {extent}", shape=(extent, 512))
    say("4-bit, odd extent", type=13, shape=(1023, 512), strides=(512,), box=(128, 8))
    say("padded 4-bit, extent 1000", type=14, shape=(1000, 512), strides=(512,), box=(128, 8))
    say("4-bit, box 64", type=13, strides=(512,), box=(64, 8))
    say("4-bit, box 16", type=13, strides=(512,), box=(16, 8))
    say("padded 4-bit, box 64", type=14, strides=(512,), box=(64, 8))
    for stride in (0, 8, 16, 32, 48, 4080, 4095, (1 << 39), (1 << 40) - 16, 1 << 40):
        say(f"stride {stride}", strides=(stride,))
    say("stride 4112, interleave 2", **{**of_rank(3), "strides": (4112, 8192)}, interleave=2, swizzle=1)
    say("strides fall", **{**of_rank(3), "strides": (8192, 4096)})
    for box in ((0, 8), (1, 8), (2, 8), (4, 8), (6, 8), (256, 8), (257, 8), (32, 0), (32, 256), (32, 257), (256, 256)):
        say(f"box {box}", box=box)
    for box in ((32, 8), (128, 128), (256, 112), (256, 113), (224, 256), (228, 256), (228, 255), (256, 224), (256, 227),
                (256, 228), (256, 240)):  # fmt: skip
        say(f"u8 box {box}", type=0, box=box, strides=(1024,))
        say(f"f32 box {box}", box=box)
    say("large box with steps", box=(256, 256), steps=(1, 2))
    say("large box with more steps", box=(256, 256), steps=(2, 2))
    for inner in (1, 2, 4, 8, 16, 64, 256):
        for interleave in (1, 2):
            say(f"box {inner}, interleave {interleave}", **{**of_rank(3), "box": (inner, 8, 4)}, interleave=interleave,
                swizzle=interleave - 1)  # fmt: skip
    say("high strides", **{**of_rank(5), "strides": tuple((1 << 36 + i) + 16 * i for i in range(4))})
    for address in ((1 << 49) - 16, 1 << 49, 1 << 52, 1 << 55, 1 << 56, (1 << 57) - 16, 1 << 57, 1 << 63):
        say(f"far address {address:#x}", address=address)
    for steps in ((0, 1), (1, 0), (2, 1), (1, 2), (4, 4), (8, 8), (9, 1), (1, 9), (16, 1)):
        say(f"steps {steps}", steps=steps)
    say("steps 2 with box 128 bytes", steps=(2, 1), swizzle=3, box=(32, 8))
    say("null shape", shape=None, rank=2)
    say("null strides", strides=None)
    say("null strides, rank 1", **{**of_rank(1), "strides": None})
    say("null box", box=None)
    say("null steps", steps=None)
    note("null map", encode(cu, 0))
    note("map at 32", encode(cu, made.address + 32))
    note("map at 8", encode(cu, made.address + 8))
    say("plain again")
    note("replace", [cu.cuTensorMapReplaceAddress(made.address, ADDRESS + 4096), made.hex()])
    for address in (0, 8, 16, 1 << 48):
        note(f"replace {address:#x}", cu.cuTensorMapReplaceAddress(made.address, address))
    say("interleaved to replace", **of_rank(3), interleave=2, swizzle=1)
    note("replace interleaved", [cu.cuTensorMapReplaceAddress(made.address, ADDRESS + 16), made.hex()])


@scenario
def tensor_maps_im2col(cu: Cu, note: Note) -> None:
    cu.start()
    made = Map()

    def say(label: str, rank: int = 4, **changes: Any) -> None:
        a: dict[str, Any] = {
            "type": 6, "address": ADDRESS, "shape": (64, 32, 16, 8, 4)[:rank], "lower": (-1, -2, -3)[: rank - 2],
            "upper": (-1, 1, 2)[: rank - 2], "channels": 64, "pixels": 128, "steps": (1, 1, 1, 1, 1), "interleave": 0,
            "swizzle": 3, "promotion": 0, "fill": 0, **changes,
        }  # fmt: skip
        strides, apart = [], 128
        for extent in a["shape"][1:]:
            strides.append(apart)
            apart *= extent
        arrays = (c_uint64 * 8)(*a["shape"]), (c_uint64 * 8)(*a.get("strides", strides))
        head = made.address, a["type"], rank, a["address"], *arrays
        tail = a["channels"], a["pixels"], (c_uint32 * 8)(*a["steps"]), a["interleave"]
        modes = a["swizzle"], a["promotion"], a["fill"]
        code = cu.cuTensorMapEncodeIm2col(*head, (c_int * 8)(*a["lower"]), (c_int * 8)(*a["upper"]), *tail, *modes)
        note(label, [code, made.hex() if code == 0 else ""])

    for rank in range(2, 6):
        say(f"rank {rank}", rank)
    for number in (0, 1, 8, 256, 257):
        say(f"channels {number}", channels=number, swizzle=0)
    for number in (0, 1, 1024, 1025):
        say(f"pixels {number}", pixels=number)
    for corner in (-129, -128, 127, 128):
        say(f"lower {corner}", lower=(corner, 0), upper=(0, 0), shape=(64, 300, 300, 8))
        say(f"upper {corner}", lower=(0, 0), upper=(corner, 0), shape=(64, 300, 300, 8))
    say("empty box", lower=(40, 0), upper=(0, 0))
    say("steps 2", steps=(1, 2, 2, 1, 1))
    say("rank 3 corners", 3, lower=(-32768,), upper=(32767,))
    say("rank 5 corners", 5, lower=(-16, -16, -16), upper=(15, 15, 15))
    say("rank 5 corner 16", 5, lower=(-16, -16, -17), upper=(15, 15, 15))
    say("interleave 2", interleave=2, swizzle=1, channels=16)
    say("channels 128 with swizzle 128B", channels=128)
    say("steps 2 and 4", steps=(1, 2, 4, 1, 1))
    say("steps of channels", steps=(2, 1, 1, 1, 1))
    say("large column", channels=256, pixels=1024, swizzle=0)
    say("high strides", strides=((1 << 36) + 16, (1 << 37) + 32, (1 << 38) + 48))
