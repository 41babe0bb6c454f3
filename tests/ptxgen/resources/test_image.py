"""Pictures of arrays: colours, files, and what differs between two."""

from __future__ import annotations

import struct
import sys
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ptxgen.resources.image import PictureError, PixelDifference, compare_png, png, read_png, write_png

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import ArrayLike


def colours(values: ArrayLike, **how: object) -> list[list[str]]:
    return [["".join(f"{c:02x}" for c in pixel) for pixel in row] for row in read_png(png(values, **how))]  # type: ignore[arg-type]


def test_a_palette_goes_from_the_lowest_to_the_highest_value() -> None:
    assert colours([[0, 1], [2, 9]]) == [["440154", "482878"], ["3e4a89", "fde725"]]
    assert colours([[0, 128, 255]], palette="gray") == [["000000", "808080", "ffffff"]]
    assert colours([5.0, 5.0], palette="gray") == [["808080", "808080"]]  # one value: the middle


def test_what_is_no_number_has_colours_of_its_own() -> None:
    expected = [["ff00ff", "ffffff", "000000", "440154", "fde725"]]
    assert colours([np.nan, np.inf, -np.inf, 1, 2]) == expected
    assert colours([np.nan, np.inf, -np.inf, 1, 2], palette="gray")[0][:3] == expected[0][:3]
    assert colours([[np.nan]]) == [["ff00ff"]]


def test_ends_may_be_given() -> None:
    assert colours([0, 1, 2, 3], palette="gray", low=1, high=2) == [["000000", "000000", "ffffff", "ffffff"]]
    assert colours([-1.7e308, 1.7e308], palette="gray") == [
        ["000000", "ffffff"]
    ]  # a span that does not fit in a double


@pytest.mark.parametrize(
    "values, how, message",
    [
        (np.zeros((2, 2, 2)), {}, "shape \\(2, 2, 2\\) is not a picture"),
        (np.zeros((0, 4)), {}, "is not a picture"),
        (3.0, {}, "is not a picture"),
        ([1, 2], {"palette": "jet"}, "no palette 'jet'"),
        ([1, 2], {"low": 2, "high": 1}, "from 2.0 to 1.0"),
        ([1, 2], {"low": float("nan")}, "from nan"),
    ],
)
def test_what_is_no_picture(values: ArrayLike, how: dict[str, object], message: str) -> None:
    with pytest.raises(PictureError, match=message):
        png(values, **how)  # type: ignore[arg-type]


def test_files(tmp_path: Path) -> None:
    write_png(tmp_path / "x.png", np.arange(12).reshape(3, 4), palette="gray")
    raw = (tmp_path / "x.png").read_bytes()
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", raw[16:24]) == (4, 3)
    assert read_png(tmp_path / "x.png").shape == (3, 4, 3)
    assert png([1, 2, 3]) == png([1, 2, 3])


def picture(width: int, rows: bytes, *, colour: int = 0, depth: int = 8, height: int = 1) -> bytes:
    """A PNG of rows as they stand in the file, each with its filter byte."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def test_grey_and_transparency_become_rgb() -> None:
    assert read_png(picture(2, b"\0\x0a\x14")).tolist() == [[[10, 10, 10], [20, 20, 20]]]
    assert read_png(picture(1, b"\0\x01\x02\x03\x80", colour=6)).tolist() == [[[1, 2, 3]]]  # transparency is left out


@pytest.mark.parametrize(
    "data, message",
    [
        (b"GIF89a", "no PNG"),
        (png([1, 2])[:-26], "no PNG"),  # the end of the pixels is missing
        (png([1, 2]).replace(b"IDAT", b"IDAX"), "no PNG"),
        (picture(4, b"\0\0"), "no PNG"),  # two bytes of five
        (picture(1, b"\0\0\0", depth=16), "a PNG of 1x1 pixels of mode I;16"),  # 8 bits would be lost
        (picture(1 << 14, b"\0", height=(1 << 12) + 1), "a PNG of 16384x4097 pixels"),
    ],
)
def test_files_that_cannot_be_read(data: bytes, message: str) -> None:
    with pytest.raises(PictureError, match=message):
        read_png(data)


def test_pillow_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="pip install pillow"):
        png([1, 2])


def test_pictures_are_compared_by_their_pixels() -> None:
    one = np.arange(256).reshape(16, 16)
    other = one.copy()
    other[3, 5] += 2
    first, second = png(one, palette="gray"), png(other, palette="gray")
    assert compare_png(first, first) == PixelDifference(16, 16, 0, 0, None)
    assert compare_png(first, second) == PixelDifference(16, 16, 1, 2, (3, 5))
    assert compare_png(first, second, tolerance=2).same
    assert not compare_png(first, second, tolerance=1).same
    with pytest.raises(PictureError, match="pictures of 16x16 and 2x1 pixels"):
        compare_png(first, png([1, 2]))
