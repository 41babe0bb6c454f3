"""Nodes: what graphs return when one is added, and how one is changed.

A change is of a graph, for executables made later, or of an executable, for its later launches. It names what it changes;
everything else stays as it is. The driver's setters take whole parameter structures, so each kind reads the present one,
changes it, and gives it back.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.abi import structs
from driver_ctypes.errors import ArgumentCountError, ArgumentError, ArgumentTypeError
from driver_ctypes.graphs import kernels, parameters
from driver_ctypes.graphs.host import ADDRESS, HostFunction
from driver_ctypes.graphs.inventory import EDGES
from driver_ctypes.graphs.owners import HeldHost
from driver_ctypes.streams.memory_operations import batch_params
from driver_ctypes.streams.stream import check_event
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driver_ctypes.graphs.base import GraphBase
    from driver_ctypes.graphs.inventory import GraphNode
    from driver_ctypes.graphs.kernels import KernelWork
    from driver_ctypes.session.session import Session


class Dependency(NamedTuple):
    """A node and what of it is waited for: that it has ``ended``; or of a kernel, and by a kernel, that all its CTAs have
    ``triggered`` (PTX griddepcontrol.launch_dependents) or ended, or that all of them have ``started``.

    The waiting kernel has to call griddepcontrol.wait before it accesses what the other one writes.
    """

    node: Node
    when: str = "ended"


class Node:
    """A node of a graph. It is a name, and keeps nothing alive but its graph's object."""

    __slots__ = ("graph", "handle", "kind", "label")

    def __init__(self, graph: GraphBase, handle: int, kind: str, label: str | None = None) -> None:
        self.graph: GraphBase = graph
        self.handle: int = handle
        self.kind: str = kind
        self.label: str | None = label

    def __repr__(self) -> str:
        return f"<{self.kind} node {self.label or hex(self.handle)}>"

    def __eq__(self, other: object) -> bool:
        return self.handle == other.handle if isinstance(other, Node) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.handle)

    def read(self) -> GraphNode:
        """What it holds now, in its graph."""
        return self.graph.read(self)

    def triggered(self) -> Dependency:
        """To be passed as ``after=``: the other kernel may begin when this one's CTAs have triggered."""
        return Dependency(self, "triggered")

    def started(self) -> Dependency:
        """To be passed as ``after=``: the other kernel may begin when this one's CTAs have begun."""
        return Dependency(self, "started")

    def update(self, arguments: Mapping[str, Any] | None = None, **changes: Any) -> None:
        """Change its parameters in the graph; see `Graph.update`."""
        self.graph.update(self, arguments, **changes)

    def set_attributes(self, **attributes: Any) -> None:
        """Change a kernel node's attributes; see `Graph.set_attributes`."""
        self.graph.set_attributes(self, **attributes)

    def remove(self) -> None:
        """Take it out of its graph."""
        self.graph.remove(self)


def dependencies(after: Any) -> list[Dependency]:
    """What ``after=`` means: a node, a `Dependency`, or any number of them; the last word on a node counts."""
    if after is None:
        return []
    if isinstance(after, Dependency):
        found = [after]
    elif isinstance(after, Node):
        found = [Dependency(after)]
    elif isinstance(after, (list, tuple, set, frozenset)):
        found = [one for several in after for one in dependencies(several)]
    else:
        raise ArgumentTypeError(
            f"after={after!r:.60} is not a node",
            hint="pass the nodes that must come first, as adding them returned them",
        )
    for dependency in found:
        if dependency.when not in EDGES:
            raise ArgumentError(f"no dependency {dependency.when!r}", hint=f"use one of {', '.join(EDGES)}")
    return list({dependency.node: dependency for dependency in found}.values())


_CONFIGURATION = ("function", "grid", "block", "shared")


class Change(NamedTuple):
    """A node's new parameters, ready for the driver."""

    setter: str
    """The driver's function without ``cuGraph`` or ``cuGraphExec`` before it."""
    params: tuple[Any, ...]
    in_context: bool
    """Whether the executable's setter takes the context too."""
    owners: dict[Any, tuple[Any, ...]]
    """What the new parameters use, by the part that was changed; a key None stands for all parts."""
    kept: Any = None
    """What the parameters point to."""
    state: Any = None
    """What the next change begins with: a kernel's work, or the parameters of a copy or a fill."""


