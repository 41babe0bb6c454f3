"""`custom_call`: a kernel, or a function that launches, as a function of JAX arrays with all of JAX's transformations."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from ptxgen.builder import Kernel
from ptxgen.ir import Module
from ptxgen.jax.bound import BoundCall, FunctionBody, KernelBody
from ptxgen.jax.emission import RECOMPUTED, emit, made_varying, varying
from ptxgen.jax.partitioning import ShardingRule, partitioned, read_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

__all__ = ["CustomCall", "custom_call"]

_VMAP_METHODS = ("sequential", "sequential_unrolled", "expand_dims", "broadcast_all")


class _Operand:
    """Where an array is among the arguments of a call."""

    def __repr__(self) -> str:
        return "<array>"


_ARRAY = _Operand()


class Body(Protocol):
    """What is called: it says, for arguments, which target is called with what."""

    name: str

    def bind(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> BoundCall: ...


class CustomCall:
    """A function of JAX arrays; see `custom_call`, which makes it."""

    def __init__(self, body: Body, vmap_method: str, sharding_rule: ShardingRule | None) -> None:
        self._body = body
        self._vmap_method = vmap_method
        self._sharding_rule = sharding_rule
        self._rules: tuple[Callable[..., Any], Callable[..., Any]] | None = None
        self._jitted: dict[Any, Any] = {}
        self.__name__: str = body.name

    def __repr__(self) -> str:
        return f"<custom call {self._body.name}>"

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """How it is differentiated, as of `jax.custom_vjp`: *fwd* takes the arguments and returns (result, residuals); *bwd*
        takes (residuals, cotangents of the result) and returns a tuple: a cotangent for each argument, None for numbers. Both
        are given the call's keyword options too."""
        self._rules = fwd, bwd
        self._jitted.clear()

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        import jax

        arrays = [each for each in arguments if _is_array(each)]
        template = tuple(_ARRAY if _is_array(each) else each for each in arguments)
        key = (
            tuple((type(each), each) for each in template),
            tuple((name, type(v), v) for name, v in sorted(options.items())),
        )
        try:
            known = self._jitted.get(key)
        except TypeError:
            wrong = next(each for each in (*template, *options.values()) if type(each).__hash__ is None)
            raise ArgumentTypeError(
                f"{self!r}: {wrong!r:.60} is neither an array nor a number", hint="jax.numpy.asarray(...)"
            ) from None
        if known is None:

            def traced(*given: Any) -> Any:
                return self._differentiable(template, options, *given)

            traced.__name__ = self.__name__  # in the text of programs and in profiles
            known = self._jitted[key] = jax.jit(traced)
        return known(*arrays)

    def _differentiable(self, template: tuple[Any, ...], options: Mapping[str, Any], *arrays: Any) -> Any:
        import jax

        axes = frozenset().union(*map(varying, arrays))
        arrays = tuple(made_varying(each, axes) for each in arrays)  # here, so that gradients of the others are summed
        batched = partial(self._batched, template, options)
        if self._rules is None:
            return batched(*arrays)
        fwd, bwd = self._rules

        def backward(residuals: Any, cotangents: Any) -> tuple[Any, ...]:
            found = bwd(residuals, cotangents, **options)
            if not isinstance(found, (tuple, list)) or len(found) != len(template):
                raise ArgumentError(
                    f"the backward rule of {self!r} returned {found!r:.80}",
                    hint=f"a tuple of {len(template)}: a cotangent for each argument, None for a number",
                )
            return tuple(each for each, place in zip(found, template) if place is _ARRAY)

        ruled = jax.custom_vjp(lambda *given: batched(*given))
        ruled.defvjp(lambda *given: fwd(*_merged(template, given), **options), backward)
        return ruled(*arrays)

    def _batched(self, template: tuple[Any, ...], options: Mapping[str, Any], *arrays: Any) -> Any:
        import jax

        once = partial(self._once, template, options)
        recomputed = self._vmap_method in RECOMPUTED
        if not recomputed and self._sharding_rule is None:  # `ffi_call` does it
            return once(*arrays)
        mapped = jax.custom_batching.custom_vmap(lambda *given: once(*given))

        def rule(size: int, has_batch: Sequence[bool], *given: Any) -> tuple[Any, Any]:
            again = partial(self._batched, template, options)
            if recomputed:
                extent = size if self._vmap_method == "broadcast_all" else 1
                out = again(*[_with_batch(each, has, extent) for each, has in zip(given, has_batch)])
            else:
                out = jax.lax.map(
                    lambda each: again(*each), tuple(map(_with_batch, given, has_batch, [size] * len(given)))
                )
            return out, jax.tree_util.tree_map(lambda _: True, out)

        mapped.def_vmap(rule)
        return mapped(*arrays)

    def _once(self, template: tuple[Any, ...], options: Mapping[str, Any], *arrays: Any) -> Any:
        def bind(*operands: Any) -> BoundCall:
            return self._body.bind(_merged(template, operands), options)

        if self._sharding_rule is not None:
            return partitioned(bind, self._sharding_rule)(*arrays)
        return emit(bind(*arrays), arrays, self._vmap_method)


