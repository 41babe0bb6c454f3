"""The JIT linker: programs in PTX, or linked before, become one program, as nvlink makes one of several.

A visible definition serves every other input's extern declaration; a weak one gives way to a strong one; a common variable
is as large as the largest; what is neither visible nor extern is its own input's, whatever the others call theirs.
"""

from __future__ import annotations

import ctypes
import re
import time
from typing import TYPE_CHECKING, Any

from driver_ctypes.abi import enums
from ptxgen.emulated_driver.calls.registry import INIT, entry
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.modules import images
from ptxgen.emulated_driver.modules.adapters import adapter, needs_adapter
from ptxgen.emulated_driver.modules.device_runtime import NAMES as DEVICE_RUNTIME
from ptxgen.emulated_driver.modules.fatbins import ARCHIVE, KEEP_PTX, Fatbin
from ptxgen.emulated_driver.modules.jit import (
    JitRefusal,
    Options,
    check_target,
    newest_for,
    opened,
    parse,
)
from ptxgen.emulated_driver.modules.loading import Module, loading_log
from ptxgen.emulated_driver.pointers import given_bytes, need, put_u64
from ptxgen.emulated_driver.state.context import Context
from ptxgen.emulated_driver.state.handles import Handles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ptxgen import ir
    from ptxgen.isa.products import Product

_CUBIN, _PTX, _FATBIN, _OBJECT, _LIBRARY = range(5)  # CUjitInputType
_KINDS = (_CUBIN, _PTX, _FATBIN, _OBJECT, _LIBRARY)
_RANK = {"visible": 2, "common": 1, "weak": 1}


class LinkState:
    """Inputs that were found legal, by name, and what they became. The image is this object's memory."""

    def __init__(self, context: Context, options: Options) -> None:
        self.context = context
        self.options = options
        self.inputs: list[tuple[str, ir.Module]] = []
        self.image: Any = None
        self.failed: JitRefusal | None = None
        self.seconds = 0.0
        self.handle = context.own(states, states.add(self))

    def add(self, kind: int, data: bytes, name: str) -> None:
        """One input. A program that is refused is left out; names that are defined twice invalidate the whole link."""
        if self.image is not None:
            raise invalid_value("the linker has completed: it takes no more inputs")
        began = time.perf_counter()
        try:
            more = [(name, program) for program in read_inputs(kind, data, name, self.context.device.product)]
            for _name, program in more:
                check_target(program.target, [self.context.device.product])
            twice = _definitions([*self.inputs, *more])[1]
            if twice:
                self.failed = JitRefusal(enums.CUresult.ERROR_INVALID_SOURCE, "\n".join(twice))
                raise self.failed
            self.inputs += more
        except JitRefusal as refusal:
            if kind == _CUBIN:
                self.failed = refusal
            self.options.write_logs("", refusal.error_log, 0.0)
            raise
        finally:
            self.seconds += time.perf_counter() - began

    def complete(self) -> int:
        """Makes the image; its bytes."""
        if self.image is not None:
            raise Refusal(enums.CUresult.ERROR_INVALID_HANDLE, "the linker has completed already")
        try:
            if self.failed is not None:
                raise JitRefusal(self.failed.code, self.failed.error_log)
            whole = join(self.inputs)
            check_target(whole.target, [self.context.device.product])
            text = str(whole)
            source = parse(text.encode())
            registers = self.options.registers
            module = Module(
                self.context, source, counted=False, registers=registers
            )  # refused now, not when it is loaded
            info = loading_log(module, self.options)
            module.close()
        except JitRefusal as refusal:
            self.options.write_logs("", refusal.error_log, 0.0)
            raise
        data = images.pack(text, registers=registers)
        self.image = ctypes.create_string_buffer(data, len(data))
        self.options.write_logs(info, "", self.seconds)
        return len(data)


states: Handles[LinkState] = Handles("linker")

_NO_FATBIN = "error   : Binary format for key='0', ident='' is not recognized"
_WRONG = {
    _CUBIN: (enums.CUresult.ERROR_INVALID_IMAGE, ""),
    _FATBIN: (enums.CUresult.ERROR_INVALID_IMAGE, f"{_NO_FATBIN}\n{_NO_FATBIN}"),
    _OBJECT: (enums.CUresult.ERROR_UNKNOWN, "fatal   : Could not find fatbin in '{name}'"),
    _LIBRARY: (enums.CUresult.ERROR_UNKNOWN, "fatal   : unexpected archive format"),
}
"""What driver 580 answers to data that is not of the kind it is said to be."""


