"""From an image to a program: the JIT's options, its verdicts, and its logs in the shape ptxas gives them.

ptxas application ptx input, line 8; error   : Arguments mismatch for instruction 'add'
ptxas fatal   : Ptx assembly aborted due to errors
"""

from __future__ import annotations

import struct
import time

from driver_ctypes.abi import enums
from driver_ctypes.typing import TYPE_CHECKING
from ptxgen.emulated_driver import numbers
from ptxgen.emulated_driver.errors.refusal import Refusal, invalid_value
from ptxgen.emulated_driver.modules import images
from ptxgen.emulated_driver.modules.fatbins import KEEP_PTX, ContainerError, Fatbin, fatbins_in
from ptxgen.emulated_driver.modules.keeping import disk
from ptxgen.emulated_driver.pointers import get_u64, i32_array, need, put_bytes
from ptxgen.emulated_driver.state.machine import machine
from ptxgen.emulated_driver.state.record import recorded
from ptxgen.isa.products import PLAIN
from ptxgen.isa.targets import TARGETS, VERSIONS, find_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ptxgen.cpu import LoadedProgram
    from ptxgen.cpu.arena import Arena
    from ptxgen.cpu.program import RelocatableProgram
    from ptxgen.cpu.relocatable import ProgramOutline
    from ptxgen.errors import Diagnostic
    from ptxgen.ir import Module
    from ptxgen.isa.products import Product

INPUT = "application ptx input"
NEWEST_PTX = VERSIONS[-1]
_ABORTED = "ptxas fatal   : Ptx assembly aborted due to errors"
_HEAD = 256
"""Characters in which a version is stated."""
_DIRECTIVE = r"(?m)^\s*\.target\s+(\w+)"


class JitRefusal(Refusal):
    """The image is refused; `error_log` is what the compiler says."""

    def __init__(self, code: int, error_log: str) -> None:
        super().__init__(code, error_log)
        self.error_log = error_log


class Source:
    """A program that was parsed and found legal; or one that was found on disk, which is parsed when somebody asks.

    `outline`: what was found. `key`: what its code is kept under on disk, "" where it is not. `seconds`: what reading it took.
    `registers`: the most of a thread's that its compiler was asked to use; 0 for no limit.
    """

    def __init__(
        self, module: Module | Callable[[], Module], *, outline: ProgramOutline | None = None, key: str = ""
    ) -> None:
        self._module = module
        self._outline = outline
        self._relocatable: RelocatableProgram | None = None
        self.key = key
        self.seconds = 0.0
        self.registers = 0

    @property
    def module(self) -> Module:
        if callable(self._module):
            self._module = self._module()
        return self._module

    @property
    def relocatable(self) -> RelocatableProgram:
        """The program wherever its variables will lie. Raises UnsupportedError where this device runs none of its kernels."""
        if self._relocatable is None:
            from ptxgen.cpu.program import RelocatableProgram, relocatable

            if self._outline is not None:
                self._relocatable = RelocatableProgram(self._outline, lambda: self.module, self.key)
            else:
                self._relocatable = relocatable(self.module, self.key)
                found = disk() if self.key else None
                if found is not None:
                    found.put(self._relocatable.outline.pack(), "program", self.key)
        return self._relocatable


# --- options ----------------------------------------------------------------------------------------------------------


class Options:
    """The caller's options: each value is read from its slot once, and some are written back there. A linker keeps nothing else
    of the caller's: its slots may hold other values when it writes its logs."""

    def __init__(self, number: int, options: int | None, values: int | None) -> None:
        if number:
            need(options, values)
        self._slots: dict[int, int] = {}
        for index, option in enumerate(i32_array(options, number)):
            if not 0 <= option < numbers.CUjit_option.NUM_OPTIONS:
                raise invalid_value(f"JIT option {option} is unknown")
            assert values is not None
            self._slots[option] = values + 8 * index
        self._values = {option: get_u64(slot) for option, slot in self._slots.items()}
        sizes = (numbers.CUjit_option.INFO_LOG_BUFFER_SIZE_BYTES, numbers.CUjit_option.ERROR_LOG_BUFFER_SIZE_BYTES)
        self._rooms = {size: self.value(size) & 0xFFFFFFFF for size in sizes}  # a linker writes its logs several times

    def value(self, option: int) -> int:
        return self._values.get(option, 0)

    @property
    def registers(self) -> int:
        """The most of a thread's that code may use; 0 for no limit."""
        return self.value(numbers.CUjit_option.MAX_REGISTERS) & 0xFFFFFFFF

    def flag(self, option: int) -> bool:
        """An int option, which fills only half of its slot."""
        return self.value(option) & 0xFFFFFFFF != 0

    def _write(self, option: int, value: bytes) -> None:
        slot = self._slots.get(option)
        if slot is not None:
            put_bytes(slot, value)

    def write_logs(self, info: str, error: str, seconds: float) -> None:
        """A log that does not fit is cut; its size is reported without the NUL, at most the size of the buffer."""
        for buffer, size, text in (
            (numbers.CUjit_option.INFO_LOG_BUFFER, numbers.CUjit_option.INFO_LOG_BUFFER_SIZE_BYTES, info.encode()),
            (numbers.CUjit_option.ERROR_LOG_BUFFER, numbers.CUjit_option.ERROR_LOG_BUFFER_SIZE_BYTES, error.encode()),
        ):
            room = self._rooms[size]
            if self.value(buffer) and room:
                put_bytes(self.value(buffer), text[: room - 1] + b"\0")
                reported = min(room, len(text)) if room > 1 else 0
                self._write(size, reported.to_bytes(8, "little"))
        self._write(numbers.CUjit_option.WALL_TIME, struct.pack("<f", seconds * 1e3))


