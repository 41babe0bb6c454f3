"""Kernels that compute each element by itself or move it: arithmetic, dropout, optimisers, embedding, permutation.

May import everything up to `builder`, and of the kernels the frame (`cases`, `plan`, ...) and other rooms.
"""
