"""Graphs as pictures: the DOT language, and SVG with a layout of our own.

DOT is for Graphviz, which draws large graphs better. The SVG needs nothing, as nothing in this package does: it shows a graph in
a notebook of a machine that has no Graphviz.
"""

from __future__ import annotations

from html import escape

from driver_ctypes.graphs.inventory import Walk, walked
from driver_ctypes.typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driver_ctypes.graphs.inventory import GraphNode

_COLOURS = {
    "kernel": "#cfe8fc", "memcpy": "#fde9c8", "memset": "#fde9c8", "host": "#e3d7f4", "graph": "#eeeeee",
    "conditional": "#f9d5d3", "mem_alloc": "#d8f0d3", "mem_free": "#d8f0d3",
}  # fmt: skip
_OTHER = "#f4f4f4"
_LONGEST = 44  # characters of a line in a node


def label_lines(node: GraphNode) -> list[str]:
    """The text of a node: its label and kind, then configuration, arguments and attributes."""
    title = node.name if node.name else node.kind.replace("_", " ")
    lines = [f"{node.label}: {title}" if node.label else title]
    if node.kind == "kernel":
        lines.append(f"{_dims(node.grid)} x {_dims(node.block)}" + (f", {node.shared} B shared" if node.shared else ""))
        lines += [f"{name} = {_value(value)}" for name, value in node.arguments or ()]
        special = {**({"cluster": node.cluster} if node.cluster else {}), **node.attributes}
        special |= {"cooperative": True} if node.cooperative else {}
        lines += [f"[{name} {value}]" for name, value in special.items()]
    else:
        lines += [f"{name} = {_value(value)}" for name, value in node.details.items()]
    return [line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…" for line in lines]


def _dims(dims: tuple[int, int, int] | None) -> str:
    kept = list(dims or ())
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return "×".join(map(str, kept))


def _value(value: object) -> str:
    if isinstance(value, int) and value > 0xFFFF:
        return hex(value)
    return value.hex() if isinstance(value, bytes) else str(value)


# --- DOT --------------------------------------------------------------------------------------------------------------


def to_dot(nodes: Sequence[GraphNode], name: str) -> str:
    """The graph in the DOT language. Children and bodies are clusters; programmatic edges are dashed."""
    lines = [f"digraph {_quoted(name)} {{", '  node [shape=box, style=filled, fontname="sans-serif"];']
    walked(_dot(nodes, "n", lines, "  "))
    return "\n".join([*lines, "}", ""])


def _dot(nodes: Sequence[GraphNode], prefix: str, lines: list[str], indent: str) -> Walk[None]:
    names = {node.handle: f"{prefix}{index}" for index, node in enumerate(nodes)}
    for node in nodes:
        own = names[node.handle]
        text = "\\n".join([_escaped(line) for line in label_lines(node)])
        lines.append(f'{indent}{own} [label="{text}", fillcolor="{_COLOURS.get(node.kind, _OTHER)}"];')
        for index, inner in enumerate([node.children] if node.children else node.bodies):
            lines.append(f"{indent}subgraph cluster_{own}_{index} {{")
            lines.append(f'{indent}  label="{_escaped(node.label or node.kind)} {index if node.bodies else ""}";')
            yield _dot(inner, f"{own}_{index}_", lines, indent + "  ")
            lines.append(f"{indent}}}")
            if inner:
                lines.append(f"{indent}{own} -> {own}_{index}_0 [style=dotted];")
        for source, when in node.dependencies:
            style = "" if when == "ended" else f' [style=dashed, label="{when}"]'
            lines.append(f"{indent}{names[source]} -> {own}{style};")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


# --- SVG --------------------------------------------------------------------------------------------------------------

_CHARACTER, _LINE, _PADDING, _GAP_X, _GAP_Y = 6.6, 15, 9, 26, 42  # pixels
_MARGIN = 16


class _Box(NamedTuple):
    node: GraphNode
    x: float
    y: float
    width: float
    height: float
    inner: tuple[_Drawing, ...]


class _Drawing(NamedTuple):
    """Boxes of one graph, from (0, 0)."""

    boxes: tuple[_Box, ...]
    width: float
    height: float


def to_svg(nodes: Sequence[GraphNode]) -> str:
    """The graph as SVG, in layers: each node below all nodes that it depends on. Children and bodies are inside their node."""
    drawing = walked(_lay_out(nodes))
    width, height = drawing.width + 2 * _MARGIN, drawing.height + 2 * _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" font-family="monospace" '
        'font-size="11">',
        '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
    ]
    walked(_draw(drawing, _MARGIN, _MARGIN, lines))
    return "\n".join([*lines, "</svg>", ""])


