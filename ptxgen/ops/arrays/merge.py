"""Two sorted arrays as one (ptxgen.kernels.arrays.merge)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import s32, u32
from ptxgen.errors import BuildError
from ptxgen.kernels.arrays import merge as kernels
from ptxgen.ops.arguments import MOST_ROWS, check_all_apart, check_array, value_type
from ptxgen.ops.borrowing import Launches
from ptxgen.ops.calls import Call, launched_before

if TYPE_CHECKING:
    from ptxgen.host import Array
    from ptxgen.ops.launches import Plans

__all__ = ["merge"]

_launches = Launches()


def merge(
    a: Any, b: Any, out: Any = None, *, payload: tuple[Any, Any] | None = None, out_payload: Any = None,
    descending: bool = False,
) -> Any:  # fmt: skip
    """The elements of two sorted arrays in order, in one pass: those of a before equal ones of b. Both have one dimension, the
    same type, of integers of 8 to 64 bits, f16, f32 or f64, and the order of `sort`; elements of arrays that are not sorted come
    in any order.

    With `payload`, (that of a, that of b), a u32 is moved beside each element, and a second result has them. Returns `out`, by
    default a new array of a's library, or (out, out_payload). BuildError for arrays that it cannot have.
    """
    options = ("merge", bool(descending))
    key, again, (out, out_payload) = launched_before(options, (a, b, payload), (out, out_payload))
    if again is not None:
        return out if payload is None else (out, out_payload)
    with Call(a=a, b=b, out=out, payload=payload, out_payload=out_payload) as call:
        element = value_type("a", call["a"])
        n = sum(check_array(name, call[name], element, device=call.device) for name in ("a", "b"))
        made, target = (out, call["out"]) if out is not None else call.result(n, element)
        moved, moved_to = out_payload, call["out_payload"]
        if payload is not None and out_payload is None:
            moved, moved_to = call.numbers(n)
        firsts = call.scratch(kernels.scratch_words(n, element, pairs=payload is not None))
        _launches.run(
            _plans, (bool(descending),), call["a"], call["b"], target, firsts, call["payload"] or [], moved_to
        )
        call.remember(key, made, moved)
        return made if payload is None else (made, moved)


def _plans(
    a: Array, b: Array, out: Array, firsts: Array, payload: list[Array], out_payload: Array | None, descending: bool
) -> Plans:
    element = value_type("a", a)
    n, m = (check_array(name, each, element, device=a.device) for name, each in (("a", a), ("b", b)))
    if n + m > MOST_ROWS:
        raise BuildError(f"a merge of {n} and {m} elements", hint=f"at most {MOST_ROWS}")
    check_array("out", out, element, device=a.device, least=n + m)
    payload, moved = [_words(each) for each in payload], None if out_payload is None else _words(out_payload)
    written, read = {"out": out}, {"a": a, "b": b}
    if payload or moved is not None:
        if len(payload) != 2 or moved is None:
            raise BuildError(
                "payloads of one side alone", hint="payload=(that of a, that of b), and out_payload= with it"
            )
        for name, each, least in (("payload of a", payload[0], n), ("payload of b", payload[1], m)):
            check_array(name, each, u32, device=a.device, least=least)
            read[name] = each
        check_array("out_payload", moved, u32, device=a.device, least=n + m)
        written["out_payload"] = moved
    check_all_apart(written, read)
    how: dict[str, Any] = {"element": element, "descending": descending}
    payloads = (*payload, moved) if payload else ()
    places = kernels.places_plan(n, a, m, b, firsts, pairs=bool(payload), **how)
    return places, kernels.plan(n, a, m, b, out, firsts, *payloads, **how)


def _words(array: Array) -> Array:
    """Row numbers of PyTorch, which are s32, as their bits."""
    return array.view(u32) if getattr(array, "type", None) is s32.isa else array
