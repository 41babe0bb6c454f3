"""What every ir class shares: equality over its fields, a repr, and nothing else."""

from __future__ import annotations

from typing import Any, ClassVar


class Node:
    """Base of the ir: subclasses list the fields that make two nodes equal in `_fields`; `source` is never one."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._fields)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self._fields)))

    def __repr__(self) -> str:
        values: list[tuple[str, Any]] = [(name, getattr(self, name)) for name in self._fields]
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in values if v not in (None, ()))})"
