"""A launch's arguments, copied by machine code: from where the caller's array of pointers leads, into one block of bytes.

The array has as many pointers as the kernel has parameters. In Python each of them costs as much as all do here.
"""

from __future__ import annotations

import ctypes

from driver_ctypes.machine_code.texts import load_text
from driver_ctypes.primitives import cache, partial
from driver_ctypes.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Parameters"]

_TEXT = """
declare ptr @PyBytes_FromStringAndSize(ptr, i64)
declare ptr @PyBytes_AsString(ptr)
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @memset(ptr, i32, i64)

; The plan: bytes of the block, number of parameters, then for each where it begins and its bytes. An empty object where a pointer
; is null.
define ptr @gather(ptr %plan, ptr %slots) {
  %count.at = getelementptr i64, ptr %plan, i64 1
  %nbytes = load i64, ptr %plan
  %count = load i64, ptr %count.at
  %first = getelementptr i64, ptr %plan, i64 2
  %made = call ptr @PyBytes_FromStringAndSize(ptr null, i64 %nbytes)
  %none = icmp eq ptr %made, null
  br i1 %none, label %done, label %begin
begin:
  %block = call ptr @PyBytes_AsString(ptr %made)
  %clear = call ptr @memset(ptr %block, i32 0, i64 %nbytes)
  br label %next
next:
  %n = phi i64 [ 0, %begin ], [ %after, %copied ]
  %more = icmp ult i64 %n, %count
  br i1 %more, label %look, label %done
look:
  %slot = getelementptr ptr, ptr %slots, i64 %n
  %from = load ptr, ptr %slot, align 1
  %null = icmp eq ptr %from, null
  br i1 %null, label %refuse, label %copy
copy:
  %two = shl i64 %n, 1
  %offset.at = getelementptr i64, ptr %first, i64 %two
  %size.at = getelementptr i64, ptr %offset.at, i64 1
  %offset = load i64, ptr %offset.at
  %size = load i64, ptr %size.at
  %to = getelementptr i8, ptr %block, i64 %offset
  switch i64 %size, label %any [ i64 8, label %eight i64 4, label %four ]
eight:
  %long = load i64, ptr %from, align 1
  store i64 %long, ptr %to, align 1
  br label %copied
four:
  %word = load i32, ptr %from, align 1
  store i32 %word, ptr %to, align 1
  br label %copied
any:
  %moved = call ptr @memcpy(ptr %to, ptr %from, i64 %size)
  br label %copied
copied:
  %after = add i64 %n, 1
  br label %next
refuse:
  %empty = call ptr @PyBytes_FromStringAndSize(ptr null, i64 0)
  call void @Py_DecRef(ptr %made)
  br label %done
done:
  %found = phi ptr [ null, %0 ], [ %made, %next ], [ %empty, %refuse ]
  ret ptr %found
}
declare void @Py_DecRef(ptr)
"""


@cache
def _gather() -> Callable[[int, int], bytes]:
    """The function, for the life of the process. Raises UnsupportedError where the system lets no code be made."""
    library = load_text(_TEXT, {})
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))
    made: Callable[[int, int], bytes] = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p)(
        library.addresses["gather"]
    )
    return made


class Parameters:
    """Of a kernel, from (name, where it begins, bytes) of each and the bytes of the whole block."""

    __slots__ = ("_plan", "count", "nbytes", "read")

    def __init__(self, parameters: Sequence[tuple[str, int, int]], nbytes: int) -> None:
        self.count = len(parameters)
        self.nbytes = nbytes
        places = [word for _name, offset, size in parameters for word in (offset, size)]
        self._plan = (ctypes.c_uint64 * (2 + len(places)))(nbytes, self.count, *places)
        self.read: Callable[[int], bytes] = partial(_gather(), ctypes.addressof(self._plan))
        """The block, from the address of the array; empty where a pointer in it is null."""
