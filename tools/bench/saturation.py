#!/usr/bin/env python3
"""Equality saturation on the host, beside egglog's Python binding on the same rules.

    tools/bench/saturation.py [--json] [--tiny] [--device cpu] [--terms 5 6 7 8] [--depth 100]

`sum of n`: commuted and regrouped sums of n names, until nothing changes: 3^n - 2^(n+1) + 1 sums. `simplify n`: n nested
(x * 2) / 2 + 0, whose best term is x. Thousand nodes a second, of the nodes at the end and the time of all rounds; both sides
must end with the same number of nodes and a best term of the same cost. `stopped`: the sum of 20 names, ended by a limit, in
milliseconds: how long after 0.2 s it ended, and the time until 20,000 nodes were there, of which there must be no more.

egglog is asked for where it is installed (pip install egglog); else the rows have no peer, and standard error says so.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ptxgen.ops.egraph import EGraph, Rule, extract_best, saturate
from tools.bench._command import command, print_json

Term = tuple[Any, ...]

SUMS = [
    Rule("commute", ("+", "?a", "?b"), ("+", "?b", "?a")),
    Rule("regroup", ("+", ("+", "?a", "?b"), "?c"), ("+", "?a", ("+", "?b", "?c"))),
]
SIMPLIFY = [
    Rule("zero", ("+", "?a", ("0",)), "?a"),
    Rule("reassociate", ("/", ("*", "?x", "?y"), "?z"), ("*", "?x", ("/", "?y", "?z"))),
    Rule("cancel", ("/", "?x", "?x"), ("1",)),
    Rule("one", ("*", "?x", ("1",)), "?x"),
]


def sum_of(n: int) -> Term:
    term: Term = ("x0",)
    for index in range(1, n):
        term = ("+", term, (f"x{index}",))
    return term


def nested(n: int) -> Term:
    term: Term = ("x",)
    for _ in range(n):
        term = ("+", ("/", ("*", term, ("2",)), ("2",)), ("0",))
    return term


def added(egraph: EGraph, term: Term) -> int:
    op, *below = term
    return egraph.add(op, [added(egraph, each) for each in below])


def ours(term: Term, rules: list[Rule]) -> tuple[float, int, float]:
    """(seconds, nodes, cost of the best term)."""
    egraph = EGraph()
    root = added(egraph, term)
    found = saturate(egraph, rules)
    assert found.saturated
    return found.seconds, egraph.node_count, extract_best(egraph, root).cost


def by_egglog(term: Term, rules: list[Rule]) -> tuple[float, int, float]:
    """The same, by egglog's own language: its Python expressions become that too."""
    egglog: Any = importlib.import_module("egglog.bindings")
    forms: dict[tuple[str, int], str] = {}

    def shown(pattern: Any) -> str:
        if isinstance(pattern, str):
            return pattern[1:]
        op, *below = pattern
        name = forms.setdefault((op, len(below)), f"Op{len(forms)}")
        return f"({' '.join([name, *map(shown, below)])})"

    rewrites = [f"(rewrite {shown(rule.left)} {shown(rule.right)})" for rule in rules]
    root = f"(let $root {shown(term)})"
    datatype = " ".join(f"({' '.join([name, *['T'] * count])})" for (_, count), name in forms.items())
    egraph = egglog.EGraph()

    def run(text: str) -> Any:
        return egraph.run_program(*egraph.parse_program(text))

    run("\n".join([f"(datatype T {datatype})", *rewrites, root]))
    begin = time.perf_counter()
    run("(run-schedule (saturate (run)))")
    seconds = time.perf_counter() - begin
    sizes, best = run("(print-size)\n(extract $root)")
    names = set(forms.values())
    return seconds, sum(size for name, size in sizes.sizes if name in names), float(best.cost)


def peer_row(name: str, term: Term, rules: list[Rule], *, peer: bool) -> dict[str, Any]:
    seconds, nodes, cost = ours(term, rules)
    rate, peers = nodes / seconds / 1e3, {}
    if peer:
        theirs, *found = by_egglog(term, rules)
        assert found == [nodes, cost], f"{found} nodes and cost, ours {nodes} and {cost}"
        peers["egglog"] = nodes / theirs / 1e3
    ratio = rate / peers["egglog"] if peers else None
    name = f"{name}: {nodes} nodes, best term of {cost:g}"
    return {"name": name, "unit": "knodes/s", "ours": rate, "peers": peers, "ratio": ratio, "floor": None}


def stopped_row(limit: str, names: int, **limits: Any) -> dict[str, Any]:
    egraph = EGraph()
    added(egraph, sum_of(names))
    found = saturate(egraph, SUMS, **limits)
    assert found.stopped == limit, found.stopped
    assert egraph.node_count <= limits.get("most_nodes", egraph.node_count)
    late = found.seconds - limits.get("seconds", 0)
    name = f"stopped by {limit}, {egraph.node_count} nodes"
    return {"name": name, "unit": "ms", "ours": 1e3 * late, "peers": {}, "ratio": None, "floor": None}


def main() -> None:
    parser = command(__doc__, device="cpu")
    parser.add_argument("--terms", type=int, nargs="+", default=[5, 6, 7, 8])
    parser.add_argument("--depth", type=int, default=100)
    options = parser.parse_args()
    names, seconds, most_nodes = 20, 0.2, 20_000
    if options.tiny:
        options.terms, options.depth = [4], 5
        names, seconds, most_nodes = 12, 0.01, 200
    peer = importlib.util.find_spec("egglog") is not None
    if not peer:
        print("egglog is not installed (pip install egglog): no peer", file=sys.stderr)
    rows = [peer_row(f"sum of {n}", sum_of(n), SUMS, peer=peer) for n in options.terms]
    rows.append(peer_row(f"simplify {options.depth}", nested(options.depth), SIMPLIFY, peer=peer))
    rows.append(stopped_row("seconds", names, seconds=seconds))
    rows.append(stopped_row("nodes", names, most_nodes=most_nodes))
    if options.json:
        print_json(rows)
        return
    for row in rows:
        peers = "  ".join(f"{name} {value:.1f}" for name, value in row["peers"].items())
        print(
            f"{row['name']:56} {row['ours']:9.1f} {row['unit']}  {peers}"
            + (f"  {row['ratio']:.3f}x" if row["ratio"] else "")
        )


if __name__ == "__main__":
    main()
