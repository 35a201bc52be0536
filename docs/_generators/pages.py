"""Pages that are written only where they changed, so that the next build reads no more than these again."""

from __future__ import annotations

from pathlib import Path

_WRITTEN: set[Path] = set()


def page(path: Path, text: str) -> Path:
    """Writes a page, unless it is there as it is."""
    _WRITTEN.add(path)
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return path


def keep_only(folder: Path) -> None:
    """Removes the pages in a folder that were not written since this process began."""
    for path in folder.rglob("*.md"):
        if path not in _WRITTEN:
            path.unlink()
