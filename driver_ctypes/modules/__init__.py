"""Code on a device: loading, linking, its kernels, and the compiler's log.

`module` loads for one context, `library` for all; `names` finds what is in them, kernels' parameters too. `images` says
what an image is, and reads parameters from PTX text; `linker` makes one cubin of many. `jitlog` reads the compiler's
log, `cubin` reads a cubin, `targets` which code a device can load. A line of the log that means something new is a
pattern of `jitlog`; an option of the compiler is one of its options there.

May import errors, results, lifetime, validate, caches, session, arguments and launch.
"""
