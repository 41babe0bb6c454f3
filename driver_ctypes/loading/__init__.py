"""The driver: where its library is, the table of its functions, and what is missing where it does not start.

`libcuda` finds the library, `table` is the driver as its functions, devices and log, `checking` holds arguments against
the prototypes, `drivers` has the names by which drivers are known. `host` reads what the machine's files say,
`diagnosis` puts all of it together. A new place of libcuda is a line of `libcuda`; a new cause of trouble is a `Finding` of
`diagnosis`; a new function of the driver is a row of ``abi.functions``, and nothing here.

May import abi, errors, given, results, lifetime, caches and trampoline.
"""
