"""How the app looks: quiet themes with one accent, a loud one, one without colour, and the style sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.theme import Theme

from sftui.terminal import is_light


def _theme(
    name: str,
    *,
    dark: bool = True,
    ink: str,
    muted: str,
    ground: str,
    panel: str,
    accent: str,
    good: str,
    warn: str,
    bad: str,
    rule: str,
    cursor: str,
) -> Theme:
    """One accent, one ground: what Textual tells apart beyond that looks the same here."""
    return Theme(
        name=name,
        primary=accent,
        secondary=accent,
        accent=accent,
        foreground=ink,
        background=ground,
        surface=ground,
        panel=panel,
        success=good,
        warning=warn,
        error=bad,
        dark=dark,
        variables={"ink-muted": muted, "rule": rule, "cursor-row": cursor},
    )


DARK: Final = _theme(
    "sftui-dark",
    ink="#d4d7dd",
    muted="#9299a6",
    ground="#14161a",
    panel="#1e2127",
    accent="#7aa2f7",
    good="#8fbf7f",
    warn="#d8a657",
    bad="#e8777f",
    rule="#3d434f",
    cursor="#29303f",
)
LIGHT: Final = _theme(
    "sftui-light",
    dark=False,
    ink="#22252b",
    muted="#5f656f",
    ground="#fbfbf9",
    panel="#eeeeea",
    accent="#2a5bc0",
    good="#387228",
    warn="#8a5d00",
    bad="#b02a37",
    rule="#c4c7cd",
    cursor="#dde5f6",
)
# Every text stands at 7:1 or more against its background, the lines that divide at 4.5:1.
CONTRAST: Final = _theme(
    "sftui-contrast",
    ink="#ffffff",
    muted="#d0d0d0",
    ground="#000000",
    panel="#1a1a1a",
    accent="#ffd700",
    good="#7dff7d",
    warn="#ffb347",
    bad="#ffa3a3",
    rule="#9a9a9a",
    cursor="#002a55",
)
# What a line filter takes the colours from; signs and words carry the meaning in every theme.
PLAIN: Final = _theme(
    "sftui-plain",
    ink="#ffffff",
    muted="#ffffff",
    ground="#000000",
    panel="#000000",
    accent="#ffffff",
    good="#ffffff",
    warn="#ffffff",
    bad="#ffffff",
    rule="#ffffff",
    cursor="#000000",
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
