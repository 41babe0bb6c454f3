"""Kernels over whole arrays: scan, reduction, radix sort, selection, histogram, gather, and the segments of sorted rows.

May import everything up to `builder`, and of the kernels the frame (`cases`, `plan`, ...) and other rooms.
"""
