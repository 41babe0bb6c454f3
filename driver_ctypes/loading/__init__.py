"""The driver: where its library is, the table of its functions, and what is missing where it does not start.

`libcuda` finds the library, `drivers` holds the table and the names by which drivers are known, `host` reads what the
machine's files say, `diagnosis` puts it together. A new place of libcuda is a line of `libcuda`; a new cause of
trouble is a `Finding` of `diagnosis`; a new function of the driver is a row of ``abi``.

May import abi, errors, lifetime, caches and trampoline.
"""
