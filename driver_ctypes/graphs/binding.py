"""Bound updates: arguments of one kernel node, changed again and again at the cost of the driver's call.

The node and its arguments are looked up once. An update turns its values into bytes, writes them where the driver reads
the node's arguments, and calls ``cuGraphExecKernelNodeSetParams``. If the node was changed in another way meanwhile,
one update is made by `GraphExec.update`, and the place is looked up again.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import partial

from driver_ctypes.arguments.signature import convert_argument
from driver_ctypes.errors import ArgumentCountError, ArgumentError
from driver_ctypes.graphs import kernels
from driver_ctypes.graphs.kernels import KernelWork
from driver_ctypes.launch.limits import check_config
from driver_ctypes.launch.sending import require_signature
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from driver_ctypes.arguments.parameter import Parameter
    from driver_ctypes.graphs.executable import GraphExec
    from driver_ctypes.graphs.inventory import GraphNode
    from driver_ctypes.graphs.node import Node

Update = Callable[..., None]

_SYMBOL = "cuGraphExecKernelNodeSetParams_v2"
_CONFIGURATION = ("grid", "block", "shared")


class WorkInPlace(KernelWork):
    """What a kernel node of an executable does, in the memory that the driver reads it from."""

    packed: bytearray
    grid: kernels.Dim3
    block: kernels.Dim3
    shared: int

    def __init__(self, executable: GraphExec, node: int, work: KernelWork) -> None:
        super().__init__(work.function, work.grid, work.block, work.shared, bytearray(work.packed), work.owners)
        self._structure, self._kept = self.params_over(
            (ctypes.c_char * len(self.packed)).from_buffer(self.packed) if self.packed else ctypes.c_char()
        )
        self.call: Callable[[], int] = partial(
            executable.context.driver.untyped(_SYMBOL),
            ctypes.c_void_p(executable.handle),
            ctypes.c_void_p(node),
            ctypes.byref(self._structure),
        )

    def configure(self, grid: kernels.Dim3, block: kernels.Dim3, shared: int) -> None:
        """Set grid, block and shared memory."""
        self.grid, self.block, self.shared = grid, block, shared
        structure = self._structure
        structure.gridDimX, structure.gridDimY, structure.gridDimZ = grid
        structure.blockDimX, structure.blockDimY, structure.blockDimZ = block
        structure.sharedMemBytes = shared


class _ArgumentPlace(NamedTuple):
    """Of one bound argument."""

    value: int
    """Its position among the values."""
    convert: Callable[[Any], Any] | None
    pack: Callable[[Any], bytes]
    bytes: slice
    """The offset of its bytes."""
    owner: tuple[int, str]
    """The key under which its owner is kept."""
    param: Parameter
    number: int
    """Its position among the kernel's parameters."""


class BoundUpdate:
    """The place of some arguments of a node."""

    def __init__(self, executable: GraphExec, node: Node | GraphNode | str, names: tuple[str, ...]) -> None:
        self.executable = executable
        self.node = node
        self.names = names
        self._configuration = {name: index for index, name in enumerate(names) if name in _CONFIGURATION}
        self.prepare()

    def prepare(self) -> None:
        """Look the node and its arguments up. Raises as `GraphExec.update` does."""
        executable = self.executable
        executable.check_open()
        found = executable.graph._lookup(self.node)
        with executable._alone():
            kind = found.kind or executable.graph._read(found).kind
            if kind != "kernel":
                raise ArgumentError(f"a {kind} node has no bound updates", hint="use update(), which takes every kind")
            work = executable._states.get(found.handle)
            if not isinstance(work, WorkInPlace):
                now = work or kernels.read_work(executable.context, executable._current(found).handle)
                work = WorkInPlace(executable, found.handle, now)
            self._handle, self._work = found.handle, work
            self._places = [
                self._place(index, name) for index, name in enumerate(self.names) if name not in _CONFIGURATION
            ]
            executable._states[found.handle] = work

    def _place(self, index: int, name: str) -> _ArgumentPlace:
        function = self._work.function
        signature = require_signature(function)
        names = [param.name for param in signature.params]
        if name not in names:
            raise ArgumentError(
                f"kernel {function.name!r} has no parameter {name!r}",
                name=name,
                hint=f"it has: {', '.join(names) or 'none'}; beside them there are {', '.join(_CONFIGURATION)}",
            )
        number = names.index(name)
        param, offset = signature.params[number], signature.offsets[number]
        convert, pack = kernels.converters_of(function)[number], struct.Struct("<" + param.code).pack
        return _ArgumentPlace(
            index, convert, pack, slice(offset, offset + param.size), (self._handle, name), param, number
        )

    def apply(self, values: tuple[Any, ...]) -> bool:
        """Update, holding the executable. False if the place has to be looked up again, or the context refuses."""
        executable, work = self.executable, self._work
        context = executable.context
        if (
            executable._closed
            or context.closed
            or context.poisoned is not None
            or work.function.module.closed
            or executable._states.get(self._handle) is not work
        ):
            return False
        try:
            chunks = [
                p.pack(values[p.value] if p.convert is None else p.convert(values[p.value])) for p in self._places
            ]
        except Exception:  # other libraries' arrays, or mistakes, which this says
            name = work.function.name
            chunks = [p.pack(convert_argument(values[p.value], p.param, p.number, context, name)) for p in self._places]
        config = work.grid, work.block, work.shared
        if self._configuration:
            asked = dict(zip(_CONFIGURATION, config))
            asked.update({name: values[index] for name, index in self._configuration.items()})
            checked = check_config(work.function, asked["grid"], asked["block"], asked["shared"], None, False)
        before, code = bytes(work.packed), -1
        previous = context.enter()
        try:
            for place, chunk in zip(self._places, chunks):
                work.packed[place.bytes] = chunk
            if self._configuration:
                work.configure(checked.grid, checked.block, checked.shared)
            code = work.call()
        finally:
            if previous:
                context.leave(previous)
            if code:
                work.packed[:] = before
                work.configure(*config)
        if code:
            where = f"updating {executable.graph.describe(self._handle)}"
            raise context.error(_SYMBOL, code, (executable.handle, self._handle), where)
        for place in self._places:
            value = values[place.value]
            if not executable._owners.holds(place.owner, value):
                executable._supersede(executable._owners.replace(place.owner, value))
        return True

    def carefully(self, values: tuple[Any, ...]) -> None:
        """The same by `GraphExec.update`, which says why not."""
        changes = dict(zip(self.names, values))
        configuration = {name: changes.pop(name) for name in self._configuration}
        self.executable.update(self.node, changes, **configuration)
        self.prepare()


def bind_update(executable: GraphExec, node: Node | GraphNode | str, names: tuple[str, ...]) -> Update:
    """See `GraphExec.bind_update`."""
    if not names or len(set(names)) < len(names):
        raise ArgumentError("a bound update changes one argument or more, each named once", hint="pass their names")
    bound = BoundUpdate(executable, node, names)
    context, gate, number = executable.context, executable._gate, len(names)

    def update(*values: Any) -> None:
        if len(values) != number:
            raise ArgumentCountError(
                f"this update takes {number} value(s), {len(values)} were given", hint=f"pass {', '.join(names)}"
            )
        if context.deferred:
            context.collect()
        if gate.try_enter():
            try:
                done = bound.apply(values)
            finally:
                gate.leave()
        else:  # another thread uses the executable
            with executable._alone():
                done = bound.apply(values)
        if not done:
            bound.carefully(values)

    update.__doc__ = f"Change {', '.join(names)} of {node!r} for later launches."
    return update
