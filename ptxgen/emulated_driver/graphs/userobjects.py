"""User objects: things of the caller's that live as long as the graphs that hold them, and functions that end them."""

from __future__ import annotations

import ctypes
import threading

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import invalid_value
from ptxgen.emulated_driver.pointers import need, put_u64
from ptxgen.emulated_driver.state.graph import graph_of
from ptxgen.emulated_driver.state.handles import Handles
from ptxgen.emulated_driver.streams.stream import call_host

MOVE = int(enums.CUuserObjectRetain_flags.MOVE)
_DESTROY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class UserObject:
    """A count; when it reaches 0, the caller's destroy function runs, in the thread that let go last."""

    def __init__(self, thing: int | None, destroy: int, count: int) -> None:
        self._thing = thing
        self._destroy = destroy
        self._count = count
        self._lock = threading.Lock()
        self.handle = user_objects.add(self)

    def retain(self, times: int = 1) -> None:
        with self._lock:
            self._count += times

    def release(self, times: int = 1) -> None:
        with self._lock:
            if times > self._count:
                raise invalid_value(f"{times} references are released, there are {self._count}")
            self._count -= times
            last = self._count == 0
        if last:
            user_objects.discard(self.handle)
            call_host(_DESTROY(self._destroy), self._thing)


user_objects: Handles[UserObject] = Handles("user object")


def _object(handle: int | None, times: int) -> UserObject:
    found = user_objects.find(handle)
    if found is None or not 0 < times < 1 << 31:
        raise invalid_value("a live user object and a count from 1 on are needed")
    return found


@entry("cuUserObjectCreate", needs=INIT)
def user_object_create(out: int | None, thing: int | None, destroy: int | None, count: int, flags: int) -> None:
    need(out, destroy)
    assert destroy is not None
    if flags != enums.CUuserObject_flags.NO_DESTRUCTOR_SYNC or not 0 < count < 1 << 31:
        raise invalid_value("flags must be 1 (no destructor synchronisation) and the count at least 1")
    put_u64(out, UserObject(thing, destroy, count).handle)


@entry("cuUserObjectRetain", needs=INIT)
def user_object_retain(handle: int | None, times: int) -> None:
    _object(handle, times).retain(times)


@entry("cuUserObjectRelease", needs=INIT)
def user_object_release(handle: int | None, times: int) -> None:
    _object(handle, times).release(times)


@entry("cuGraphRetainUserObject", needs=INIT)
def graph_retain_user_object(graph: int | None, handle: int | None, times: int, flags: int) -> None:
    where, thing = graph_of(graph), _object(handle, times)
    if flags not in (0, MOVE):
        raise invalid_value(f"flags {flags}: 0, or 1 to hand the caller's references over")
    if not flags:
        thing.retain(times)
    where.user_objects[thing] = where.user_objects.get(thing, 0) + times


@entry("cuGraphReleaseUserObject", needs=INIT)
def graph_release_user_object(graph: int | None, handle: int | None, times: int) -> None:
    where, thing = graph_of(graph), _object(handle, times)
    held = where.user_objects.get(thing, 0)
    if times > held:
        raise invalid_value(f"the graph holds {held} references")
    where.user_objects[thing] = held - times
    if held == times:
        del where.user_objects[thing]
    thing.release(times)
