"""One launch under many schedules of the CPU device: whether its results depend on when asynchronous work is done."""

from __future__ import annotations

from driver_ctypes.errors import ArgumentTypeError, NotAvailableError
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple
from ptxgen.host.arrays import Array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np

    from ptxgen.host.machine import Device

__all__ = ["SCHEDULES", "Schedule", "ScheduleDifference", "check_schedules"]


class Schedule(NamedTuple):
    """When what is asynchronous is done (`Device.copies`), how many rounds of its loops a warp has before others run, and what
    shared memory holds when a CTA begins: "ones" or "zeros" (what the launch before has left would make a difference too)."""

    copies: str
    budget: int = 16
    shared: str = "ones"

    def __str__(self) -> str:
        return f"{self.copies}, budget {self.budget}" + (f", {self.shared} in shared memory" * (self.shared != "ones"))


SCHEDULES: tuple[Schedule, ...] = (
    Schedule("late"), Schedule("early"), Schedule("late", 1), Schedule("early", 1), Schedule("late", 1000),
    *[Schedule(f"random:{seed}", budget) for seed, budget in enumerate((16, 1, 3, 64))],
)  # fmt: skip
"""What is tried unless somebody says otherwise; the first gives the results that the others are compared with."""


class ScheduleDifference(NamedTuple):
    """An argument's array that a schedule left with other bits than the first schedule, `reference`, did.

    `differing` of `size` elements do; `found` and `expected` are the first of them, at `place`. Which of the two is wrong, a
    difference does not say: one that waits for everything has none.
    """

    schedule: Schedule
    argument: int
    differing: int
    size: int
    place: tuple[int, ...]
    found: Any
    expected: Any
    reference: Schedule

    def __str__(self) -> str:
        place = ", ".join(map(str, self.place))
        return (
            f"{self.schedule}: {self.differing} of {self.size} elements of argument {self.argument} differ from those of "
            f"{self.reference}, first [{place}]: {self.found}, there {self.expected}"
        )


def check_schedules(
    launch: Callable[..., Any], arguments: Sequence[Any], schedules: Sequence[Schedule] = SCHEDULES
) -> tuple[ScheduleDifference, ...]:
    """Launch a kernel under each schedule, from the same data; every difference to the results of the first one.

    *launch* is called with the arguments: `kernel[grid, block]`, or a function that launches several. A program that waits for
    what it uses gives the same bits under all, unless it adds floats by atomics. The arrays are left as the first schedule leaves
    them. Schedules are the CPU device's: raises NotAvailableError elsewhere, ArgumentTypeError where no argument is an array,
    and what a launch raises, with a note that says under which schedule (Python 3.11): a mistake that makes a program wait
    forever in one order may be no difference in another. The device's context is lost then, and the arrays with it.
    """
    arrays = {number: each for number, each in enumerate(arguments) if isinstance(each, Array)}
    if not arrays:
        raise ArgumentTypeError("no argument is an array: there is nothing to compare", hint="dev.zeros(n, f32)")
    device = next(iter(arrays.values())).device
    if device.kind != "cpu":
        raise NotAvailableError(f"{device!r} has no schedules to choose from", hint='px.device("cpu")')
    before = {number: array.numpy() for number, array in arrays.items()}
    results = list(_results(device, lambda: launch(*arguments), arrays, before, schedules))
    expected = results[0] if results else {}
    for number, array in arrays.items():
        if results:
            array.copy_from(expected[number])
    return tuple(
        found
        for schedule, result in zip(schedules[1:], results[1:])
        for number in arrays
        if (found := _difference(schedule, number, result[number], expected[number], schedules[0])) is not None
    )


def _results(
    device: Device,
    launch: Callable[[], Any],
    arrays: dict[int, Array],
    before: dict[int, np.ndarray[Any, Any]],
    schedules: Sequence[Schedule],
) -> Iterator[dict[int, np.ndarray[Any, Any]]]:
    """What each schedule leaves in the arrays."""
    from ptxgen.emulated_driver.state.machine import machine

    options = machine.options
    try:
        for schedule in schedules:
            for number, array in arrays.items():
                array.copy_from(before[number])
            machine.options = options.replaced(**schedule._asdict(), workers=1)  # nothing else is to make a difference
            try:
                launch()
                device.synchronize()
            except Exception as error:
                _note(error, schedule, schedules)
                raise
            yield {number: array.numpy() for number, array in arrays.items()}
    finally:
        machine.options = options


def _note(error: Exception, schedule: Schedule, schedules: Sequence[Schedule]) -> None:
    """Says with an error under which schedule it came."""
    before = [str(each) for each in schedules[: schedules.index(schedule)]]
    if hasattr(error, "add_note"):
        well = f"; without an error under: {'; '.join(before)}" if before else ""
        error.add_note(f"raised under the schedule {schedule}{well}")


def _difference(
    schedule: Schedule, argument: int, found: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], reference: Schedule
) -> ScheduleDifference | None:
    import numpy as np

    bits = [np.ascontiguousarray(each).reshape(-1).view(np.uint8).reshape(each.size, -1) for each in (found, expected)]
    wrong = np.flatnonzero((bits[0] != bits[1]).any(axis=1)) if found.size else np.empty(0, int)
    if not wrong.size:
        return None
    index = tuple(int(i) for i in np.unravel_index(wrong[0], found.shape))
    return ScheduleDifference(
        schedule, argument, len(wrong), found.size, index, found[index].item(), expected[index].item(), reference
    )
