"""Attention of any library's arrays, forward and backward, packed, decoding, and the cache of keys and values.

May import everything up to `runtime`, and `ptxgen.ops`' `arguments`, `operands` and `scratch`.
"""
