"""Sizes as a person reads them."""

from __future__ import annotations

from typing import Final

# Tokens are estimated: about four bytes of JSON a token for English text and code.
BYTES_PER_TOKEN: Final = 4


def human(size: int) -> str:
    """Give a number of bytes in at most six cells: `96 B`, `1.4 kB`, `231 kB`, `10 MB`."""
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    for unit in ("kB", "MB", "GB"):
        amount /= 1000
        if amount < 9.95:
            return f"{amount:.1f} {unit}"
        if amount < 999.5:
            return f"{amount:.0f} {unit}"
    return f"{amount:.0f} GB"


def tokens(size: int) -> int:
    """Estimate the tokens of `size` bytes of JSON."""
    return -(-size // BYTES_PER_TOKEN)


def human_tokens(size: int) -> str:
    """Give the estimated tokens of `size` bytes: `390 tok`, `9.2k tok`."""
    count = tokens(size)
    if count < 1000:
        return f"{count} tok"
    if count < 9_950:
        return f"{count / 1000:.1f}k tok"
    if count < 999_500:
        return f"{count / 1000:.0f}k tok"
    return f"{count / 1_000_000:.1f}M tok"


def signed_tokens(size: int) -> str:
    """Give the estimated tokens of a difference in bytes, without the unit: `−310`, `+9.2k`."""
    sign = "+" if size > 0 else "−" if size < 0 else "±"
    return sign + human_tokens(abs(size)).removesuffix(" tok")
