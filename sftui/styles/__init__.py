"""How the app looks: quiet themes with one accent, a loud one, one without colour, and the style sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.theme import Theme

from sftui.terminal import is_light

DARK: Final = Theme(
    name="sftui-dark",
    primary="#7aa2f7",
    secondary="#7aa2f7",
    accent="#7aa2f7",
    foreground="#d4d7dd",
    background="#14161a",
    surface="#14161a",
    panel="#1e2127",
    success="#8fbf7f",
    warning="#d8a657",
    error="#e8777f",
    dark=True,
    variables={"ink-muted": "#9299a6", "rule": "#3d434f", "cursor-row": "#29303f"},
)
LIGHT: Final = Theme(
    name="sftui-light",
    primary="#2a5bc0",
    secondary="#2a5bc0",
    accent="#2a5bc0",
    foreground="#22252b",
    background="#fbfbf9",
    surface="#fbfbf9",
    panel="#eeeeea",
    success="#387228",
    warning="#8a5d00",
    error="#b02a37",
    dark=False,
    variables={"ink-muted": "#5f656f", "rule": "#c4c7cd", "cursor-row": "#dde5f6"},
)
# Every text stands at 7:1 or more against its background, the lines that divide at 4.5:1.
CONTRAST: Final = Theme(
    name="sftui-contrast",
    primary="#ffd700",
    secondary="#ffd700",
    accent="#ffd700",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1a1a1a",
    success="#7dff7d",
    warning="#ffb347",
    error="#ffa3a3",
    dark=True,
    variables={"ink-muted": "#d0d0d0", "rule": "#9a9a9a", "cursor-row": "#002a55"},
)
# What a line filter takes the colours from; signs and words carry the meaning in every theme.
PLAIN: Final = Theme(
    name="sftui-plain",
    primary="#ffffff",
    secondary="#ffffff",
    accent="#ffffff",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#000000",
    success="#ffffff",
    warning="#ffffff",
    error="#ffffff",
    dark=True,
    variables={"ink-muted": "#ffffff", "rule": "#ffffff", "cursor-row": "#000000"},
)
# In the order in which they follow one another, with the words for them.
THEMES: Final = {DARK.name: "dark", LIGHT.name: "light", CONTRAST.name: "high contrast", PLAIN.name: "no colour"}


def next_theme(name: str) -> str:
    """Give the theme that comes after one; a name that is none of ours leads to the first."""
    names = list(THEMES)
    return names[(names.index(name) + 1) % len(names)] if name in THEMES else names[0]


def first_theme(environ: Mapping[str, str]) -> str:
    """Give the theme to begin with: that without colour if none is wanted, the light one on a light terminal."""
    if "NO_COLOR" in environ:
        return PLAIN.name
    return LIGHT.name if is_light(environ) else DARK.name
