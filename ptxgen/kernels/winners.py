"""What tuning found, as data: a record for each kernel, device and class of shapes, kept on disk by this user or shipped with
this package for a device.

On disk a record stands under everything that it depends on: the kernel's source text and fixed compile-time parameters, the
device's name and target, the driver's version, the class of shapes. A shipped record (`shipped/DEVICE.json`) knows the
kernel by its name, and holds for every driver; tests compare it with the kernel's space. Records are data from elsewhere:
who reads one checks its configuration against the kernel's own space.
"""

from __future__ import annotations

import inspect
import json
import math
import re
import warnings
from functools import cache, lru_cache
from pathlib import Path

from driver_ctypes.caches.code import CodeStore, key_of
from driver_ctypes.caches.process import code_store
from driver_ctypes.errors import CacheWarning
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen.builder import Kernel
    from ptxgen.host import Device
    from ptxgen.kernels.space import ShapeClass

__all__ = [
    "DeviceIdentity", "Winner", "WinnerStore", "class_text", "fixed_text", "identity_of", "keep_winner", "kept_winner",
    "program_digest", "read_shipped", "say_ignored", "shipped_file", "shipped_winner", "winner_key", "winner_store",
]  # fmt: skip

FORMAT = 1
FOLDER = "tuned-kernels"
SHIPPED = Path(__file__).with_name("shipped")

_NEAR = 4
"""The factor up to which a shipped record for another class is taken."""

_PLAIN = (bool, int, float, str, tuple, type(None))
_MOST_BYTES = 1 << 16
"""Of a record: larger ones were not written here."""


class WinnerStore(CodeStore):
    """Records in a folder, for any number of threads and processes."""

    suffix = ".winner"
    redone = "the kernel's own choice is taken until it is tuned again"


class DeviceIdentity(NamedTuple):
    """What a measurement depends on, of a device."""

    name: str
    target: str
    driver: int


class Winner(NamedTuple):
    """A record: the configuration (plain values by axis), the microseconds that it took for each shape of the class, and the
    digest of the program that was measured ("" for none)."""

    kernel: str
    fixed: str
    shape_class: str
    device: DeviceIdentity
    config: Mapping[str, Any]
    microseconds: Mapping[str, float]
    program: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "format": FORMAT, "kernel": self.kernel, "fixed": self.fixed, "class": self.shape_class,
            "device": self.device.name, "target": self.device.target, "driver": self.device.driver,
            "config": dict(self.config), "us": dict(self.microseconds), "program": self.program,
        }  # fmt: skip

    @classmethod
    def from_dict(cls, plain: Any) -> Winner:
        """The record of plain data. ValueError where it is none."""
        if not isinstance(plain, dict) or plain.get("format") != FORMAT:
            raise ValueError(f"it is not a record of format {FORMAT}")
        texts = dict.fromkeys(("kernel", "fixed", "class", "device", "target", "program"), str)
        for field, kind in {**texts, "driver": int, "config": dict, "us": dict}.items():
            if not isinstance(plain.get(field), kind):
                raise ValueError(f"its field {field!r} is {plain.get(field)!r:.60}, not a {kind.__name__}")
        device = DeviceIdentity(plain["device"], plain["target"], plain["driver"])
        return cls(
            plain["kernel"], plain["fixed"], plain["class"], device, plain["config"], plain["us"], plain["program"]
        )  # fmt: skip


def identity_of(device: Device) -> DeviceIdentity:
    """The identity of a device of this machine."""
    return DeviceIdentity(device.handle.name, device.target, device.context.driver.version)


def class_text(shape_class: ShapeClass) -> str:
    """A class as it stands in records."""
    return json.dumps(shape_class)


def fixed_text(fixed: Mapping[str, Any]) -> str:
    """Fixed compile-time parameters as they stand in records: "element=f32 op='sum'"."""
    return " ".join(f"{name}={_name_of(value)}" for name, value in sorted(fixed.items()))