def change_of(
    context: Session,
    node: Node,
    kind: str,
    arguments: Mapping[str, Any] | None,
    changes: Mapping[str, Any],
    now: Any,
) -> Change:
    """What *changes* make of a node of a graph; *now* is the `Change.state` of an executable's last change, if any."""
    if kind == "kernel":
        return _kernel(context, node, {**(arguments or {})}, dict(changes), now)
    if arguments:
        raise ArgumentError(f"a {kind} node has no kernel arguments")
    if kind not in _CHANGERS:
        raise ArgumentError(
            f"a {kind} node cannot be changed",
            hint="change: kernel, memcpy, memset, host, events, batches, semaphores, graph",
        )
    known, make = _CHANGERS[kind]
    unknown = [name for name in changes if name not in known]
    if unknown or not changes:
        raise ArgumentError(
            f"a {kind} node has no {', '.join(map(repr, unknown))}" if unknown else "nothing to change is named",
            hint=f"name some of: {', '.join(known)}",
        )
    change: Change = make(context, node, dict(changes), now)
    return change


def state_of(context: Session, node: Node, kind: str) -> Any:
    """What a change of a node begins with, as its graph has it (`Change.state`); None for kinds that are replaced as a
    whole. Raises ArgumentError for a kernel of which no signature is known.
    """
    if kind == "kernel":
        return kernels.read_work(context, node.handle)
    if kind not in _READ:
        return None
    symbol, made_of = _READ[kind]
    params = made_of()
    context.call(symbol, node.handle, ctypes.byref(params))
    return params


_READ: dict[str, tuple[str, Any]] = {
    "memset": ("cuGraphMemsetNodeGetParams", structs.CUDA_MEMSET_NODE_PARAMS_v1),
    "memcpy": ("cuGraphMemcpyNodeGetParams", structs.CUDA_MEMCPY3D),
}


def _kernel(
    context: Session, node: Node, arguments: dict[str, Any], changes: dict[str, Any], now: KernelWork | None
) -> Change:
    """Names that the kernel has as parameters are arguments; ``arguments=`` is for those called like grid or block."""
    config = {name: changes.pop(name) for name in _CONFIGURATION if name in changes}
    arguments.update(changes)
    if not arguments and not config:
        raise ArgumentError("nothing to change is named", hint="name arguments, grid, block, shared or function")
    before = now or state_of(context, node, "kernel")
    work, values = kernels.changed(
        before, arguments, config.get("function"), config.get("grid"), config.get("block"), config.get("shared")
    )
    params, kept = work.params()
    owners: dict[Any, tuple[Any, ...]] = {name: (value,) for name, value in values.items()}
    owners["function"] = work.owners
    return Change("KernelNodeSetParams_v2", (ctypes.byref(params),), False, owners, (params, kept), work)


def _memset(context: Session, node: Node, changes: dict[str, Any], old: Any) -> Change:
    old = old or state_of(context, node, "memset")
    now = {"dst": old.dst, "value": old.value, "count": old.width, "width": old.elementSize, "rows": old.height}
    if "width" in changes and "value" not in changes:
        raise ArgumentCountError("a fill of other elements needs its value", hint="pass value too")
    new = {**now, "pitch": old.pitch, **changes}
    params = parameters.fill_params(context, **new)
    owners = {"dst": (changes["dst"],)} if "dst" in changes else {}
    return Change("MemsetNodeSetParams", (ctypes.byref(params),), True, owners, state=params)