def _layers(nodes: Sequence[GraphNode]) -> list[list[GraphNode]]:
    """Nodes by the length of the longest way to them, each layer ordered by where its dependencies lie."""
    by_handle = {node.handle: node for node in nodes}
    depth: dict[int, int] = {}
    pending = list(nodes)
    while pending:
        left = []
        for node in pending:
            before = [source for source, _when in node.dependencies if source in by_handle]
            if all(source in depth for source in before):
                depth[node.handle] = 1 + max([depth[source] for source in before], default=-1)
            else:
                left.append(node)
        if len(left) == len(pending):  # a cycle: such a graph cannot be instantiated, but it can be drawn
            depth[left[0].handle] = 0
            left = left[1:]
        pending = left
    layers: list[list[GraphNode]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in nodes:
        layers[depth[node.handle]].append(node)
    place: dict[int, float] = {}
    for layer in layers:
        layer.sort(key=lambda node: _middle([place[s] for s, _when in node.dependencies if s in place]))
        place.update({node.handle: index - len(layer) / 2 for index, node in enumerate(layer)})
    return layers


def _middle(places: list[float]) -> float:
    return sum(places) / len(places) if places else 0.0


def _lay_out(nodes: Sequence[GraphNode]) -> Walk[_Drawing]:
    rows: list[list[_Box]] = []
    for layer in _layers(nodes):
        rows.append([])
        for node in layer:
            inner: list[_Drawing] = []
            for nested in [node.children] if node.children else node.bodies:
                inner.append((yield _lay_out(nested)))
            rows[-1].append(_sized(node, tuple(inner)))
    widths = [sum(box.width for box in row) + _GAP_X * (len(row) - 1) for row in rows]
    width, y = max(widths, default=0.0), 0.0
    boxes = []
    for row, row_width in zip(rows, widths):
        x = (width - row_width) / 2
        for box in row:
            boxes.append(box._replace(x=x, y=y))
            x += box.width + _GAP_X
        y += max(box.height for box in row) + _GAP_Y
    return _Drawing(tuple(boxes), width, max(y - _GAP_Y, 0.0))


def _sized(node: GraphNode, inner: tuple[_Drawing, ...]) -> _Box:
    lines = label_lines(node)
    text = max([len(line) for line in lines]) * _CHARACTER
    inside = sum(one.width for one in inner) + _PADDING * max(len(inner) - 1, 0)
    height: float = len(lines) * _LINE + 2 * _PADDING
    if inner:
        height += max(one.height for one in inner) + _PADDING
    return _Box(node, 0, 0, max(text, inside) + 2 * _PADDING, height, inner)


def _draw(drawing: _Drawing, left: float, top: float, lines: list[str]) -> Walk[None]:
    places = {box.node.handle: box for box in drawing.boxes}
    for box in drawing.boxes:
        x, y = left + box.x, top + box.y
        colour = _COLOURS.get(box.node.kind, _OTHER)
        lines.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="4" fill="{colour}" '
            'stroke="#555"/>'
        )
        text = label_lines(box.node)
        for index, line in enumerate(text):
            weight = ' font-weight="bold"' if not index else ""
            baseline = y + _PADDING + (index + 0.75) * _LINE
            lines.append(f'<text x="{x + _PADDING:.1f}" y="{baseline:.1f}"{weight}>{escape(line)}</text>')
        inside = x + _PADDING
        for inner in box.inner:
            yield _draw(inner, inside, y + _PADDING + len(text) * _LINE + _PADDING / 2, lines)
            inside += inner.width + _PADDING
        for source, when in box.node.dependencies:
            if source in places:
                lines.append(_edge(places[source], box, left, top, when))


def _edge(source: _Box, target: _Box, left: float, top: float, when: str) -> str:
    x1, y1 = left + source.x + source.width / 2, top + source.y + source.height
    x2, y2 = left + target.x + target.width / 2, top + target.y
    bend = (y2 - y1) / 2
    dashed = "" if when == "ended" else ' stroke-dasharray="4 3"'
    return (
        f'<path d="M{x1:.1f} {y1:.1f} C{x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}" fill="none" '
        f'stroke="#333" marker-end="url(#end)"{dashed}/>'
    )
