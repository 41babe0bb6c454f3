"""The functions of matrix instructions, one for each instruction and shared by all kernels.

functions    their names, and the text of one
fragments    registers of a warp into matrices and back, by the layouts of ptxgen.isa.layouts
moves        ldmatrix, stmatrix, movmatrix
products     mma and mma.sp: integers and f64
floats       the model of the tensor cores, for everything smaller
wmma, wgmma  theirs, on top of those
vectors      rows of numbers, as the text of LLVM has them
"""
