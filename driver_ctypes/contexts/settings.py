"""The settings of a context: limits, how threads wait for it, its cache configuration; and making it current."""

from __future__ import annotations

import ctypes

from driver_ctypes.primitives import contextmanager
from driver_ctypes.session.session import Session
from driver_ctypes.typing import TYPE_CHECKING
from driver_ctypes.validate import member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driver_ctypes.abi.enums import CUctx_flags, CUfunc_cache, CUlimit


class ContextSettings(Session):
    """The part of a `Context` that asks and sets how it behaves."""

    def limit(self, limit: CUlimit | int) -> int:
        """A limit's value, in bytes where it is of memory. Raises CudaError for one that the device does not have."""
        value = ctypes.c_size_t()
        self.call("cuCtxGetLimit", ctypes.byref(value), member(limit, "CUlimit", "limit"))
        return value.value

    def set_limit(self, limit: CUlimit | int, value: int) -> int:
        """Set a limit, and return the value that the driver set (it rounds). Raises CudaError for a value out of range."""
        self.call("cuCtxSetLimit", member(limit, "CUlimit", "limit"), value)
        return self.limit(limit)

    @property
    def flags(self) -> CUctx_flags:
        """How threads wait for its work, and what else it was made with."""
        from driver_ctypes.abi.enums import CUctx_flags

        value = ctypes.c_uint32()
        self.call("cuCtxGetFlags", ctypes.byref(value))
        return CUctx_flags(value.value)

    def set_flags(self, flags: CUctx_flags | int) -> None:
        """Change how threads wait for its work (CUDA 12.1)."""
        self.call("cuCtxSetFlags", member(flags, "CUctx_flags", "flags"))

    @property
    def cache_config(self) -> CUfunc_cache:
        """What kernels prefer: L1 cache, shared memory, or neither; a preference of the kernel comes first."""
        from driver_ctypes.abi.enums import CUfunc_cache

        value = ctypes.c_int()
        self.call("cuCtxGetCacheConfig", ctypes.byref(value))
        return CUfunc_cache(value.value)

    @cache_config.setter
    def cache_config(self, config: CUfunc_cache | int) -> None:
        self.call("cuCtxSetCacheConfig", member(config, "CUfunc_cache", "cache_config"))

    def reset_persisting_l2(self) -> None:
        """Reset all persisting lines of the L2 cache to normal."""
        self.call("cuCtxResetPersistingL2Cache")

    @contextmanager
    def current(self) -> Iterator[None]:
        """In the ``with`` body it is the calling thread's current context, for libraries that use the current context. This
        package's own calls do not need it.
        """
        self.check()
        self.driver.call("cuCtxPushCurrent_v2", self.handle)
        try:
            yield
        finally:
            self.driver.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
