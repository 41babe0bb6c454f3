#!/usr/bin/env python3
"""Circles of modules that import each other, by every import there is: at the top, for type checking, inside functions.

    tools/import_circles.py                  every circle of both packages, the largest first, with its size
    tools/import_circles.py --limit 8        exit status 1 if one has more files than that
    tools/import_circles.py --why A B        the imports by which module A leads to module B, one line each

import-linter holds the floors; a circle is what it cannot see, within one floor.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import deque
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("ptxgen", "driver_ctypes")

Graph = dict[str, dict[str, int]]
"""Of each module, the modules that it imports and the line of the first import."""


class Source(NamedTuple):
    """A module and its text."""

    name: str
    path: Path
    is_package: bool


def sources(root: Path = ROOT, packages: tuple[str, ...] = PACKAGES) -> dict[str, Source]:
    """Every module of the packages by its dotted name."""
    found = {}
    for package in packages:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            found[name] = Source(name, path, is_package)
    return found


def import_graph(root: Path = ROOT, packages: tuple[str, ...] = PACKAGES) -> Graph:
    """Who imports whom. A package that is passed through on the way to a module does not count as imported."""
    modules = sources(root, packages)
    graph: Graph = {name: {} for name in modules}
    for source in modules.values():
        for node in ast.walk(ast.parse(source.path.read_text())):
            for name in _imported(node, source, modules):
                if name != source.name:
                    graph[source.name].setdefault(name, node.lineno)  # type: ignore[attr-defined]
    return graph


def _imported(node: ast.AST, source: Source, modules: dict[str, Source]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in modules]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        package = source.name.split(".")[: None if source.is_package else -1]
        package = package[: len(package) - node.level + 1]
        base = ".".join([*package, *([base] if base else [])])
    found = []
    for alias in node.names:
        full = f"{base}.{alias.name}"
        found += [full] if full in modules else [base] if base in modules else []
    return found


def circles(graph: Graph) -> list[list[str]]:
    """The strongly connected components of more than one module, the largest first (Tarjan's algorithm, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            name, edges = work[-1]
            for target in edges:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph[target])))
                    break
                if target in on_stack:
                    low[name] = min(low[name], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    circle = stack[at:]
                    del stack[at:]
                    on_stack.difference_update(circle)
                    if len(circle) > 1:
                        found.append(sorted(circle))
    return sorted(found, key=lambda circle: (-len(circle), circle))


def closure(graph: Graph, *roots: str) -> set[str]:
    """Every module that the roots lead to, packages on the way included: Python runs those first."""
    seen: set[str] = set()
    waiting = [name for name in graph if any(name == root or name.startswith(f"{root}.") for root in roots)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph[name]
            parent = name.rpartition(".")[0]
            waiting += [parent] if parent else []
    return seen


def way(graph: Graph, start: str, end: str) -> list[str]:
    """The shortest chain of imports from one module to another, each as `module:line imports module`; [] if there is none."""
    before: dict[str, str] = {start: ""}
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        if name == end:
            break
        for target in graph[name]:
            if target not in before:
                before[target] = name
                waiting.append(target)
    if end not in before:
        return []
    chain = [end]
    while before[chain[-1]]:
        chain.append(before[chain[-1]])
    chain.reverse()
    return [f"{a}:{graph[a][b]} imports {b}" for a, b in pairwise(chain)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="the most files that a circle may have")
    parser.add_argument("--why", nargs=2, metavar="MODULE", help="the chain of imports from one module to another")
    options = parser.parse_args()
    graph = import_graph()
    if options.why:
        if unknown := [name for name in options.why if name not in graph]:
            parser.error(f"no module {', '.join(unknown)}")
        chain = way(graph, *options.why)
        print("\n".join(chain) or f"{options.why[0]} does not lead to {options.why[1]}")
        return 0 if chain else 1
    found = circles(graph)
    for circle in found:
        print(f"{len(circle):3} {' '.join(circle)}")
    if not found:
        print("no circle")
    return int(options.limit is not None and any(len(circle) > options.limit for circle in found))


if __name__ == "__main__":
    sys.exit(main())
