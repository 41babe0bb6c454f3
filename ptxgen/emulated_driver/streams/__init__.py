"""Functions of streams (`stream`, with host functions), of events, and of captures. What a stream runs is a `NodeWork`, and the
same object is what a capture makes a node of. May import `contexts` and what is below.
"""
