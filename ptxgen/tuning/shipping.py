"""The defaults that the package brings along for a device: records of what `tune` kept, in a file of `ptxgen/kernels/shipped`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ptxgen.kernels.winners import Winner, class_text, fixed_text, identity_of, kept_winner, read_shipped

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from driver_ctypes.caches.code import CodeStore
    from ptxgen.builder import Kernel
    from ptxgen.host import Device
    from ptxgen.tuning.results import TuneResult

__all__ = ["winners_of", "write_shipped"]


def winners_of(kernel: Kernel, result: TuneResult, device: Device, store: CodeStore) -> list[Winner]:
    """The records that were kept of a result."""
    fixed, identity = fixed_text(kernel.fixed), identity_of(device)
    found = [kept_winner(store, kernel, fixed, class_text(each.shape_class), identity) for each in result.classes]
    return [each for each in found if each is not None]


def write_shipped(path: Path, winners: Iterable[Winner]) -> int:
    """Put records into a file, in place of those of the same kernel, parameters and class; how many it has then. The order is
    that of the names, so that a change reads as one."""
    known = {each[:3]: each for each in (read_shipped(path) if path.is_file() else ())}
    known.update((each[:3], each) for each in winners)
    lines = [json.dumps(known[key].to_dict()) for key in sorted(known, key=_order)]
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text("[\n " + ",\n ".join(lines) + "\n]\n", "utf-8")
    os.replace(temporary, path)
    return len(known)


def _order(key: tuple[str, str, str]) -> tuple[str, str, list[str], str]:
    kernel, fixed, shape_class = key
    numbers = [str(part).rjust(20) for part in json.loads(shape_class)]
    return kernel, fixed, numbers, shape_class
