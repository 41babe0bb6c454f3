"""Caches of compiled code: this package's on disk, and the settings of the driver's own.

`folder` says where caches are, `private` opens folders to which no other user can have written. `entries` is one file of
a cache, `code` a cache as a whole, `cubins` the cache of cubins, `process` the caches that loads use by
default. `jit` sets the driver's cache before the driver starts.
`modules.linker.code_key` says what a key depends on.

May import errors, lifetime and validate.
"""
