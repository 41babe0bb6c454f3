"""A call in front of PyTorch's dispatcher, which takes 3 to 4 us to find a Python function.

`OpOverload` and its packet call what they hold as `_op`. There a Python function of ours stands, written for the schema of the
operator. Where nothing watched a call, it keeps what was done for tensors like those (a `Way`), and does it by itself when such
a call comes again: a guard of torch.compile, one call in C++, tells whether all tensors and the state of the dispatcher
(transforms, tracers, autocast, inference) are as they were then; modes, profiles and gradients are asked for. Where a gradient is
recorded, it calls what the dispatcher would come to. Every other call goes on to the dispatcher, wrong values among them, so what
PyTorch knows of the operator stays the only rule of what it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from driver_ctypes.streams.stream import running_captures
from ptxgen.torch.framework import torch
from ptxgen.torch.written import written

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

__all__ = ["PLAIN", "Front", "current_stream", "forward_ad"]

PLAIN = frozenset({torch.Tensor, torch.nn.Parameter})
"""Types of tensors that watch nothing."""

forward_ad: Any = torch.autograd.forward_ad  # its level is -1 where no derivative is taken forwards

current_stream: Any = getattr(torch._C, "_cuda_getCurrentRawStream", lambda ordinal: 0)
"""The handle of PyTorch's current stream of a GPU; `torch.cuda.current_stream` makes an object, which takes a microsecond. A
PyTorch for the CPU alone has none."""

_MANY = 4096  # forms that are kept of an operator: a program whose shapes never come again must not grow
_MANY_WAYS = 8  # for tensors of the same shapes
_MANY_STREAMS = 64  # PyTorch hands out 32; a program may bring others

_NUMBERS: dict[str, frozenset[type]] = {
    "int": frozenset({int}), "SymInt": frozenset({int}), "bool": frozenset({bool}), "str": frozenset({str}),
    "float": frozenset({float, int}),
}  # fmt: skip
"""Types that PyTorch takes as they are, by what a schema calls them."""

_LINES = """
    try:
        our_ways = our_kept.get({form}, ())
    except (AttributeError, TypeError):  # no tensor, or sizes that are symbols
        our_ways = ()
    for our_way in our_ways:
        if (our_way.records is None or our_way.records is our_records()) and {same}:
            if our_captures or our_functions() or our_dispatches() or our_profiler._is_profiler_enabled \\
               or our_forward._current_level >= 0{others}:
                break
            our_run = our_way.runs.get(our_stream_of(our_way.ordinal))
            if our_run is None:
                break
            return our_run({arguments})
    return our_otherwise({arguments})
"""


class Way(NamedTuple):
    """What is done with tensors that `check` finds to be like those before."""

    check: Callable[..., bool]
    records: bool | None
    """Whether a gradient was recorded then; None where no tensor needs one."""
    ordinal: int
    """Their GPU."""
    runs: dict[int, Callable[..., Any]]
    """What is called with the arguments, by PyTorch's stream."""


