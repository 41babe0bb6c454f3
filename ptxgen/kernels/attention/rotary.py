"""Rotary position embedding: pairs of elements of each head, turned by the angles of the token's position.

Shapes: x[tokens, heads, d] -> y, of bf16, f16 or f32, any strides of tokens and heads; cos and sin [positions, d/2] of f32;
positions[tokens] of s32, or without them the token's number modulo `length`. (a, b) becomes (a cos - b sin, a sin + b cos), in
f32,
where a and b are elements j and j + d/2 (GPT-NeoX, Llama), or `interleaved` 2j and 2j + 1 (GPT-J). `inverse` turns the other way,
which is the backward. y may be x.

Floor: x is read and y written; cos and sin are shared by the heads of a token and come from the cache.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ptxgen.builder import Builder, bf16, f16, f32, kernel, ptr, s32, u32, u64
from ptxgen.builder.values import Float
from ptxgen.kernels.blocks.tiles import as_vectors, load, store
from ptxgen.kernels.cases import Case, HostArray, Tolerance, Variant, normal, smallest, unit_roundoff
from ptxgen.kernels.plan import KernelPlan, ceil_div, common_alignment, grid_for, using, widest_vector

if TYPE_CHECKING:
    import numpy as np

__all__ = ["KERNEL", "VARIANTS", "load_angles", "load_pairs", "plan", "rotary", "store_pairs", "turned_pairs"]

E = TypeVar("E", bound=Float)

THREADS = 256


@kernel(max_threads=THREADS)
def rotary(
    k: Builder, count: u32, heads: u32, length: u32, x: ptr[E], x_token: u64, x_head: u64, y: ptr[E], y_token: u64, y_head: u64,
    cos: ptr[f32], sin: ptr[f32], positions: ptr[s32],
    *, element: type[E], half: int, vector: int, interleaved: bool = False, inverse: bool = False, located: bool = False,
) -> None:  # fmt: skip
    """A thread has `vector` pairs; `count` threads in all."""
    pieces = half // vector
    number = k.global_id.x
    with k.if_(number < count):
        row = number // pieces
        piece = number - row * pieces
        token = row // heads
        head = row - token * heads
        place = positions[token].bits(u32) if located else token % length
        angle = place.to(u64) * half + (piece * vector).to(u64)
        turn = [load_angles(each.at(angle), vector) for each in (cos, sin)]
        source = x.at(k.fma(token.to(u64), x_token, head.to(u64) * x_head))
        target = y.at(k.fma(token.to(u64), y_token, head.to(u64) * y_head))
        pairs = load_pairs(source, piece, half, vector, interleaved)
        store_pairs(target, piece, half, vector, interleaved, turned_pairs(k, pairs, turn, element, inverse=inverse))


Pairs = tuple[list[Any], list[Any]]
"""The first and the second elements of a thread's pairs."""


