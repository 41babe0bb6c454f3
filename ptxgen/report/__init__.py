"""A kernel's page: one HTML file with its source beside its PTX, and everything that is known of it.

    contents        everything that a page says, as values
    listing, sources    lines of PTX, and of the files that they come from
    metrics         what the heat of a line may be
    graph_layout, flow_graph    where the blocks of a control-flow graph are drawn
    figures         live registers, mix, roofline, occupancy
    page            the values through the templates, under a policy that runs no foreign script
    templates/      HTML, CSS and a script that works without any

A section to add is a field of `contents.Contents` and a part of `templates/page.html.j2`; a number for the heat of lines is a
row of `metrics.METRICS`. What is said comes from lower rooms: nothing is analysed here. May import everything below the tools.
What notebooks show of a value (`_repr_html_`) is in the value's own room, by `ptxgen.markup`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxgen.lazy import exports

if TYPE_CHECKING:
    from ptxgen.report.page import html_report

__all__ = ["html_report"]

_EXPORTS = {"page": "html_report"}

if not TYPE_CHECKING:  # a type checker would take any name
    __getattr__, __dir__ = exports(__name__, _EXPORTS)
