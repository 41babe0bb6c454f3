"""A call of an operator: checked and planned once for each form of its tensors, then launched with their addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from driver_ctypes.streams.stream import capture_of, running_captures
from ptxgen.host import device
from ptxgen.ops.recorded import Place
from ptxgen.torch.elements import fits
from ptxgen.torch.framework import torch
from ptxgen.torch.front import current_stream
from ptxgen.torch.host_tensors import cpu_device, lend
from ptxgen.torch.quick import Given, QuickLaunch, quick_call
from ptxgen.torch.results import without_values
from ptxgen.torch.written import written

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ptxgen.host import Device, KernelHandle
    from ptxgen.torch.declaration import Declaration

__all__ = ["Calls"]

_MANY = 4096  # plans that an operator keeps: a program whose shapes never come again must not grow


class _Plan:
    """What calls of one form have in common: the kernel for it, the grid, and the arguments that follow from the form."""

    __slots__ = (
        "block",
        "chosen",
        "context",
        "grid",
        "handle",
        "launchers",
        "ordinal",
        "shared",
        "structures",
        "values",
    )

    def __init__(
        self, handle: KernelHandle, launch: tuple[Any, Any, Any], values: Sequence[Any], structures: Sequence[Any]
    ) -> None:
        self.handle = handle
        self.context = handle.device.context
        self.chosen = handle.device.chosen
        self.ordinal = handle.device.handle.ordinal
        self.grid, self.block, self.shared = launch
        self.values = values
        self.structures = structures
        """By parameter: what makes the tensor map that it is."""
        self.launchers: dict[int, Callable[..., None]] = {}  # by stream

    @property
    def is_empty(self) -> bool:
        """A grid of no CTA: nothing is launched."""
        return 0 in (self.grid if isinstance(self.grid, tuple) else (self.grid,))


class Calls:
    """The calls of one operator, on tensors of GPUs (`on_gpu`) and of the host (`on_host`)."""

    def __init__(self, declaration: Declaration) -> None:
        self._declared = declaration
        self._plans: dict[Any, _Plan] = {}
        arguments = declaration.arguments
        self._defaults = tuple(each.default for each in arguments)
        self._tensors = declaration.tensors
        self._form = written("form", [(each.name,) for each in arguments], f"    return ({_form_of(declaration)})", {})
        places = {each.name: i for i, each in enumerate(arguments)}
        self._out = tuple((each.function, tuple(places[name] for name in each.names)) for each in declaration.out)
        names = [each.name for each in declaration.kernel.signature.parameters]
        self._results = tuple(names.index(each) for each in declaration.results)
        self._addresses = tuple((names.index(arguments[i].name), i) for i in self._tensors)
        self._numbers = tuple((names.index(each.name), i) for i, each in enumerate(arguments) if each.kind != "Tensor")

    # --- what a call does ---------------------------------------------------------------------------------------------

    def on_gpu(self, *args: Any) -> Any:
        """The operator on CUDA tensors, on the current stream of PyTorch, or on the one chosen on the device (`dev.use`)."""
        args += self._defaults[len(args) :]
        plan = self._find(args)
        results = self._made(args)
        if plan.is_empty:
            return self._given(args, results)
        place = plan.handle.device
        stream = current_stream(plan.ordinal) if plan.chosen.stream is None else place.current_stream.handle
        launcher = plan.launchers.get(stream)
        if launcher is None:
            self._check_results(plan, args, results)
            attributes = self._declared.attributes
            launcher = plan.handle.bind(plan.grid, plan.block, shared=plan.shared, stream=stream, **attributes)
            plan.launchers[stream] = launcher
        launcher(*self._values(plan, args, results))
        capture = capture_of(plan.context, stream) if running_captures else None
        if capture is not None:
            capture.retain(*[args[index] for index in self._tensors], *results)
        return self._given(args, results)

    def quick(self, renew: Callable[..., Any], *args: Any) -> Callable[..., Any] | None:
        """What a call like this one, which went well, comes down to, for `Front`; None for one that launches nothing."""
        declared, plan = self._declared, self._plans.get(self._form(*args))
        launcher = plan.launchers.get(current_stream(plan.ordinal)) if plan is not None else None
        if plan is None or launcher is None:
            return None
        names = [each.name for each in declared.arguments]
        values = list(plan.values)
        for position, index in self._numbers:
            values[position] = Given(names[index])
        positions = [*[position for position, _ in self._addresses], *self._results]
        places = [Place(each, number, 0, plan.structures[each]) for number, each in enumerate(positions)]
        return quick_call(
            declared.name, names, [names[index] for index in self._tensors], lambda *given: self._made(given), args,
            len(self._results), [QuickLaunch(launcher, values, places)], plan.handle.device, self.on_gpu, renew,
            mutated=[names[index] for index in declared.mutated],
        )  # fmt: skip

    def on_host(self, *args: Any) -> Any:
        """The operator on CPU tensors, on the CPU device, where they are."""
        args += self._defaults[len(args) :]
        plan = self._find(args)
        results = self._made(args)
        if not plan.is_empty:
            self._check_results(plan, args, results)
            with lend([*[args[index] for index in self._tensors], *results]):
                values = tuple(self._values(plan, args, results))
                plan.handle.launch(plan.grid, plan.block, values, shared=plan.shared, **self._declared.attributes)
        return self._given(args, results)

    def shapes(self, *args: Any) -> Any:
        """The operator on tensors without values: what it returns, and whether it takes their types."""
        args += self._defaults[len(args) :]
        return self._given((), self._made(args))

    def _made(self, args: Sequence[Any]) -> list[Any]:
        return [function(*[args[index] for index in places]) for function, places in self._out]

    def _values(self, plan: _Plan, args: Sequence[Any], results: Sequence[Any]) -> list[Any]:
        values = list(plan.values)
        for position, index in self._addresses:
            values[position] = args[index].data_ptr()
        for position, index in self._numbers:
            values[position] = args[index]
        for position, result in zip(self._results, results):
            values[position] = result.data_ptr()
        for position, tensor in (*((place, args[i]) for place, i in self._addresses), *zip(self._results, results)):
            structure = plan.structures[position]
            if structure is not None:
                values[position] = structure.over(values[position], tensor, plan.context)
        return values

    def _given(self, args: Sequence[Any], results: Sequence[Any]) -> Any:
        for index in self._declared.mutated if args else ():
            if not args[index].is_inference():
                torch.autograd.graph.increment_version(args[index])
        return (results[0] if len(results) == 1 else tuple(results)) if results else None

    # --- what the first call of a form does ---------------------------------------------------------------------------

    def _find(self, args: Sequence[Any]) -> _Plan:
        form = self._form(*args)
        plan = self._plans.get(form)
        if plan is None or plan.handle.function.context.closed:
            if len(self._plans) >= _MANY:
                self._plans.clear()
            plan = self._plans[form] = self._plan(args)
        return plan

    def _plan(self, args: Sequence[Any]) -> _Plan:
        declared = self._declared
        place = self._place(args)
        known: dict[str, Any] = {}
        for argument, value in zip(declared.arguments, args):
            known[argument.name] = value if argument.kind != "Tensor" else without_values(value)
        options = {name: function(known) for name, function in declared.options.items()}
        handle = declared.kernel.on(place, **options)
        signature = handle.function.signature
        assert signature is not None
        for position, index in self._addresses:
            self._check_tensor(declared.arguments[index].name, args[index], signature.params[position].element)
        values: list[Any] = [None] * len(signature.params)
        names = [each.name for each in declared.kernel.signature.parameters]
        for name, function in declared.computed.items():
            values[names.index(name)] = function(known)
        launch = (declared.grid(known), declared.block(known), declared.shared(known))
        return _Plan(handle, launch, values, [each.structure for each in signature.params])

    def _place(self, args: Sequence[Any]) -> Device:
        """The device of the tensors. ArgumentError where they are on several."""
        first, *others = self._tensors
        ordinal = args[first].get_device()
        for index in others:
            if args[index].device != args[first].device:
                one, other = (self._declared.arguments[each].name for each in (first, index))
                raise ArgumentError(
                    f"{self._declared.name}: {one} is on {args[first].device}, {other} on {args[index].device}",
                    hint="tensors of one device: x.to(...)",
                )
        return cpu_device() if ordinal < 0 else device(f"cuda:{ordinal}")

    def _check_tensor(self, name: str, tensor: Any, element: Any) -> None:
        """Its type is that of the kernel, and it lies as the kernel expects. ArgumentTypeError, ArgumentError."""
        operator = self._declared.name
        if not fits(tensor.dtype, element):
            wanted = f"points to .{element.name}" if element is not None else "has no such elements"
            raise ArgumentTypeError(
                f"{operator}: {name} is a tensor of {tensor.dtype}, and that parameter of the kernel {wanted}",
                hint='tensor.to(...); or options={"element": lambda x: px.torch.element_type(x.dtype)} of a kernel with a choice',
            )
        if tensor.is_neg():
            raise ArgumentError(f"{operator}: the numbers of {name} are yet to be negated", hint="tensor.resolve_neg()")
        strided = {each.name for each in self._declared.arguments if each.strided}
        if name not in strided and not tensor.is_contiguous():
            raise ArgumentError(
                f"{operator}: {name} of {tuple(tensor.shape)} has strides of {tensor.stride()} elements",
                hint=f'tensor.contiguous(), or strided=("{name}",) where the kernel takes strides',
            )

    def _check_results(self, plan: _Plan, args: Sequence[Any], results: Sequence[Any]) -> None:
        """What the functions of `out` have made is what the kernel writes."""
        signature = plan.handle.function.signature
        assert signature is not None
        for name, position, result in zip(self._declared.results, self._results, results):
            if not isinstance(result, torch.Tensor) or result.device != args[self._tensors[0]].device:
                where = result.device if isinstance(result, torch.Tensor) else type(result).__name__
                raise ArgumentError(
                    f"{self._declared.name}: out of {name} is {where}, expected a tensor on {args[self._tensors[0]].device}",
                    hint="x.new_empty(shape), torch.empty_like(x)",
                )
            self._check_tensor(name, result, signature.params[position].element)


def _form_of(declared: Declaration) -> str:
    """The form of the arguments as a Python tuple: what decides how the kernel is launched."""
    parts = []
    for each in declared.arguments:
        if each.kind == "Tensor":
            lies = "{0}.stride()" if each.strided else "{0}.is_contiguous()"
            parts.append(f"{{0}}.shape, {{0}}.dtype, {{0}}.get_device(), {lies}, {{0}}.is_neg()".format(each.name))
        elif each.name in declared.asked:
            parts.append(each.name)
    return ", ".join(parts) + ","
