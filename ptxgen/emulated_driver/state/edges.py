"""Edges of graphs: what they may join, and their data."""

from __future__ import annotations

from driver_ctypes.abi import enums, numbers
from driver_ctypes.abi.constants import (
    CU_GRAPH_KERNEL_NODE_PORT_DEFAULT,
    CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER,
    CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
)
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.pointers import put_struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Edge = tuple[int, int, int]
"""from_port, to_port, type (CUgraphEdgeData)"""

PLAIN: Edge = (CU_GRAPH_KERNEL_NODE_PORT_DEFAULT, 0, numbers.CUgraphDependencyType.DEFAULT)
PROGRAMMATIC: Edge = (CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, 0, numbers.CUgraphDependencyType.PROGRAMMATIC)
"""The target may begin when all blocks of the source have triggered or ended."""

BEGUN: Edge = (CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER, 0, numbers.CUgraphDependencyType.PROGRAMMATIC)
"""The target may begin when all blocks of the source have begun."""
LAUNCHED: Edge = (CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER, 0, numbers.CUgraphDependencyType.DEFAULT)
"""The same, of an event that records the completion of a launch."""

_BETWEEN_KERNELS = (PROGRAMMATIC, BEGUN, LAUNCHED)
_KERNEL = numbers.CUgraphNodeType.KERNEL


def check_edge(source: int, target: int, data: Edge) -> None:
    """Refuses data that an edge between nodes of these types cannot have. Work runs in order here, so that an edge
    that allows overlap is kept and reported, and changes nothing.
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
    from driver_ctypes.abi.structs import CUgraphEdgeData

    edges = (CUgraphEdgeData * number).from_address(array)
    if any(any(edge.reserved) for edge in edges):
        raise invalid_value("reserved fields of CUgraphEdgeData are not 0")
    return [(edge.from_port, edge.to_port, edge.type) for edge in edges]


def refuse_lossy(data: Sequence[Edge], *, reported: bool) -> None:
    """A question that has no place for edge data is refused where there is some."""
    if not reported and any(edge != PLAIN for edge in data):
        raise Refusal(
            enums.CUresult.ERROR_LOSSY_QUERY, "an edge has data: ask with the function that tells it (CUDA 12.3)"
        )


def put_edges(array: int | None, room: int, data: Sequence[Edge]) -> None:
    """As much of the data as there is room for."""
    if array:
        from driver_ctypes.abi.structs import CUgraphEdgeData

        for index, edge in enumerate(data[:room]):
            put_struct(array + 8 * index, CUgraphEdgeData(*edge))
