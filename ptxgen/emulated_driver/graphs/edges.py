"""Edges of graphs: what they may join, and their data."""

from __future__ import annotations

from driver_ctypes.abi.structs import CUgraphEdgeData
from ptxgen.emulated_driver.pointers import put_struct
from ptxgen.emulated_driver.refusal import CUresult, Refusal, invalid_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Edge = tuple[int, int, int]
"""from_port, to_port, type (CUgraphEdgeData)"""

PLAIN: Edge = (0, 0, 0)
PROGRAMMATIC: Edge = (1, 0, 1)
"""The target may begin when all blocks of the source have triggered or ended."""

_BETWEEN_KERNELS = (PROGRAMMATIC, (2, 0, 1), (2, 0, 0))  # port 2: when the source's blocks have begun
_KERNEL = 0


def check_edge(source: int, target: int, data: Edge) -> None:
    """Refuses data that an edge between nodes of these types cannot have. Work runs in order here, so that an edge
    that allows overlap is kept and told, and changes nothing.
    """
    if data == PLAIN:
        return
    if data not in _BETWEEN_KERNELS or source != _KERNEL or target != _KERNEL:
        raise invalid_value(
            f"edge data (from port {data[0]}, to port {data[1]}, type {data[2]}) between nodes of types {source} and {target}:"
            " only kernels have ports, 1 (programmatic, with type 1) and 2 (launch order)"
        )


def edge_data(array: int | None, number: int) -> list[Edge]:
    """The caller's edge data; none means plain edges."""
    if not array:
        return [PLAIN] * number
    edges = (CUgraphEdgeData * number).from_address(array)
    if any(any(edge.reserved) for edge in edges):
        raise invalid_value("reserved fields of CUgraphEdgeData are not 0")
    return [(edge.from_port, edge.to_port, edge.type) for edge in edges]


def refuse_lossy(data: Sequence[Edge], *, told: bool) -> None:
    """A question that has no place for edge data is refused where there is some."""
    if not told and any(edge != PLAIN for edge in data):
        raise Refusal(CUresult.ERROR_LOSSY_QUERY, "an edge has data: ask with the function that tells it (CUDA 12.3)")


def put_edges(array: int | None, room: int, data: Sequence[Edge]) -> None:
    """As much of the data as there is room for."""
    if array:
        for index, edge in enumerate(data[:room]):
            put_struct(array + 8 * index, CUgraphEdgeData(*edge))
