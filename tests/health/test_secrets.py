"""What looks like a secret: known forms are found wherever they stand, shown masked, and cut out; prose is left alone."""

from __future__ import annotations

import base64
import json

import pytest

from engine.health.findings import Limits
from engine.health.secrets import OVERLAP, PIECE, masked, secrets_in
from engine.memory.draft import Put, Remove
from sftui.views.findings import finding_lines, row, told
from sftui.views.ignoring import Settings, Where
from sftui.views.spans import plain
from tests.health.examining import found, report

LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAaBbCcDdEeFfGg1234567890hIjKlMnOpQrStUvWxYz"


def jwt() -> str:
    parts = [
        json.dumps({"alg": "HS256"}).encode(),
        json.dumps({"sub": "1234567890"}).encode(),
        b"0123456789abcdefghijklmn",
    ]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


# Made up, of the forms that their issuers document.
FORMS = {
    "aws": "AKIA" + "IOSFODNN7EXAMPLQ",
    "github": "ghp_" + LETTERS[:36],
    "github-fine": "github_pat_" + LETTERS[:22] + "_" + LETTERS[:59],
    "gitlab": "glpat-" + LETTERS[:20],
    "slack": "xoxb-" + "123456789012-123456789012-" + "abcdefghijklmnopqrstuvwx",
    "stripe": "sk_" + "live_" + LETTERS[:24],
    "openai": "sk-" + LETTERS[:20] + "T3BlbkFJ" + LETTERS[20:40],
    "anthropic": "sk-ant-" + "api03-" + LETTERS + LETTERS[:20],
    "google": "AIza" + LETTERS[:35],
    "sendgrid": "SG." + LETTERS[:22] + "." + LETTERS[:43],
    "npm": "//registry.example/:_authToken=npm_" + LETTERS[:36],
    "pypi": "pypi-AgEIcHlwaS5vcmc" + LETTERS,
    "telegram": "123456789:" + LETTERS[:35],
    "jwt": jwt(),
}
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join([LETTERS[:64]] * 4) + "\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize("name", FORMS)
def test_known_forms_are_found_alone_and_in_a_text(name: str) -> None:
    token = FORMS[name]
    for text in (token, f"use it as {token} for the upload, and tell nobody", f'{{"token": "{token}"}}'):
        (one,) = secrets_in(text)
        assert text[one.start : one.stop] in token
        assert token not in text[: one.start] + text[one.stop :]
        # Nothing of it is left that would still be of use.
        assert len(text) - (one.stop - one.start) <= len(text) - len(token) + len("//registry.example/:_authToken=npm_")


def test_a_key_goes_to_its_end() -> None:
    text = f"before\n{KEY}\nafter"
    (one,) = secrets_in(text)
    assert text[one.start : one.stop] == KEY
    cut_off = KEY[:90]
    assert [cut_off[one.start : one.stop] for one in secrets_in(cut_off)] == [cut_off]


def test_a_password_in_an_address_is_the_password_alone() -> None:
    text = "postgres://bob:hunter2secret@db.example/x"
    (one,) = secrets_in(text)
    assert text[one.start : one.stop] == "hunter2secret"


@pytest.mark.parametrize(
    "text",
    [
        "the token is in the vault, see ops/secrets",
        "postgres://user:password@host/db",
        "postgres://bob:$PASSWORD@host/db and https://bob:<token>@host and https://x:***@y/z/long/enough",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"[:20],
        "sha256:" + "0123456789abcdef" * 4,
        "/work/demo/app/src/module/some_long_file_name_that_goes_on_and_on.py",
        "550e8400-e29b-41d4-a716-446655440000",
        "eyJhbGciOi.this-is-no-token",
        "BEGIN PUBLIC KEY and the PRIVATE KEY is elsewhere",
        "a" * 500,
        "",
    ],
)
def test_what_is_no_secret_is_left_alone(text: str) -> None:
    assert secrets_in(text) == ()


def test_a_secret_across_two_pieces_of_a_long_text_is_found_once() -> None:
    token = FORMS["github"]
    for at in (PIECE - 10, PIECE, PIECE + OVERLAP - 20, 2 * PIECE - 39):
        text = "x " * (at // 2) + token + " y" * PIECE
        assert [text[one.start : one.stop] for one in secrets_in(text)] == [token], at


def test_a_mask_gives_nothing_away() -> None:
    for token in FORMS.values():
        shown = masked(token)
        assert shown.startswith(token[:4]) and token[4:8] not in shown
    assert masked("hunter2secret") == "… (13 characters)"


def test_the_fix_deletes_a_secret_and_leaves_the_text_around_it() -> None:
    token = FORMS["github"]
    text = f"run the upload with {token} as the bearer, then look at the dashboard and close the ticket"
    whole, part, key, element = (
        found("secret", cwd={"tactics": own})[0]
        for own in ({"t": token}, {"t": text}, {"map": {token: 1}}, {"list": ["a", token]})
    )
    assert isinstance(whole.fix[0], Remove)
    assert isinstance(part.fix[0], Put)
    assert part.fix[0].value == text.replace(token, "[removed]")
    assert isinstance(key.fix[0], Remove) and key.place == "cwd.tactics.map"
    assert isinstance(element.fix[0], Put) and element.fix[0].value == "[removed]"
    assert all(one.severity == "high" and "looks like" in one.reason for one in (whole, part, key, element))


def test_an_answer_is_not_touched() -> None:
    (one,) = found("secret", session={"response": FORMS["github"]})
    assert not one.fix and "answer" in one.unfixed


def test_no_finding_shows_a_secret_whatever_it_is_about() -> None:
    tokens = [*FORMS.values(), KEY, "hunter2secret"]
    own = {
        "tactics": {
            **{f"t{n}": token for n, token in enumerate(tokens)},
            "url": "postgres://bob:hunter2secret@db.example/x",
            "keys": {token: {"empty": {}, "see": "$cwd.lazy.gone", "a b": 1, "n": 2**60 + 1} for token in tokens},
            "big": {FORMS["github"]: {"text": "y" * 9_000}},
        },
        "artifacts": {f"/gone/{FORMS['slack']}": {"description": f"made with {FORMS['aws']}"}},
    }
    seen = told(report(Limits(), cwd=own, session={"tactics": own["tactics"]}), Settings(), Where())
    assert len(seen.items) > 30
    shown = json.dumps(seen.to_json(every=True), ensure_ascii=False)
    for item in seen.items:
        shown += plain(row(seen, item, 500, marked=True, sign="~")[0])
        shown += "\n".join(plain(line) for line in finding_lines(seen, item))
    for token in tokens:
        assert token not in shown and json.dumps(token)[1:-1] not in shown, token
