"""Launches: their shape and what CUDA checks of it (`shapes`), the blocks that are resident (`residency`, the emulated
driver's own calculation), arguments and work (`kernels`), `attributes`, and the functions of `occupancy`. A new launch
attribute is a line in `attributes`; where nodes of graphs keep it, `graphs.attributes` says so. May import `modules` and what
is below.
"""
