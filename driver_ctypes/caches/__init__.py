"""Code that was compiled before: this package's caches on disk, and the settings of the driver's own.

`folder` says where caches lie. `entries` is one file of a cache, `code` a cache as a whole, `cubins` the one of what the
driver compiled, `process` those that loads use by themselves. `jit` sets the driver's cache before the driver starts.
What a key depends on is said where code is compiled: `modules.linker.code_key`.

May import errors, lifetime and validate.
"""