# --- compiling --------------------------------------------------------------------------------------------------------


def parse(image: bytes, *, product: Product | None = None, linking: bool = False) -> Source:
    """A program for a device of that product, or for any that is there; or a JitRefusal with the code and log that a GPU's driver
    gives.

    With `linking`, it may leave undefined what other inputs of a linker define.
    """
    text = images.unpack(image)
    if text is None and images.is_binary(image):
        text = contained_ptx(image, product)
    text = text or image.decode("utf-8", "replace")
    at, version = _version(text)
    if version is None:
        raise JitRefusal(
            enums.CUresult.ERROR_INVALID_IMAGE, "error   : Binary format for key='0', ident='' is not recognized"
        )
    if version > NEWEST_PTX:
        line = text.count("\n", 0, at) + 1
        raise JitRefusal(
            enums.CUresult.ERROR_UNSUPPORTED_PTX_VERSION,
            f"ptxas {INPUT}, line {line}; fatal   : Unsupported .version {version[0]}.{version[1]}; "
            f"current version is '{NEWEST_PTX[0]}.{NEWEST_PTX[1]}'",
        )
    began = time.perf_counter()
    source = Source(_legal(text, product)) if linking else _whole_source(text)
    source.seconds = time.perf_counter() - began
    source.registers = images.registers_of(image)
    return source


def _version(text: str) -> tuple[int, tuple[int, int] | None]:
    """Where a text states its version, behind comments, and which; None where that is not what it begins with."""
    at, length = 0, len(text)
    while at < length and (text[at].isspace() or text.startswith(("//", "/*"), at)):
        if text[at].isspace():
            at += 1
            continue
        line = text[at + 1] == "/"
        end = text.find("\n" if line else "*/", at + 2)
        at = length if end < 0 else end + (1 if line else 2)
    directive, *stated = text[at : at + _HEAD].split(None, 2)[:2] or ("",)
    if directive != ".version" or not stated:
        return at, None
    major, _, rest = stated[0].partition(".")
    minor = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    at = text.index(major, at)
    return at, (int(major), int(minor)) if major.isdecimal() and minor else None


def contained_ptx(image: bytes, product: Product | None = None) -> str:
    """The PTX that a fat binary has for a device. JitRefusal where it has none."""
    texts = [text for fatbin in opened(image) for text in fatbin.ptx]
    found = newest_for(product, texts)
    if found is not None:
        return found
    held = f"PTX for {', '.join(map(_target, texts))} alone" if texts else "machine code of a GPU"
    raise JitRefusal(
        enums.CUresult.ERROR_NO_BINARY_FOR_GPU,
        f"error   : the CPU device runs PTX; this image holds {held}\n  {KEEP_PTX}",
    )


def newest_for(product: Product | None, texts: list[str]) -> str | None:
    """Of several texts of PTX, that of the newest target which a device of this product takes; without a product, one that as
    many as possible of the devices that are there take."""
    products = machine.products() if product is None else {product}

    def rank(text: str) -> tuple[int, int, str]:
        target = TARGETS.get(_target(text))
        takers = sum(each.takes(target) for each in products) if target is not None else 0
        return takers, target.sm if target is not None else 0, _target(text)

    best = max(texts, key=rank, default="")
    return best if best and rank(best)[0] else None


def _target(text: str) -> str:
    import re

    found = re.search(_DIRECTIVE, text)
    return found[1] if found else ""


def opened(data: bytes) -> list[Fatbin]:
    """The fat binaries of a file or an image. JitRefusal where it is damaged."""
    try:
        return list(fatbins_in(data))
    except ContainerError as wrong:
        raise JitRefusal(enums.CUresult.ERROR_INVALID_IMAGE, f"error   : {wrong}") from None


def _whole_source(text: str) -> Source:
    """A program that needs no other: from disk where it was compiled before."""
    found = disk()
    key = found.key_of(text) if found is not None else ""
    kept = found.get("program", key) if found is not None else None
    if kept is None:
        return Source(_with_runtime(_legal(text)), key=key)
    from ptxgen.cpu.relocatable import ProgramOutline

    outline = ProgramOutline.unpack(kept)
    check_target(outline.target, machine.products())
    return Source(lambda: _with_runtime(_parsed(text)), outline=outline, key=key)


