"""libcuda.so.1 of our own: programs that call the CUDA driver run on the CPU device, unchanged.

`library` writes the shared object and the tools beside it; `code` is its machine code, `shared_object` the ELF file, `exports`
the names; `process` is what it has Python do, `environment` what a program that is to use it is started with; `ptxas` stands
where NVIDIA's assembler does. May import the emulated driver and what is below it; only the command line imports it.
"""
