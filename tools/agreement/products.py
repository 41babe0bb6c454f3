"""Products of matrices: each type of mma and wgmma, dense and sparse, on matrices of every kind of numbers.

The kernels and the numbers are those of the tests, which compare a few products with models.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ptxgen.cpu.lower.registry import find
from ptxgen.isa.examples import covering_names
from ptxgen.isa.forms import forms_of, resolve
from ptxgen.isa.layouts import layout
from ptxgen.isa.targets import find_target
from tests.ptxgen.cpu import matrix_kernels
from tests.ptxgen.cpu.matrix_numbers import KINDS, operands, sparsity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import ptxgen as px
    from ptxgen.isa.forms import Resolved
    from ptxgen.isa.targets import Target

__all__ = ["names", "products"]

Array = np.ndarray[Any, Any]
EACH = 500
"""Products of each kind of numbers in a launch; of wgmma a fourth."""


def names(target: Target, only: str = "") -> list[str]:
    """Of mma and wgmma an instruction for each form, with each of its types and modifiers, that the target has. Of wgmma the
    narrowest, and none of single bits, which no tile in shared memory is made of here."""
    found: dict[str, None] = {}
    for form in (*forms_of("mma"), *(form for form in forms_of("wgmma") if "mma_async" in str(form))):
        for name in covering_names(form):
            there = any(_exists(each, target) for each in resolve(name) if each.form is form)
            wide = form.opcode == "wgmma" and (".m64n8k" not in name or ".b1." in name)
            if only in name and there and not wide and find(name) is not None:
                found[name] = None
    return list(found)


def _exists(resolved: Resolved, target: Target) -> bool:
    until = resolved.form.until
    gone = until is not None and target.provides(until.sm, until.suffix)
    return not gone and all(any(target.provides(each.sm, each.suffix) for each in of) for of in resolved.since)


def products(samples: int, only: str) -> Iterator[Callable[[px.Device], dict[str, Array]]]:
    """An instruction each, and at least that many products of it."""
    for name in names(find_target("sm_90a"), only):
        yield partial(_batch, name, samples)


def _batch(name: str, samples: int, device: px.Device) -> dict[str, Array]:
    each = EACH // 4 if name.startswith("wgmma") else EACH
    drawn = _drawn(name, each)
    turns = range(-(-samples // (each * len(KINDS))))
    return {name: np.concatenate([_product(name, _turned(drawn, turn), device) for turn in turns])}


@lru_cache(1)
def _drawn(name: str, each: int) -> dict[str, Array]:
    """A, B, C and a sparse A's metadata: that many products of each kind of numbers."""
    of, asynchronous = layout(name), name.startswith("wgmma")
    (rows, stored), columns = of.a.shape, (of.d if asynchronous else of.b).shape[1]
    depth = stored * (1 + (".sp" in name))
    type_b = name.split(".")[-1] if asynchronous else of.b.type
    types = f"{of.d.type}.{of.a.type}.{type_b}.{of.d.type if asynchronous else of.c.type}"
    found = dict(zip("abc", operands(types, rows, columns, depth, each)))
    found["c"] = found["c"][:, : of.d.shape[0], : of.d.shape[1]]  # of m8n8k4 four products lie in each other's rows
    if depth > stored:
        found["a"] = operands(types, rows, columns, stored, each)[0]
        found["metadata"] = sparsity(types, len(found["a"]), rows, of.metadata.shape[1])[0]
    return found


def _turned(drawn: dict[str, Array], turn: int) -> dict[str, Array]:
    """Others of the drawn matrices meet: each A the B that is `turn` further on among those of its kind, and another C. Those
    that cancel each other stay together."""
    found = dict(drawn)
    for name, step in (("b", turn), ("c", 3 * turn)):
        kinds = drawn[name].reshape(len(KINDS), -1, *drawn[name].shape[1:])
        moved = np.roll(kinds, step, axis=1)
        if name == "b":
            cancelling = KINDS.index("cancelling")
            moved[cancelling] = kinds[cancelling]
        found[name] = moved.reshape(drawn[name].shape)
    return found


def _product(name: str, of: dict[str, Array], device: px.Device) -> Array:
    a, b, c, metadata = of["a"], of["b"], of["c"], of.get("metadata")
    if name.startswith("wgmma"):
        return matrix_kernels.wgmma(device, name, layout(name), a, b, c, metadata=metadata)
    if metadata is None:
        return matrix_kernels.mma(device, name, layout(name), a, b, c)
    return matrix_kernels.mma(device, name, layout(name), a, b, c, metadata, selector=0)
