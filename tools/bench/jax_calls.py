#!/usr/bin/env python3
"""What a call from JAX costs: y = 2 x of 1,024 elements, by a kernel of ours, beside XLA's own and a Pallas kernel.

    tools/bench/jax_calls.py [--json] [--tiny] [--device cpu|cuda] [--rounds N]

`handler`: nanoseconds of the handler's machine code, called in a loop with a frame as XLA makes it, at driver functions that do
nothing; JAX is not needed for it. The floor is cuLaunchKernelEx of the driver that does nothing, in the same loop.

The rest, where JAX is: microseconds a call, median of rounds. `alone` is one call from Python; `in a program` one of 100 that
follow each other in one jitted program; `function` the same by a function that launches from Python; `operation` is
`px.jax.silu`, which is replayed by machine code. Peers in the same rounds: a multiplication of XLA's own, kept apart from its
neighbours; on a GPU the same in Pallas (by Triton); on the CPU, where buffers are copied to the CPU device and back,
`jax.pure_callback` of numpy.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import ptxgen as px
from driver_ctypes.machine_code.texts import compile_functions
from ptxgen import f32, u32
from ptxgen.jax.handlers import KernelCall, Passed, State, new_handler
from tools.bench._command import command, print_json
from tools.bench._xla_frames import Xla

Row = dict[str, Any]
N, CHAIN = 1024, 100


@px.kernel
def twice(k: px.Builder, n: u32, x: px.ptr[f32], y: px.ptr[f32]) -> None:
    i = k.global_id.x
    with k.if_(i < n):
        y[i] = x[i] * 2.0


# --- the handler alone ------------------------------------------------------------------------------------------------

_NOTHING = """
define i32 @{name}.launch(ptr %config, ptr %function, ptr %parameters, ptr %extra) noinline {{
  ret i32 0
}}
define i32 @{name}.context(ptr %stream, ptr %context) noinline {{
  store ptr inttoptr (i64 4096 to ptr), ptr %context
  ret i32 0
}}
define ptr @{name}.stream(ptr %asked) noinline {{
  ret ptr null
}}
define void @{name}.loop(ptr %function, ptr %argument, i64 %times) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call ptr %function(ptr %argument)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""
"""Driver functions that do nothing, and a loop that calls a handler."""


def handler_row(rounds: int, times: int) -> Row:
    name = "f"
    parts = [f"{name}.{part}" for part in ("launch", "context", "stream", "loop")]
    launch, context, stream, loop = compile_functions(_NOTHING.format(name=name), *parts).values()
    call = KernelCall(
        (Passed("attribute", name="value.n"), Passed("operand", 0, types=(11,)), Passed("result", 0, types=(11,))),
        (256, 1, 1), 0, None, False,
    )  # fmt: skip
    serial = ctypes.c_uint64()
    state = State(launch=launch, context_of=context, loaded=1)
    state.entries[0].context, state.entries[0].function = 4096, 8192
    state.entries[0].last = ctypes.addressof(serial)
    xla = Xla(0)
    xla.api.stream_get = stream
    frame = xla.frame([("f32", 256, (N,))], [("f32", 256, (N,))], {"grid": [4, 1, 1], "value.n": N})
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(loop)
    called = {"handler": new_handler(state, call), "floor": launch}
    found = {
        what: _nanoseconds(partial(run, target, ctypes.addressof(frame), times), rounds, times)
        for what, target in called.items()
    }
    return _row("handler", "ns", found["handler"], {}, found["floor"])


def _nanoseconds(run: Callable[[], None], rounds: int, times: int) -> float:
    samples = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        run()
        samples.append((time.perf_counter() - began) / times * 1e9)
    return median(samples[1:])


# --- from JAX ---------------------------------------------------------------------------------------------------------


