"""What an operation of `px.ops` launched on a GPU, kept for the next tensors of the same form: only their addresses are new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.streams.stream import running_captures
from ptxgen.host import device
from ptxgen.ops.launches import seen_launches
from ptxgen.ops.recorded import ADDRESS_UNIT, NotAFormError, Span, recorded
from ptxgen.torch.front import current_stream
from ptxgen.torch.quick import QuickLaunch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.ops.recorded import RecordedLaunch

__all__ = ["Templates"]

_MANY = 4096  # forms that are kept of an operator


class Templates:
    """The launches of one operator on GPUs, by the form of its arguments and the stream."""

    def __init__(self, run: Callable[..., object]) -> None:
        self._run = run
        self._kept: dict[Any, tuple[Any, Any, list[RecordedLaunch]]] = {}

    def launch(self, args: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        """Run the operation on these tensors of a GPU."""
        key, pointers, ordinal = _form(args)
        known = self._kept.get(key)
        if known is None or running_captures or known[0].stream is not None or known[1].closed:
            self._first(key, args, results, ordinal)
            return
        pointers += [each.data_ptr() for each in results]
        for each in known[2]:
            _launch(each, pointers, known[1])

    def quick(self, args: tuple[Any, ...]) -> list[QuickLaunch] | None:
        """What was kept for arguments of this form, whose addresses are multiples of `ADDRESS_UNIT`; None where nothing is."""
        key, pointers, _ = _form(args)
        known = self._kept.get(key)
        if known is None or known[1].closed or any(each % ADDRESS_UNIT for each in pointers):
            return None
        return [QuickLaunch(each.launch.launcher, each.launch.arguments, each.places, each.launch) for each in known[2]]

    def _first(self, key: Any, args: tuple[Any, ...], results: tuple[Any, ...], ordinal: int) -> None:
        """By the operation itself, whose launches are kept where they depend on the form alone."""
        with seen_launches() as launches:
            self._run(*args, *results)
        place = device(f"cuda:{ordinal}")
        if running_captures or place.chosen.stream is not None:
            return
        try:
            found = recorded(launches, [_span(each) for each in (*args, *results) if hasattr(each, "data_ptr")])
        except NotAFormError:
            return
        if len(self._kept) >= _MANY:
            self._kept.clear()
        self._kept[key] = (place.chosen, place.context, found)


def _launch(launch: RecordedLaunch, pointers: Sequence[int], context: Any) -> None:
    values = list(launch.launch.arguments)
    for position, index, offset, structure, like in launch.places:
        address = pointers[index] + offset
        values[position] = address if structure is None else structure.over(address, like, context)
    launch.launch.launcher(*values)


def _span(tensor: Any) -> Span:
    begin, reach = (
        tensor.data_ptr(),
        sum((extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride())),
    )
    return Span(begin, begin + (reach + 1) * tensor.element_size() if tensor.numel() else begin)


def _form(args: Sequence[Any]) -> tuple[Any, list[int], int]:
    """(what decides how a call is launched, the tensors' addresses, the GPU)."""
    form: list[Any] = []
    pointers = []
    ordinal = 0
    for each in args:
        if hasattr(each, "data_ptr"):
            pointer, ordinal = each.data_ptr(), each.get_device()
            pointers.append(pointer)
            form += (each.shape, each.stride(), each.dtype, ordinal, pointer % ADDRESS_UNIT)
        else:
            form.append(each)
    return (current_stream(ordinal), *form), pointers, ordinal
