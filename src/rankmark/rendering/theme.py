"""Colours of pages and pictures, light and dark, and the style sheet that gives them names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

__all__ = ["DARK", "LIGHT", "SERIES", "Theme", "variables"]

Theme: TypeAlias = Literal["auto", "light", "dark"]
"""``auto`` is as light or dark as whoever looks has chosen; the others are always so."""

SERIES = 6
"""How many colours there are for what stands beside each other; then they begin again, with other dashes."""

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "paper": "#ffffff",
        "ink": "#1b1f24",
        "muted": "#57606a",
        "line": "#d0d7de",
        "shade": "#f3f5f7",
        "good": "#00785a",
        "bad": "#b34400",
        "series-1": "#0072b2",
        "series-2": "#c74a00",
        "series-3": "#7d2ae8",
        "series-4": "#3d1418",
        "series-5": "#a8806f",
        "series-6": "#00664b",
    }
)
"""On white: blue and vermilion after Okabe and Ito (2008), and the others as far from them and each
other, and from the paper, as whoever sees no red, no green or no blue needs."""
DARK: Mapping[str, str] = MappingProxyType(
    {
        "paper": "#14181d",
        "ink": "#e6edf3",
        "muted": "#9aa5b1",
        "line": "#3a434d",
        "shade": "#1d232a",
        "good": "#3fc79a",
        "bad": "#ff9250",
        "series-1": "#56b4e9",
        "series-2": "#ff9250",
        "series-3": "#8a5cf6",
        "series-4": "#e6ddcb",
        "series-5": "#e0347f",
        "series-6": "#a5d92b",
    }
)

ASKED_DARK = ("[data-theme=dark]", "[data-jp-theme-light=false]", ".vscode-dark", "html[theme=dark]")
"""What a page says of itself that is dark whatever the system is: ours, JupyterLab, VS Code, Colab."""
ASKED_LIGHT = ("[data-theme=light]", "[data-jp-theme-light=true]", ".vscode-light", "html[theme=light]")


def variables(scope: str) -> str:
    """A style sheet that gives the colours names, such as ``--rm-ink``, in all that a selector finds.

    What the page says of itself goes before what the system says.
    """
    light, dark = _assigned(LIGHT), _assigned(DARK)
    return (
        f"{scope}{{{light}}}"
        f"@media (prefers-color-scheme:dark){{{scope}{{{dark}}}}}"
        f"{_within(ASKED_LIGHT, scope)}{{{light}}}{_within(ASKED_DARK, scope)}{{{dark}}}"
        f"@media print{{{scope}{{{light}}}}}"
    )


def _assigned(colours: Mapping[str, str]) -> str:
    return "".join(f"--rm-{name}:{colour};" for name, colour in colours.items())


def _within(places: Sequence[str], scope: str) -> str:
    return ",".join(f"{place} {scope},{place}{scope}" for place in places)
