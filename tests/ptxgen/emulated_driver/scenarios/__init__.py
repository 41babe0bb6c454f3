"""Short programs for a CUDA driver, each of which writes down what the driver answered.

The same programs run on a GPU's driver and on the emulated one. `data/h200.json` has the answers of an H200 with
driver 580 (CUDA 13.0); `test_driver_conformance.py` compares the emulated driver's with them. To record again, from the
repository's root, on a machine with a GPU:

    python -m tests.ptxgen.emulated_driver.scenarios record tests/ptxgen/cpu/data/h200.json

Each program gets a fresh process there: some poison their context, and a driver that crashes is an answer too.
"""

from __future__ import annotations

from tests.ptxgen.emulated_driver.scenarios import (
    basics,
    captures,
    faults,
    graphs,
    launches,
    memory,
    modules,
    occupancies,
    regions,
    sharing,
    streams,
    tensormaps,
    virtual,
)
from tests.ptxgen.emulated_driver.scenarios.base import SCENARIOS, Cu, run

__all__ = [
    "SCENARIOS", "Cu", "basics", "captures", "faults", "graphs", "launches", "memory", "modules",
    "occupancies", "regions", "run", "sharing", "streams", "tensormaps", "virtual",
]  # fmt: skip
