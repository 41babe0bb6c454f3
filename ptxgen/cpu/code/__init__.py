"""Where machine code comes from: `identity` says what it depends on, `compiler` where llvmlite lies. LLVM itself is in
`ptxgen.cpu.jit`, where code is kept between processes in `ptxgen.stores`; `driver_ctypes.machine_code` loads object files.
"""
