"""Programs of `tools/clients.py`, one for each client: what its users begin with. Each compares what it gets, and prints "right".

They are run in an environment of the client's own, where there is nothing of this clone but the package.
"""
