"""Pictures of arrays: what a kernel wrote, as a PNG that a person can look at and a test can compare.

    write_png("y.png", y.numpy())                       # a pixel an element, from the lowest (dark) to the highest
    compare_png("y.png", "expected.png", tolerance=2).same

NaN is magenta, +inf white and -inf black, in every palette, so that the usual mistakes are seen at once. Files are written
and read by Pillow, the extra `image` of ptxgen; numpy holds the pixels.
"""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ptxgen.errors import Error

if TYPE_CHECKING:
    import os

    import numpy as np

__all__ = ["PALETTES", "PictureError", "PixelDifference", "compare_png", "png", "read_png", "write_png"]

PALETTES = ("viridis", "gray")
_MOST_PIXELS = 1 << 26
_NAN, _HIGHEST, _LOWEST = (255, 0, 255), (255, 255, 255), (0, 0, 0)
_VIRIDIS = "440154 482878 3e4a89 31688e 26828e 1f9e89 35b779 6dcd59 b4de2c fde725"
"""Ten colours of the scale of S. van der Walt and N. Smith (2015), evenly spaced; between them it is as good as straight."""
_MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA")
"""Pillow's names of the pixels that are read: at most 8 bits a channel, so that none is lost."""


class PictureError(Error, ValueError):
    """An array that is not a picture, or a file that is not a readable PNG."""


class PixelDifference(NamedTuple):
    """Two pictures of one size: how many pixels differ by more than the tolerance in some channel, and by how much at most.

    `first` is (row, column) of the first of them, None where there is none.
    """

    height: int
    width: int
    different: int
    largest: int
    first: tuple[int, int] | None

    @property
    def same(self) -> bool:
        """Is no pixel beyond the tolerance?"""
        return not self.different


def png(values: Any, *, palette: str = "viridis", low: float | None = None, high: float | None = None) -> bytes:
    """The PNG of an array of numbers with one dimension (a row) or two, eight bits a channel, RGB.

    `low` and `high` are the values of the palette's ends (what lies beyond has the end's colour); else the least and the largest
    finite value. The pixels are the same on every machine. Raises PictureError for other arrays and palettes.
    """
    import numpy as np

    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1:
        array = array.reshape(1, -1)
    if array.ndim != 2 or not 0 < array.size <= _MOST_PIXELS:
        raise PictureError(
            f"an array of shape {array.shape} is not a picture", hint=f"two dimensions, 1 to {_MOST_PIXELS} elements"
        )
    finite = np.isfinite(array)
    least, largest = (float(f(array[finite])) if finite.any() else 0.0 for f in (np.min, np.max))
    bottom, top = least if low is None else float(low), largest if high is None else float(high)
    if not (np.isfinite(bottom) and np.isfinite(top)) or top < bottom:
        raise PictureError(f"a palette from {bottom} to {top}", hint="two finite numbers, the lower first")
    # Halves first: the whole span of doubles does not fit in a double.
    span = top / 2 - bottom / 2
    with np.errstate(invalid="ignore", over="ignore"):
        part = (np.clip(array, bottom, top) / 2 - bottom / 2) / span if span else np.full(array.shape, 0.5)
    level = np.where(finite, np.rint(np.where(finite, part, 0.0) * 255), 0).astype(np.uint8)
    pixels = np.array(_colours(palette), dtype=np.uint8)[level]
    pixels[np.isnan(array)] = _NAN
    pixels[np.isposinf(array)] = _HIGHEST
    pixels[np.isneginf(array)] = _LOWEST
    return _encode(pixels)


def write_png(path: str | os.PathLike[str], values: Any, **how: Any) -> None:
    """Write `png(values, ...)` to a file."""
    Path(path).write_bytes(png(values, **how))


@cache
def _colours(palette: str) -> tuple[tuple[int, int, int], ...]:
    """256 colours, from low to high."""
    if palette == "gray":
        return tuple((level, level, level) for level in range(256))
    if palette != "viridis":
        raise PictureError(f"no palette {palette!r}", hint=" or ".join(PALETTES))
    anchors = [tuple(bytes.fromhex(word)) for word in _VIRIDIS.split()]
    steps = len(anchors) - 1
    found = []
    for level in range(256):
        place, rest = divmod(level * steps, 255)
        one, other = anchors[place], anchors[min(place + 1, steps)]
        red, green, blue = ((a * (255 - rest) + b * rest + 127) // 255 for a, b in zip(one, other))
        found.append((red, green, blue))
    return tuple(found)


# --- the file ---------------------------------------------------------------------------------------------------------


def _pillow() -> Any:
    """Pillow's module Image."""
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("pictures need Pillow, the extra `image` of ptxgen: pip install pillow") from None
    return Image


def _encode(pixels: np.ndarray[Any, Any]) -> bytes:
    made = BytesIO()
    _pillow().fromarray(pixels).save(made, "PNG")
    return made.getvalue()


def read_png(data: bytes | str | os.PathLike[str]) -> np.ndarray[Any, Any]:
    """The pixels of a PNG (its bytes, or its path) as an array of height x width x 3 bytes. Transparency is left out.

    Raises PictureError for what is damaged or no PNG, for more than 8 bits a channel, and for more than 2^26 pixels.
    """
    import numpy as np

    pillow = _pillow()
    raw = data if isinstance(data, bytes) else Path(data).read_bytes()
    try:
        with pillow.open(BytesIO(raw), formats=("PNG",)) as picture:
            if picture.mode not in _MODES or picture.width * picture.height > _MOST_PIXELS:
                size = f"{picture.width}x{picture.height} pixels of mode {picture.mode}"
                raise PictureError(f"a PNG of {size}", hint=f"8 bits a channel, at most {_MOST_PIXELS} pixels")
            return np.array(picture.convert("RGB"), dtype=np.uint8)
    except (OSError, SyntaxError, pillow.DecompressionBombError) as error:  # what Pillow raises for a damaged file
        raise PictureError(f"no PNG that can be read: {error}") from None


def compare_png(
    first: bytes | str | os.PathLike[str], second: bytes | str | os.PathLike[str], *, tolerance: int = 0
) -> PixelDifference:
    """Compare the pixels of two PNGs, bytes or paths; a channel may differ by `tolerance` of 255.

    Raises PictureError where they have different sizes.
    """
    import numpy as np

    one, other = read_png(first).astype(np.int16), read_png(second).astype(np.int16)
    if one.shape != other.shape:
        sizes = [f"{picture.shape[1]}x{picture.shape[0]}" for picture in (one, other)]
        raise PictureError(f"pictures of {' and '.join(sizes)} pixels cannot be compared")
    distance = np.abs(one - other).max(axis=2)
    beyond = np.argwhere(distance > tolerance)
    place = (int(beyond[0][0]), int(beyond[0][1])) if len(beyond) else None
    return PixelDifference(one.shape[0], one.shape[1], len(beyond), int(distance.max()), place)
