"""Launches: what CUDA checks of one, and its work (`kernel`), its `attributes`, and `occupancy`. A new launch attribute is a
line in `attributes`; where nodes of graphs keep it, `graphs.attributes` says so."""
