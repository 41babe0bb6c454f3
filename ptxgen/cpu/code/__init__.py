"""Machine code and where it comes from: `identity` says what it depends on, `compiler` where llvmlite lies; `elf` places an
object file in `memory`; `loading` and `texts` make functions of object files and of LLVM texts. LLVM itself is in
`ptxgen.cpu.jit`, where code is kept between processes in `ptxgen.stores`.
"""
