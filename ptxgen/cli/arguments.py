"""A launch's arguments, as they are written on the command line."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ptxgen.isa.types import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from ptxgen.host import Device

__all__ = ["FORMS", "argument", "extents", "outputs"]

FORMS = """\
  10  -3  0x1f  2.0  1e-3     a number
  x.npy                       a copy of the array in the file
  x.npy:bf16                  the same, converted to a PTX type
  zeros:f32:1024              a new array; also ones, arange (0, 1, 2, ...) and random (in [0, 1), always the same);
  zeros:f32:64x32             the extents are separated by x"""

_MAKERS: dict[str, Callable[[Any, int], Any]] = {
    "zeros": lambda np, size: np.zeros(size),
    "ones": lambda np, size: np.ones(size),
    "arange": lambda np, size: np.arange(size),
    "random": lambda np, size: np.random.default_rng(0).random(size),
}


def argument(text: str, device: Device) -> Any:
    """A number, or an array on the device. Raises click.UsageError for what is neither."""
    for convert in (lambda t: int(t, 0), float):
        try:
            return convert(text)
        except ValueError:
            continue
    maker, _, rest = text.partition(":")
    if maker in _MAKERS:
        return _made(maker, rest, text, device)
    path, colon, type_ = text.rpartition(":")
    if not (colon and type_ in TYPES):
        path, type_ = text, ""
    if Path(path).suffix != ".npy":
        raise click.UsageError(f"{text!r} is not an argument of a kernel; it can be\n{FORMS}")
    return device.array(_read(path), type_ or None)


def _made(maker: str, rest: str, text: str, device: Device) -> Any:
    type_, _, shape = rest.partition(":")
    extent = extents(shape)
    if type_ not in TYPES or extent is None:
        raise click.UsageError(f"{text!r} is not like {maker}:f32:1024 or {maker}:f32:64x32")
    size = 1
    for n in extent:
        size *= n
    return device.array(_MAKERS[maker](_numpy(), size).reshape(extent), type_)


def _read(path: str) -> np.ndarray[Any, Any]:
    try:
        loaded = _numpy().load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path} cannot be read: {error}") from None
    if not hasattr(loaded, "dtype"):
        raise click.UsageError(f"{path} holds several arrays")
    array: np.ndarray[Any, Any] = loaded
    return array


def _numpy() -> Any:
    if find_spec("numpy") is None:
        raise click.UsageError("arrays need numpy, which this Python does not have: pip install numpy")
    import numpy

    return numpy


def extents(text: str) -> tuple[int, ...] | None:
    """ "64x32" or "64,32" -> (64, 32); None for anything else."""
    parts = text.replace(",", "x").split("x")
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else None


def outputs(texts: tuple[str, ...], names: list[str]) -> dict[int, str]:
    """`INDEX=FILE` or `NAME=FILE` -> {argument's index: file}. Raises click.UsageError."""
    found = {}
    for text in texts:
        which, equals, path = text.partition("=")
        index = names.index(which) if which in names else int(which) if which.isdecimal() else -1
        if not equals or not path or not 0 <= index < len(names):
            listed = ", ".join(f"{i} or {name}" for i, name in enumerate(names))
            raise click.UsageError(f"--out {text}: expected ARGUMENT=FILE.npy, where ARGUMENT is {listed}")
        found[index] = path
    return found