class Front:
    """Stands in front of the dispatcher for one operator.

    After the second such call that nothing watched, `find(renew, *args)` gives what is called for the arguments from then on
    (`quick_call` writes it), or None; it calls *renew* where that is no longer right. *fixed* names the numbers that it depends
    on. *kind* is that of the devices. `recorded` is what is called where a gradient is recorded, once it is known.
    """

    recorded: Callable[..., Any] | None = None

    def __init__(
        self, overload: Any, find: Callable[..., Any], fixed: Collection[str], *, autocasts: bool = False, kind: str = "cuda"
    ) -> None:  # fmt: skip
        """To be made before anything else has the operator, whose hash is that of its `_op`."""
        arguments = overload._schema.arguments
        self._find, self._autocasts, self._kind = find, autocasts, kind
        self._stream_of = current_stream if kind == "cuda" else lambda ordinal: 0
        self._dispatcher: Callable[..., Any] = overload._op
        self._kept: dict[Any, tuple[Way, ...]] = {}
        self._types = [_NUMBERS.get(_kind_of(each)) for each in arguments]
        names = [each.name for each in arguments]
        self._form = written("form", [(name,) for name in names], f"    return {_form(arguments, fixed)}", {})
        known = {
            "kept": self._kept, "otherwise": self._otherwise, "stream_of": self._stream_of, "captures": running_captures,
            "functions": torch._C._len_torch_function_stack, "dispatches": torch._C._len_torch_dispatch_stack,  # modes
            "profiler": torch.autograd.profiler, "forward": forward_ad, "records": torch.is_grad_enabled, **_NUMBERS,
        }  # fmt: skip
        others = "".join(_no_number(each) for each in arguments if each.name not in fixed)
        lines = _LINES.format(
            form=_form(arguments, fixed), same=_same([], _tensors(arguments)), others=others, arguments=", ".join(names)
        )
        parameters = [
            (each.name, each.default_value) if each.has_default_value() else (each.name,) for each in arguments
        ]
        function = written(overload.name(), parameters, lines, known)
        packet = overload._overloadpacket
        function.__module__ = packet.__module__
        torch.jit._builtins._register_builtin(function, overload._schema.name)  # TorchScript knows operators by these
        overload._op = packet._op = function

    def _otherwise(self, *args: Any) -> Any:
        """By the dispatcher; what it did is kept where nothing watched it."""
        tensors = [each for each in args if isinstance(each, torch.Tensor)]
        if self._watched(args, tensors):
            return self._dispatcher(*args)
        form, records = self._form(*args), _records(tensors)
        known = self._kept.get(form)
        if known is None:
            if len(self._kept) >= _MANY:
                self._kept.clear()
            self._kept[form] = ()
            return self._dispatcher(*args)
        way = next((each for each in known if each.records is records and each.check(*tensors)), None)
        if way is None:
            way = Way(_guard(tensors), records, tensors[0].get_device(), {})
            if not way.check(*tensors):  # one tensor twice: the guard takes none
                return self._dispatcher(*args)
        found = self._dispatcher(*args)
        run = self.recorded if records else self._find(self._otherwise, *args)
        if run is not None:
            if len(way.runs) >= _MANY_STREAMS:
                way.runs.clear()
            way.runs[self._stream_of(way.ordinal)] = run
            self._kept[form] = (way, *[each for each in known if each is not way][: _MANY_WAYS - 1])
        return found

    def _watched(self, args: Sequence[Any], tensors: Sequence[Any]) -> bool:
        """Whether the dispatcher does more than to call us, or may be given what it changes."""
        core = torch._C
        like = core._dispatch_isTensorSubclassLike  # asks for modes of dispatch too
        return (
            not tensors
            or any(type(each) not in PLAIN or each.device.type != self._kind or like(each) for each in tensors)
            or any(types is not None and each is not None and type(each) not in types for types, each in zip(self._types, args))
            or (self.recorded is None and _records(tensors))
            or bool(running_captures or core._len_torch_function_stack() or core._are_functorch_transforms_active())
            or torch.autograd.profiler._is_profiler_enabled
            or forward_ad._current_level >= 0
            or core._get_tracing_state() is not None
            or (self._autocasts and core._is_any_autocast_enabled())
        )  # fmt: skip


def _records(tensors: Sequence[Any]) -> bool | None:
    """Whether a gradient is recorded of them; None where none is needed."""
    return torch.is_grad_enabled() if torch._C._any_requires_grad(*tensors) else None


def _guard(tensors: Sequence[Any]) -> Callable[..., bool]:
    """Whether tensors are like these: type, device, elements, sizes, gradients, strides of dimensions of several places."""
    strides = [[step if size > 1 else None for size, step in zip(each.shape, each.stride())] for each in tensors]
    guards = torch._C._dynamo.guards.TensorGuards(
        *tensors, dynamic_dims_sizes=[list(each.shape) for each in tensors], dynamic_dims_strides=strides
    )
    check: Callable[..., bool] = guards.check
    return check


def _kind_of(argument: Any) -> str:
    """ "Tensor", "int", ... of an argument that may be missing too."""
    return str(argument.type).removeprefix("Optional[").removesuffix("]")


def _is_optional(argument: Any) -> bool:
    return str(argument.type).startswith("Optional[")


def _tensors(arguments: Sequence[Any]) -> list[Any]:
    return [each for each in arguments if _kind_of(each) == "Tensor"]


def _form(arguments: Sequence[Any], fixed: Collection[str]) -> str:
    """What decides, beside the tensors' further properties, how a call runs: a Python tuple."""
    parts = [
        f"{each.name} is not None and {each.name}.shape" if _is_optional(each) else f"{each.name}.shape"
        for each in _tensors(arguments)
    ]
    numbers = [each.name for each in arguments if each.name in fixed and _kind_of(each) != "Tensor"]
    return f"({', '.join([*parts, *numbers])},)"


def _same(given: Sequence[str], tensors: Sequence[Any]) -> str:
    """The question to a way's guard, of those tensors that there are."""
    if not tensors:
        return f"our_way.check({', '.join(given)})"
    first, *rest = tensors
    there = _same([*given, first.name], rest)
    return f"({there} if {first.name} is not None else {_same(given, rest)})" if _is_optional(first) else there


def _no_number(argument: Any) -> str:
    """Whether an argument is no number as the schema has it."""
    kind = _kind_of(argument)
    if kind == "Tensor":
        return ""
    there = f"{argument.name} is not None and " if _is_optional(argument) else ""
    return f" or {there}type({argument.name}) not in our_{kind}"
