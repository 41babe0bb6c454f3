"""JAX with two CPU devices, unless it was begun already."""

from __future__ import annotations

import os
import sys

if "jax" not in sys.modules:
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2".strip()
