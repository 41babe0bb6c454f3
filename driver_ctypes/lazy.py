"""Names that a package exports and loads on first use: one way for both packages.

    if TYPE_CHECKING:
        from package.room import First, second      # what a type checker sees

    __all__ = ["First", "second"]
    _EXPORTS = {"room": "First second"}             # module below the package: the names that it has

    if not TYPE_CHECKING:  # a type checker would take any name
        __getattr__, __dir__ = exports(__name__, _EXPORTS)

The three lists agree: tests/test_lazy.py. Every import of either package runs this file, so it imports only `sys`: `typing`
takes 5 ms, `importlib` nearly one. ptxgen takes it from `ptxgen.lazy`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # type checkers know the name without its import from `typing`
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["exports"]


def exports(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose *modules*, by their paths below it, have these names; those of "" are
    modules themselves.

    A name is looked up once and then kept in the package. AttributeError for one that is in no module.
    """
    home = {name: module for module, names in modules.items() for name in names.split()}
    namespace = vars(sys.modules[package])

    def load(name: str) -> object:
        if name not in home:  # Python adds to the message which name may be meant
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=sys.modules.get(package))
        if home[name]:
            value = getattr(__import__(f"{package}.{home[name]}", fromlist=(name,)), name)
        else:
            __import__(f"{package}.{name}")
            value = sys.modules[f"{package}.{name}"]
        namespace[name] = value
        return value

    def names() -> list[str]:
        return sorted({*namespace, *home})

    return load, names
