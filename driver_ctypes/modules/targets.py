"""The best target that a driver loads on a device, found by loading a tiny kernel for each candidate.

A device's own number is not enough: a driver may be older than the device's features, a forward-compatible libcuda may
support less than the device, and family and architecture-specific targets have minima of their own.
"""

from __future__ import annotations

import re

from driver_ctypes.errors import ArgumentError, CudaError, JitError, NoLoadableTargetError
from driver_ctypes.modules.images import several
from driver_ctypes.modules.module import load_module
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driver_ctypes.session.session import Session


# The PTX version that introduced each target (PTX ISA manual, 11.1.2 .target).
_SINCE = {
    50: "4.0", 52: "4.1", 53: "4.2", 60: "5.0", 61: "5.0", 62: "5.0", 70: "6.0", 72: "6.1", 75: "6.3", 80: "7.0",
    86: "7.1", 87: "7.4", 88: "9.0", 89: "7.8", 90: "7.8", 100: "8.6", 101: "8.6", 103: "8.8", 107: "9.4", 110: "9.0",
    120: "8.7", 121: "8.8",
}  # fmt: skip
_SPECIFIC_SINCE = {90: "8.0"}  # of sm_90a; later devices had theirs from their first version on
_FAMILY_SINCE = "8.8"
_OLDER = (120, 100, 90, 89, 86, 80, 75, 70, 60, 50)
_TARGET = re.compile(r"sm_(\d+)([af]?)")

# Parameters, generic addressing, an atomic and a barrier: what every kernel of use needs.
_PROBE = """.version {version}
.target {target}
.address_size 64
.visible .entry probe(.param .u64 counter)
{{
    .reg .u32 %r<2>;
    .reg .u64 %d<3>;
    ld.param.u64 %d1, [counter];
    cvta.to.global.u64 %d2, %d1;
    atom.global.add.u32 %r1, [%d2], 1;
    bar.sync 0;
    ret;
}}
"""


class TargetTrial(NamedTuple):
    """One candidate: its PTX version, and what the driver answered; "" where it loads."""

    target: str
    version: str
    answer: str

    @property
    def loads(self) -> bool:
        """Whether the driver loads it."""
        return not self.answer


def target_candidates(capability: tuple[int, int]) -> tuple[str, ...]:
    """Targets for a device of compute capability *capability*, best first: with its own features, with its family's, plain,
    and those of older devices.
    """
    own = 10 * capability[0] + capability[1]
    names = [f"sm_{own}a"] if own >= 90 else []
    names += [f"sm_{own}f"] if own >= 100 else []
    return (*names, *[f"sm_{number}" for number in dict.fromkeys((own, *_OLDER)) if number <= own])


def try_targets(context: Session, candidates: Iterable[str]) -> tuple[TargetTrial, ...]:
    """Load the probe for every candidate, and say how it went. Raises the driver's error where the context is lost."""
    return tuple([_try(context, candidate) for candidate in several(candidates, "candidates")])


def loadable_target(context: Session, candidates: Iterable[str] | None = None) -> str:
    """The first candidate (default: `target_candidates` of the device) that the driver loads.

    Raises NoLoadableTargetError with each candidate's answer, ArgumentError for what is not a target's name.
    """
    tried = []
    own = target_candidates(context.device.compute_capability)
    for candidate in own if candidates is None else several(candidates, "candidates"):
        trial = _try(context, candidate)
        if trial.loads:
            return candidate
        tried.append((f"{candidate} (PTX {trial.version})", trial.answer))
    major, minor = context.device.compute_capability
    raise NoLoadableTargetError(
        f"{context.device!r} (compute capability {major}.{minor}, driver {_cuda(context.driver.version)}) loads no target of "
        f"{len(tried)} tried:",
        tried=tried,
        hint="update the NVIDIA driver, or pass candidates that it supports",
    )


def _try(context: Session, candidate: str) -> TargetTrial:
    version = _version_of(candidate)
    try:
        load_module(context, _PROBE.format(version=version, target=candidate), {}, None, {}, False).close()
    except CudaError as error:
        if context.poisoned:
            raise
        said = f": {error.messages[0].text}" if isinstance(error, JitError) and error.messages else ""
        return TargetTrial(candidate, version, f"{error.name or 'CUresult'} ({error.code}){said}")
    return TargetTrial(candidate, version, "")


def _version_of(target: str) -> str:
    found = _TARGET.fullmatch(str(target))
    if found is None:
        raise ArgumentError(f"{target!r} is not a target", hint="targets are sm_75, sm_90a, sm_100f and so on")
    number, suffix = int(found[1]), found[2]
    since = _SINCE.get(number, max(_SINCE.values(), key=_number))  # of an unknown device, the newest that is known
    if suffix == "f":
        return max(since, _FAMILY_SINCE, key=_number)
    return _SPECIFIC_SINCE.get(number, since) if suffix else since


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _cuda(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"
