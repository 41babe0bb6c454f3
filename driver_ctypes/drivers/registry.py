"""The names by which drivers are known: registered ones, those of installed entry points, and NVIDIA's."""

from __future__ import annotations

from driver_ctypes.contexts.device import Driver
from driver_ctypes.errors import DriverNotFoundError, Error
from driver_ctypes.lifetime import opened_drivers, renew_in_child
from driver_ctypes.primitives import RLock, cache
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from driver_ctypes.loading.table import Resolve

ENTRY_POINTS = "driver_ctypes.drivers"


class _Known(NamedTuple):
    """A driver that can be opened."""

    factory: Callable[[], Resolve]
    foreign_pointers: bool
    cache_code: bool


_factories: dict[str, _Known] = {}
_opened: dict[str, Driver] = {}
_registry_lock = RLock()  # a factory may open another driver
renew_in_child(globals(), "_registry_lock", RLock)


def register_driver(
    name: str, factory: Callable[[], Resolve], *, foreign_pointers: bool | None = None, cache_code: bool = False
) -> None:
    """Make a driver known as *name*. ``factory()`` is called once, when somebody asks for the driver.

    It returns ``resolve(symbol, version) -> address``, with 0 for a function the driver lacks. With
    ``foreign_pointers=False`` memory of other libraries is refused as a kernel argument, and its own is not offered to them;
    by default that is the factory's attribute of this name, else True. ``cache_code=True`` says that it keeps compiled code in a
    cache of its own: then logs are kept on disk. Raises Error where another driver of that name is open.
    """
    with _registry_lock:
        known = _factories.get(name)
        if name in _opened and known is not None and known.factory is not factory:
            raise Error(f"driver {name!r} is already open", hint="register under another name, or before first use")
        foreign = getattr(factory, "foreign_pointers", True) if foreign_pointers is None else foreign_pointers
        _factories[name] = _Known(factory, foreign, cache_code)


def driver(name: str = "cuda") -> Driver:
    """The driver known as *name*, opened on first use. Raises DriverNotFoundError, InitializationError."""
    opened = _opened.get(name)
    if opened is not None:
        return opened
    with _registry_lock:
        opened = _opened.get(name)
        if opened is None:
            if name not in _factories:
                _load_entry_point(name)
            known = _factories[name]
            opened = _opened[name] = Driver(
                name, known.factory(), foreign_pointers=known.foreign_pointers, cache_code=known.cache_code
            )
    return opened


def driver_names() -> tuple[str, ...]:
    """Names that `driver` takes: registered ones and those of installed entry points."""
    return tuple(sorted({*_factories, *_entry_points()}))


def live_handles() -> dict[str, int]:
    """How many handles of each kind this process holds on all drivers; kinds without any are left out.

    Handles that garbage collection noted are freed first. An open primary context counts as one ``context``.
    """
    total: dict[str, int] = {}
    for opened in opened_drivers():
        for kind, count in opened.live_handles().items():
            total[kind] = total.get(kind, 0) + count
    return total


@cache  # 36 ms
def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def _load_entry_point(name: str) -> None:
    """Register *name* from an installed package, whose import may register it already."""
    points = _entry_points()
    if name not in points:
        known = ", ".join(sorted({*_factories, *points}))
        raise DriverNotFoundError(
            f"no driver is known as {name!r}; there are: {known}",
            hint=f"import the package that registers it, or install one with an entry point in {ENTRY_POINTS!r}",
        )
    factory = points[name].load()
    if name not in _factories:
        register_driver(name, factory)


def _cuda() -> Resolve:
    from driver_ctypes.caches.jit import configure_jit_cache
    from driver_ctypes.loading.libcuda import find_libcuda

    configure_jit_cache()  # before the library is there: it reads its settings once
    return find_libcuda()


register_driver("cuda", _cuda, cache_code=True)
