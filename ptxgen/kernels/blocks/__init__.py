"""Device code that several kernels share: scans over a warp and a CTA, look-back, counters, tiles, ranks.

A file is one idea; functions take the builder first. No file here has variants of its own or imports another room
of kernels.
"""
