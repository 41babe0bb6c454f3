"""Products of fp8 whose blocks have factors, for arrays of any library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxgen.builder import bf16, e4m3, f32, s32
from ptxgen.emulated_driver.numbers import CUdevice_attribute
from ptxgen.errors import BuildError
from ptxgen.kernels.matrices import gemm_scaled as kernels
from ptxgen.kernels.plan import ceil_div
from ptxgen.ops.launch_cache import LaunchCache
from ptxgen.ops.launches import NOTHING, prepare
from ptxgen.ops.operands import Operand, check_apart, empty_like, read, same_device, stream_of

if TYPE_CHECKING:
    from ptxgen.kernels.plan import KernelPlan

__all__ = ["scaled_matmul"]

_launches = LaunchCache()


def scaled_matmul(
    a: Any, b: Any, scale_a: Any, scale_b: Any, out: Any = None, *, rows: Any = None, explain: bool = False
) -> Any:  # fmt: skip
    """A (m, depth) times B (depth, n) of e4m3, each block times its factors in f32; returns `out`, of bf16.

    `scale_a` (m, depth / 128) has a factor for 128 elements of a row, `scale_b` (depth / 128, n / 128) one for each 128 x 128,
    extents rounded up, with any strides: the scheme of DeepSeek-V3 and DeepGEMM. Each 128 products are summed by the tensor
    cores, and those sums times their factors in f32. B's depth lies together, as in the transposed view of (n, depth). Matrices
    (batch, m, depth) and (batch, depth, n) have factors with the batch too.

    With `rows`, an array of s32 on the device, the rows of A are in groups as `grouped_matmul` has them, B (groups, depth, n), A
    and `out` of two dimensions or three. With `explain` nothing is launched: the kernel is returned as text.

    BuildError for shapes, types, devices or strides that it cannot have; sm_90a.
    """
    given = {"a": a, "b": b, "scale_a": scale_a, "scale_b": scale_b, "rows": rows}
    key, known, (out,) = _launches.find(None, tuple(given.values()), (out,), skip=explain)
    if known is None:
        found = {name: read(name, array) for name, array in given.items() if array is not None}
        left = found["a"]
        shape = _shape(left, found["b"], grouped=rows is not None)
        if out is None:
            out = empty_like(a, left.device, shape, bf16)
        found["out"] = read("out", out)
        same_device(**found)
        _check(found, shape)
        check_apart(found["out"], {name: each for name, each in found.items() if name != "out"})
        if 0 in shape:
            return NOTHING if explain else out
        plan = _planned(found)
        if explain:
            return plan.explained
        known = prepare(plan, left.device, stream_of(left.device, *found.values()))
        _launches.keep(key, known, (out,))
    known.run(*given.values(), out)
    return out


def _shape(a: Operand, b: Operand, *, grouped: bool) -> tuple[int, ...]:
    """The result's. BuildError where the operands have none."""
    ranks = (len(a.shape), len(b.shape))
    fits = ranks == (3, 3) or ranks == ((2, 3) if grouped else (2, 2))
    if not fits or a.shape[-1] != b.shape[-2] or (ranks == (3, 3) and a.shape[0] != b.shape[0]):
        dense = "(m, depth) and (depth, n), or (batch, m, depth) and (batch, depth, n)"
        groups = "with rows (rows, depth) or (groups, height, depth), and (groups, depth, n)"
        raise BuildError(f"scaled_matmul of {a.shape} and {b.shape}", hint=groups if grouped else dense)
    if not a.shape[-1]:
        raise BuildError(f"a product of {a.shape} and {b.shape}", hint="a depth of 1 or more, or zeros into out")
    return (*a.shape[:-1], b.shape[-1])


def _check(found: dict[str, Operand], shape: tuple[int, ...]) -> None:
    """BuildError for elements, shapes or strides that do not go with A and B."""
    a, b = found["a"], found["b"]
    deep = ceil_div(a.shape[-1], kernels.BLOCK)
    expected = {
        "a": (e4m3, a.shape),
        "b": (e4m3, b.shape),
        "out": (bf16, shape),
        "scale_a": (f32, (*a.shape[:-1], deep)),
        "scale_b": (f32, (*b.shape[:-2], deep, ceil_div(b.shape[-1], kernels.BLOCK))),
        "rows": (s32, (b.shape[0],)),
    }
    for name, each in found.items():
        element, extents = expected[name]
        if each.element is not element or each.shape != extents:
            raise BuildError(
                f"{name} is .{each.element.isa.name} of shape {each.shape}", hint=f".{element.isa.name} of {extents}"
            )
    for name in ("a", "b", "out"):
        view = found[name].transposed() if name == "b" else found[name]
        if not view.mappable:
            raise BuildError(
                f"{name} of shape {found[name].shape} has strides of {found[name].strides} bytes at {view.address:#x}",
                hint="elements beside each other along the depth (of out along n), rows at multiples of 16 bytes",
            )
    for name, each in found.items():
        if (name in ("out", "rows") and not each.contiguous) or any(
            stride % 4 for stride in each.strides if name[0] == "s"
        ):
            raise BuildError(
                f"{name} has strides of {each.strides} bytes", hint="without gaps; factors at multiples of 4"
            )
    if a.device.target != "sm_90a":
        raise BuildError(f"scaled_matmul on {a.device.target}", hint="sm_90a")


def _planned(found: dict[str, Operand]) -> KernelPlan:
    a, b, rows = found["a"], found["b"], found.get("rows")
    of_a, of_b = (tuple(stride // 4 for stride in found[name].strides) for name in ("scale_a", "scale_b"))
    layout = "dense" if rows is None else "contiguous" if len(a.shape) == 2 else "masked"
    return kernels.plan(
        _matrices(a), _matrices(b.transposed()), found["out"], found["scale_a"], found["scale_b"], 0 if rows is None else rows,
        groups=b.shape[0] if len(b.shape) == 3 else 1, n=b.shape[-1], depth=a.shape[-1], height=a.shape[-2],
        strides_a=(of_a[0] if len(of_a) == 3 else 0, of_a[-2], of_a[-1]),
        strides_b=(of_b[0] if len(of_b) == 3 else 0, of_b[-1], of_b[-2]), layout=layout,
        processors=a.device.handle.attribute(CUdevice_attribute.MULTIPROCESSOR_COUNT),
    )  # fmt: skip


def _matrices(operand: Operand) -> Operand:
    """The same with three dimensions."""
    if len(operand.shape) == 3:
        return operand
    return operand._replace(shape=(1, *operand.shape), strides=(0, *operand.strides))
