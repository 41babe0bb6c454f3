"""PyTorch itself; a ModuleNotFoundError that names the extra where it is not installed."""

from __future__ import annotations

from typing import Any

try:
    import torch as _torch
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ModuleNotFoundError(
        'ptxgen.torch needs PyTorch, the extra `torch`: pip install "ptxgen[torch]"', name="torch"
    ) from None

__all__ = ["torch"]

torch: Any = _torch
