"""Reading images: helpers of generated code for textures and surfaces (manual 9.7.10, 9.7.11; CUDA programming guide, "Texture
Fetching").

texel.py reads an element, coordinates.py finds it, sampling.py filters several, levels.py chooses among the levels of a mipmap.
The records are those of ptxgen.cpu.textures. A new way to sample is a helper here and its lowering in lower/texture.py.
"""
