"""Linking: PTX, cubins, fatbins, objects and libraries into one cubin, by the driver's linker, with its logs.

    with context.linker() as linker:
        linker.add(kernels_ptx, name="kernels.ptx")
        linker.add_file("libhelpers.a")
        linked = linker.complete()
    module = context.load(linked.image)

`link` does it in one call. PTX is compiled for the context's device on the way, each input by itself: the compiler does not
see the others, and gives up what depends on them (`Linked.warnings`).
"""

from __future__ import annotations

import ctypes
import os

from driver_ctypes.caches.code import key_of
from driver_ctypes.errors import ArgumentError, JitError, LinkError, NotFoundError
from driver_ctypes.modules.cubin import cubin_resources, misplaced_shared
from driver_ctypes.modules.images import LinkedImage, entry_heads, head_signature, kind_of, read_image, several
from driver_ctypes.modules.jitlog import LONG_LOG_BYTES, Logged, Logs, checked_options, compile_error
from driver_ctypes.session.handle import Handle
from driver_ctypes.typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from driver_ctypes.arguments.signature import Signature
    from driver_ctypes.caches.process import CubinCache
    from driver_ctypes.modules.jitlog import Resources
    from driver_ctypes.session.session import Session


INPUT_KINDS = {"cubin": 0, "ptx": 1, "fatbin": 2, "object": 3, "library": 4}
"""CUjitInputType by name."""

_SUFFIXES = {".cubin": "cubin", ".ptx": "ptx", ".fatbin": "fatbin", ".o": "object", ".obj": "object"}
_SUFFIXES |= {".a": "library", ".lib": "library"}


class Linked(Logged):
    """What a linker made."""

    def __init__(self, image: LinkedImage, info_log: str, milliseconds: float) -> None:
        self.image = image
        """A cubin for the context's device. Loaded as it is, its kernels have the signatures that PTX inputs declare."""
        self.milliseconds = milliseconds
        """The time that the driver reports."""
        self._info_log = info_log

    def __repr__(self) -> str:
        return f"<Linked {len(self.image)} bytes, {self.milliseconds:.1f} ms>"

    @property
    def info_log(self) -> str:
        """The compiler's and linker's info log."""
        return self._info_log

    @property
    def signatures(self) -> dict[str, Signature]:
        """The parameters of each kernel as its PTX input declares them, by name; without those of other inputs. They serve a
        load of bytes that were on disk meanwhile: ``context.load(data, signatures=linked.signatures)``.
        """
        known = {name: head_signature(head) for name, head in self.image.heads.items()}
        return {name: signature for name, signature in known.items() if signature is not None}

    @property
    def resources(self) -> dict[str, Resources]:
        """Registers, spills, stack, shared and constant memory of each kernel, by name: from the image, spills and constant
        memory from the log.
        """
        return cubin_resources(self.image, self._info_log)


