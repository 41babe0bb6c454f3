#!/usr/bin/env python3
"""The parser: MB/s beside pyptx, bytes of memory for each byte of text, and what a keystroke in a document costs.

    tools/bench/parse.py [--json] [--tiny] [FILE.ptx ...]

Without files, the pinned kernels of golden/ and a kernel of 100,000 lines. The peer is read from this Python or from the one
that PTXGEN_PEERS names; where pyptx is not there, its column is absent. Both parse in a process of their own, by turns.
"""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ptxgen.text import parse
from ptxgen.text.document import Document
from tools.bench._command import command, print_json
from tools.bench._large_ptx import PROGRAMS

ROOT = Path(__file__).resolve().parents[2]
_PEER = """
import json, sys, time
from pyptx.parser import parse
texts = [open(name).read() for name in sys.argv[2:]]
best = None
for _ in range(int(sys.argv[1])):
    began = time.process_time()
    for text in texts:
        parse(text)
    spent = time.process_time() - began
    best = spent if best is None else min(best, spent)
print(json.dumps(sum(map(len, texts)) / 1e6 / best))
"""


def throughput(texts: list[str], times: int) -> float:
    """MB/s of the processor's time, the best of some times."""
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        for text in texts:
            parse(text)
        best = min(best, time.process_time() - began)
    return sum(map(len, texts)) / 1e6 / best


def peer_throughput(paths: list[Path], times: int) -> float | None:
    """That of pyptx; None where it is not there or refuses a text."""
    python = os.environ.get("PTXGEN_PEERS", sys.executable)
    done = subprocess.run(
        [python, "-c", _PEER, str(times), *map(str, paths)], capture_output=True, text=True, check=False, cwd="/"
    )
    if done.returncode:
        print(f"no pyptx: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return float(json.loads(done.stdout))


def memory(text: str) -> tuple[float, float]:
    """Bytes for each byte of text: what the module keeps, and the most while it is parsed."""
    gc.collect()
    tracemalloc.start()
    module = parse(text)
    gc.collect()
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del module
    return kept / len(text), most / len(text)


def keystrokes(text: str, count: int) -> list[float]:
    """Milliseconds of each edit: a digit typed before a `;` somewhere, and deleted again; sorted."""
    document = Document(text)
    rng = random.Random(1)
    spent: list[float] = []
    for _ in range(count):
        place = document.position(text.index(";", rng.randrange(len(text) * 9 // 10)))
        for end, typed in ((place, "1"), ((place[0], place[1] + 1), "")):
            began = time.process_time()
            document = document.edit(place, end, typed)
            spent.append((time.process_time() - began) * 1e3)
    return sorted(spent)


def row(name: str, unit: str, ours: float, peers: dict[str, float], ratio: float | None) -> dict[str, Any]:
    return {"name": name, "unit": unit, "ours": ours, "peers": peers, "ratio": ratio, "floor": None}


def rows(texts: dict[str, list[Path]], large: str, times: int) -> list[dict[str, Any]]:
    """The texts of each name together, and the large one."""
    found: list[dict[str, Any]] = []
    for name, paths in texts.items():
        read = [path.read_text() for path in paths]
        ours, peer = throughput(read, times), peer_throughput(paths, times)
        peers = {} if peer is None else {"pyptx": peer}
        found.append(row(f"parse {name}", "MB/s", ours, peers, None if peer is None else ours / peer))
        kept, most = memory(max(read, key=len))
        found.append(row(f"kept {name}", "bytes/byte", kept, {}, None))
        found.append(row(f"most {name}", "bytes/byte", most, {}, None))
    strokes = keystrokes(large, 4 * times)
    began = time.process_time()
    parse(large)
    whole = (time.process_time() - began) * 1e3
    name = f"of {large.count(chr(10)):,} lines"
    median = strokes[len(strokes) // 2]
    found.append(row(f"keystroke {name}", "ms", median, {"a whole parse": whole}, whole / median))
    found.append(row(f"slowest keystroke {name}", "ms", strokes[-1], {"a whole parse": whole}, whole / strokes[-1]))
    return found


def main() -> None:
    parser = command(__doc__, on="the figures are of the host: no device is used")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.ptx")
    options = parser.parse_args()
    goldens = sorted((ROOT / "golden").glob("*/*.ptx"))
    texts = {path.stem: [path.resolve()] for path in options.files} or {
        "goldens": goldens[:2] if options.tiny else goldens
    }
    large = PROGRAMS["registers_used_once"](600 if options.tiny else 100_000)
    measured = rows(texts, large, 1 if options.tiny else 9)
    if options.json:
        print_json(measured)
        return
    for each in measured:
        beside = "".join(f"   {name} {value:.3g}" for name, value in each["peers"].items())
        ratio = f"   {each['ratio']:.1f} times" if each["ratio"] else ""
        print(f"{each['name']:40} {each['ours']:9.2f} {each['unit']}{beside}{ratio}")


if __name__ == "__main__":
    main()
