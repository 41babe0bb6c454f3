"""Calls: their parts, what the functions called do that matters to the caller, and a kernel with their bodies in their place.

May import bodies and what is below.
"""
