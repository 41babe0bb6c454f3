"""Executable graphs: launched, updated node by node or as a whole, and keeping alive what their launches use."""

from __future__ import annotations

import ctypes
import threading
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from driver_ctypes.abi import structs
from driver_ctypes.errors import ArgumentError, CudaError, GraphUpdateError
from driver_ctypes.graphs.host import HostFunction
from driver_ctypes.graphs.instantiation import Pairing, UnpairedError, create_executable, explain_update
from driver_ctypes.graphs.inventory import Walk, details_of, read_node, walked
from driver_ctypes.graphs.kernels import KernelWork
from driver_ctypes.graphs.launching import (
    Gate,
    Replay,
    Turn,
    bind_replay,
    launch_again,
    make_replay,
)
from driver_ctypes.graphs.node import change_of, state_of
from driver_ctypes.graphs.owners import GIVEN_UP, Owners, Superseded, delicate
from driver_ctypes.session.handle import Handle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driver_ctypes.graphs.base import GraphBase
    from driver_ctypes.graphs.inventory import GraphNode
    from driver_ctypes.graphs.node import Node
    from driver_ctypes.session.session import Session
    from driver_ctypes.streams.stream import StreamBase

_SWITCHED = ("kernel", "memcpy", "memset")  # kinds that can be switched off
_UPDATE_FAILURE = 910
_POLICIES = ("reinstantiate", "raise")


