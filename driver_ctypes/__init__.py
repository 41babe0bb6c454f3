"""A hand-written binding of the CUDA driver (libcuda), usable alone."""