def _with_runtime(module: Module) -> Module:
    from ptxgen.emulated_driver.modules.device_runtime import link_runtime

    link_runtime(module)
    return module


def _parsed(text: str) -> Module:
    from ptxgen.text.parser import parse as parse_text

    return parse_text(text, "PTX")


def _legal(text: str, product: Product | None = None) -> Module:
    """For a device of that product, or for any that is there."""
    from ptxgen.errors import PtxError
    from ptxgen.verifier.findings.clean import is_clean

    try:
        module = _parsed(text)
    except PtxError as error:
        raise _invalid(_lines("fatal  ", error.diagnostics) or [f"ptxas fatal   : {_flat(str(error))}"]) from None
    if not is_clean(text):
        from ptxgen.verifier.run import run_checks

        wrong = [finding for finding in run_checks(module, errors_only=True) if finding.is_error]
        if wrong:
            raise _invalid(_lines("error  ", wrong))
    check_target(module.target, machine.products() if product is None else [product])
    return module


def check_target(target: str, products: Iterable[Product]) -> None:
    """Refuses a target that none of these devices takes."""
    if not any(product.takes(find_target(target)) for product in products):
        raise JitRefusal(
            enums.CUresult.ERROR_INVALID_PTX,
            "ptxas fatal   : SM version specified by .target is higher than default SM version assumed",
        )


def compile_source(source: Source, arena: Arena, product: Product = PLAIN) -> LoadedProgram:
    """Executable code and module variables in the arena, for a device of that product."""
    from ptxgen.cpu import LoadedProgram
    from ptxgen.cpu.jit import require
    from ptxgen.errors import PtxError, UnsupportedError

    try:
        require()
    except PtxError as missing:
        raise Refusal(enums.CUresult.ERROR_NOT_SUPPORTED, _flat(str(missing))) from None
    try:
        check_target(source.relocatable.outline.target, [product])
        return LoadedProgram(source.relocatable, arena, product=product)
    except PtxError as error:
        from ptxgen.cpu.unsupported import UndefinedError

        if isinstance(error, UnsupportedError) and not isinstance(error, UndefinedError):
            log = _lines("error  ", error.diagnostics)
            for each in recorded:
                for kernel in (item.name for item in source.module.functions if item.is_entry):
                    each.refused(kernel, "; ".join(log))
            raise JitRefusal(enums.CUresult.ERROR_NOT_SUPPORTED, "\n".join([*log, _ABORTED])) from None
        raise _invalid(_lines("error  ", error.diagnostics) or [f"ptxas error   : {_flat(str(error))}"]) from None


def _invalid(lines: list[str]) -> JitRefusal:
    return JitRefusal(enums.CUresult.ERROR_INVALID_PTX, "\n".join([*lines, _ABORTED]))


def _flat(text: str) -> str:
    return " ".join(text.split())


def refusal_log(program: LoadedProgram) -> str:
    """Warnings about the kernels of a program that this device does not run: `kernel 'name': the reason`."""
    return "\n".join(
        line for name, reasons in program.refused.items() for line in _lines("warning", reasons, f"kernel {name!r}: ")
    )


def _lines(severity: str, findings: Iterable[Diagnostic], subject: str = "") -> list[str]:
    """One log line for each finding; the first PTX place is its line."""
    lines = []
    for finding in findings:
        place = next((p for p in finding.locations if p.kind == "ptx"), None)
        where = f" {INPUT}, line {place.line};" if place else ""
        more = [f"needs {finding.expected}"] if finding.expected else []
        more += [f"instead: {finding.hint}"] if finding.hint else []
        lines.append(f"ptxas{where} {severity} : {subject}{_flat('; '.join([finding.message, *more]))}")
    return lines


def info_log(source: Source, registers: Callable[[str], int]) -> str:
    """What LOG_VERBOSE adds: memory, registers and times, function by function; `registers` tells those of a kernel. All are
    compiled for it."""
    outline = source.relocatable.outline
    constant = f", {outline.constant_bytes} bytes cmem[3]" if outline.constant_bytes else ""
    lines = [f"ptxas info    : {outline.global_bytes} bytes gmem{constant}"]
    for each in source.relocatable.kernels:
        shared = f", {each.shared_bytes} bytes smem" if each.shared_bytes else ""
        lines += [
            f"ptxas info    : Compiling entry function '{each.name}' for '{outline.target}'",
            f"ptxas info    : Function properties for {each.name}",
            f"ptxas         .     {each.local_bytes} bytes stack frame, 0 bytes spill stores, 0 bytes spill loads",
            f"ptxas info    : Used {registers(each.name)} registers, used {int(each.has_barriers)} barriers{shared}",
            f"ptxas info    : Compile time = {source.seconds * 1e3 / max(len(outline.kernels), 1):.3f} ms",
        ]
    return "\n".join(lines)
