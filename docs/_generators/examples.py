"""A page for each script of `examples/`, and the page that lists them."""

from __future__ import annotations

import re
from pathlib import Path

from _generators.pages import page

EXAMPLES = Path(__file__).parents[2] / "examples"
PLACE = 90
LANGUAGES = {".py": "python", ".yml": "yaml"}


def write(folder: Path) -> Path:
    """Writes the pages of `examples/`, of which `README.md` is the first."""
    own = folder / "examples"
    listed = (EXAMPLES / "README.md").read_text()
    scripts = re.findall(r"^\| \[(.+?)\]\(\1\) \| (.+) \|$", listed, re.MULTILINE)
    for name, what in scripts:
        shown = f"```{{literalinclude}} /../examples/{name}\n:language: {LANGUAGES[Path(name).suffix]}\n```\n"
        page(own / f"{Path(name).stem}.md", f"# {name}\n\nShows {what}.\n\n{shown}")
    before = (EXAMPLES / "before_and_after.md").read_text()
    page(
        own / "before_and_after.md",
        linked(re.sub(r"^```python \w+$", "```python", before, flags=re.MULTILINE)),
    )
    names = ["before_and_after", *(Path(name).stem for name, _ in scripts)]
    tree = "```{toctree}\n:hidden:\n\n" + "".join(f"{name}\n" for name in names) + "```\n"
    return page(own / "index.md", f"{linked(listed)}\n{tree}")


def linked(text: str) -> str:
    """A page whose links to scripts, and to pages of the site, lead to their pages."""
    return re.sub(r"\]\((\w+)\.(?:py|yml)\)", r"](\1.md)", text).replace("](../docs/", "](/")
