"""How the site is built: `make docs`. Pages are Markdown (MyST), and ask for nothing outside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "_extensions")]

project = "rankmark"
html_title = "rankmark"
extensions = ["myst_parser", "mathml", "docstrings"]
exclude_patterns = ["_build", "_generators", "_extensions", "README.md"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types and names in docstrings that have no page are words
default_role = "py:obj"  # of docstrings
smartquotes = False  # they change words of commands that stand in the text

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath", "html_image"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
maximum_signature_line_length = 80
napoleon_use_ivar = True

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css", "reference.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_show_search_summary = False  # summaries are fetched, which a page opened from a disk may not do
html_theme_options = {
    "light_css_variables": {"color-code-background": "#f6f8fa"},
    "navigation_with_keys": True,
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def setup(app: Any) -> None:
    """Has the reference pages written before Sphinx looks for pages."""
    import _generators

    app.connect("builder-inited", lambda _: _generators.write(HERE / "reference"))
    app.connect("html-page-context", keep_contents_short, priority=400)  # before the theme's own


def keep_contents_short(*given: Any) -> None:
    """Two levels of pages beside each page: with all, building takes time by the square of their number."""
    context = given[3]
    if whole := context.get("toctree"):
        context["toctree"] = lambda **options: whole(**{**options, "maxdepth": 2})
