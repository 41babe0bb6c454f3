"""What the catalogue says of a kernel's variant: how to build it, problems for it, and what must come out."""

from __future__ import annotations

from types import MappingProxyType

from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from ptxgen.builder.values import Value
    from ptxgen.host import Array, Device
    from ptxgen.ir import Module
    from ptxgen.kernels.plan import KernelPlan, Launchable

__all__ = [
    "EXACT",
    "NEEDS_WGMMA",
    "Case",
    "HostArray",
    "Outcome",
    "Tolerance",
    "Variant",
    "integers",
    "normal",
    "rounded",
    "smallest",
    "unit_roundoff",
]


class HostArray(NamedTuple):
    """An array before it goes to a device. bf16 values, which numpy does not know, are float32s that bf16 holds exactly."""

    values: np.ndarray[Any, Any]
    type: type[Value]

    def to(self, device: Device) -> Array:
        return device.array(self.values, self.type)


class Tolerance(NamedTuple):
    """How far a result may be from the reference: an absolute limit for each element (0 = the same bits), of several
    results by their names, and its source."""

    limit: Any
    source: str


EXACT = Tolerance(0.0, "exact: integer arithmetic, or each operation is rounded as the reference rounds it")


class Outcome(NamedTuple):
    """What a run brought: the largest absolute error, and that error as a part of what is allowed (at most 1 if all is well)."""

    error: float
    part: float
    passed: bool


class Case(NamedTuple):
    """One problem: inputs, the launch as a function of the device's arrays by name, and what must come out."""

    arrays: dict[str, HostArray]
    plan: Callable[[Mapping[str, Any]], KernelPlan]
    expected: dict[str, np.ndarray[Any, Any]]
    tolerance: Tolerance

    def on(self, device: Device) -> tuple[dict[str, Array], KernelPlan]:
        """The inputs on a device, and the launch that works on them."""
        arrays = {name: host.to(device) for name, host in self.arrays.items()}
        return arrays, self.plan(arrays)

    def run(self, device: Device) -> Outcome:
        """Launch once and compare."""
        arrays, plan = self.on(device)
        plan.launch()
        return self.compare(arrays)

    def compare(self, arrays: Mapping[str, Array]) -> Outcome:
        """What came out beside what was expected; NaN must meet NaN, and an infinity the same one."""
        import numpy as np

        worst = part = 0.0
        for name, expected in self.expected.items():
            found = arrays[name].numpy()
            if not expected.size:
                continue
            with np.errstate(invalid="ignore"):
                error = np.abs(found.astype(np.float64) - expected.astype(np.float64))
            same = (found == expected) | (np.isnan(found) & np.isnan(expected))
            error = np.where(same, 0.0, np.where(np.isnan(error), np.inf, error))
            allowed = self.tolerance.limit
            allowed = allowed[name] if isinstance(allowed, dict) else allowed
            limit = np.broadcast_to(np.asarray(allowed, np.float64), error.shape)
            with np.errstate(divide="ignore", invalid="ignore"):
                parts = np.where(error == 0, 0.0, error / limit)
            worst, part = max(worst, float(error.max())), max(part, float(parts.max()))
        return Outcome(worst, part, part <= 1.0)


NEEDS_WGMMA = MappingProxyType(
    dict.fromkeys(("sm_75", "sm_80", "sm_100a", "sm_120"), "wgmma is an instruction of sm_90a")
)
"""`absent` of a kernel with wgmma."""


class Variant(NamedTuple):
    """A row of the catalogue: one kernel with its compile-time parameters fixed.

    `family` and `name` make its golden's path. `sizes` are small problems that reach every branch (nothing, one element,
    odd and ragged sizes, several CTAs). `absent` says for which targets it is not, and why; `besides` are further ones
    than those of the catalogue: a single architecture's, whose instructions it has.
    """

    family: str
    name: str
    kernel: Launchable
    make: Callable[[Any, np.random.Generator], Case]
    sizes: tuple[Any, ...]
    absent: Mapping[str, str] = MappingProxyType({})
    besides: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """ "saxpy/f32": unique in the catalogue."""
        return f"{self.family}/{self.name}"

    def case(self, size: Any = None, seed: int = 0) -> Case:
        """A problem with seeded random inputs; without a size, the last of the small ones."""
        import numpy as np

        return self.make(self.sizes[-1] if size is None else size, np.random.default_rng(seed))

    def module(self, target: str, *, strict: bool = True) -> Module:
        """The variant's program for a target."""
        return self.kernel.module(target=target, strict=strict)


# Random data


def rounded(values: Any, element: type[Value]) -> Any:
    """Floating-point values that the element type holds exactly."""
    import numpy as np

    from ptxgen.host.formats import ENCODED, decode, encode, numpy_name

    if element.isa.name in ENCODED:
        return decode(encode(values, element.isa), element.isa)
    return np.asarray(values).astype(numpy_name(element.isa))


def normal(rng: np.random.Generator, shape: Any, element: type[Value], scale: float = 1.0) -> HostArray:
    """Normally distributed floating-point values."""
    import numpy as np

    drawn = rng.standard_normal(shape, dtype=np.float32 if element.isa.bits <= 32 else np.float64)
    drawn *= scale
    return HostArray(rounded(drawn, element), element)


def integers(rng: np.random.Generator, shape: Any, element: type[Value], low: int, high: int) -> HostArray:
    """Uniform integers in [low, high)."""
    from ptxgen.host.formats import numpy_name

    return HostArray(rng.integers(low, high, shape, dtype=numpy_name(element.isa)), element)


def unit_roundoff(element: type[Value]) -> float:
    """Half the distance from 1 to the next larger number: 2^-24 for f32, 2^-11 for f16, 2^-8 for bf16, 2^-4 for e4m3, 2^-53 for
    f64."""
    return float(
        {"e4m3": 2.0**-4, "f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}[element.isa.name]
    )


def smallest(element: type[Value]) -> float:
    """The smallest positive number, a subnormal one: errors below it cannot be seen."""
    return float({"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 2.0**-1074}[element.isa.name])
