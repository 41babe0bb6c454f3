"""The documentation site: docs/*.md as they are, and beside them a page for each instruction, diagnostic code and public room.

    pages.py         what a page is; words and tables of Markdown
    narrative.py     docs/*.md: links that lead out of docs/, charts, the contents from the tables of docs/index.md
    explained.py     what `px.explain` says, as Markdown
    instructions.py  a page for each instruction of the table; directives, special registers, targets
    diagnostics.py   a page for each code
    interface.py     the public names of ptxgen and driver_ctypes, by rooms; `docstrings.py` makes their text readable
    charts.py        the bar charts of docs/performance.md as SVG
    extension.py     what Sphinx asks of us
    checks.py        links, anchors and requests of the built pages
    browser.py       the built pages in a browser, on a phone and on a desk
    build.py         all of it, as `tools/dev.py docs`

To add a kind of page, write a function that yields `Page`s and name it in `build.py`. docs/conf.py is Sphinx's configuration. The
pages are written into build/docs/source, from which Sphinx makes build/docs/html. May import everything.
"""