def read_inputs(kind: int, data: bytes, name: str, product: Product | None = None) -> list[ir.Module]:
    """The programs of an input. A member of an archive that has no PTX for this device gives none, nor do NVIDIA's device
    runtime, which this driver has built in; any other input without PTX is refused.
    """
    if kind == _PTX:
        return [parse(data.partition(b"\0")[0], product=product, linking=True).module]
    if kind == _LIBRARY and data.startswith(ARCHIVE):
        found = [_read_fatbin(each, product) for each in opened(data)]
        return [each for each in found if each is not None and not _is_device_runtime(each)]
    if kind == _CUBIN and images.is_relocatable(data):
        text = images.unpack(data)
        if text is not None:
            return [parse(text.encode(), product=product, linking=True).module]
    if kind in (_FATBIN, _OBJECT) and images.is_binary(data):
        found = [_read_fatbin(each, product) for each in opened(data)]
        if found and None not in found:
            return [each for each in found if each is not None]
    code, text = _WRONG[kind]
    if images.is_binary(data):  # machine code, or linked already: nothing to link it with
        code = enums.CUresult.ERROR_NO_BINARY_FOR_GPU
        text = f"error   : the CPU device runs PTX, and '{{name}}' has none to be linked\n  {KEEP_PTX}"
    raise JitRefusal(code, text.format(name=name))


def _read_fatbin(fatbin: Fatbin, product: Product | None) -> ir.Module | None:
    text = newest_for(product, fatbin.ptx)
    return parse(text.encode(), product=product, linking=True).module if text is not None else None


def _is_device_runtime(program: ir.Module) -> bool:
    return any(item.name in DEVICE_RUNTIME and _defines(item) for item in _named(program))


# --- one program of several -------------------------------------------------------------------------------------------


def join(inputs: list[tuple[str, ir.Module]]) -> ir.Module:
    """The whole program. Raises JitRefusal for names that are defined nowhere."""
    from ptxgen.ir import FileDirective
    from ptxgen.ir import Module as Program

    chosen, _twice = _definitions(inputs)
    wrong = _undefined(inputs, chosen)
    if wrong:
        raise JitRefusal(enums.CUresult.ERROR_INVALID_SOURCE, "\n".join(wrong))
    programs = [program for _name, program in inputs]
    target = max((program.target for program in programs), key=_specific, default="sm_50")
    whole = Program(max((program.version for program in programs), default=(8, 0)), target)
    taken: set[str] = set()
    files: dict[str, int] = {}  # of all inputs, each once
    later: list[ir.ModuleItem] = []  # definitions follow every declaration
    adapters: dict[str, ir.Function | ir.Variable] = {}
    for number, program in enumerate(programs):
        names = {name: f"{name}${number}" for name in _own_names(program) if name in taken}
        taken |= {names.get(name, name) for name in _own_names(program)}
        for declared, defined in _misdeclared(program, chosen):
            names[declared.name] = f"{declared.name}$declared{number}"
            adapters[names[declared.name]] = adapter(declared, defined, names[declared.name])
        own = [each for each in program.items if isinstance(each, FileDirective)]
        numbers = {each.index: files.setdefault(each.name, len(files) + 1) for each in own}
        if all(old == new for old, new in numbers.items()):
            numbers = {}
        for item in program.items:
            if _is_left_out(item, chosen, program):
                continue
            kept = _declared(_renamed(item, names, numbers) if names or numbers else item, {**chosen, **adapters})
            (whole.items if _comes_first(kept) else later).append(kept)
    whole.items[:] = [*_in_order(_once(whole.items)), *later, *adapters.values()]
    return whole


def _in_order(items: Iterable[ir.ModuleItem]) -> Iterator[ir.ModuleItem]:
    """Declarations, then variables, each behind those that its initial value names: they may come from a later input."""
    from ptxgen.cpu.normalize.functions import names_in
    from ptxgen.dataflow.graph.algorithms import strongly_connected_components
    from ptxgen.ir import Variable

    variables: dict[str, Variable] = {}
    for item in items:
        if isinstance(item, Variable):
            variables[item.name] = item
        else:
            yield item

    def named(name: str) -> list[str]:
        init = variables[name].init
        return [] if init is None else [other for other in names_in(init) if other in variables]

    for component in strongly_connected_components(list(variables), named):
        yield from (variables[name] for name in component)


