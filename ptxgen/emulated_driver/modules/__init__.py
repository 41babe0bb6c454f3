"""Programs: `images` (PTX and fat binaries), `jit` (PTX to a program of ptxgen.cpu, with logs as ptxas writes them), `disk` (the
cache of compiled code), `linker`, `device_runtime`; modules and libraries with their functions. May import `memory` and what is
below, ptxgen.text, ptxgen.verifier, ptxgen.cpu, and driver_ctypes.caches.
"""
