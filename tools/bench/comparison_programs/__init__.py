"""The same kernel and the same mistakes in each tool: tools/bench/comparison.py runs them, each in an environment of its own.

A program has the kernel between `# the kernel` and `# the end`, a function that gives its PTX for sm_90a, and a function for each
mistake that can be written in the tool: it raises where the tool finds the mistake without a GPU.
"""
