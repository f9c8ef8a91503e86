"""What looks like a secret: the forms of tokens and keys that detect-secrets keeps, and a few that it does not have yet.

Its patterns alone are used, text by text; nothing is ever asked of a network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from engine.records import dataclass

# Shorter texts hold no token.
SHORTEST: Final = 16
# A pattern holds the interpreter while it looks: a long text is looked at in pieces, which overlap by more than a token.
PIECE: Final = 1 << 15
OVERLAP: Final = 1 << 11

# Of the detectors those that know a form: what only guesses from a name nearby, or from how random a text looks, is left out.
_DETECTORS: Final[dict[str, tuple[str, ...]]] = {
    "aws": ("AWSKeyDetector",),
    "azure_storage_key": ("AzureStorageKeyDetector",),
    "basic_auth": ("BasicAuthDetector",),
    "discord": ("DiscordBotTokenDetector",),
    "github_token": ("GitHubTokenDetector",),
    "gitlab_token": ("GitLabTokenDetector",),
    "jwt": ("JwtTokenDetector",),
    "mailchimp": ("MailchimpDetector",),
    "npm": ("NpmDetector",),
    "openai": ("OpenAIDetector",),
    "private_key": ("PrivateKeyDetector",),
    "pypi_token": ("PypiTokenDetector",),
    "sendgrid": ("SendGridDetector",),
    "slack": ("SlackDetector",),
    "square_oauth": ("SquareOAuthDetector",),
    "stripe": ("StripeDetector",),
    "telegram_token": ("TelegramBotTokenDetector",),
    "twilio": ("TwilioKeyDetector",),
}
# Without one of these no pattern finds anything: most texts need no further look.
_WORTH_A_LOOK: Final = re.compile(r"[A-Za-z0-9+/_=:.-]{20}|://|PRIVATE KEY|PuTTY-User")
# Where the pattern takes in more than the secret, its first group is the secret.
_INNER: Final = frozenset({"aws", "basic_auth", "npm"})
# Others end where their pattern does not say: all that goes on with them belongs to them.
_BOUNDED: Final = frozenset({"aws", "basic_auth", "azure_storage_key", "private_key"})
# This one takes in all that stands behind it on its line.
_GREEDY: Final = frozenset({"npm"})
_TAIL: Final = re.compile(r"(?:\.?[A-Za-z0-9_+/=-])*")
# A key goes on to its end, which the pattern does not look for.
_TO_THE_END: Final = frozenset({"private_key"})
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]+-----")

# Forms that their issuers document and that the detectors do not know.
_OURS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("GitHub fine-grained token", re.compile(r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}")),
    ("Anthropic API key", re.compile(r"sk-ant-[a-z]{3,10}[0-9]{2}-[A-Za-z0-9_-]{80,}")),
    ("Google API key", re.compile(r"AIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])")),
)
# What stands for a secret in an example.
_PLACEHOLDER: Final = re.compile(
    r"[<{$%\[].*|.*\*{3}.*|(.)\1*|(?i:(?:my|your|the|some)?[-_]?(?:pass(?:word)?|pwd|secret|token|key|x+|user(?:name)?))"
)


@dataclass(frozen=True, slots=True)
class Secret:
    """What looks like a secret: its kind, and from where to where it stands in its text."""

    kind: str
    start: int
    stop: int


def secrets_in(text: str, step: Callable[[], object] = lambda: None) -> tuple[Secret, ...]:
    """What looks like a secret in a text, in order; of what overlaps, the longest."""
    if len(text) < SHORTEST or _WORTH_A_LOOK.search(text) is None:
        return ()
    found: list[Secret] = []
    for start in range(0, max(1, len(text) - OVERLAP), PIECE):
        found.extend(_in_piece(text, start, start + PIECE + OVERLAP))
        if len(text) > PIECE:
            step()
    return tuple(_apart(found)) if found else ()


def masked(text: str) -> str:
    """A secret as it may be shown: how it begins, where that gives nothing away, and how long it is."""
    begins = text[:4] if len(text) >= 4 * 4 and text[:4].isprintable() else ""
    return f"{begins}… ({len(text):,} characters)"


def _in_piece(text: str, start: int, stop: int) -> Iterator[Secret]:
    for kind, name, pattern, judge in patterns():
        for match in pattern.finditer(text, start, stop):
            inner = name in _INNER and pattern.groups > 0 and match[1]
            begin, end = match.span(1) if inner else match.span()
            if name not in _BOUNDED:
                tail = _TAIL.match(text, begin if name in _GREEDY else end)
                end = end if tail is None else tail.end()
            if name in _TO_THE_END:
                close = _KEY_END.search(text, end)
                begin = max(0, begin - 5) if text[max(0, begin - 5) : begin] == "-----" else begin
                end = len(text) if close is None else close.end()
            if _PLACEHOLDER.fullmatch(text, begin, end) is None and judge(match[0]):
                yield Secret(kind, begin, end)


def _apart(found: list[Secret]) -> Iterator[Secret]:
    reach = -1
    for one in sorted(set(found), key=lambda secret: (secret.start, -secret.stop)):
        if one.start >= reach:
            reach = one.stop
            yield one


@cache
def patterns() -> tuple[tuple[str, str, re.Pattern[str], Callable[[str], bool]], ...]:
    """Kind, name of the detector, pattern and a closer look; the library is loaded when somebody looks for secrets first."""
    from importlib import import_module

    found: list[tuple[str, str, re.Pattern[str], Callable[[str], bool]]] = [
        (kind, "", pattern, bool) for kind, pattern in _OURS
    ]
    for name, classes in _DETECTORS.items():
        module = import_module(f"detect_secrets.plugins.{name}")
        for made in classes:
            detector = getattr(module, made)
            judge = getattr(detector, "is_formally_valid", bool)
            found += [(detector.secret_type, name, pattern, judge) for pattern in detector.denylist]
    return tuple(found)
