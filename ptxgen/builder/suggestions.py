"""What the builder says of a method that it does not have: the one that is meant, or how to do without."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["hint_for"]

_MEANT = {
    "maximum": "max", "minimum": "min", "fmax": "max", "fmin": "min", "fabs": "abs", "where": "select", "selp": "select",
    "mad": "fma", "sqr": "sqrt", "reciprocal": "rcp", "recip": "rcp", "exponential": "exp", "ln": "log", "rint": "round",
    "isnan": "is_nan", "isinf": "is_inf", "isfinite": "is_finite", "popcount": "popc", "popcnt": "popc", "ffs": "ctz",
    "syncthreads": "barrier", "sync": "barrier", "bar_sync": "barrier", "shuffle": "shfl_idx", "shfl": "shfl_idx",
    "shfl_sync": "shfl_idx", "shfl_bfly": "shfl_xor", "vote": "any", "threadfence": "fence", "membar": "fence",
    "threadIdx": "tid", "thread_id": "tid", "blockIdx": "ctaid", "block_id": "ctaid", "blockDim": "ntid",
    "gridDim": "nctaid", "lane": "laneid", "lane_id": "laneid", "cas": "atomic_cas", "for_": "range", "loop": "range",
    "else_": "if_else", "elif_": "if_else", "return": "return_", "exit": "return_", "alloc": "local", "assert_": "trap",
    "cluster_id": "special", "variable": "var", "number": "const", "literal": "const",
}  # fmt: skip
_WITHOUT = {
    "pow": "k.exp2(y * k.log2(x)) for x above 0; a whole power is a product",
    "erf": "a polynomial of k.fma, with k.exp",
    "erfc": "a polynomial of k.fma, with k.exp",
    "tan": "k.sin(x) / k.cos(x)",
    "sinh": "(k.exp(x) - k.exp(-x)) * 0.5",
    "cosh": "(k.exp(x) + k.exp(-x)) * 0.5",
    "sigmoid": "k.rcp(1.0 + k.exp(-x))",
    "exp10": "k.exp2(x * 3.3219281)",
    "log10": "k.log2(x) * 0.30103",
    "cbrt": "k.exp2(k.log2(x) * 0.33333333) for x above 0",
    "printf": "store what is to be seen through a pointer, and print it on the host",
    "print": "store what is to be seen through a pointer, and print it on the host",
}


def hint_for(name: str, known: Iterable[str]) -> str:
    """The end of the message about a name that is missing; "" for names of Python's own protocols."""
    from difflib import get_close_matches  # only a mistake needs it

    if name.startswith("_"):
        return ""
    if name in _WITHOUT:
        return f", nor has PTX an instruction for it: {_WITHOUT[name]}"
    names = [each for each in known if not each.startswith("_")]
    meant = _MEANT.get(name)
    close = [meant] if meant in names else get_close_matches(name, names, n=3, cutoff=0.7)
    if close:
        return ": there is " + ", ".join(f"k.{each}" for each in close)
    return ": k.ptx has every instruction of PTX by its own name"