def _misdeclared(
    program: ir.Module, chosen: dict[str, ir.Function | ir.Variable]
) -> Iterator[tuple[ir.Function, ir.Function]]:
    """Declarations of functions that their definitions, in other inputs, do not agree with in what they give."""
    from ptxgen.ir import Function

    for item in program.functions:
        defined = chosen.get(item.name)
        if isinstance(defined, Function) and needs_adapter(item, defined):
            yield item, defined


def _named(program: ir.Module) -> Iterator[ir.Function | ir.Variable]:
    from ptxgen.ir import Function, Variable

    return (item for item in program.items if isinstance(item, (Function, Variable)))


def _defines(item: ir.Function | ir.Variable) -> bool:
    from ptxgen.ir import Function

    if isinstance(item, Function):
        return item.body is not None
    return item.linkage != "extern"


def _is_own(item: ir.Function | ir.Variable) -> bool:
    """Whether only its own input sees it. A kernel is always seen."""
    return item.linkage is None and not getattr(item, "is_entry", False)


def _own_names(program: ir.Module) -> list[str]:
    return list(dict.fromkeys(item.name for item in _named(program) if _is_own(item)))


def _definitions(
    inputs: list[tuple[str, ir.Module]],
) -> tuple[dict[str, ir.Function | ir.Variable], list[str]]:
    """The definition of each name that inputs share, and what is wrong with them."""
    chosen: dict[str, tuple[str, ir.Function | ir.Variable]] = {}
    wrong = []
    for name, program in inputs:
        shared: list[ir.Function | ir.Variable] = [
            *reversed(program.functions),
            *program.variables,
        ]  # as nvlink lists them
        for item in shared:
            if _is_own(item) or not _defines(item):
                continue
            before = chosen.get(item.name)
            if before is None or _rank(item) > _rank(before[1]):
                chosen[item.name] = name, item
            elif _rank(item) == _rank(before[1]) == 2:
                wrong.append(
                    f"error   : Multiple definition of '{item.name}' in '{name}', first defined in '{before[0]}'"
                )
            elif item.linkage == "common" and getattr(item, "size", 0) > getattr(before[1], "size", 0):
                chosen[item.name] = name, item
    return {name: item for name, (_input, item) in chosen.items()}, wrong


def _rank(item: ir.Function | ir.Variable) -> int:
    return _RANK.get(item.linkage or "visible", 2)


def _undefined(inputs: list[tuple[str, ir.Module]], chosen: dict[str, ir.Function | ir.Variable]) -> list[str]:
    from ptxgen.dataflow.calls.participation import HARMLESS
    from ptxgen.ir import Variable

    wrong = []
    for name, program in inputs:
        own = {item.name for item in _named(program) if _defines(item)}
        for item in _named(program):
            dynamic = isinstance(item, Variable) and item.space == "shared"  # `.extern .shared` is the launch's to size
            built_in = item.name in DEVICE_RUNTIME or item.name in HARMLESS
            if not _defines(item) and item.name not in own and item.name not in chosen and not (dynamic or built_in):
                wrong.append(f"error   : Undefined reference to '{item.name}' in '{name}'")
    return list(dict.fromkeys(wrong))


def _is_left_out(item: ir.ModuleItem, chosen: dict[str, ir.Function | ir.Variable], program: ir.Module) -> bool:
    """Definitions that another input's replaced, and declarations of variables that some input defines."""
    from ptxgen.ir import Comment, Function, IntermediateSource, Section, Variable

    if isinstance(item, (Comment, Section, IntermediateSource)):
        return True  # debugging data of one input says nothing of the whole; lines and their files do
    if not isinstance(item, (Function, Variable)):
        return False
    if _is_own(item):
        return False
    if _defines(item):
        return chosen[item.name] is not item
    return isinstance(item, Variable) and item.name in chosen


def _declared(item: ir.ModuleItem, chosen: dict[str, ir.Function | ir.Variable]) -> ir.ModuleItem:
    """A declaration of a function that some input defines, with that definition's linkage."""
    from ptxgen.ir import Function

    if not isinstance(item, Function) or item.body is not None or item.name not in chosen:
        return item
    return Function(
        item.name, is_entry=item.is_entry, parameters=item.parameters, results=item.results,
        linkage=chosen[item.name].linkage, directives=item.directives, attributes=item.attributes, source=item.source,
    )  # fmt: skip


