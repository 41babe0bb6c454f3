"""Machine code that gives memory back: what DLPack calls when a receiver is done with a tensor of ours.

A deleter takes the GIL first, and does nothing once the interpreter has ended. A capsule's destructor runs wherever the
last reference falls, also while an exception is on its way, where Python code could not run.
"""

from __future__ import annotations

from driver_ctypes.trampoline.engine import compile_functions, fresh_name
from driver_ctypes.trampoline.writer import SYMBOLS

_TEXT = """
@{name}.capsule = private constant [{size} x i8] c"{capsule}\\00"

define internal void @{name}.let_go(ptr %managed) {{
  %field = getelementptr i8, ptr %managed, i64 {manager}
  %owner = load ptr, ptr %field
  call void {Py_DecRef}(ptr %owner)
  ret void
}}

define void @{name}.delete(ptr %managed) {{
  %running = call i32 {Py_IsInitialized}()
  %ended = icmp eq i32 %running, 0
  br i1 %ended, label %out, label %go
go:
  %gil = call i32 {PyGILState_Ensure}()
  call void @{name}.let_go(ptr %managed)
  call void {PyGILState_Release}(i32 %gil)
  br label %out
out:
  ret void
}}

define void @{name}.destroy(ptr %capsule) {{
  %unused = call i32 {PyCapsule_IsValid}(ptr %capsule, ptr @{name}.capsule)
  %mine = icmp ne i32 %unused, 0
  br i1 %mine, label %go, label %out
go:
  %managed = call ptr {PyCapsule_GetPointer}(ptr %capsule, ptr @{name}.capsule)
  call void @{name}.let_go(ptr %managed)
  br label %out
out:
  ret void
}}
"""


def release_functions(manager: int, capsule: bytes) -> tuple[int, int]:
    """Addresses of (the deleter of a managed tensor whose owner is noted at offset *manager*, the destructor of its
    capsule, which is called *capsule* as long as nobody has taken the tensor).
    """
    name = fresh_name()
    text = _TEXT.format(name=name, manager=manager, capsule=capsule.decode(), size=len(capsule) + 1, **SYMBOLS)
    found = compile_functions(text, f"{name}.delete", f"{name}.destroy")
    return found[f"{name}.delete"], found[f"{name}.destroy"]