def _name_of(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else repr(value)


@lru_cache(256)
def content_of(function: Callable[..., Any]) -> str:
    """What a kernel is, across processes: where its function lives, its text, and plain values that it closes over."""
    try:
        text: str | bytes = inspect.getsource(function)
    except (OSError, TypeError):  # typed at a prompt, or made by exec
        text = function.__code__.co_code + repr(function.__code__.co_names).encode()
    held = inspect.getclosurevars(function).nonlocals.items()
    plain = [f"{name}={value!r}" for name, value in held if isinstance(value, _PLAIN)]
    return key_of(function.__module__, function.__qualname__, text, *plain)


def program_digest(ptx: str) -> str:
    """The digest of a program in records."""
    return key_of(ptx)[:32]


def winner_key(kernel: Kernel, fixed: str, shape_class: str, device: DeviceIdentity) -> str:
    """The key of a record on disk."""
    return key_of("ptxgen-winner.v1", content_of(kernel.function), fixed, shape_class, *device)


def winner_store() -> CodeStore | None:
    """Where this user's records are kept; None where caches are off (`PTXGEN_CACHE=0`) or there is no place for them."""
    return code_store(FOLDER, WinnerStore)


def keep_winner(store: CodeStore, kernel: Kernel, winner: Winner) -> None:
    """Write a record, in place of an earlier one."""
    key = winner_key(kernel, winner.fixed, winner.shape_class, winner.device)
    store.put(key, json.dumps(winner.to_dict(), sort_keys=True).encode())


def kept_winner(
    store: CodeStore, kernel: Kernel, fixed: str, shape_class: str, device: DeviceIdentity
) -> Winner | None:
    """The record on disk, or None. One that is damaged, or is about something else, is reported and not used."""
    key = winner_key(kernel, fixed, shape_class, device)
    entry = store.get(key)
    if entry is None:
        return None
    try:
        if len(entry.image) > _MOST_BYTES:
            raise ValueError(f"it has {len(entry.image)} bytes")
        found = Winner.from_dict(json.loads(entry.image))
        asked = (kernel.__name__, fixed, shape_class, device)
        if found[:4] != asked:
            raise ValueError(f"it is about {found[:4]}, not {asked}")
    except (ValueError, RecursionError) as problem:
        say_ignored(f"the record {key[:16]} of {kernel.__name__} in {store.folder}", str(problem))
        return None
    return found


def say_ignored(what: str, why: str) -> None:
    """The warning about a record that is not used."""
    warnings.warn(f"{what} is not used: {why}\n  Fix: tune the kernel again", CacheWarning, stacklevel=3)


def shipped_file(device: str, folder: Path = SHIPPED) -> Path:
    """The file of shipped records for a device's name: "NVIDIA H200" has nvidia_h200.json."""
    return folder / (re.sub(r"[^a-z0-9]+", "_", device.lower()).strip("_") + ".json")


def read_shipped(path: Path) -> tuple[Winner, ...]:
    """The records of a file, in its order. ValueError where it is not of this format; FileNotFoundError."""
    plain = json.loads(path.read_text("utf-8"))
    if not isinstance(plain, list):
        raise ValueError(f"{path} is not a list of records")
    return tuple(map(Winner.from_dict, plain))


@cache
def _shipped_for(device: str) -> dict[tuple[str, str], dict[ShapeClass, Winner]]:
    """By kernel and fixed parameters: the records by their classes, in the file's order."""
    found: dict[tuple[str, str], dict[ShapeClass, Winner]] = {}
    path = shipped_file(device)
    for each in read_shipped(path) if path.is_file() else ():
        found.setdefault((each.kernel, each.fixed), {})[_as_class(each.shape_class)] = each
    return found


def _as_class(text: str) -> ShapeClass:
    def plain(value: Any) -> Any:
        return tuple(map(plain, value)) if isinstance(value, list) else value

    found = plain(json.loads(text))
    if not isinstance(found, tuple):
        raise ValueError(f"the class {text:.60} is not a list")
    return found


def shipped_winner(kernel: str, fixed: str, shape_class: ShapeClass, device: str) -> Winner | None:
    """The record that this package ships for a device of this name, or None. Where it has none for the class, that of the nearest
    one: the extents' factors together are at most 4, and all else is the same."""
    records = _shipped_for(device).get((kernel, fixed), {})
    if shape_class in records:
        return records[shape_class]
    near = min(records, key=lambda other: _factor(shape_class, other), default=shape_class)
    return records[near] if near in records and _factor(shape_class, near) <= _NEAR else None


def _factor(one: ShapeClass, other: ShapeClass) -> float:
    """How far apart two classes are: the product of the extents' factors, 1 for equal ones."""
    if len(one) != len(other):
        return math.inf
    factor = 1.0
    for a, b in zip(one, other):
        if type(a) is int and type(b) is int and a > 0 and b > 0:
            factor *= max(a / b, b / a)
        elif type(a) is not type(b) or a != b:
            return math.inf
    return factor
