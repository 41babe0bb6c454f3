"""The library's templates as functions of Python (`ptxgen.kernels.compiled`): which, and whether of the template as it is now."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driver_ctypes.hashing import blake2b
from ptxgen.text.library import library_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

__all__ = ["compiled", "digest", "member"]


def compiled(template: str) -> Callable[..., str] | None:
    """What makes the text of one of the library's templates; None where Jinja has to render it: it, or one that it imports, was
    changed since tools/compile_templates.py ran, or is new."""
    name = f"ptxgen.kernels.compiled.{template.partition('.')[0]}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        return None
    render: Callable[..., str] = module.render
    return render if _is_current(module, template) else None


def _is_current(module: ModuleType, template: str) -> bool:
    return digest(library_source(template)) == module.SOURCE and all(
        _is_current(each, f"{each.__name__.rpartition('.')[2]}.j2") for each in module.USES
    )


def digest(source: str) -> str:
    """Of a template's text."""
    return blake2b(source.encode(), digest_size=16).hexdigest()


def member(value: Any, name: str) -> Any:
    """`value.name` of a template: an attribute, or the item with that key."""
    try:
        return getattr(value, name)
    except AttributeError:
        return value[name]