def custom_call(
    kernel: Kernel | Module | str | Callable[..., None],
    *,
    grid: Any = None,
    block: Any = None,
    out: Any = None,
    scalars: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    mutates: Collection[str] = (),
    shared: Any = None,
    cluster: Any = None,
    cooperative: bool = False,
    entry: str | None = None,
    vmap_method: str = "sequential",
    sharding_rule: str | None = None,
    whole: Sequence[str] = (),
    replayed: bool = False,
) -> CustomCall:
    """A kernel as a function of JAX arrays, for `jax.jit`, `vmap`, `grad` and `shard_map`.

    `kernel` is a `px.Kernel`, a module or PTX text (of several kernels, `entry` names one), or a function that launches.

    A kernel's call takes its parameters in their order, without the results and without what `scalars` computes: arrays for
    pointers, and Python numbers for the rest, which are fixed when JAX traces the call. Whatever is a function here says by
    the names of its parameters which arguments it is called with (arrays as something with shape and dtype); it may be a
    constant instead.

    `out`: a function that says the result, the kernel's parameter `out`, by something with shape and dtype; or a mapping of
    parameters to such functions. `grid`, `block`, `shared`, `cluster`, `cooperative`: the launch; a grid of 0 launches nothing.
    `scalars`: by-value parameters that follow from the arguments. `options`: compile-time parameters.
    `mutates`: parameters that are read and written: the call takes them, and returns them changed, while the caller's array stays
    what it was. Results are returned in the order of the parameters, one alone not in a tuple.

    A function is called as `function(*operands, *results, **options)` with arrays of ours on the stream of XLA, and may launch
    whatever it likes there. Its call takes arrays, and numbers and strings by keyword; `out` is called with all of them, and says
    the results, one or a tuple. That enters Python, about 40 us a call; a kernel on a GPU is launched by machine code. So is what
    a function launches that is `replayed`: it promises to launch operations of `px.ops` and to do nothing else on the device, the
    same for all arrays of the same shapes and types with the same options. Python runs it once for each of these.

    `vmap_method` is that of `jax.ffi.ffi_call`: "sequential" calls once for each element of the batch; with "broadcast_all"
    and "expand_dims" the call is made once, of arrays with one more dimension in front, for which everything is asked anew.
    `sharding_rule`, in the notation of `jax.experimental.custom_partitioning`, lets the compiler split the call over devices:
    each calls for its part. Axes of the rule that are `whole` are never split.

    On JAX's CPU devices the CPU device runs it; buffers are copied in and out. Raises ArgumentError, BuildError and their
    kinds for what does not go together; what fails while the program runs is an error of JAX that names our exception.
    """
    if find_spec("jax") is None:
        raise ModuleNotFoundError("this needs jax, the extra `jax` of ptxgen: pip install 'ptxgen[jax]'", name="jax")
    if vmap_method not in _VMAP_METHODS:
        raise ArgumentError(f"vmap_method={vmap_method!r}", hint=f"one of {', '.join(_VMAP_METHODS)}")
    launch = {"grid": grid, "block": block, "shared": shared, "cluster": cluster, "entry": entry}
    if isinstance(kernel, (Kernel, Module, str)):
        if replayed:
            raise ArgumentError("replayed=True of a kernel", hint="a kernel's launches are machine code already")
        missing = [name for name in ("grid", "block") if launch[name] is None]
        if missing:
            raise ArgumentError(
                f"custom_call of a kernel without {missing[0]}", hint="grid=, block=: CTAs, and threads of each"
            )
        body: Body = KernelBody(
            kernel,
            out=out,
            scalars=scalars or {},
            options=options or {},
            mutates=mutates,
            cooperative=cooperative,
            **launch,
        )
    elif callable(kernel):
        stated = [name for name, value in launch.items() if value is not None]
        if stated or scalars or options or mutates or cooperative or not callable(out):
            raise ArgumentError(
                f"custom_call of a function with {stated[0] if stated else 'options of a kernel, or without out'}",
                hint="out= alone: the function launches, and says grid, block and the rest itself",
            )
        body = FunctionBody(kernel, out, replayed)
    else:
        raise ArgumentTypeError(f"custom_call of {kernel!r:.60}", hint="a px.Kernel, a module, PTX text, or a function")
    return CustomCall(body, vmap_method, None if sharding_rule is None else read_rule(sharding_rule, whole))


def _is_array(value: Any) -> bool:
    """Arrays of JAX and numpy; numbers of numpy are as fixed as those of Python."""
    is_number = type(value).__module__ == "numpy" and type(value).__name__ != "ndarray"
    return hasattr(value, "dtype") and hasattr(value, "ndim") and not is_number


def _with_batch(array: Any, has: bool, extent: int) -> Any:
    """An array with a dimension of the batch in front."""
    import jax

    return array if has else jax.numpy.broadcast_to(array, (extent, *array.shape))


def _merged(template: tuple[Any, ...], arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of a call, from its numbers and its arrays."""
    rest = iter(arrays)
    return tuple(next(rest) if each is _ARRAY else each for each in template)
