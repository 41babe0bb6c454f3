"""From blocks of PTX to LLVM text: `warp.py` writes the function that runs a warp, the chapters lower single instructions.

To add an instruction, add a function to the file of its chapter in the manual; registry.py says how.
"""
