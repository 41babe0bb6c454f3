#!/usr/bin/env python3
"""What a call of an operator of PyTorch costs on the host: y = a x + b, two tensors, a number and a new result.

    tools/bench/torch_calls.py [--json] [--tiny] [--device cpu|cuda] [--rounds N]

On a GPU: microseconds a call, median of rounds, the queue drained in between, for tensors of 1,024 elements, so that the host is
what takes the time. The floor is cuLaunchKernel of an empty kernel in a loop of machine code. Peers in the same rounds: the same
operator written in C++ (torch_extension.cu, built here with nvcc), in Triton as a function and by `torch.library.custom_op`, and
PyTorch's own `torch.add(b, x, alpha=a)`. `in place` has no new result.

On the CPU device: the same operator on CPU tensors, which are reached where they are, beside copies into arrays of the device and
back, for 1,024 elements and for 16 MiB each.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import ptxgen as px
from ptxgen import f32, u32
from tools.bench._command import command, print_json
from tools.bench.launch import Call, idle, machine_loop, measure, optional, rows_of

N = 1024


@px.kernel
def scale_add(k: px.Builder, n: u32, a: f32, x: px.ptr[f32], b: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = k.fma(a, x[i], b[i])


def operators() -> tuple[Any, Any]:
    """(with a new result, with one that is given)."""
    import torch

    launch: dict[str, Any] = {
        "grid": lambda x: -(-x.numel() // 256), "block": 256, "scalars": {"n": lambda x: x.numel()},
    }  # fmt: skip
    made = px.torch.custom_op(
        "bench::scale_add", scale_add, **launch, out={"y": lambda x: torch.empty_like(x)},
        backward=lambda gradient, a: {"x": a * gradient, "b": gradient}, vmap="elementwise",
    )  # fmt: skip
    return made, px.torch.custom_op("bench::scale_add_", scale_add, **launch, mutates=("y",))


# --- on a GPU ---------------------------------------------------------------------------------------------------------


def ours(dev: px.Device) -> dict[str, Call]:
    import torch

    made, given = operators()
    x, b, y = (torch.ones(N, device="cuda") for _ in range(3))
    names = {"op": made, "op_": given, "x": x, "b": b, "y": y, "r": x.clone().requires_grad_()}
    names |= {"packet": torch.ops.bench.scale_add, "empty_like": torch.empty_like}
    calls = {
        "operator": ("op(2.0, x, b)", names), "operator, torch.ops.bench.scale_add": ("packet(2.0, x, b)", names),
        "operator, in place": ("op_(2.0, x, b, y)", names), "operator, gradient recorded": ("op(2.0, r, b)", names),
        "the new result alone, torch.empty_like": ("empty_like(x)", names),
        "launch alone": ("f(1024, 2.0, px, pb, py)", {"f": scale_add.bind(4, 256, device=dev), **_addresses(x, b, y)}),
    }  # fmt: skip
    return calls


def _addresses(*tensors: Any) -> dict[str, int]:
    return {name: each.data_ptr() for name, each in zip(("px", "pb", "py"), tensors)}


def extension(dev: px.Device) -> dict[str, Call]:
    """The operator in C++. RuntimeError with the compiler's words where it is not built."""
    import torch
    from torch.utils.cpp_extension import include_paths, library_paths

    source = Path(__file__).with_name("torch_extension.cu")
    made = Path(tempfile.mkdtemp()) / "torch_extension.so"
    build = [
        "nvcc",
        "-O2",
        "-std=c++20",
        "-shared",
        "-Xcompiler",
        "-fPIC",
        f"-arch={dev.target}",
        "-o",
        str(made),
        str(source),
    ]
    build += [f"-I{each}" for each in include_paths("cuda")]
    for each in library_paths("cuda"):
        build += [f"-L{each}", f"-Xlinker=-rpath={each}"]
    build += ["-lc10", "-lc10_cuda", "-ltorch", "-ltorch_cpu", "-ltorch_cuda"]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    torch.ops.load_library(made)
    x, b = (torch.ones(N, device="cuda") for _ in range(2))
    return {"C++ extension": ("op(x, b, 2.0)", {"op": torch.ops.bench_extension.scale_add.default, "x": x, "b": b})}


def triton(dev: px.Device) -> dict[str, Call]:
    import torch
    import triton as compiler
    import triton.language as tl

    @compiler.jit  # type: ignore[untyped-decorator]
    def kernel(n, a, x, b, y, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, a * tl.load(x + i, i < n) + tl.load(b + i, i < n), i < n)

    def function(x: Any, b: Any, a: float) -> Any:
        y = torch.empty_like(x)
        kernel[(compiler.cdiv(x.numel(), 256),)](x.numel(), a, x, b, y, BLOCK=256)
        return y

    schema = "(Tensor x, Tensor b, float a) -> Tensor"
    decorated = torch.library.custom_op("bench_triton::scale_add", function, mutates_args=(), schema=schema)
    x, b = (torch.ones(N, device="cuda") for _ in range(2))
    names = {"f": function, "op": decorated, "x": x, "b": b}
    return {"Triton": ("f(x, b, 2.0)", names), "Triton in torch.library.custom_op": ("op(x, b, 2.0)", names)}


