"""Names that a room exports and loads on first use: `driver_ctypes.lazy`, under a name that every room may import; and what is
said where a room is loaded that was not installed.

The driver binding stands alone, so that the function is there; the rooms below `host` keep off the binding. At the bottom of the
floors, beside `errors`.
"""

from __future__ import annotations

import sys

from driver_ctypes.lazy import exports

__all__ = ["LIBRARY", "exports"]

LIBRARY = ("distributed", "jax", "kernels", "ops", "runtime", "torch", "tuning")
"""The rooms of the distribution ptxgen_kernels (tools/library/pyproject.toml)."""


class _Uninstalled:
    """The last finder that Python asks for a module, so it only hears of those that are not there."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        package, _, room = name.partition(".")
        if package == "ptxgen" and room in LIBRARY:
            message = (
                f"{name} belongs to the kernel library, which is not installed\n  Fix: pip install 'ptxgen[kernels]'"
            )
            raise ModuleNotFoundError(message, name="ptxgen_kernels")


sys.meta_path.append(_Uninstalled)