def load_angles(source: Any, vector: int) -> list[Any]:
    """The cosines, or sines, of `vector` pairs."""
    many = min(vector, 4)
    return [v for at in range(0, vector, many) for v in load(as_vectors(source, many), at // many)]


def load_pairs(source: Any, piece: Any, half: int, vector: int, interleaved: bool) -> Pairs:
    """Piece number `piece` of a head, `vector` pairs, from the head's first element on."""
    if interleaved:
        mixed = [v for part in range(2) for v in load(as_vectors(source, vector), piece * 2 + part)]
        return mixed[::2], mixed[1::2]
    return load(as_vectors(source, vector), piece), load(as_vectors(source, vector), piece + half // vector)


def turned_pairs(k: Builder, pairs: Any, turn: Any, element: Any, *, inverse: bool = False) -> Pairs:
    """The pairs by the cosines and sines of `turn`, rounded to the element."""
    one, other = [], []
    for a, b, c, s in zip(*pairs, *turn):
        p, q = a.to(f32), b.to(f32)
        turned = -s if inverse else s
        one.append(k.fma(p, c, -(q * turned)).to(element))
        other.append(k.fma(p, turned, q * c).to(element))
    return one, other


def store_pairs(target: Any, piece: Any, half: int, vector: int, interleaved: bool, pairs: Pairs) -> None:
    """Back to where `load_pairs` found them, of another head."""
    one, other = pairs
    if interleaved:
        mixed = [each for pair in zip(one, other) for each in pair]
        for part in range(2):
            store(as_vectors(target, vector), piece * 2 + part, mixed[part * vector : (part + 1) * vector])
    else:
        store(as_vectors(target, vector), piece, one)
        store(as_vectors(target, vector), piece + half // vector, other)


KERNEL = rotary


def plan(
    tokens: int, heads: int, d: int, x: Any, y: Any, cos: Any, sin: Any, positions: Any = None,
    *, x_strides: tuple[int, int], y_strides: tuple[int, int], length: int, element: Any = bf16,
    interleaved: bool = False, inverse: bool = False, vector: int | None = None,
) -> KernelPlan:  # fmt: skip
    """Strides in elements from token to token and from head to head; `length`: rows of cos and sin."""
    if vector is None:
        steps = [*x_strides, *y_strides, d // 2]
        vector = widest_vector(element.isa.bytes, common_alignment(x, y), *steps)
        if common_alignment(cos, sin) < min(16, 4 * vector):
            vector = 1
    launch = using(
        rotary, element=element, half=d // 2, vector=vector, interleaved=interleaved, inverse=inverse,
        located=positions is not None,
    )  # fmt: skip
    count = tokens * heads * ceil_div(d // 2, vector)
    arguments = (
        count, heads, max(1, length), x, *x_strides, y, *y_strides, cos, sin, 0 if positions is None else positions,
    )  # fmt: skip
    return KernelPlan(launch, grid_for(count, THREADS), THREADS, arguments)


def _case(
    size: tuple[int, int, int], rng: np.random.Generator, *, element: type[Float], vector: int, d: int, interleaved: bool,
    inverse: bool, located: bool,
) -> Case:  # fmt: skip
    import numpy as np

    tokens, heads, length = size
    x = normal(rng, (tokens, heads, d), element)
    angles = rng.uniform(-4, 4, (length, d // 2))
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    places = (
        rng.integers(0, length, tokens).astype(np.int32)
        if located
        else np.arange(tokens, dtype=np.int32) % max(length, 1)
    )
    wide = x.values.astype(np.float64)
    a, b = (wide[..., ::2], wide[..., 1::2]) if interleaved else (wide[..., : d // 2], wide[..., d // 2 :])
    c, s = cos[places][:, None].astype(np.float64), (-1 if inverse else 1) * sin[places][:, None].astype(np.float64)
    one, other = a * c - b * s, a * s + b * c
    exact = (
        np.stack([one, other], axis=-1).reshape(wide.shape) if interleaved else np.concatenate([one, other], axis=-1)
    )
    size_ = abs(a) + abs(b)
    limit = np.repeat(size_, 2, axis=-1) if interleaved else np.concatenate([size_, size_], axis=-1)
    return Case(
        arrays={
            "x": x, "y": normal(rng, (tokens, heads, d), element), "cos": HostArray(cos, f32), "sin": HostArray(sin, f32),
            "positions": HostArray(places, s32),
        },
        plan=lambda on: plan(
            tokens, heads, d, on["x"], on["y"], on["cos"], on["sin"], on["positions"] if located else None,
            x_strides=(heads * d, d), y_strides=(heads * d, d), length=length, element=element, interleaved=interleaved,
            inverse=inverse, vector=vector,
        ),
        expected={"y": exact},
        tolerance=Tolerance(
            limit * 3 * 2.0**-24 + abs(exact) * unit_roundoff(element) + smallest(element), "three roundings, one to the type"
        ),
    )  # fmt: skip


def _variant(element: type[Float], vector: int, d: int, **how: bool) -> Variant:
    flags: dict[str, Any] = {name: how.get(name, False) for name in ("interleaved", "inverse", "located")}
    return Variant(
        "rotary",
        ".".join([f"{element.isa.name}.d-{d}", *(name for name, there in flags.items() if there)]),
        using(rotary, element=element, half=d // 2, vector=vector, **flags),
        partial(_case, element=element, vector=vector, d=d, **flags),
        sizes=((0, 2, 1), (1, 1, 1), (7, 3, 5)),
    )


VARIANTS = (
    _variant(bf16, 8, 128, located=True),
    _variant(f16, 8, 64, interleaved=True),
    _variant(f32, 4, 64, inverse=True),
    _variant(f32, 1, 6),
)
