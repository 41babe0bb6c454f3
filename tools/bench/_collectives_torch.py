"""torch.distributed's side of collectives.py: a process for each device; prints {what: milliseconds of the slowest}."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def timed(run: Callable[[], Any], rounds: int, batch: int) -> float:
    """The median of rounds, on the slowest rank."""
    for _ in range(3):
        run()
    found = []
    for _ in range(rounds):
        dist.barrier()
        torch.cuda.synchronize()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(batch):
            run()
        end.record()
        torch.cuda.synchronize()
        found.append(begin.elapsed_time(end) / batch)
    slowest = torch.tensor([median(found)], device="cuda")
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return float(slowest.item())


def work(rank: int, given: dict[str, Any]) -> None:
    """One rank."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517", NCCL_NVLS_ENABLE="0")
    torch.cuda.set_device(rank)
    size, rounds, batch = given["size"], given["rounds"], given["batch"]
    dist.init_process_group("nccl", rank=rank, world_size=size)
    found = {}
    for nbytes in given["sizes"]:
        found[f"all_reduce {nbytes}"] = timed(
            partial(dist.all_reduce, torch.zeros(nbytes // 4, device="cuda")), rounds, batch
        )
    m, k, n = given["shape"]
    a = torch.randn(m, k // size, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(k // size, n, device="cuda", dtype=torch.bfloat16)
    y = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)

    def product() -> None:
        torch.matmul(a, b, out=y)
        dist.all_reduce(y)

    found["product"] = timed(product, rounds, batch)
    if rank == 0:
        print(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    mp.spawn(work, (options,), options["size"])
