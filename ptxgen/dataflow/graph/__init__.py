"""Graphs: the control flow of a function and what follows from its shape alone.

`algorithms.py` is for any graph (the executor orders its blocks with it, too); the rest takes a `ControlFlow`, and for
registers what each instruction reads and writes, by number. No instruction is looked at except for what ends a block. To add an
algorithm that is not about PTX, write it into `algorithms.py`. May import ir.
"""
