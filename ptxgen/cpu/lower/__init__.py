"""From blocks of PTX to LLVM text: the chapters lower single instructions, and the rest makes a kernel of them.

    kernel_text    the whole, and what a launch has to know of it
    warp_function    the function that runs a warp
    warp_record    where it finds masks, registers and queues
    wgmma_registers    registers that wgmma has, and who else touches them
    needs    what a kernel needs of its launch
    context, checks    what a lowering works with, in one lane; checks of addresses that several accesses share
    sync    the same for operations among several lanes
    registry, operation    which lowering an operation has

To add an instruction, add a function to the file of its chapter in the manual; registry.py says how.
"""
