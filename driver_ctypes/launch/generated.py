"""A launcher of Python: a function made for the parameters of one kernel, without a loop or a lookup."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from driver_ctypes.arguments.parameter import Parameter
from driver_ctypes.arguments.values import converter
from driver_ctypes.memory.buffer import Buffer
from driver_ctypes.trampoline.choice import is_native

if TYPE_CHECKING:
    from driver_ctypes.launch.plan import Launcher, Plan

_OF_CURRENT_CONTEXT = (0, 1, 2)  # NULL, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD mean the current context's
_MISSING = object()


def generated_launcher(plan: Plan) -> Launcher:
    """A function made for the plan's signature: takes a slot, packs, calls, gives the slot back. No loop, no lookup."""
    function, context, signature = plan.function, plan.function.context, plan.signature
    names: dict[str, Any] = {
        "_": _MISSING,
        "take": plan.slots.pop,
        "give": plan.slots.append,
        "pack": signature.packing.pack_into,
        "checked": plan.checked,
        "careful": plan.careful,
        "guard": plan.guard,
        "failed": plan.failed,
        "context": context,
        "launches": context.launches,
        "launched": context.launches.serial,
        "Buffer": Buffer,
        "last": plan.launched,
        "enter": context.enter,
        "leave": context.leave,
    }
    quick = []
    for index, param in enumerate(signature.params):
        convert = converter(param, index, context, function.name)
        names[f"c{index}"] = convert
        names[f"e{index}"], names[f"m{index}"] = param.element, param.aligned - 1
        quick.append("as it is" if convert is None else _form(param))
    exec(_source(tuple(quick), plan.stream.handle in _OF_CURRENT_CONTEXT, is_native()), names)
    launcher: Launcher = names.pop("launcher")  # no cycle: names are its globals
    launcher.__name__ = launcher.__qualname__ = function.name
    launcher.__doc__ = str(plan)
    return launcher


_TEMPLATE = """
def launcher({parameters}):
    if {wrong_count} or guard:
        return checked({given})
    try:
        slot = take()
    except IndexError:
        return checked({arguments})
    try:
        pack(slot[0], 0{packed})
    except Exception:
        give(slot)
        return careful({arguments})
    launches.last = last{forget}
    {call}
    give(slot)
    if code:
        failed(code, {arguments})
"""


# An address, an open buffer of this context, an array of it with just these elements, or whatever the converter makes of
# it. (A context that was closed has set the guard, so that its memory does not get here.)
_POINTER = """(
            a{0} if type(a{0}) is int%(number)s
            else a{0}._address if type(a{0}) is Buffer and a{0}._life.context is context%(memory)s%(array)s
            else c{0}(a{0})
        )"""
_ARRAY = """
            else a{0}._address if getattr(a{0}, "type", None) is e{0} and a{0}._life.context is context%(memory)s"""
_ALIGNED = {"number": " and not a{0} & m{0}", "memory": " and not a{0}._address & m{0}"}
_ANYWHERE = {"number": "", "memory": ""}
_POINTERS = {
    "pointer": _POINTER % {**_ANYWHERE, "array": ""},
    "aligned pointer": _POINTER % {**_ALIGNED, "array": ""},
    "pointer to elements": _POINTER % {**_ANYWHERE, "array": _ARRAY % _ANYWHERE},
    "aligned pointer to elements": _POINTER % {**_ALIGNED, "array": _ARRAY % _ALIGNED},
}


def _form(param: Parameter) -> str:
    if param.kind != "pointer":
        return "convert"
    return ("aligned " if param.aligned > 1 else "") + "pointer" + (" to elements" if param.element is not None else "")


_CALL = "code = slot[1]()"
_CALL_WITH_CONTEXT = """previous = enter()
    code = slot[1]()
    if previous:
        leave(previous)"""


@cache
def _source(quick: tuple[str, ...], default_stream: bool, native: bool) -> Any:
    """The launcher's code for parameters that are converted as *quick* says. The default stream means the *current*
    context's, so the context is made current first. Where there are *native* launchers, the context is told that the
    last launch was none of theirs.
    """
    names = [f"a{i}" for i in range(len(quick))]
    forms = {"as it is": "a{0}", "convert": "c{0}(a{0})", **_POINTERS}
    source = _TEMPLATE.format(
        parameters=", ".join([*[f"{name}=_" for name in names], *(["/"] if names else []), "*more"]),
        wrong_count=f"{names[-1]} is _ or more" if names else "more",
        given=f"tuple([a for a in ({', '.join([*names, ''])}) if a is not _]) + more" if names else "more",
        arguments=f"({', '.join(names)},)" if names else "()",
        packed="".join([", " + forms[how].format(i) for i, how in enumerate(quick)]),
        forget="\n    launched.value = 0" if native else "",
        call=_CALL_WITH_CONTEXT if default_stream else _CALL,
    )
    return compile(source, "<driver_ctypes launcher>", "exec")
