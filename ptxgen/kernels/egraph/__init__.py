"""Kernels of equality saturation: classes, pairs of equal nodes, runs.

May import everything up to `builder`, and of the kernels the frame (`cases`, `plan`, ...) and other rooms.
"""
