"""Sphinx's configuration of the documentation site. tools/site writes its pages; `tools/dev.py docs` builds them."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import ptxgen  # noqa: E402

project = "ptxgen"
author = "the authors of ptxgen"
version = release = ptxgen.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "tools.site.extension"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True  # `= DEFAULT` stays the name that the source has
autodoc_typehints_format = "short"
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
nitpick_ignore_regex = [
    (r"py:.*", r".*")
]  # annotations name types of rooms that have no page; tools/site/checks.py follows links

suppress_warnings = ["ref.python"]  # a bare name in an annotation that both packages have, such as Module

html_theme = "furo"
html_title = "ptxgen"
html_static_path = [str(ROOT / "tools" / "site" / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
