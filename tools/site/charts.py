"""The charts of docs/performance.md, which code hosts draw from Mermaid's text, as SVG: the site runs no code of others."""

from __future__ import annotations

import json
import re
from html import escape

__all__ = ["with_charts"]

_CHART = re.compile(
    r"```mermaid\nxychart-beta horizontal\n +x-axis (\[.*\])\n"
    r' +y-axis "(.*?)" 0 --> [\d.]+\n +bar (\[.*\])\n +line \[.*\]\n```'
)
_ROW, _BAR, _NAMES, _WIDTH = 22, 14, 300, 720
_FULL = 1.5
"""The ratio at which a bar reaches the end."""


def with_charts(fence: str) -> str:
    """A fenced block as it is, or its chart."""
    match = _CHART.fullmatch(fence)
    if match is None:
        return fence
    return "```{raw} html\n" + _drawn(json.loads(match[1]), match[2], json.loads(match[3])) + "```"


def _drawn(names: list[str], unit: str, values: list[float]) -> str:
    """Bars with their names before them and their values in them, and a line at 1."""
    scale = (_WIDTH - _NAMES) / max(_FULL, *values)
    height = _ROW * len(names) + 18
    one = _NAMES + scale
    lines = [
        f'<svg class="bars" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(unit)}">',
        f'<line x1="{one:.1f}" x2="{one:.1f}" y1="0" y2="{_ROW * len(names)}"/>',
        f'<text x="{one:.1f}" y="{height - 4}" text-anchor="middle">{escape(unit)} = 1</text>',
    ]
    for index, (name, value) in enumerate(zip(names, values)):
        y = index * _ROW + (_ROW - _BAR) // 2
        lines += [
            f'<text x="{_NAMES - 8}" y="{y + 11}" text-anchor="end">{escape(_shortened(name))}</text>',
            f'<rect class="{_side(value)}" x="{_NAMES}" y="{y}" width="{value * scale:.1f}" height="{_BAR}"/>',
            f'<text x="{_NAMES + 6}" y="{y + 11}" class="value">{value:.2f}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def _side(value: float) -> str:
    return "good" if value >= 1 else "less"


def _shortened(name: str, room: int = 44) -> str:
    return name if len(name) <= room else name[: room - 1] + "…"
