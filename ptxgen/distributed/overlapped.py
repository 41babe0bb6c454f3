"""Matrix products over several devices, with the collective of one part beside the product of the next."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from ptxgen.errors import BuildError
from ptxgen.ops import matmul
from ptxgen.ops.arguments import check_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.distributed.groups import Group
    from ptxgen.host import Array

__all__ = ["matmul_all_reduce"]

ROWS = 128
"""Rows of a part are a multiple of a tile's."""


def matmul_all_reduce(
    group: Group, a: Sequence[Array], b: Sequence[Array], *, parts: int = 4, out: Sequence[Array] | None = None
) -> list[Array]:
    """Each rank's result is the sum over all ranks r of a[r] @ b[r]: a layer whose depth is spread, as tensor parallelism has
    it. a[r] is (m, k) and b[r] (k, n), on rank r's device, of any type that `px.ops.matmul` takes.

    The rows are cut into `parts`: while a part is reduced on a stream beside, the next is multiplied. The current streams wait
    for the whole. BuildError for arrays that do not fit.
    """
    check_count("parts", parts, least=1)
    rows = {each.shape[0] for each in a if len(each.shape) == 2}
    if len(a) != len(group.devices) or len(b) != len(a) or len(rows) != 1 or any(len(each.shape) != 2 for each in b):
        raise BuildError(
            f"a product of {[each.shape for each in a]} and {[each.shape for each in b]} over {len(group.devices)} devices",
            hint="for each rank of this process (m, k) and (k, n), with one m and n",
        )
    (m,) = rows
    results = (
        [place.empty((m, y.shape[1]), x.type) for place, x, y in zip(group.devices, a, b)] if out is None else list(out)
    )
    step = -(-m // parts // ROWS) * ROWS if m else ROWS
    beside = group.streams_beside()
    for begin in range(0, m, step):
        part = slice(begin, min(begin + step, m))
        for place, stream, x, y, result in zip(group.devices, beside, a, b, results):
            with place.context.current():
                matmul(x[part], y, out=result[part])
            stream.wait(place.current_stream.record())
        _reduce_on(group, beside, [result[part] for result in results])
    for place, stream in zip(group.devices, beside):
        place.current_stream.wait(stream.record())
    return results


def _reduce_on(group: Group, streams: Sequence[object], arrays: list[Array]) -> None:
    """all_reduce in place, on these streams."""
    with ExitStack() as stack:
        for place, stream in zip(group.devices, streams):
            stack.enter_context(place.use(stream))
        group.all_reduce(arrays, out=arrays)
