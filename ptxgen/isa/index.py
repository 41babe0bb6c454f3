"""Of each chapter in table/: the size of its file, and its opcodes with the effects and traits of their rows.

Written by tools/index_isa.py from the rows; do not edit. A chapter whose file has another size is read instead.
"""

__all__ = ["INDEX"]

INDEX: dict[str, tuple[int, dict[str, str]]] = {
    "integer": (
        8604,
        {
            "add": "pure commutes",
            "sub": "pure",
            "mul": "pure commutes",
            "mad": "pure",
            "mul24": "pure",
            "mad24": "pure",
            "sad": "pure",
            "div": "pure division",
            "rem": "pure division",
            "abs": "pure",
            "neg": "pure",
            "min": "pure commutes",
            "max": "pure commutes",
            "popc": "pure",
            "clz": "pure",
            "bfind": "pure",
            "fns": "pure",
            "brev": "pure",
            "bfe": "pure",
            "bfi": "pure",
            "szext": "pure",
            "bmsk": "pure",
            "dp4a": "pure",
            "dp2a": "pure",
            "clmad": "pure",
        },
    ),
    "extended": (
        364,
        {
            "addc": "carry",
            "subc": "carry",
            "madc": "carry",
        },
    ),
    "floating": (
        3055,
        {
            "testp": "pure",
            "copysign": "pure",
            "fma": "pure",
            "rcp": "pure",
            "sqrt": "pure",
            "rsqrt": "pure",
            "sin": "pure",
            "cos": "pure",
            "lg2": "pure",
            "ex2": "pure",
            "tanh": "pure",
        },
    ),
    "comparison": (
        4799,
        {
            "set": "pure",
            "setp": "pure",
            "selp": "pure",
            "slct": "pure",
        },
    ),
    "logic": (
        1244,
        {
            "and": "pure commutes",
            "or": "pure commutes",
            "xor": "pure commutes",
            "not": "pure",
            "cnot": "pure",
            "lop3": "pure",
            "shf": "pure",
            "shl": "pure shift",
            "shr": "pure shift",
            "prmt": "pure",
        },
    ),
    "sparse": (
        2020,
        {
            "spcompress": "",
            "spdecompress": "",
        },
    ),
    "movement": (
        29356,
        {
            "mov": "pure copy",
            "shfl": "converged warp repeatable",
            "ld": "reads orders load",
            "ldu": "reads load",
            "st": "writes orders store",
            "prefetch": "hint",
            "prefetchu": "hint",
            "applypriority": "hint",
            "discard": "hint acts",
            "createpolicy": "",
            "isspacep": "pure",
            "cvta": "pure copy",
            "cvt": "pure copy",
            "mapa": "pure",
            "getctarank": "pure",
            "cp": "reads writes orders protocol",
            "ldmatrix": "reads converged matrix rows",
            "stmatrix": "writes converged matrix rows",
            "movmatrix": "converged matrix",
        },
    ),
    "bulk": (
        38187,
        {
            "st": "writes orders protocol",
            "red": "reads writes orders protocol",
            "cp": "reads writes orders protocol",
            "applypriority": "protocol",
            "tensormap": "reads writes orders converged protocol",
            "multimem": "reads writes orders protocol",
        },
    ),
    "fabric": (
        5752,
        {
            "fabric": "reads writes orders converged protocol",
        },
    ),
    "texture": (
        4907,
        {
            "tex": "reads image",
            "tld4": "reads image",
            "txq": "image",
            "istypep": "image",
        },
    ),
    "surface": (
        3154,
        {
            "suld": "reads image",
            "sust": "writes image",
            "sured": "reads writes image",
            "suq": "image",
        },
    ),
    "control": (
        514,
        {
            "bra": "control branch",
            "brx": "control branch",
            "call": "control acts",
            "ret": "control ends",
            "exit": "control ends",
        },
    ),
    "synchronization": (
        20708,
        {
            "bar": "orders converged barrier protocol",
            "barrier": "orders barrier protocol",
            "membar": "orders fence",
            "fence": "orders fence",
            "atom": "reads writes orders atomic",
            "red": "reads writes orders atomic",
            "vote": "converged warp",
            "match": "converged warp",
            "activemask": "",
            "redux": "converged warp",
            "griddepcontrol": "orders protocol",
            "elect": "converged warp repeatable",
            "mbarrier": "reads writes orders protocol",
            "clusterlaunchcontrol": "writes protocol",
        },
    ),
    "wmma": (
        7229,
        {
            "wmma": "reads writes converged matrix",
        },
    ),
    "matrix": (
        12118,
        {
            "mma": "converged matrix",
        },
    ),
    "wgmma": (
        9059,
        {
            "wgmma": "reads orders converged matrix protocol",
        },
    ),
    "tcgen05": (
        5889,
        {
            "tcgen05": "reads writes orders converged matrix protocol",
        },
    ),
    "tcgen05_mma": (
        8680,
        {
            "tcgen05": "reads writes matrix protocol",
        },
    ),
    "stack": (
        466,
        {
            "stacksave": "stack protocol",
            "stackrestore": "stack protocol",
            "alloca": "stack protocol",
        },
    ),
    "video": (
        6535,
        {
            "vadd": "pure",
            "vsub": "pure",
            "vabsdiff": "pure",
            "vmin": "pure",
            "vmax": "pure",
            "vshl": "pure",
            "vshr": "pure",
            "vmad": "pure",
            "vset": "pure",
            "vadd2": "pure",
            "vsub2": "pure",
            "vavrg2": "pure",
            "vabsdiff2": "pure",
            "vmin2": "pure",
            "vmax2": "pure",
            "vset2": "pure",
            "vadd4": "pure",
            "vsub4": "pure",
            "vavrg4": "pure",
            "vabsdiff4": "pure",
            "vmin4": "pure",
            "vmax4": "pure",
            "vset4": "pure",
        },
    ),
    "miscellaneous": (
        732,
        {
            "brkpt": "control trap acts",
            "nanosleep": "acts",
            "pmevent": "acts",
            "trap": "control ends trap acts",
            "setmaxnreg": "converged protocol",
            "trace": "",
        },
    ),
}
