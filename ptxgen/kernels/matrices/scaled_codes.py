"""Weights as codes whose scales lie in arrays of their own: NF4, int4 and e4m3, by their public definitions in numpy.

A number is value(code) times its scale, in f32 and rounded once. The codes of a row are beside each other, and so are the scales
of its groups of 32, 64 or 128 elements; or a row has one scale, or each 128 x 128 of the matrix has.

    nf4    two codes of 4 bits a byte, the first in its upper half; values are the 16 quantiles of the normal distribution of
           QLoRA (Dettmers and others 2023, appendix E), scales the largest sizes of groups ("absmax"): what bitsandbytes keeps,
           whose codes of (n / 2, 1) are here (rows, columns / 2)
    int4   two integers from 0 to 15 a byte, the first in its lower half, less a zero: 8, or a u8 from 0 to 127 for each scale,
           so that bf16 holds the difference exactly
    e4m3   a byte a number; its NaN is a NaN
"""

from __future__ import annotations

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.builder import bf16, e4m3, f16, f32

if TYPE_CHECKING:
    import numpy as np

    from ptxgen.builder.values import Value

__all__ = ["CODES", "GROUPS", "NF4", "SCALES", "Codes", "Scaled", "decoded", "drawn", "name_of"]

NF4 = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
    -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
)  # fmt: skip
GROUPS = (32, 64, 128)
SCALES: tuple[type[Value], ...] = (f32, bf16, f16)


class Codes(NamedTuple):
    """`elements` of a row in `bytes`, as `ggml.Format` says it."""

    name: str
    bytes: int
    elements: int = 32


CODES = {each.name: each for each in (Codes("nf4", 16), Codes("int4", 16), Codes("e4m3", 32))}


class Scaled(NamedTuple):
    """How a matrix is scaled: a scale of this type for each `group` elements of a row (0: for the row), of each `rows` rows, and
    for int4 whether there is a zero for each."""

    group: int
    element: type[Value] = f32
    rows: int = 1
    zeros: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of a template."""
        return {"group": self.group, "scale": self.element.isa.name, "zeros": self.zeros}

    def arguments(self, rows: int, columns: int, scales: Any, zeros: Any) -> tuple[Any, ...]:
        """What a kernel takes of them: the scales, how many a row has, how many rows share them as a shift, the zeros."""
        return scales, self.extents(rows, columns)[1], self.rows.bit_length() - 1, zeros if self.zeros else 0

    def extents(self, rows: int, columns: int) -> tuple[int, int]:
        """Scales of a matrix: down and across."""
        return -(-rows // self.rows), columns // self.group if self.group else 1


def decoded(format: str, w: Any, scaled: Scaled, scales: Any, zeros: Any = None, *, values: Any = None) -> Any:
    """The numbers, f32 of (rows, columns), of codes w, u8 of (rows, bytes), and f32 scales. `values` are NF4's, where others
    are meant than those above."""
    import numpy as np

    from ptxgen.host.formats import decode

    rows = len(w)
    if format == "e4m3":
        found = decode(w, e4m3.isa).astype(np.float32)
    else:
        halves = (w >> 4, w & 15) if format == "nf4" else (w & 15, w >> 4)
        found = np.stack(halves, axis=-1).reshape(rows, 2 * w.shape[1])
    down, across = scaled.extents(rows, found.shape[1])

    def spread(each: Any) -> Any:
        wide = np.asarray(each).reshape(down, across).repeat(scaled.rows, axis=0)[:rows]
        return wide.repeat(scaled.group or found.shape[1], axis=1)

    if format == "nf4":
        found = np.asarray(NF4 if values is None else values, np.float32)[found]
    elif format == "int4":
        found = found.astype(np.float32) - (np.float32(8) if zeros is None else spread(zeros).astype(np.float32))
    return found * spread(scales).astype(np.float32)


def drawn(rng: np.random.Generator, format: str, rows: int, columns: int, scaled: Scaled) -> tuple[Any, Any, Any]:
    """Random codes, u8 of (rows, bytes), scales about 0.01 that their type holds, and zeros from 0 to 15 or None."""
    import numpy as np

    from ptxgen.kernels.cases import rounded

    about = CODES[format]
    w = rng.integers(0, 256, (rows, columns // about.elements * about.bytes), dtype=np.uint8)
    if format == "e4m3":
        w[(w & 127) == 127] = 0  # a NaN is tested by itself
    extents = scaled.extents(rows, columns)
    scales = rounded(rng.uniform(0.005, 0.02, extents).astype(np.float32), scaled.element)
    return w, scales, rng.integers(0, 16, extents, dtype=np.uint8) if scaled.zeros else None


def name_of(format: str, scaled: Scaled) -> str:
    """Of a variant: "int4.group-64.zeros"."""
    shared = f"group-{scaled.group}" if scaled.group else "rows"
    return ".".join([format, shared, scaled.element.isa.name, *(["zeros"] if scaled.zeros else [])])
