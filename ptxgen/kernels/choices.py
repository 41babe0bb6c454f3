"""Which configuration a kernel takes: what a registered provider says, else this user's tuning, else what is shipped for the
device; None where nobody knows, and the kernel chooses by its own formula.

    found = choice(matmul, SPACE, (m, n, depth), device)
    tiling = Tiling(**found.config) if found else LARGE

A lookup never measures, so it may stand in a capture; the second for a shape is one look into a dictionary.
"""

from __future__ import annotations

import threading

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.errors import BuildError
from ptxgen.isa.targets import find_target
from ptxgen.kernels.space import Config, as_shape
from ptxgen.kernels.winners import (
    class_text,
    fixed_text,
    identity_of,
    kept_winner,
    say_ignored,
    shipped_winner,
    winner_store,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ptxgen.builder import Kernel
    from ptxgen.host import Device
    from ptxgen.kernels.space import Shape, Space
    from ptxgen.kernels.winners import Winner

    Provider = Callable[["Question"], Mapping[str, Any] | None]

__all__ = ["Choice", "Question", "choice", "forget", "register"]

_MANY = 4096  # answers kept: shapes that never come again must not make a program grow


class Question(NamedTuple):
    """What a provider is asked: the kernel, its fixed compile-time parameters, the shape and its class, the device."""

    kernel: Kernel
    fixed: Mapping[str, Any]
    shape: Shape
    shape_class: tuple[Any, ...]
    device: Device


class Choice(NamedTuple):
    """A configuration, and where it comes from: "registered", "tuned here" or "shipped for DEVICE", with the
    class where it is the nearest one's."""

    config: Config
    source: str


_known: dict[Any, Choice | None] = {}
_providers: list[Provider] = []
_lock = threading.Lock()


def register(provider: Provider) -> Callable[[], None]:
    """Ask *provider* first from now on, before those registered earlier; returns what takes it back.

    It is given a `Question` and returns a configuration (a value for each axis), or None where it has no opinion. One that
    is not in the kernel's space is a BuildError.
    """
    with _lock:
        _providers.insert(0, provider)
    forget()

    def withdraw() -> None:
        with _lock:
            if provider in _providers:
                _providers.remove(provider)
        forget()

    return withdraw


def forget() -> None:
    """Look everything up again: what is kept on disk has changed."""
    _known.clear()


def choice(kernel: Kernel, space: Space, shape: Any, device: Device, **fixed: Any) -> Choice | None:
    """The configuration for a shape on a device, or None; *fixed* are the compile-time parameters that were fixed when
    the kernel was tuned, beside those that `kernel.using` fixed. Every answer is checked against the space: a record that does
    not fit it is reported, and not used."""
    key = (kernel, space, shape, device, *fixed.items())
    try:
        return _known[key]
    except KeyError:
        found = _find(kernel, space, as_shape(shape), device, fixed)
    except TypeError:  # a list, which has no hash
        return _find(kernel, space, as_shape(shape), device, fixed)
    if len(_known) >= _MANY:
        _known.clear()
    _known[key] = found
    return found


def _find(kernel: Kernel, space: Space, shape: Shape, device: Device, fixed: dict[str, Any]) -> Choice | None:
    fixed = {**kernel.fixed, **fixed}
    question = Question(kernel, fixed, shape, space.class_of(shape), device)
    for provider in tuple(_providers):
        said = provider(question)
        if said is not None:
            return Choice(_registered(said, space, question), "registered")
    name, fixed_, class_, identity = (
        kernel.__name__,
        fixed_text(fixed),
        class_text(question.shape_class),
        identity_of(device),
    )
    store = winner_store()
    kept = kept_winner(store, kernel, fixed_, class_, identity) if store is not None else None
    found = _checked(kept, space, question, "kept") if kept is not None else None
    if found is not None:
        return Choice(found, "tuned here")
    shipped = shipped_winner(name, fixed_, question.shape_class, identity.name)
    found = _checked(shipped, space, question, "shipped") if shipped is not None else None
    if found is None or shipped is None:
        return None
    near = "" if shipped.shape_class == class_ else f", for {shipped.shape_class}"
    return Choice(found, f"shipped for {identity.name}{near}")


def _registered(said: Mapping[str, Any], space: Space, question: Question) -> Config:
    refusal = space.refusal(said, question.shape, find_target(question.device.target))
    config = space.decode(said)
    if refusal is not None or config is None:
        raise BuildError(
            f"a registered provider chose for {question.kernel.__name__} what is not in its space: {refusal and refusal.text}",
            hint="return a value for each axis, or None",
        )
    return config


def _checked(winner: Winner, space: Space, question: Question, which: str) -> Config | None:
    """The record's configuration; None where it is not in the space. Of other shapes of the class that may be so, and the
    kernel chooses by its formula; anything else is reported."""
    refusal = space.refusal(winner.config, question.shape, find_target(question.device.target))
    if refusal is None:
        return space.decode(winner.config)
    if not refusal.of_shape:
        say_ignored(f"a {which} record of {winner.kernel} for the class {winner.shape_class}", refusal.text)
    return None
