"""The order in which lists of paths are shown: as a reader of English expects it, not by code unit.

Punctuation comes before digits and digits before letters; accents and then case (small first) decide only between
texts that are otherwise alike.
"""

from __future__ import annotations

from typing import Final

_ORDER: Final = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
_RANK: Final = {character: rank for rank, character in enumerate(_ORDER)}

CollationKey = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], str]


def collation_key(text: str) -> CollationKey:
    """A sort key: base characters first, then accents, then case, then the text itself."""
    if text.isascii():
        bases, marks = text, ""
    else:
        import unicodedata

        apart = unicodedata.normalize("NFD", text)
        bases = "".join(character for character in apart if not unicodedata.combining(character))
        marks = "".join(character for character in apart if unicodedata.combining(character))
    primary = tuple(_primary(character) for character in bases)
    return primary, tuple(map(ord, marks)), tuple(int(character.isupper()) for character in bases), text


def _primary(character: str) -> int:
    rank = _RANK.get(character.lower())
    return len(_ORDER) + ord(character.lower()[0]) if rank is None else rank
