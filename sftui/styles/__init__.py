"""How the app looks: two quiet themes with one accent, and the style sheet of its screens."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

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
    error="#e5737c",
    dark=True,
    variables={"ink-muted": "#8d94a1", "rule": "#3d434f", "cursor-row": "#29303f"},
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
    success="#3a7429",
    warning="#8a5d00",
    error="#b02a37",
    dark=False,
    variables={"ink-muted": "#676d77", "rule": "#c4c7cd", "cursor-row": "#dde5f6"},
)
