"""Caches of compiled code: this package's on disk, and the settings of the driver's own.

`folder` says where caches are, and opens folders to which no other user can have written. `code` is a cache and its
files, `process` the cache of cubins, and the caches that loads use by default. `jit` sets the driver's cache before the
driver starts. `modules.linker.code_key` says what a key depends on.

May import errors, lifetime and validate.
"""
