"""The form of a dispatch's outputs on the host: numpy arrays whose type and shape follow from the inputs, or bytes.

Who brings arrays gets arrays, who brings bytes gets bytes. An output has the shape, and where both bindings are of one type also
the dtype, of the input that it is `like`; without a `like` those of the first input with as many elements. What follows from no
input has one dimension, or two where the binding is of vectors.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ptxgen.builder.values.vectors import vec
from ptxgen.host.formats import numpy_module, numpy_name
from ptxgen.runtime.errors import InvalidProgramError
from ptxgen.runtime.memory.forms import Form, form_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxgen.runtime.programs.bindings import Binding

__all__ = ["Forms", "extent_bytes", "input_form", "output_forms", "own_form"]

Forms = tuple["Form | None", ...]
"""One for each output; None: bytes."""


def input_form(binding: Binding, data: Any) -> Form | None:
    """The form of an input; None for bytes, and for arrays of bytes that are another type's memory."""
    form = form_of(data)
    if form is None or (form.dtype.itemsize == 1 and form.dtype.kind in "iu" and _scalar(binding)[0].bytes > 1):
        return None
    return form


def own_form(binding: Binding, count: int) -> Form | None:
    """The form of so many elements of a binding by itself; None where numpy is not installed, or has no such type."""
    scalar, lanes = _scalar(binding)
    try:
        dtype = numpy_module().dtype(numpy_name(scalar))
    except (ImportError, KeyError):
        return None
    return Form(dtype, (count, lanes) if lanes else (count,))


def output_forms(
    inputs: Sequence[tuple[Binding, Form | None]], outputs: Sequence[tuple[Binding, int]], like: Sequence[Any] | None
) -> Forms:
    """The forms of the outputs, which have so many elements each. InvalidProgramError where *like* does not fit."""
    if like is not None:
        return _forms_of_models(outputs, like)
    if inputs and not any(form for _, form in inputs):
        return (None,) * len(outputs)
    return tuple([_form(binding, count, inputs) for binding, count in outputs])


def _form(binding: Binding, count: int, inputs: Sequence[tuple[Binding, Form | None]]) -> Form | None:
    own = own_form(binding, count)
    if binding.role == "inout" or binding.like is not None:
        models = [each for each in inputs if each[0].name in (binding.name, binding.like)]
    else:
        models = [] if binding.elements else list(inputs)
    for source, form in models:
        if form is None:
            continue
        if source.type is binding.type and form.nbytes == count * binding.size:
            return form
        if own is not None and form.size == own.size:
            return own._replace(shape=form.shape)
    return own


def _forms_of_models(outputs: Sequence[tuple[Binding, int]], like: Sequence[Any]) -> Forms:
    """The forms of arrays that the caller names as the models of the outputs."""
    if len(like) != len(outputs):
        raise InvalidProgramError(
            f"like= names {len(like)} arrays for {len(outputs)} outputs",
            fix=f"name one for each of {', '.join(b.name for b, _ in outputs) or 'none'}",
        )
    found: list[Form | None] = []
    for (binding, count), model in zip(outputs, like):
        form, nbytes = form_of(model), count * binding.size
        if form is None or form.nbytes != nbytes:
            what = type(model).__name__ if form is None else f"{form.dtype} array of shape {form.shape}"
            raise InvalidProgramError(
                f"output {binding.name!r} has {nbytes} bytes, like= names a {what}",
                fix=f"name a numpy array of {nbytes} bytes",
            )
        found.append(form)
    return tuple(found)


def extent_bytes(binding: Binding, extent: Any) -> int:
    """Bytes of a binding whose elements are said by a number, a shape, or an array that has one. InvalidProgramError for what is
    none of them."""
    shape = getattr(extent, "shape", extent)
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise InvalidProgramError(
            f"{extent!r} elements of {binding.name!r}", fix="pass a number, a shape, or an array of that shape"
        )
    scalar, lanes = _scalar(binding)
    vectors = len(sizes) > 1 and lanes and sizes[-1] == lanes
    nbytes: int = scalar.bytes if vectors else binding.size
    count: int = prod(sizes)
    return count * nbytes


def _scalar(binding: Binding) -> tuple[Any, int]:
    """(the type of a binding's elements, or of the elements of its vectors; how many a vector has, 0 for none)."""
    element = binding.type.element
    return (element.element.isa, element.lanes) if issubclass(element, vec) else (element.isa, 0)