def _comes_first(item: ir.ModuleItem) -> bool:
    """Declarations and variables: whatever follows may use them."""
    from ptxgen.ir import Function

    return not (isinstance(item, Function) and item.body is not None)


def _once(items: list[ir.ModuleItem]) -> Iterator[ir.ModuleItem]:
    """Each file and each declaration once."""
    seen: set[tuple[type, str]] = set()
    for item in items:
        name = getattr(item, "name", "")
        if not name or (type(item), name) not in seen:
            yield item
        seen.add((type(item), name))


def _specific(target: str) -> tuple[int, str]:
    number = target.removeprefix("sm_")
    return int(number.rstrip("af")), number.lstrip("0123456789")


def _renamed(thing: Any, names: dict[str, str], files: dict[int, int]) -> Any:
    """A copy in which every name of the input's own has another, and every file its number in the whole, with everything that
    refers to them."""
    from ptxgen.ir import FileDirective, LineDirective, Register, RegisterDeclaration, Symbol
    from ptxgen.ir.node import Node

    if isinstance(thing, (tuple, list)):
        return type(thing)(_renamed(each, names, files) for each in thing)
    if not isinstance(thing, Node) or isinstance(thing, (Register, RegisterDeclaration)):
        return thing
    if isinstance(thing, Symbol):
        return Symbol(names.get(thing.name, thing.name), thing.offset, thing.zero)
    if isinstance(thing, FileDirective):
        return FileDirective(files.get(thing.index, thing.index), thing.name, thing.timestamp, thing.size, thing.source)
    if isinstance(thing, LineDirective):
        inlined = thing.inlined and _INLINED.sub(lambda at: f"{at[1]}{files.get(int(at[2]), at[2])}", thing.inlined)
        file = files.get(thing.file, thing.file)
        return LineDirective(file, thing.line, thing.column, inlined, intermediate=thing.intermediate)
    copy = object.__new__(type(thing))
    fields: tuple[str, ...] = type(thing).__slots__
    for field in fields:
        value = getattr(thing, field)
        if isinstance(value, str) and field in _NAME_FIELDS:
            value = names.get(value, value)
        elif field in _NAMES_FIELDS:
            value = tuple(names.get(each, each) for each in value)
        elif field != "source":
            value = _renamed(value, names, files)
        setattr(copy, field, value)
    return copy


_INLINED = re.compile(r"\b(inlined_at\s+)(\d+)")
_NAME_FIELDS = ("name", "aliasee")
_NAMES_FIELDS = ("functions", "labels")  # of .calltargets and .branchtargets


# --- entries ----------------------------------------------------------------------------------------------------------


@entry("cuLinkCreate_v2")
def link_create(context: Context, number: int, options: int | None, values: int | None, out: int | None) -> None:
    need(out)
    put_u64(out, LinkState(context, Options(number, options, values)).handle)


@entry("cuLinkAddData_v2")
def link_add_data(
    context: Context, handle: int | None, kind: int, data: int | None, size: int, name: bytes | None,
    number: int, options: int | None, values: int | None,
) -> None:  # fmt: skip
    state = states.get(handle)
    if kind not in _KINDS:
        raise invalid_value(f"input kind {kind}: 0 to 4")
    if not data or not size:
        raise invalid_value("the input has no data")
    Options(number, options, values)
    state.add(kind, given_bytes(data, size), (name or b"<input>").decode(errors="replace"))


@entry("cuLinkAddFile_v2")
def link_add_file(
    context: Context, handle: int | None, kind: int, path: bytes | None,
    number: int, options: int | None, values: int | None,
) -> None:  # fmt: skip
    state = states.get(handle)
    if not path or kind not in _KINDS:
        raise invalid_value("a file name and a kind from 0 to 4 are needed")
    Options(number, options, values)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise Refusal(enums.CUresult.ERROR_FILE_NOT_FOUND, str(error)) from None
    state.add(kind, data, path.decode(errors="replace"))


@entry("cuLinkComplete")
def link_complete(context: Context, handle: int | None, image: int | None, size: int | None) -> None:
    state = states.get(handle)
    need(image)
    nbytes = state.complete()
    put_u64(image, ctypes.addressof(state.image))
    if size:
        put_u64(size, nbytes)


@entry("cuLinkDestroy", needs=INIT)
def link_destroy(handle: int | None) -> None:
    state = states.remove(handle)
    state.context.disown(state.handle)