class GraphExec(Handle):
    """A graph that can be launched. It keeps everything that its launches use, whatever happens to the graph's nodes; and the
    `Graph` it was made from, whose nodes name the places to update.
    """

    kind = "graph exec"
    _destroy = "cuGraphExecDestroy"

    def __init__(self, graph: GraphBase, handle: int, flags: int = 0) -> None:
        super().__init__(graph.context, handle)
        self.graph: GraphBase = graph
        graph.graph_retain()
        graph._root()._executables.add(self)
        self._source = graph  # whose parameters it has, except for updates of single nodes
        self._flags = flags
        self._name = f"graph {graph.handle:#x}"
        self._mutex = threading.RLock()
        self._owners = Owners()  # of updates, by (node, part); and what the source has given up since
        self._states: dict[int, Any] = {}  # what nodes hold where it is not the source's (`Change.state`)
        self._pairing: Pairing | None = None
        self._last_stream: StreamBase | None = None
        self._superseded = Superseded(graph.context)  # what earlier updates used
        self._replays: WeakSet[Replay] = WeakSet()
        self._again: Replay | None = None  # for the stream that `launch` was given twice
        self._gate = Gate()
        self._hosts: tuple[HostFunction, ...] | None = None  # that its launches call; None: to be looked up

    @property
    def handle(self) -> int:
        """The CUgraphExec."""
        return self._handle

    # --- launching ----------------------------------------------------------------------------------------------------

    def launch(self, stream: Any = None) -> None:
        """Queue one run of the whole graph on *stream* (None: the default one). Runs of one exec never overlap.

        Raises HostFunctionError where a host function of an earlier run has raised.
        """
        replay = self._again
        if replay is not None and replay.stream is (self.context.default_stream if stream is None else stream):
            return launch_again(self, replay)
        self.check_open()
        target: StreamBase = self.context.stream_from(stream)
        before = self._last_stream
        self._launch(target)
        self._again = make_replay(self, target) if target is before else None

    def _launch(self, stream: StreamBase) -> None:
        """Launch with every check."""
        self.check_open()
        stream.check_open()
        self.check()
        self.context.launches.last_launch = self._name
        with self._alone():
            for host in self._hosts or ():
                host.streams.add(stream.handle)
            self.context.call("cuGraphLaunch", self._handle, stream.handle)
            self._last_stream = stream

    def bind(self, stream: Any) -> Callable[[], None]:
        """A callable that launches on *stream*: the fastest way, for your own stream. Threads may share it."""
        self.check_open()
        target = self.context.stream_from(stream)
        target.check_open()
        return bind_replay(self, target)

    def upload(self, stream: Any = None) -> None:
        """Move the graph to the device now, so that the first launch is as quick as the others."""
        self.check_open()
        stream = self.context.stream_from(stream)
        with self._alone():
            self.context.call("cuGraphUpload", self._handle, stream.handle)

    def check(self) -> None:
        """Raise HostFunctionError for what a host function has raised of which nobody has heard yet."""
        for host in self._called():
            if host.errors:
                host.raise_kept()

    def _called(self) -> tuple[HostFunction, ...]:
        """The functions that its launches call."""
        if self._hosts is None:
            self._hosts = tuple([owner for owner in self._used() if isinstance(owner, HostFunction)])
        return self._hosts

    @property
    def flags(self) -> int:
        """The CUgraphInstantiate_flags that the driver reports."""
        self.check_open()
        value = ctypes.c_uint64()
        self.context.call("cuGraphExecGetFlags", self._handle, ctypes.byref(value))
        return value.value

    # --- one node -----------------------------------------------------------------------------------------------------

    def update(
        self, node: Node | GraphNode | str, arguments: Mapping[str, Any] | None = None, /, **changes: Any
    ) -> None:
        """Change a node for later launches: the node, its label, or its kernel's name says which, never its position.

        A kernel: arguments by name, ``exec.update("saxpy", x=other)``, and ``grid``, ``block``, ``shared``, ``function``
        (another kernel, with all of its arguments); arguments called like those four go into the mapping *arguments*.
        memcpy: ``dst src nbytes``; memset: ``dst value count width``; host: ``function``; events: ``event``; batches:
        ``operations``; semaphores: ``fences``; a child graph: ``graph``.

        What is not named stays. Launches under way keep what they have. Raises the argument errors of a launch, and
        CudaError where the driver does not allow the change.
        """
        self.check_open()
        found = self.graph._lookup(node)
        context = self.context
        with self._alone():
            kind = found.kind or self.graph._read(found).kind
            change = change_of(context, self._current(found), kind, arguments, changes, self._states.get(found.handle))
            more = (context.handle,) if change.in_context else ()
            symbol = f"cuGraphExec{change.setter}"
            code = context.try_call(symbol, self._handle, found.handle, *change.params, *more)
            if code:
                raise context.error(
                    symbol, code, (self._handle, found.handle), f"updating {self.graph.describe(found.handle)}"
                )
            if change.state is not None:
                self._states[found.handle] = change.state
            self._hosts = None
            for part, owners in change.owners.items():
                self._supersede(self._owners.replace((found.handle, part), *owners))

    def bind_update(self, node: Node | GraphNode | str, *names: str) -> Callable[..., None]:
        """A callable that changes the named arguments of a kernel node for later launches: the quickest way to do so again
        and again. It takes their values in the order of *names*, among which may be ``grid``, ``block`` and ``shared``.

            move = execution.bind_update("saxpy", "n", "x")
            move(1000, other)

        It follows the node through `update`, `update_from` and a graph made anew. Threads may share it.
        """
        from driver_ctypes.graphs.binding import bind_update

        return bind_update(self, node, names)

    def _current(self, node: Node) -> Node:
        """The node of the source that has this node's present parameters."""
        return node if self._pairing is None else self._pairing.partner(node)

    def remember(self, node: Node, kind: str) -> None:
        """The graph's *node* is about to be changed: this executable keeps the parameters that it has."""
        if node.graph._root() is not self._source._root():
            return
        handle = node.handle if self._pairing is None else self._pairing.origin(node)
        if handle is not None and handle not in self._states:
            state = state_of(self.context, node, kind)
            if state is not None:
                self._states[handle] = state

    def read(self, node: Node | GraphNode | str) -> GraphNode:
        """A node with the parameters that it has in this executable (kernels, copies and fills; the others as in the
        graph).
        """
        self.check_open()
        return self._read(self.graph._lookup(node))

    def _read(self, found: Node) -> GraphNode:
        now = read_node(self.context, self._current(found).handle, self._source._records)._replace(handle=found.handle)
        work = self._states.get(found.handle)
        if work is None:
            return now._replace(label=found.label)
        if not isinstance(work, KernelWork):
            return now._replace(label=found.label, details=details_of(now.kind, work))
        return now._replace(
            name=work.function.name,
            grid=work.grid,
            block=work.block,
            shared=work.shared,
            arguments=work.arguments(),
            label=found.label,
        )

    def nodes(self) -> tuple[GraphNode, ...]:
        """Every node with the parameters that it has in this executable, and its dependencies."""
        self.check_open()
        try:
            return walked(self._now(self.graph._nodes()))
        except UnpairedError:  # the parameters are the source's, and the nodes cannot be paired
            return self._source._nodes()

    def _now(self, nodes: tuple[GraphNode, ...]) -> Walk[tuple[GraphNode, ...]]:
        """The same nodes, with what each has in this executable."""
        found: list[GraphNode] = []
        for node in nodes:
            children: tuple[GraphNode, ...] = yield self._now(node.children)
            bodies: list[tuple[GraphNode, ...]] = []
            for body in node.bodies:
                bodies.append((yield self._now(body)))
            now = node
            if not node.children and not node.bodies:  # what has nodes inside has no parameters of its own
                now = self._read(self.graph._node(node.handle, node.kind))
            found.append(now._replace(dependencies=node.dependencies, children=children, bodies=tuple(bodies)))
        return tuple(found)

    def dot(self, name: str = "graph") -> str:
        """What it runs, in the DOT language; see `Graph.dot`."""
        from driver_ctypes.graphs.drawing import to_dot

        return to_dot(self.nodes(), name)

    def svg(self) -> str:
        """What it runs, as a drawing."""
        from driver_ctypes.graphs.drawing import to_svg

        return to_svg(self.nodes())

    def enable(self, node: Node | GraphNode | str, enabled: bool = True) -> None:
        """Switch a kernel, memcpy or memset node on, or off: it then does nothing (CUDA 11.6)."""
        self.check_open()
        found = self.graph._lookup(node)
        kind = found.kind or self.graph._read(found).kind
        if kind not in _SWITCHED:
            raise ArgumentError(f"a {kind} node cannot be switched off", hint=f"only {', '.join(_SWITCHED)} nodes can")
        with self._alone():
            self.context.call("cuGraphNodeSetEnabled", self._handle, found.handle, int(enabled))

    def disable(self, node: Node | GraphNode | str) -> None:
        """Switch a node off."""
        self.enable(node, False)

    def enabled(self, node: Node | GraphNode | str) -> bool:
        """Whether a node is switched on."""
        self.check_open()
        value = ctypes.c_uint32()
        with self._alone():
            found = self.graph._lookup(node)
            self.context.call("cuGraphNodeGetEnabled", self._handle, found.handle, ctypes.byref(value))
        return bool(value.value)

    # --- all nodes ----------------------------------------------------------------------------------------------------

    def update_from(self, graph: GraphBase, policy: str = "reinstantiate") -> bool:
        """Take over every parameter of another graph of the same form. Updates of single nodes are forgotten.

        True where the executable was updated. Where its form differs, the policy decides: ``reinstantiate`` makes it
        anew from *graph* and returns False, ``raise`` raises GraphUpdateError. Its text says which node differs and why;
        ``error.result`` is the CUgraphExecUpdateResult, ``error.node`` the node of *graph*.
        """
        if policy not in _POLICIES:
            raise ArgumentError(f"no policy {policy!r}", hint=f"use one of {', '.join(_POLICIES)}")
        self.check_open()
        graph.check_open()
        with self._alone(), graph._mutex:
            graph._check_idle("taken over")
            error = self._update_all(graph)
            if error is None:
                self._adopt_source(graph)
                return True
            if policy == "raise" or error.code != _UPDATE_FAILURE:
                raise error
            self._make_anew(graph)
        return False

    def _update_all(self, graph: GraphBase) -> CudaError | None:
        """The driver's update: None, or the error that explains why not."""
        context = self.context
        if context.driver.has("cuGraphExecUpdate_v2"):
            info = structs.CUgraphExecUpdateResultInfo()
            symbol = "cuGraphExecUpdate_v2"
            code = context.try_call(symbol, self._handle, graph.handle, ctypes.byref(info))
            result, node, origin = info.result, info.errorNode or 0, info.errorFromNode or 0
        else:
            where, outcome = ctypes.c_void_p(), ctypes.c_int()
            symbol, origin = "cuGraphExecUpdate", 0
            code = context.try_call(symbol, self._handle, graph.handle, ctypes.byref(where), ctypes.byref(outcome))
            result, node = outcome.value, where.value or 0
        if not code:
            return None
        error = context.error(
            symbol, code, (self._handle, graph.handle), explain_update(self, graph, result, node, origin)
        )
        if isinstance(error, GraphUpdateError):
            error.result, error.node = result, node
        return error

    def _adopt_source(self, graph: GraphBase) -> None:
        """*graph*'s parameters are in force, and what they use is kept instead of what was kept before."""
        if graph is not self._source:
            before, self._source = self._source, graph
            graph._root()._executables.add(self)
            if graph is not self.graph:
                graph.graph_retain()
            if before is not self.graph:
                self._supersede({id(before): before})
        self._pairing = None if graph is self.graph else Pairing(self.graph, graph)
        self._states.clear()
        self._hosts = None
        self._supersede(*self._owners.take())

    def _make_anew(self, graph: GraphBase) -> None:
        """Another executable takes this one's place."""
        handle = create_executable(graph, self._flags, None)
        old, self._handle = self._handle, handle
        self.context.adopt(self.kind, self._destroy, handle)
        self.context.destroy(self.kind, self._destroy, old)
        self._name = f"graph {graph.handle:#x}"
        for replay in self._replays:
            replay.prepare(self)
        before, self.graph = self.graph, graph
        graph.graph_retain()
        graph._root()._executables.add(self)
        source, self._source = self._source, graph
        self._pairing = None
        self._states.clear()
        self._hosts = None
        kept = {id(one): one for one in (before, source)}
        self._supersede(*self._owners.take(), *[{id(one): one} for one in kept.values()])

    # --- what launches use --------------------------------------------------------------------------------------------

    def _used(self) -> tuple[Any, ...]:
        """What launches use: all of it, and what single updates have replaced."""
        return (*self._source._owners, *self._owners)

    def inherit(self, held: list[dict[int, Any]]) -> None:
        """Keep what a node of the source used, which the graph releases."""
        if self._closed:
            return
        self._owners.add(GIVEN_UP, *[owner for owners in held for owner in owners.values()])
        if self.closed:  # by another thread meanwhile
            self._owners.clear()

    def _supersede(self, *held: dict[int, Any]) -> None:
        """Let go of what is used no longer, once the launches under way do not use it either."""
        self._superseded.add(held, self._last_stream)

    def _alone(self) -> Turn:
        """`with self._alone():` no other thread uses the executable meanwhile."""
        return Turn(self._mutex, self._gate)

    # --- its end ------------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Free it. Where its nodes call host functions or copy host memory, the launches under way are waited for, and
        what a function has raised is raised at last (HostFunctionError).
        """
        self._end()
        try:
            self.check()
        finally:
            self._hosts = ()

    def __exit__(self, *raised: object) -> None:
        if not any(raised):
            self.close()
        else:  # the body's exception is passed on, and the next synchronisation raises those of the functions
            self._end()
            self._hosts = ()

    def _end(self) -> None:
        if self._last_stream is None:  # never launched: it has called nothing
            self._hosts = ()
        self._called()
        if not self._closed and not self.context.closed:
            with self._alone():
                for replay in self._replays:
                    replay.revoke()
                super().close()
        super().close()

    def _release(self) -> None:
        handle = self._handle
        self._quiesce()
        super()._release()
        if handle:
            _let_all_go(self._owners, self._superseded, self._graphs())

    def _quiesce(self) -> None:
        """Wait for the launches under way where they use what must not go before their end."""
        context, last = self.context, self._last_stream
        if last is None or context.closed or context.poisoned is not None or context.captures:
            return
        if self._careful():
            streams = {
                last,
                *(replay.stream for replay in self._replays),
            }  # quick launches do not say that they were last
            if any(stream.closed for stream in streams):
                context.try_call("cuCtxSynchronize")
            else:
                for stream in streams:
                    context.try_call("cuStreamSynchronize", stream.handle)
            self._last_stream = None

    def _careful(self) -> bool:
        return bool(self._superseded) or any(delicate(owner) for owner in self._used())

    def _graphs(self) -> list[GraphBase]:
        return [self.graph] if self._source is self.graph else [self.graph, self._source]

    def _let_go(self) -> None:
        wait = self._last_stream is not None and self._careful()
        left = partial(_let_all_go, self._owners, self._superseded, self._graphs())
        self.context.defer_call(partial(_finish, self.context, left) if wait else left)


def _let_all_go(owners: Owners, superseded: Superseded, graphs: list[GraphBase]) -> None:
    """What an executable kept may be released."""
    owners.clear()
    superseded.clear()
    for graph in graphs:
        graph.graph_release()


def _finish(context: Session, left: Callable[[], None]) -> None:
    """The same after the launches under way have ended."""
    if not context.captures:
        context.try_call("cuCtxSynchronize")
    left()


def instantiate(graph: GraphBase, flags: int, upload: Any) -> GraphExec:
    """See `Graph.instantiate`; the caller holds the graph's lock."""
    return GraphExec(graph, create_executable(graph, flags, upload), flags)