def _memcpy(context: Session, node: Node, changes: dict[str, Any], old: Any) -> Change:
    """A side that is not named stays as it is, and so does nbytes."""
    old = old or state_of(context, node, "memcpy")
    if old.Height > 1 or old.Depth > 1:
        missing = [name for name in ("dst", "src", "nbytes", "rows") if name not in changes]
        if missing:
            raise ArgumentCountError(f"a copy of several rows is replaced as a whole: {', '.join(missing)} not given")
    sides = {side: changes.get(side, getattr(old, f"{side}Device") or 0) for side in ("dst", "src")}
    nbytes = changes.get("nbytes", old.WidthInBytes)
    params, owners = parameters.copy_params(
        context,
        sides["dst"],
        sides["src"],
        nbytes,
        changes.get("rows", 1),
        changes.get("dst_pitch", 0),
        changes.get("src_pitch", 0),
    )
    for side in ("dst", "src"):
        if side not in changes and getattr(old, f"{side}Host"):
            setattr(params, f"{side}MemoryType", 1)
            setattr(params, f"{side}Device", 0)
            setattr(params, f"{side}Host", getattr(old, f"{side}Host"))
    parameters.check_sides(params)
    kept = {
        side: tuple([one for one in owners if _behind(one) is changes[side]])
        for side in ("dst", "src")
        if side in changes
    }
    return Change("MemcpyNodeSetParams", (ctypes.byref(params),), True, dict(kept), state=params)


def _behind(owner: Any) -> Any:
    """The caller's own object behind an owner."""
    return owner.owner if isinstance(owner, HeldHost) else owner


def _host(context: Session, node: Node, changes: dict[str, Any], old: Any) -> Change:
    function = HostFunction(context, changes["function"])
    params = structs.CUDA_HOST_NODE_PARAMS_v1(ADDRESS, function.number)
    return Change("HostNodeSetParams", (ctypes.byref(params),), False, {None: (function,)}, params)


def _event(word: str) -> Any:
    def change(context: Session, node: Node, changes: dict[str, Any], old: Any) -> Change:
        event = changes["event"]
        check_event(event)
        return Change(f"Event{word}NodeSetEvent", (event.handle,), False, {None: (event,)})

    return change


def _batch(context: Session, node: Node, changes: dict[str, Any], old: Any) -> Change:
    params, kept, owners = batch_params(context, changes["operations"])
    return Change("BatchMemOpNodeSetParams", (ctypes.byref(params),), False, {None: owners}, (params, kept))


def _semaphores(word: str) -> Any:
    def change(context: Session, node: Node, changes: dict[str, Any], old: Any) -> Change:
        params, kept, owners = parameters.semaphore_params(changes["fences"], signal=word == "Signal")
        symbol = f"ExternalSemaphores{word}NodeSetParams"
        return Change(symbol, (ctypes.byref(params),), False, {None: owners}, (params, kept))

    return change


def _child(context: Session, node: Node, changes: dict[str, Any], old: Any) -> Change:
    graph = changes["graph"]
    graph.check_open()
    return Change("ChildGraphNodeSetParams", (graph.handle,), False, {None: graph.owners})


# kind -> (what can be changed, how)
_CHANGERS: dict[str, tuple[tuple[str, ...], Any]] = {
    "memset": (("dst", "value", "count", "width", "rows", "pitch"), _memset),
    "memcpy": (("dst", "src", "nbytes", "rows", "dst_pitch", "src_pitch"), _memcpy),
    "host": (("function",), _host),
    "event_record": (("event",), _event("Record")),
    "wait_event": (("event",), _event("Wait")),
    "batch_mem_op": (("operations",), _batch),
    "semaphore_signal": (("fences",), _semaphores("Signal")),
    "semaphore_wait": (("fences",), _semaphores("Wait")),
    "graph": (("graph",), _child),
}


def change_definition(
    graph: GraphBase, node: Node, arguments: Mapping[str, Any] | None, changes: Mapping[str, Any]
) -> None:
    """Set a node's parameters in its graph."""
    context = graph.context
    kind = node.kind or graph.read(node).kind
    if kind == "graph":
        raise ArgumentError("a child node keeps its graph", hint="change the nodes of node.child, or of an executable")
    change = change_of(context, node, kind, arguments, changes, None)
    for executable in tuple(graph._root()._executables):
        executable.remember(node, kind)
    context.call(f"cuGraph{change.setter}", node.handle, *change.params)
    for part, owners in change.owners.items():
        graph._give_up([graph._owners.replace((node.handle, part), *owners)])
