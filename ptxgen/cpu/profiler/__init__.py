"""Counts what a launch does, instruction by instruction: executions, divergence, traffic, conflicts of banks.

    counters    what is counted of an operation, and where generated code counts it
    counting    what lowerings call through their `sanitizer.probe.Probe`; it writes calls, and nothing without the tool "profile"
    runtime     the functions that are called, in LLVM text
    launch      the counters of one launch
    counts      counts of an instruction as values
    collector   what launches have counted so far, by kernel and shape of launch

A profile is one more tool beside those of the sanitizer: the kernel is compiled once more for it, with every instruction where it
stands in the text, and without it a kernel has no trace of this room. A count to add is a field of `counters.FIELDS` and
what writes it in `counting`. May import what the rest of `cpu` may.
"""