class Linker(Handle):
    """A linker at work, made by `Context.linker`. One thread at a time may use it."""

    kind = "linker"
    _destroy = "cuLinkDestroy"

    def __init__(self, context: Session, handle: int, logs: Logs) -> None:
        super().__init__(context, handle)
        self._logs = logs  # the driver writes to it until the linker is destroyed
        self._ptx: dict[str, tuple[str, Callable[[int], str | None] | None]] = {}
        self._texts: list[str] = []
        self._inputs = 0
        self._linked: Linked | None = None

    def add(
        self,
        image: str | bytes,
        *,
        name: str = "",
        kind: str = "",
        line_map: Callable[[int], str | None] | None = None,
    ) -> None:
        """Add an input. *kind* is one of "ptx", "cubin", "fatbin", "object", "library", by default recognised from the
        image; *name* is its name in messages. Raises JitError with the compiler's messages.
        """
        self._check_adding()
        data, ptx = read_image(image)
        chosen = kind or kind_of(data)
        if chosen not in INPUT_KINDS:
            raise ArgumentError(f"no input is of kind {kind!r}", hint=f"kinds are {', '.join(INPUT_KINDS)}")
        self._inputs += 1
        called = name or f"input {self._inputs}"
        if chosen == "ptx":
            data = data.rstrip(b"\0") + b"\0"  # the size counts the NUL
            self._ptx[called] = ptx, line_map
        args = (self._handle, INPUT_KINDS[chosen], data, len(data), called.encode(), 0, None, None)
        self._step("cuLinkAddData_v2", args, called, ptx, line_map)
        if chosen == "ptx":
            self._texts.append(ptx)

    def add_file(self, path: str | os.PathLike[str], *, kind: str = "") -> None:
        """Add a file: its kind by its ending, or as given. Raises NotFoundError for a file that is not there."""
        self._check_adding()
        text = os.fspath(path)
        chosen = kind or _SUFFIXES.get(os.path.splitext(text)[1].lower(), "")
        if not os.path.exists(text):
            raise NotFoundError(f"there is no file {text!r} to be linked", hint="give the path of a file that is there")
        if chosen not in INPUT_KINDS:
            raise ArgumentError(
                f"the name of the file {text!r} does not say what it is",
                hint=f"linker.add_file(path, kind=...), one of {', '.join(INPUT_KINDS)}; dc.link uses the file's suffix",
            )
        self._step("cuLinkAddFile_v2", (self._handle, INPUT_KINDS[chosen], os.fsencode(text), 0, None, None), text)
        if chosen == "ptx":
            with open(text, encoding="utf-8", errors="replace") as file:
                self._texts.append(file.read())

    def complete(self) -> Linked:
        """Link what was added. Raises LinkError for names that no input defines, or that several do, and where the linker places
        dynamic shared memory off the alignment that a PTX input declares, as those before CUDA 13.1 do.
        """
        self.check_open()
        if self._linked is None:
            image, size = ctypes.c_void_p(), ctypes.c_size_t()
            self._step("cuLinkComplete", (self._handle, ctypes.byref(image), ctypes.byref(size)))
            code = ctypes.string_at(image.value or 0, size.value)  # the linker's memory, freed with it
            heads = {name: head for text in self._texts for name, head in entry_heads(text).items()}
            self._check_placed(code)
            self._linked = Linked(LinkedImage(code, heads), self._logs.info, self._logs.milliseconds)
        return self._linked

    def _check_placed(self, code: bytes) -> None:
        for name, (begin, alignment) in misplaced_shared(code, "\n".join(self._texts)).items():
            raise LinkError(
                f"the linker placed the dynamic shared memory of {name} {begin} bytes behind the start of shared memory, where "
                f"the program declares .align {alignment}",
                hint="load the PTX as one program, which the driver compiles as a whole; or link with a newer driver",
            )

    def _check_adding(self) -> None:
        self.check_open()
        if self._linked is not None:
            raise ArgumentError(
                "this linker has linked already and takes no further inputs", hint="make another linker"
            )

    def _step(
        self,
        symbol: str,
        args: tuple[Any, ...],
        name: str = "",
        ptx: str = "",
        line_map: Callable[[int], str | None] | None = None,
    ) -> None:
        code = self.context.try_call(symbol, *args)
        if not code:
            return
        if not name and len(self._ptx) == 1:  # a driver may compile as late as now
            ((ptx, line_map),) = self._ptx.values()
        raise compile_error(
            self.context, symbol, code, self._logs, ptx, line_map, detail=f"linking {name}" if name else ""
        )


def create_linker(context: Session, options: Mapping[Any, int]) -> Linker:
    """See `Context.linker`."""
    logs = Logs(options, LONG_LOG_BYTES)
    handle = ctypes.c_void_p()
    context.call("cuLinkCreate_v2", logs.count, logs.keys, logs.values, ctypes.byref(handle))
    return Linker(context, handle.value or 0, logs)


def link(
    context: Session,
    images: Iterable[str | bytes],
    *,
    files: Iterable[str | os.PathLike[str]] = (),
    options: Mapping[Any, int] | None = None,
) -> Linked:
    """Link *images* and *files* into one cubin for the context's device. Raises ArgumentTypeError for one that is not
    a list.
    """
    images, files = several(images, "images"), several(files, "files")
    with create_linker(context, options or {}) as linker:
        for image in images:
            linker.add(image)
        for path in files:
            linker.add_file(path)
        return linker.complete()


# --- compiled code and its cache --------------------------------------------------------------------------------------


class Compiled(NamedTuple):
    """PTX as a cubin, from the cache or from the compiler."""

    key: str
    image: bytes
    log: str
    milliseconds: float
    hit: bool


def compile_with_cache(context: Session, ptx: bytes, options: Mapping[Any, int], cache: CubinCache) -> Compiled | None:
    """*ptx* as a cubin of the context's device. None if the linker refuses it: loading the text then says why, in the
    usual words and with lines.
    """
    text = ptx.rstrip(b"\0")
    key = code_key(context, text, options)
    entry = cache.get(key)
    if entry is not None:
        return Compiled(key, entry.image, entry.log, 0.0, True)
    try:
        with create_linker(context, options) as linker:
            linker.add(text, name="application ptx input")
            linked = linker.complete()
    except JitError:
        return None
    cache.put(key, linked.image, linked.info_log)
    return Compiled(key, linked.image, linked.info_log, linked.milliseconds, False)


def code_key(context: Session, ptx: bytes, options: Mapping[Any, int]) -> str:
    """The cache's key: program, options, driver and architecture, which together decide every byte of the cubin."""
    driver = context.driver
    chosen = sorted(checked_options(options).items())
    return key_of(ptx, repr(chosen), driver.version, driver.build, *context.device.compute_capability)