def torch_itself(dev: px.Device) -> dict[str, Call]:
    import torch

    x, b = (torch.ones(N, device="cuda") for _ in range(2))
    return {"PyTorch add": ("add(b, x, alpha=2.0)", {"add": torch.add, "x": x, "b": b})}


def on_gpu(rounds: int, tiny: bool) -> list[dict[str, Any]]:
    dev = px.device("cuda")
    mine = optional(dev, ours)
    calls = mine | optional(dev, extension, triton, torch_itself)
    kernel, stream = idle.on(dev).function, dev.stream()  # both are used until the last round
    loop = machine_loop(dev, "cuLaunchKernel", kernel.handle, stream.handle)
    found = measure(calls, {"C: cuLaunchKernel": loop}, 20 if tiny else 1_000, rounds, dev.synchronize)
    typical = {name: 1e6 * median(samples) for name, samples in found.items()}
    rows = rows_of(typical, "us", "C: cuLaunchKernel", ("C++", "Triton", "PyTorch"), list(mine))
    library = optional(dev, of_the_library)
    found = measure(library, {"C: cuLaunchKernel": loop}, 20 if tiny else 1_000, rounds, dev.synchronize)
    typical = {name: 1e6 * median(samples) for name, samples in found.items()}
    return rows + rows_of(
        typical, "us", "C: cuLaunchKernel", ("PyTorch",), [name for name in library if name[0] == "t"]
    )


def of_the_library(dev: px.Device) -> dict[str, Call]:
    """An operator of the library, whose results lie elsewhere in each call."""
    import torch

    x, weight = torch.ones(4, N, device="cuda"), torch.ones(N, device="cuda")
    names = {"ours": torch.ops.ptxgen.rms_norm, "theirs": torch.nn.functional.rms_norm, "x": x, "w": weight, "kept": []}
    turn = "kept.append(%s); len(kept) > 7 and kept.clear()"
    return {
        "torch.ops.ptxgen.rms_norm": (turn % "ours(x, w)", names),
        "PyTorch rms_norm": (turn % "theirs(x, (1024,), w)", names),
    }


# --- on the CPU device ------------------------------------------------------------------------------------------------


def on_cpu(rounds: int, tiny: bool) -> list[dict[str, Any]]:
    dev = px.device("cpu")
    rows = []
    arrays = [dev.zeros(N, f32) for _ in range(3)]
    launch = {
        "launch alone": ("f(1024, 2.0, x, b, y)", {"f": scale_add.bind(4, 256, device=dev), **dict(zip("xby", arrays))})
    }
    rows += _cpu_rows(launch, {}, "1,024 elements", 10 if tiny else 1_000, rounds, dev.synchronize)
    if importlib.util.find_spec("torch") is None:
        print("without PyTorch: not installed (the extra `torch`)", file=sys.stderr)
        return rows
    import torch

    op = operators()[0]

    def copied(x: Any, b: Any) -> Any:
        n = x.numel()
        there, out = [dev.array(each.numpy()) for each in (x, b)], dev.empty(n, f32)
        scale_add[-(-n // 256), 256](n, 2.0, *there, out)
        return torch.from_numpy(out.numpy())

    for n, what, number in ((N, "1,024 elements", 1_000), (1 << 22, "16 MiB", 20)):
        x, b = (torch.ones(1024 if tiny else n) for _ in range(2))
        names = {"op": op, "copied": copied, "x": x, "b": b, "add": torch.add}
        mine = {"operator, reached in place": ("op(2.0, x, b)", names)}
        peers = {"copied in and out": ("copied(x, b)", names), "PyTorch add": ("add(b, x, alpha=2.0)", names)}
        rows += _cpu_rows(mine, peers, what, 2 if tiny else number, rounds, dev.synchronize)
    return rows


def _cpu_rows(
    mine: dict[str, Call], peers: dict[str, Call], what: str, number: int, rounds: int, wait: Callable[[], None]
) -> list[dict[str, Any]]:  # fmt: skip
    found = measure(mine | peers, {}, number, rounds, wait)
    typical = {name: 1e6 * median(samples) for name, samples in found.items()}
    floor = next(iter(mine))
    rows = (
        rows_of(typical, "us", floor, tuple(peers), list(mine))
        if peers
        else rows_of(typical, "us", floor, ("-",), list(mine))
    )
    return [{**row, "name": f"{row['name']}, {what}", "floor": None} for row in rows]


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    kind = options.device or px.device().kind
    rounds = 1 if options.tiny else options.rounds
    rows = on_gpu(rounds, options.tiny) if kind == "cuda" else on_cpu(rounds, options.tiny)
    if options.json:
        print_json(rows)
        return
    for row in rows:
        beside = ", ".join(f"{name} {value}" for name, value in row["peers"].items())
        print(f"{row['name']:46} {row['ours']:9} us  floor {row['floor']}" + (f"  ({beside})" if beside else ""))


if __name__ == "__main__":
    main()
