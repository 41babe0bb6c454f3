"""What an operation of `px.ops` launched, kept for the next tensors of the same form: only their addresses are new.

`px.ops` keeps launches by addresses, since it has memory of anybody's. An operator's results are new memory each time, and
PyTorch gives whatever is free: so launches are kept here by the form of the arguments, and filled with their addresses.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from driver_ctypes.streams.capturing import running_captures
from ptxgen.host import Array, device
from ptxgen.ops.operands import Operand, seen_launches
from ptxgen.torch.front import current_stream
from ptxgen.torch.quick import Place, QuickLaunch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ptxgen.ops.operands import PreparedLaunch

__all__ = ["ALIGNMENT", "Templates"]

_MANY = 4096  # forms that are kept of an operator

ALIGNMENT = 256
"""Bytes: which kernel an operation takes may depend on addresses up to that (`ptxgen.kernels.plan.common_alignment`)."""


class _Fill:
    """One launch of a template: its arguments, and which of them are places in which tensors."""

    __slots__ = ("addresses", "launcher", "maps", "values")

    def __init__(self, launch: PreparedLaunch, spans: Sequence[tuple[int, int, int]]) -> None:
        self.launcher = launch.launcher
        self.values = launch.arguments
        self.addresses: list[tuple[int, int, int]] = []
        """(which argument, of which tensor, how many bytes from its first element)."""
        self.maps: list[tuple[int, int, int, Operand, Any]] = []
        for position, operand, structure in launch.operands:
            index, begin = _tensor_at(operand.address, spans)
            place = (position, index, operand.address - begin)
            if structure is None:
                self.addresses.append(place)
            else:
                self.maps.append((*place, operand, structure))

    def launch(self, pointers: Sequence[int], context: Any) -> None:
        values = list(self.values)
        for position, index, offset in self.addresses:
            values[position] = pointers[index] + offset
        for position, index, offset, operand, structure in self.maps:
            address = pointers[index] + offset
            values[position] = structure.over(address, operand, context)
        self.launcher(*values)

    def quick(self, keeps: Any) -> QuickLaunch:
        """The same for `quick_call`."""
        values = list(self.values)
        for position, index, offset in self.addresses:
            values[position] = Place(index, offset)
        for position, index, offset, operand, structure in self.maps:
            values[position] = Place(index, offset, structure, operand)
        return QuickLaunch(self.launcher, values, keeps)


class _NotAForm(Exception):
    """A launch that is not of the form of its tensors alone."""


def _tensor_at(address: int, spans: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """(which tensor an address lies in, where that begins)."""
    for index, begin, end in spans:
        if begin <= address < end:
            return index, begin
    raise _NotAForm


class Templates:
    """The launches of one operator on GPUs, by the form of its arguments and the stream."""

    def __init__(self, run: Callable[..., object]) -> None:
        self._run = run
        self._kept: dict[Any, tuple[Any, Any, list[_Fill], list[PreparedLaunch]]] = {}

    def launch(self, args: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        """Run the operation on these tensors of a GPU."""
        key, pointers, ordinal = _form(args)
        known = self._kept.get(key)
        if known is None or running_captures or known[0].stream is not None or known[1].closed:
            self._first(key, args, results, ordinal)
            return
        pointers += [each.data_ptr() for each in results]
        for fill in known[2]:
            fill.launch(pointers, known[1])

    def quick(self, args: tuple[Any, ...]) -> list[QuickLaunch] | None:
        """What was kept for arguments of this form, whose addresses are multiples of `ALIGNMENT`; None where nothing is."""
        key, pointers, _ = _form(args)
        known = self._kept.get(key)
        if known is None or known[1].closed or any(each % ALIGNMENT for each in pointers):
            return None
        return [fill.quick(known[3]) for fill in known[2]]

    def _first(self, key: Any, args: tuple[Any, ...], results: tuple[Any, ...], ordinal: int) -> None:
        """By the operation itself, whose launches are kept where they depend on the form alone."""
        with seen_launches() as launches:
            self._run(*args, *results)
        place = device(f"cuda:{ordinal}")
        if running_captures or place.chosen.stream is not None:
            return
        tensors = [each for each in (*args, *results) if hasattr(each, "data_ptr")]
        try:
            fills = [_Fill(each, _apart(tensors)) for launch in launches for each in _in_turn(launch)]
            for launch in launches:
                _check_others(launch, tensors)
        except _NotAForm:
            return
        if fills:
            if len(self._kept) >= _MANY:
                self._kept.clear()
            self._kept[key] = (place.chosen, place.context, fills, launches)


def _form(args: Sequence[Any]) -> tuple[Any, list[int], int]:
    """(what decides how a call is launched, the tensors' addresses, the GPU)."""
    form: list[Any] = []
    pointers = []
    ordinal = 0
    for each in args:
        if hasattr(each, "data_ptr"):
            pointer, ordinal = each.data_ptr(), each.get_device()
            pointers.append(pointer)
            form += (each.shape, each.stride(), each.dtype, ordinal, pointer % ALIGNMENT)
        else:
            form.append(each)
    return (current_stream(ordinal), *form), pointers, ordinal


def _in_turn(launch: PreparedLaunch) -> Iterator[PreparedLaunch]:
    yield launch
    for each in launch.then:
        yield from _in_turn(each)


def _apart(tensors: Sequence[Any]) -> list[tuple[int, int, int]]:
    """(which, first byte, the one behind the last) of tensors that share no memory: an address is then of one of them."""
    spans = []
    for index, each in enumerate(tensors):
        reach = sum((extent - 1) * stride for extent, stride in zip(each.shape, each.stride())) + 1
        if each.numel():
            spans.append((each.data_ptr(), each.data_ptr() + reach * each.element_size(), index))
    spans.sort()
    if any(one[1] > other[0] for one, other in pairwise(spans)):
        raise _NotAForm
    return [(index, begin, end) for begin, end, index in spans]


def _check_others(launch: PreparedLaunch, tensors: Sequence[Any]) -> None:
    """What is no operand has no address of a tensor in it, whatever else it says."""
    spans = _apart(tensors)
    for each in _in_turn(launch):
        own = {position for position, _, _ in each.operands}
        for position, value in enumerate(each.arguments):
            if position in own or isinstance(value, (float, Array)):
                continue
            if not isinstance(value, int) or any(begin <= value < end for _, begin, end in spans):
                raise _NotAForm
        if not each.arguments:
            raise _NotAForm
