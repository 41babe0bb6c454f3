"""One case on the CPU device: watched by every tool of the sanitizer, or under each schedule. Runs in the worker's process.

What is found comes back as plain data, a dictionary for each finding: `tool`, `kind`, `what`, `hint` and `steps`, each with
`what` a thread did, the `instruction`, its `places` in the PTX, Python or template, and its `lines` in the source that `.loc`
names.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from driver_ctypes.memory.tensormap import TensorMap
from ptxgen.cpu.fault import KernelFault
from ptxgen.cpu.sanitizer.findings import Access, Finding, text_of
from ptxgen.cpu.sanitizer.tools import TOOLS, Sanitizer
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.record import recorded
from ptxgen.errors import Error, Fault
from ptxgen.host.argument_text import argument
from ptxgen.host.arrays import Array
from ptxgen.host.machine import device
from ptxgen.host.sanitizing import located
from ptxgen.host.schedules import SCHEDULES, Schedule, check_schedules
from ptxgen.hunt.usage import only_kernel
from ptxgen.ir import resolve
from ptxgen.isa.products import find_product
from ptxgen.text import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ptxgen.errors import Location
    from ptxgen.host.loading import KernelHandle
    from ptxgen.ir import Module

__all__ = ["Trials"]

_SHOWN = 4
"""Places that a deadlock's finding has."""

_FILLED = (Schedule("late", shared="ones"), Schedule("late", shared="zeros"))
"""To see whether results depend on what shared memory holds when a CTA begins."""
_ELEMENTS = 64
"""Of an array that are given after a launch."""

Row = dict[str, Any]


class Trials:
    """Cases of one subject, which is described as Subject.described does."""

    def __init__(self, subject: Mapping[str, Any]) -> None:
        self._subject = subject
        self._module: Module | None = None
        if "text" in subject:
            self._module = only_kernel(parse(subject["text"], name=subject["name"]), subject["entry"])
        self._device = device(_device_name(self._module.target if self._module is not None else subject["target"]))
        self.device_name = self._device.name
        self._kernel: KernelHandle | None = None
        self._faults = _Faults()
        recorded.append(self._faults)

    def close(self) -> None:
        """Lets go of the kernel; faults of other launches are not heard any more."""
        recorded.remove(self._faults)
        self._kernel = None

    def run(self, do: str, case: Mapping[str, Any], time_limit: float) -> Row:
        """`do` is "watch", "schedules", or "launch", which is to watch and to give the `arrays` afterwards. The result has
        `findings`; `skipped`, why the case could not be run, "" where it was; `schedule`, the one under which a fault came, ""
        for the usual one; `timed_out`, whether the time limit ended it."""
        machine.options = machine.options.replaced(time_limit=time_limit, watchdog=min(2.0, time_limit / 2), workers=1)
        self._faults.clear()
        found: list[Row] = []
        after: list[Row] = []
        skipped = schedule = ""
        timed_out = False
        try:
            launch, arrays = self._launch_of(case)
            if do == "schedules":
                found, schedule = self._scheduled(launch, arrays)
            else:
                found = self._watched(launch)
                if do == "launch" and not self._faults.faults:
                    after = [_array(number, each) for number, each in enumerate(arrays) if isinstance(each, Array)]
                if any(_is_weighed(row) for row in found) and not self._faults.faults:
                    found = self._weighed(found, *self._launch_of(case))
        except (Error, MemoryError) as error:
            if not self._faults.faults:
                skipped = str(error) or type(error).__name__
        if self._faults.faults:
            fault = self._faults.faults[0]
            timed_out = fault.kind == "timeout"
            found += [self._told(fault)] if not timed_out else []
            skipped = f"the kernel ran longer than {time_limit:g} s" if timed_out else ""
            launch = arrays = None  # type: ignore[assignment]
            self._device.reset()
        return {
            "findings": found, "skipped": skipped, "timed_out": timed_out, "schedule": schedule, "arrays": after,
        }  # fmt: skip

    # -- launches -----------------------------------------------------------------------------------------------------

    def _launch_of(self, case: Mapping[str, Any]) -> tuple[Callable[[], None], list[Any]]:
        if self._module is None:
            return self._library_launch(*case["problem"])
        kernel = self._loaded(self._module)
        values = [argument(text, self._device) for text in case["arguments"]]

        def launch() -> None:
            kernel.launch(
                tuple(case["grid"]), tuple(case["block"]), tuple(values), shared=case["shared"],
                cluster=tuple(case["cluster"]) if case["cluster"] else None, cooperative=case["cooperative"],
            )  # fmt: skip

        return launch, [each.memory if isinstance(each, TensorMap) else each for each in values]

    def _loaded(self, module: Module) -> KernelHandle:
        """The kernel, loaded once as long as no fault takes its context away."""
        if self._kernel is None or self._kernel.stale:
            self._kernel = self._device.load(module)[self._subject["entry"]]
        return self._kernel

    def _library_launch(self, size: int, seed: int) -> tuple[Callable[[], None], list[Any]]:
        from ptxgen.kernels import find

        variant = find(self._subject["label"])
        arrays, plan = variant.case(variant.sizes[size], seed).on(self._device)
        return plan.launch, list(arrays.values())

    # -- what is tried ------------------------------------------------------------------------------------------------

    def _watched(self, launch: Callable[[], None]) -> list[Row]:
        sanitizer, before = Sanitizer(TOOLS), machine.options.sanitizer
        machine.watch(sanitizer)
        try:
            launch()
            self._device.synchronize()
        except Error:
            if not self._faults.faults:
                raise
        finally:
            machine.watch(before)
        return [_row(finding) for finding in sanitizer.findings]

    def _weighed(self, found: list[Row], launch: Callable[[], None], values: Sequence[Any]) -> list[Row]:
        """The findings, with reads of shared memory that nobody has written of another kind where it makes no difference what
        is there: a thread may read what it does not use."""
        if not any(isinstance(each, Array) for each in values):
            return found
        if check_schedules(lambda *_: launch(), values, _FILLED):
            return found
        without = {
            "kind": "uninitialised read without effect",
            "hint": "nothing: the results are the same whatever is there",
        }
        return [{**row, **without} if _is_weighed(row) else row for row in found]

    def _scheduled(self, launch: Callable[[], None], values: Sequence[Any]) -> tuple[list[Row], str]:
        arrays = [each for each in values if isinstance(each, Array)]
        last = [SCHEDULES[0]]

        def noting(*_: Any) -> None:
            last[0] = Schedule(machine.options.copies, machine.options.budget)
            launch()

        if not arrays:
            return [], ""
        try:
            differences = check_schedules(noting, values)
        except Error:
            if self._faults.faults:
                return [], str(last[0])
            raise
        found = []
        seen = set()
        for each in differences:
            if each.argument not in seen:
                seen.add(each.argument)
                found.append(
                    {
                        "tool": "schedules",
                        "kind": "different results",
                        "what": str(each),
                        "hint": "",
                        "steps": [],
                        "argument": each.argument,
                    }
                )
        return found, ""

    def _told(self, fault: KernelFault) -> Row:
        what = str(fault).split("\n", 1)[0]
        steps = []
        for waiting in fault.waiting[:_SHOWN]:
            step = self._step("", waiting.cta, None, waiting.instruction, waiting.lines, fault.kernel)
            step["what"] = f"CTA {waiting.cta}, warp {waiting.warp} waits{'; ' + waiting.note if waiting.note else ''}"
            steps.append(step)
        if not steps:
            steps.append(self._step("stops", fault.cta, fault.thread, fault.instruction, fault.lines, fault.kernel))
        row = {"tool": "fault", "kind": fault.kind, "what": what.partition(": ")[2] or what, "hint": fault.hint or ""}
        return {**row, "space": fault.space, "steps": [step for step in steps if step["instruction"]]}

    def _step(self, verb: str, cta: Any, thread: Any, instruction: Any, lines: Any, kernel: str) -> Row:
        if instruction is None:
            return {"what": "", "instruction": "", "places": [], "lines": []}
        access = Access(
            verb, cta or (0, 0, 0), thread or (0, 0, 0), text_of(instruction), tuple(resolve(instruction.source)), lines
        )
        found = located(Finding("", "", kernel, "", access)).access
        assert found is not None
        return _access(found)


