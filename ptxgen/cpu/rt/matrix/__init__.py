"""The functions of matrix instructions, one for each instruction and shared by all kernels.

functions    their names, and the text of one
fragments    registers of a warp into matrices and back, by the layouts of ptxgen.isa.layouts
moves        ldmatrix, stmatrix, movmatrix
products     mma and mma.sp
product      the matrices of integer and f64 products
floats       the model of the tensor cores, for everything smaller
tensor_cores its sums, of mma, wmma and wgmma
quads, numerals, sides         operands of those: in registers, as numbers with exponents, in the sums' order
wmma, wgmma  theirs, on top of those
tcgen05      tcgen05.mma, on top of floats; tcgen05_parameters, _request, _operands: what it is asked to do, and its A and B
tensor_memory, tensor_copies   tcgen05.ld and .st; .cp and .shift
shared_tiles, pairs            matrices in shared memory by their descriptors; the CTAs of an instruction
vectors      rows of numbers, as the text of LLVM has them
"""
