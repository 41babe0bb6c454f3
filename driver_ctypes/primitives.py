"""Locks, caches, sets, queues and context managers for the modules that a process loads before its first launch: `threading`,
`functools`, `collections` and `contextlib` take 4 ms to import, a fourth of opening a device.

They are C code of modules beneath these, which are CPython's own. Type checkers see the documented modules.
"""

from __future__ import annotations

__all__ = [
    "Lock",
    "Mapping",
    "OrderedDict",
    "RLock",
    "WeakSet",
    "cache",
    "contextmanager",
    "deque",
    "get_ident",
    "itemgetter",
    "local",
    "partial",
    "start_new_thread",
]

from _thread import start_new_thread

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections import OrderedDict, deque
    from collections.abc import Mapping
    from contextlib import contextmanager
    from functools import cache, partial
    from operator import itemgetter
    from threading import Lock, RLock, get_ident, local
    from weakref import WeakSet
else:
    from _collections import OrderedDict, deque
    from _collections_abc import Mapping
    from _functools import _lru_cache_wrapper, partial
    from _operator import itemgetter
    from _thread import RLock, get_ident
    from _thread import _local as local
    from _thread import allocate_lock as Lock
    from _weakrefset import WeakSet

    def _wrapping(function, wrapper):
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(wrapper, name, getattr(function, name))
        wrapper.__wrapped__ = function
        return wrapper

    def cache(function):
        """functools.cache, but for `cache_info`, which gives a plain tuple"""
        return _wrapping(function, _lru_cache_wrapper(function, None, False, lambda *counts: counts))

    class _Managed:
        """What `with` runs a generator by, and a function that it decorates."""

        __slots__ = ("_make", "_steps")

        def __init__(self, make):
            self._make = make
            self._steps = make()

        def __enter__(self):
            return next(self._steps)

        def __exit__(self, kind, error, trace):
            if kind is None:
                for _ in self._steps:
                    raise RuntimeError("generator didn't stop")
                return False
            try:
                self._steps.throw(error)
            except StopIteration as end:
                return end is not error
            except BaseException as raised:
                # A StopIteration that is thrown into a generator comes out of it as the cause of a RuntimeError (PEP 479)
                stopped = (
                    isinstance(error, StopIteration) and isinstance(raised, RuntimeError) and raised.__cause__ is error
                )
                if raised is not error and not stopped:
                    raise
                error.__traceback__ = trace
                return False
            raise RuntimeError("generator didn't stop after throw()")

        def __call__(self, function):
            def managed(*args, **named):
                with _Managed(self._make):
                    return function(*args, **named)

            return _wrapping(function, managed)

    def contextmanager(function):
        return _wrapping(function, lambda *args, **named: _Managed(partial(function, *args, **named)))
