"""Code that was compiled before: this package's cache of cubins on disk, and the settings of the driver's own.

`folder` says where caches lie. `entries` is one file of the cache, `cubins` the cache as a whole, `process` the one
that loads use by themselves. `jit` sets the driver's cache before the driver starts. What a key depends on is said
where code is compiled: `modules.linker.code_key`.

May import errors only.
"""
