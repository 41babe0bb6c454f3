"""The driver: where its library is, and the table of its functions.

`libcuda` finds the library, `table` is the driver as its functions and its log, and holds arguments against the
prototypes. A new place of libcuda is a line of `libcuda`; a new function of the driver is a row of ``abi.functions``,
and nothing here. The names of drivers are in the room ``drivers``.

May import abi, errors, validate, results, lifetime, caches, machine_code and trampoline.
"""
