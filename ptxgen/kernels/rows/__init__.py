"""Kernels over the rows of a matrix: softmax, norms and their gradients, the largest, samples; and sums of columns.

May import everything up to `builder`, and of the kernels the frame (`cases`, `plan`, ...) and other rooms.
"""
