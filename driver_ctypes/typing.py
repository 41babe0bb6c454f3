"""Names of `typing` for the modules that a process loads before its first launch: the import of `typing` itself takes 6 ms.

Type checkers see those of `typing`. At run time they do nothing, but for NamedTuple, whose classes behave as those of `typing`
do, and take a fraction of the time to make.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any as Any
    from typing import ClassVar as ClassVar
    from typing import Generic as Generic
    from typing import NamedTuple as NamedTuple
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import TypeVar as TypeVar
    from typing import cast as cast
else:
    from _collections import _tuplegetter

    class Generic:
        """A base that may be written with types in brackets."""

        def __class_getitem__(cls, types):
            return cls

    ClassVar = Protocol = Generic
    Any = NoReturn = object

    def TypeVar(name, *constraints, bound=None):
        return None

    def cast(kind, value):
        return value

    _OFTEN = 8
    """Tuples of a class, with all values in order, before a function of its own makes them: it takes 40 us to compile."""

    def _maker(cls):
        names = ", ".join(cls._fields)
        made = eval(f"lambda _cls, {names}: _new(_cls, ({names},))", {"_new": tuple.__new__})
        made.__defaults__ = tuple(cls._field_defaults.values())
        made.__qualname__ = f"{cls.__name__}.__new__"
        return made

    class _NamedTupleType(type):
        def __new__(meta, name, bases, body):
            fields = tuple(body.get("__annotations__", ()))
            if not fields or bases[0]._fields:  # NamedTuple itself; a class derived from one of tuples
                return super().__new__(meta, name, bases, body)
            body["__slots__"] = ()
            body["__match_args__"] = body["_fields"] = fields
            body["_made"] = 0
            body["_field_defaults"] = {field: body[field] for field in fields if field in body}
            body.update({field: _tuplegetter(place, f"Field {place}") for place, field in enumerate(fields)})
            return super().__new__(meta, name, bases, body)

    class NamedTuple(tuple, metaclass=_NamedTupleType):
        """`typing.NamedTuple`, in the form of a class."""

        __slots__ = ()
        _fields = ()
        _field_defaults = {}  # noqa: RUF012
        _made = 0

        def __new__(cls, /, *values, **named):
            cls._made += 1
            if cls._made < _OFTEN and not named and len(values) == len(cls._fields):
                return tuple.__new__(cls, values)
            owner = next(each for each in cls.__mro__ if "_fields" in vars(each))
            made = _maker(owner)
            owner.__new__ = staticmethod(made)
            return made(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} takes {len(cls._fields)} values")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise TypeError(f"no field {', '.join(changes)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self))

        def __repr__(self):
            told = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self))
            return f"{type(self).__name__}({told})"

        def __getnewargs__(self):
            return tuple(self)

        __replace__ = _replace
