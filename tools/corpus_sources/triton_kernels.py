"""Triton kernels, compiled without a GPU: `python triton_kernels.py FOLDER ARCH...` writes a .ptx for each kernel and target."""

# Triton reads these functions, Python does not.
# mypy: ignore-errors

import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def softmax(out, x, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        left = tl.load(a + row[:, None] * k + (start + inner)[None, :], mask=row[:, None] < m, other=0.0)
        right = tl.load(b + (start + inner)[:, None] * n + column[None, :], mask=column[None, :] < n, other=0.0)
        total = tl.dot(left, right, total)
    tl.store(
        c + row[:, None] * n + column[None, :], total.to(tl.float16), mask=(row[:, None] < m) & (column[None, :] < n)
    )


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + at, mask=at < n, other=0), BINS)
    tl.atomic_add(out + tl.arange(0, BINS), counts, sem="relaxed")


@triton.jit
def scans(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, tl.cumsum(v, 0) + tl.sort(v))


@triton.jit
def normalise(x, w, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + at, mask=at < n, other=0.0).to(tl.float32)
        total += v * v
    scale = 1 / tl.sqrt(tl.sum(total, axis=0) / n + 1e-6)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * n + at, mask=at < n, other=0.0).to(tl.float32)
        tl.store(out + row * n + at, (v * scale * tl.load(w + at, mask=at < n)).to(tl.bfloat16), mask=at < n)


KERNELS = (
    ("add", add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 1024}),
    ("softmax", softmax, {"out": "*fp32", "x": "*fp32", "stride": "i32", "columns": "i32"}, {"BLOCK": 2048}),
    ("matmul", matmul, {**dict.fromkeys("abc", "*fp16"), **dict.fromkeys("mnk", "i32")}, {"M": 128, "N": 128, "K": 64}),
    (
        "matmul_small",
        matmul,
        {**dict.fromkeys("abc", "*fp16"), **dict.fromkeys("mnk", "i32")},
        {"M": 32, "N": 32, "K": 32},
    ),
    ("histogram", histogram, {"x": "*i32", "out": "*i32", "n": "i32"}, {"BLOCK": 1024, "BINS": 64}),
    ("scans", scans, {"x": "*i32", "out": "*i32"}, {"BLOCK": 512}),
    ("normalise", normalise, {"x": "*bf16", "w": "*bf16", "out": "*bf16", "n": "i32"}, {"BLOCK": 1024}),
)


def main(folder: str, *targets: str) -> None:
    for target in targets:
        for name, kernel, signature, constants in KERNELS:
            whole = {**signature, **dict.fromkeys(constants, "constexpr")}
            source = ASTSource(kernel, signature=whole, constexprs=constants)
            made = triton.compile(source, target=GPUTarget("cuda", int(target), 32), options={"num_warps": 4})
            Path(folder, f"triton-{name}.sm_{target}.ptx").write_text(made.asm["ptx"])


if __name__ == "__main__":
    main(*sys.argv[1:])
