"""Attention forward, backward, decoding, of sequences of different lengths, the cache of keys and values, and rotary embedding.

May import everything up to `builder`, and of the kernels the frame (`cases`, `plan`, ...) and other rooms.
"""
