"""Code: from `images` by `jit` and `linker` to a `module`, or to `libraries` without a context; their `functions`, and the
`device_runtime` that is linked into them. A new kind of image begins in `images`; a new option of the JIT in `jit`."""
