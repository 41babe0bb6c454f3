"""The CPU device against a GPU: the same programs on both, with drawn operands, and how far their results are apart.

A family is a file with a function of how many samples and which cases; it gives batches, functions that run the same samples
on any device. `run.py` names the families, runs them and compares.
"""
