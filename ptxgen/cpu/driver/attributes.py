"""Device attributes, by their numbers in CUdevice_attribute."""

ATTRIBUTES: dict[int, int] = {1: 1024, 10: 32, 16: 132}
