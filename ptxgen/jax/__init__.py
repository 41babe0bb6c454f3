"""Kernels and operations as functions of JAX arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.jax.calls import CustomCall, custom_call

__all__ = ["CustomCall", "custom_call"]

_EXPORTS = {"calls": "CustomCall custom_call"}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
