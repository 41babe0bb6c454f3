"""What may be called from JAX: a kernel of ours, or PTX of any compiler; with its parameters, and loaded where it is needed."""

from __future__ import annotations

import threading
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from driver_ctypes.errors import ArgumentError, ArgumentTypeError
from ptxgen.builder import Kernel
from ptxgen.builder.entry import argument_kinds
from ptxgen.host.loading import UnknownKernelError, signature_of
from ptxgen.ir import Module
from ptxgen.text.printer import print_module
from ptxgen.text.validate import as_module

if TYPE_CHECKING:
    from driver_ctypes.arguments.parameter import Parameter
    from ptxgen.host import Device, KernelHandle

__all__ = ["Program"]


class Program:
    """A kernel: a `px.Kernel`, or one of a module or of PTX text."""

    def __init__(self, source: Kernel | Module | str, entry: str | None = None) -> None:
        self._source = source
        if not isinstance(source, Kernel):
            module = source if isinstance(source, Module) else as_module(source, "custom_call", "sm_90a")
            names = [each.name for each in module.entries]
            if entry is None and len(names) != 1:
                raise ArgumentError(
                    f"which kernel of the module is called? It has {len(names)}",
                    hint=f"entry=, one of: {', '.join(names)}" if names else "a module with an .entry",
                )
            if entry is not None and entry not in names:
                raise UnknownKernelError(
                    f"the module has no kernel {entry!r}", hint=f"it has: {', '.join(names) or 'none'}"
                )
            self._source, self.name = module, entry or names[0]
        else:
            if entry not in (None, source.__name__):
                raise UnknownKernelError(f"{source!r} is no kernel {entry!r}", hint="entry= chooses from a module")
            source.signature.chosen(source.__name__, source.fixed)  # all are there
            self.name = source.__name__
        self._handles: dict[Device, KernelHandle] = {}
        self._loading = threading.Lock()

    def __repr__(self) -> str:
        return f"<program {self.name}>"

    @cached_property
    def _built(self) -> Module:
        """For the lowest target that can run it: what it is, whatever device runs it."""
        source = self._source
        if isinstance(source, Kernel):
            return source.module(target="auto")
        assert isinstance(source, Module)  # text was parsed
        return source

    @cached_property
    def _entry(self) -> Any:
        return next(each for each in self._built.entries if each.name == self.name)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        kernel = self._source
        kinds = None
        if isinstance(kernel, Kernel):
            chosen = kernel.signature.chosen(kernel.__name__, kernel.fixed)
            kinds = argument_kinds(kernel.signature.typed(chosen), self._entry.tensors)
        found = signature_of(self._entry, kinds).params
        for each in found:
            if each.kind in ("bytes", "opaque"):
                raise ArgumentTypeError(
                    f"parameter {each.name!r} of {self.name} is a structure or a tensor map, which hold addresses of one launch",
                    hint="call a function instead: custom_call(function, out=...) with a function that launches the kernel",
                )
        return found

    @cached_property
    def shared(self) -> int:
        """Dynamic shared memory that it plans, in bytes."""
        return int(self._entry.dynamic_shared)

    @cached_property
    def digest(self) -> str:
        """Of its text: equal in every process."""
        return blake2b(print_module(self._built).encode(), digest_size=8).hexdigest()

    def on(self, device: Device) -> KernelHandle:
        """Loaded on a device, once; again after the device was reset."""
        with self._loading:
            known = self._handles.get(device)
            if known is None or known.stale:
                if isinstance(self._source, Kernel):
                    known = self._source.on(device)
                else:
                    known = device.load(self._source)[self.name]
                self._handles[device] = known
            return known
