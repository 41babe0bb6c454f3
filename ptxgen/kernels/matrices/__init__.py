"""Products of matrices: dense, sparse, grouped, scaled, quantised, for each generation of tensor cores, and their epilogues.

May import everything up to `builder`, and of the kernels the frame (`cases`, `plan`, ...) and other rooms.
"""
