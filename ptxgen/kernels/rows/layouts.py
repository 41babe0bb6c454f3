"""How threads share a row of templates/rows.ptx.j2, by operation, length and type: what was measured on an H200."""

from __future__ import annotations

from driver_ctypes.typing import NamedTuple
from ptxgen.errors import BuildError
from ptxgen.kernels.blocks.collectives import WARP
from ptxgen.kernels.plan import ceil_div

__all__ = ["MOST_CTAS", "ROOM", "SUMMED", "Layout", "choose"]

CTA = 128
"""Threads of a CTA whose rows fit in warps; a longer row has a CTA of its own, or a cluster."""
MOST_LANES = 512
MOST_CTAS = 8
"""CTAs of a cluster on every device that has clusters."""
LARGEST = 16
"""CTAs of a cluster that a kernel may ask for, of sm_90 and sm_100."""
SPLIT = 1024
"""Elements of a CTA that needs nothing of the rest of its row."""
BULK = 16
"""Bytes that the addresses and sizes of bulk copies are multiples of."""
ROOM = 200 << 10
"""Bytes of an SM's shared memory for rows on their way, on an H200."""
SUMMED = ("layer_norm_backward", "rms_norm_backward")
"""Those that add up over the rows: a CTA takes row after row."""


class Layout(NamedTuple):
    """How threads share a row: see templates/rows.ptx.j2."""

    lanes: int
    items: int
    vector: int
    cluster: int = 1
    reread: bool = False
    stages: int = 0
    whole: bool = False
    split: bool = False
    ctas: int = 1
    """With `stages`, CTAs that an SM has at a time, each of which takes row after row: the kernel is the same."""

    @property
    def block(self) -> int:
        return self.lanes if self.lanes > WARP or self.cluster > 1 or self.split else CTA

    @property
    def rows(self) -> int:
        """Rows that a CTA, or a cluster, has at a time."""
        return self.block // self.lanes

    def parts(self, columns: int) -> int:
        """CTAs that share a row."""
        return ceil_div(columns, self.lanes * self.items) if self.split else self.cluster


def choose(
    op: str, columns: int, vector: int,
    *, size: int = 4, clusters: bool = True, room: int = ROOM, residual: bool = False,
) -> Layout:  # fmt: skip
    """Elements of `size` bytes: 8 to 32 a thread (16 where two arrays are read), by powers of two, so that few kernels serve all
    lengths; where instructions do not count, first over more threads. A row whose sums take many is read twice, the second time
    from the L2 cache, rather than shared by CTAs. `room`: bytes of an SM's shared memory for rows on their way; a norm with a
    `residual` reads two arrays.

    BuildError for a norm's backward whose sums do not fit in registers."""
    if op == "cross_entropy_backward" and columns >= SPLIT:
        items = max(8, 2 * vector)
        return Layout(SPLIT // items, items, vector, whole=columns % SPLIT == 0, split=True)
    norm_backward = op in SUMMED
    two = op in ("softmax_backward", "log_softmax_backward", "group_norm_backward", "channel_sums") or norm_backward
    most = 16 if two else 32
    copied = clusters and vector * size == BULK
    light = op in ("softmax", "log_softmax") or (size == 4 and op != "cross_entropy")
    short = columns <= 1024 and op in ("layer_norm", "rms_norm")
    first = 8 if norm_backward and copied else 16 if light or short else most
    lanes, items, cluster = 1, max(8, vector), 1
    while lanes * items < columns and lanes < WARP:
        lanes *= 2
    while lanes * items < columns and items < first:
        items *= 2
    while lanes * items < columns and lanes < MOST_LANES:
        lanes *= 2
    while lanes * items < columns and items < most:
        items *= 2
    while lanes * items * cluster < columns and clusters and cluster < (LARGEST if norm_backward else MOST_CTAS):
        cluster *= 2
    if (
        lanes * items * cluster < columns <= 2 * lanes * items * cluster
        and cluster > 1
        and most == 16
        and not norm_backward
    ):
        lanes *= 2
    held = lanes * items * cluster >= columns
    layout = Layout(lanes, items, vector, cluster, whole=columns == lanes * items * cluster)
    if copied and layout.whole and cluster > 1 and size < 4 and op in ("softmax", "log_softmax"):
        return layout._replace(lanes=lanes // 2, items=2 * items)  # three CTAs of an SM have more in flight than two
    if held and copied:
        layout = _staged(op, layout, size, room // (1 + residual))
    entropy, moments = op == "cross_entropy", op in ("layer_norm", "group_norm")
    shared = cluster == 2 if op == "layer_norm" else cluster > 1
    twice = (entropy and cluster == MOST_CTAS) or (moments and size < 4 and shared and not layout.stages)
    if held and not twice:
        return layout
    if norm_backward:
        raise BuildError(
            f"{op} of rows of {columns} elements", hint=f"at most {lanes * items * cluster} on this device"
        )
    if entropy and size == 4:
        return Layout(2 * MOST_LANES, 2 * vector, vector, reread=True)
    return Layout(MOST_LANES, 4 * vector, vector, reread=True)


def _staged(op: str, layout: Layout, size: int, room: int) -> Layout:
    """With rows on their way, where a CTA has as much to do with a row that memory would wait: a norm's backward, whose sums over
    the rows fill the registers, a norm whose weights it keeps for all rows, and long rows of two bytes an element.

    Two rows of a cluster are enough, and memory takes three or four more slowly; a long row of a norm's backward, of two bytes an
    element, takes six."""
    if op == "group_norm_backward" and size < 4 and layout.cluster == 4:
        layout = layout._replace(lanes=2 * layout.lanes, cluster=2)
    lanes, ctas, long = layout.lanes, 1, layout.cluster >= MOST_CTAS
    if op in SUMMED and lanes > WARP:
        ctas = 7 * CTA // lanes if lanes < MOST_LANES else 1
        most = (6 if long and size < 4 else 2) if layout.cluster > 1 else 4 if ctas > 1 else 3
    elif (op == "group_norm_backward" and lanes > MOST_LANES) or (long and op in ("layer_norm", "rms_norm")):
        most = 2
    elif long and size < 4 and op in ("softmax", "log_softmax", "softmax_backward"):
        ctas, most = 2 * MOST_LANES // lanes, 2
    else:
        return layout
    slot = (1 + op.endswith("backward")) * lanes * layout.items * size
    stages = min(most, room // (slot * ctas))
    return layout._replace(stages=stages, ctas=ctas) if op in SUMMED or stages > 1 else layout