def called_functions() -> dict[str, Callable[[Any], Any]]:
    """y = 2 x by each: ours first."""
    import jax

    def launches(x: Any, y: Any) -> None:
        twice[-(-x.size // 256), 256](x.size, x, y)

    kernel = px.jax.custom_call(
        twice, grid=lambda x: -(-x.size // 256), block=256, scalars={"n": lambda x: x.size}, out={"y": lambda x: x}
    )
    found: dict[str, Callable[[Any], Any]] = {
        "kernel": kernel,
        "function": px.jax.custom_call(launches, out=lambda x: x),
        "operation": px.jax.silu,
        "XLA": lambda x: jax.lax.optimization_barrier(x * 2),
    }
    if jax.default_backend() == "gpu":
        found |= _pallas()
    else:
        found["pure_callback"] = lambda x: jax.pure_callback(lambda x: np.asarray(x) * np.float32(2), x, x)
    return found


def _pallas() -> dict[str, Callable[[Any], Any]]:
    """The same kernel in Pallas; empty where this JAX does not have it."""
    import jax

    try:
        from jax.experimental import pallas

        def body(x: Any, y: Any) -> None:
            y[...] = x[...] * 2

        call = pallas.pallas_call(
            body, jax.ShapeDtypeStruct((N,), "float32"), grid=(4,), in_specs=[pallas.BlockSpec((256,), lambda i: (i,))],
            out_specs=pallas.BlockSpec((256,), lambda i: (i,)),
        )  # fmt: skip
        jax.block_until_ready(jax.jit(call)(jax.numpy.ones(N, "float32")))
    except Exception as error:  # a peer's own affair
        print(f"without Pallas: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
        return {}
    return {"Pallas": call}


def jax_rows(rounds: int, tiny: bool) -> list[Row]:
    import jax

    x = jax.numpy.arange(N, dtype=jax.numpy.float32)
    chain = 2 if tiny else CHAIN

    def chained(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def program(x: Any) -> Any:
            for _ in range(chain):
                x = function(x)
            return x

        return program

    every = called_functions()
    alone = {name: jax.jit(function) for name, function in every.items()}
    programs = {name: jax.jit(chained(function)) for name, function in every.items()}
    for name, function in alone.items():
        assert name == "operation" or np.array_equal(function(x), np.arange(N) * 2), name
    times = 2 if tiny else (1000 if jax.default_backend() == "gpu" else 50)
    once, many = _microseconds(alone, x, rounds, times), _microseconds(programs, x, rounds, max(1, times // 20))
    rows = []
    mine = ("kernel", "function", "operation")
    for name in mine:
        peers = [other for other in every if other not in mine]
        rows.append(_row(f"{name}, alone", "us", once[name], {each: once[each] for each in peers}))
        rows.append(
            _row(f"{name}, in a program", "us", many[name] / chain, {each: many[each] / chain for each in peers})
        )
    return rows


def _microseconds(functions: dict[str, Any], x: Any, rounds: int, times: int) -> dict[str, float]:
    import jax

    samples: dict[str, list[float]] = {name: [] for name in functions}
    for round_ in range(rounds + 1):
        for name, function in functions.items():
            jax.block_until_ready(function(x))
            began = time.perf_counter()
            for _ in range(times):
                result = function(x)
            jax.block_until_ready(result)
            if round_:
                samples[name].append((time.perf_counter() - began) / times * 1e6)
    return {name: median(each) for name, each in samples.items()}


def _row(name: str, unit: str, ours: float, peers: dict[str, float], floor: float | None = None) -> Row:
    best = min(peers.values(), default=None)
    return {
        "name": name, "unit": unit, "ours": round(ours, 2), "peers": {each: round(value, 2) for each, value in peers.items()},
        "ratio": round(best / ours, 2) if best else None, "floor": None if floor is None else round(floor, 2),
    }  # fmt: skip


def main() -> None:
    parser = command(__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    if options.device == "cpu":
        os.environ["JAX_PLATFORMS"] = "cpu"
    rounds = 1 if options.tiny else options.rounds
    rows = [handler_row(rounds, 1000 if options.tiny else 1_000_000)]
    if find_spec("jax") is None:
        print("without JAX: the handler alone", file=sys.stderr)
    else:
        rows += jax_rows(rounds, options.tiny)
    if options.json:
        print_json(rows)
        return
    for row in rows:
        beside = "".join(f"   {name} {value}" for name, value in row["peers"].items())
        floor = "" if row["floor"] is None else f"   floor {row['floor']}"
        print(f"{row['name']:24} {row['ours']:9} {row['unit']}{floor}{beside}")


if __name__ == "__main__":
    main()