class _Faults:
    """The kernels that were ended by a fault: a `LaunchListener`."""

    def __init__(self) -> None:
        self.faults: list[KernelFault] = []

    def clear(self) -> None:
        self.faults.clear()

    def launched(self, kernel: str) -> None:
        """Nothing to note."""

    def refused(self, kernel: str, text: str) -> None:
        """The launch raises that."""

    def found(self, text: str) -> None:
        """The collector has it."""

    def faulted(self, kernel: str, fault: Fault) -> None:
        if isinstance(fault, KernelFault):
            self.faults.append(fault)


def _is_weighed(row: Row) -> bool:
    return bool(row["tool"] == "initcheck" and row["space"].startswith("shared"))


def _device_name(target: str) -> str:
    try:
        return f"cpu:{find_product(target).target.name}"
    except ValueError:  # older than any device
        return "cpu"


def _array(argument: int, array: Array) -> Row:
    """Its first elements, flat; what JSON has no number for as text."""
    values = array.reshape(-1)[:_ELEMENTS].numpy().tolist() if array.size else []
    shown = [value if isinstance(value, int) or math.isfinite(value) else str(value) for value in values]
    return {"argument": argument, "type": array.type.name, "shape": list(array.shape), "values": shown}


def _row(finding: Finding) -> Row:
    steps = [_access(each) for each in (finding.access, finding.earlier) if each is not None]
    return {
        "tool": finding.tool, "kind": finding.kind, "what": finding.what, "hint": finding.hint, "space": finding.space,
        "steps": steps,
    }  # fmt: skip


def _access(access: Access) -> Row:
    return {
        "what": f"CTA {access.cta}, thread {access.thread} {access.verb}",
        "instruction": access.instruction,
        "places": [_place(place) for place in access.places],
        "lines": [{**_place(line.place), "how": line.how} for line in access.lines],
    }


def _place(place: Location) -> Row:
    return {"kind": place.kind, "file": place.file, "line": place.line, "column": place.column, "text": place.excerpt()}
