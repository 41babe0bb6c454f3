"""The CPU device against a GPU: the same programs on both, with drawn operands, and how far their results are apart.

A family is a file with CASES: a row says what a kernel reads, its instruction, and how operands are drawn. `run.py` runs them.
"""
